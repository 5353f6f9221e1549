"""Quantities about everything that a record holds: one algorithm against all others, some against the rest."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from aeadlab.judgement.claim import Numbers, Test
from aeadlab.judgement.estimate import Estimate, Quantity, least
from aeadlab.judgement.evidence import Evidence, Undecided


def share_slower(names: Sequence[str], kind: str, op: str) -> Test:
    """The share of all other implementations of a kind that are slower than the slowest of `names`.

    Its ends are the share that is surely slower and the share that is not surely faster, each by its own 95 % interval
    and the noise: the few in a hundred that this calls wrongly do not move a share much.
    """

    def test(evidence: Evidence, _: Numbers) -> Quantity:
        named = [evidence.find(name, engine="whole", op=op, threads=1) for name in names]
        presented = {case for cases in named for case in cases}
        others = [case for case in evidence.rivals(kind=kind, op=op) if case not in presented]
        if not others:
            raise Undecided(f"the record has no other {kind}")

        def quantity(confidence: float) -> Estimate:
            found = [least([evidence.ratio([other], cases) for cases in named])(confidence) for other in others]
            values, bands = [each.value for each in found], [each.band for each in found]
            unknown = any(each.noise != each.noise for each in found)
            return Estimate(
                sum(value > 1 for value in values) / len(found),
                sum(low > 1 for low, _ in bands) / len(found),
                sum(not high < 1 for _, high in bands) / len(found),
                float("nan") if unknown else 0.0,
            )

        return quantity

    return test


def others_over(chosen: Callable[[str], bool], others: Callable[[str], bool], op: str) -> Test:
    """The least time of some algorithms, in any library, over the least time of the chosen ones.

    Parameters
    ----------
    chosen, others
        Whether an algorithm is one of these.
    """

    def test(evidence: Evidence, _: Numbers) -> Quantity:
        algorithms = evidence.cases["algorithm"]
        cases = evidence.rivals(op=op)
        over, under = ([case for case in cases if is_one(str(algorithms[case]))] for is_one in (others, chosen))
        if not over or not under:
            raise Undecided("the record has nothing to compare it with" if under else "the record does not have it")
        return evidence.ratio(over, under)

    return test
