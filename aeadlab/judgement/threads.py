"""Quantities about ParSplit with more and more threads: speed-ups, where they end, who leads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from aeadlab.judgement.claim import Numbers, Test
from aeadlab.judgement.estimate import (
    CONFIDENCE,
    Estimate,
    Quantity,
    greatest,
    least,
    most_are_below,
    quotient,
    with_reserve,
)
from aeadlab.judgement.evidence import Evidence, Undecided
from aeadlab.judgement.whole import op_of, whole

NEAR: Final = 1.1
"""Scaling has ended at the fewest threads that come this near to the least time of all thread counts."""

PARALLEL: Final = 8
"""Logical cores from which a record says something of many threads."""

MEMORY: Final = "baseline/memcpy"


def split(
    evidence: Evidence, name: str, op: str = "seal", least_threads: int = 1, most: int | None = None
) -> list[int]:
    """Cases of an implementation under ParSplit with so many threads, at most as many as there are logical cores.

    Raises
    ------
    Undecided
        If there are none, or the record does not say how many cores there were.
    """
    counts = [t for t in _counts(evidence) if least_threads <= t <= (most or t)]
    return evidence.find(name, engine="parsplit", op=op_of(name, op), threads=counts)


def needs(evidence: Evidence, cores: int) -> None:
    """See that there were enough logical cores, and that they were all used.

    Raises
    ------
    Undecided
        If not.
    """
    if evidence.cores is not None and evidence.cores < cores:
        raise Undecided(f"takes a machine with {cores} logical cores or more, this one has {evidence.cores}")
    if (most := max(_counts(evidence), default=0)) < cores:
        raise Undecided(f"takes a run with {cores} threads or more, this one has at most {most}")


def _counts(evidence: Evidence) -> list[int]:
    """Thread counts of the run up to the number of logical cores, as the document's."""
    if evidence.cores is None:
        raise Undecided("the record does not say how many logical cores there were")
    return sorted(int(count) for count in evidence.cases["threads"].unique() if count <= evidence.cores)


def speed_up(evidence: Evidence, name: str) -> Quantity:
    """Time under ParSplit with one thread over the least time with any number of threads."""
    return evidence.ratio(split(evidence, name, most=1), split(evidence, name))


def parallel_over_whole(names: Sequence[str]) -> Test:
    """The least speed-up that ParSplit gives any of these over their own whole message in one thread."""

    def test(evidence: Evidence, _: Numbers) -> Quantity:
        needs(evidence, 2)
        return least([evidence.ratio(whole(evidence, name, "seal"), split(evidence, name)) for name in names])

    return test


def gains_most(name: str, others: Sequence[str]) -> Test:
    """Speed-up of one over the greatest speed-up of the others."""

    def test(evidence: Evidence, _: Numbers) -> Quantity:
        needs(evidence, 2)
        return quotient(speed_up(evidence, name), greatest([speed_up(evidence, other) for other in others]))

    return test


def end_of_scaling(evidence: Evidence, name: str) -> Quantity:
    """The fewest threads whose time is within `NEAR` of the least of all thread counts.

    Its ends are the fewest threads of which this is possible and the fewest of which it is sure, by intervals that hold
    for all counts at once (Bonferroni), widened by the noise.
    """
    cases = split(evidence, name)
    threads = evidence.cases["threads"]
    ratios = {int(threads[case]): evidence.ratio([case], cases) for case in cases}

    def quantity(confidence: float) -> Estimate:
        found = {count: each(1 - (1 - confidence) / len(ratios)) for count, each in sorted(ratios.items())}
        near = [count for count, each in found.items() if each.value <= NEAR]
        possible = [count for count, each in found.items() if not each.band[0] > NEAR]
        sure = [count for count, each in found.items() if each.band[1] <= NEAR]
        # A count is none of a ratio's: the noise has done its part already, unless it is unknown.
        noise = float("nan") if any(each.noise != each.noise for each in found.values()) else 0.0
        return Estimate(near[0], possible[0], sure[0] if sure else float("inf"), noise)

    return quantity


def scaling_ends(name: str) -> Test:
    """`end_of_scaling`, on machines that could go on to twice the first of the claim's numbers."""

    def test(evidence: Evidence, numbers: Numbers) -> Quantity:
        needs(evidence, 2 * round(numbers[0]))
        return end_of_scaling(evidence, name)

    return test


def scales_further(name: str, other: str) -> Test:
    """Threads at which the scaling of `name` ends over those at which the other's does."""

    def test(evidence: Evidence, _: Numbers) -> Quantity:
        needs(evidence, PARALLEL)
        return quotient(end_of_scaling(evidence, name), end_of_scaling(evidence, other))

    return test


def gain_of_upper_half(names: Sequence[str]) -> Test:
    """The speed that threads beyond half of the logical cores add for most of these: no more than this factor."""

    def test(evidence: Evidence, _: Numbers) -> Quantity:
        needs(evidence, PARALLEL)
        return most_are_below([_upper_half(evidence, name) for name in names])

    return test


def _upper_half(evidence: Evidence, name: str) -> Quantity:
    """The least time with up to half of the cores over the least time with any number."""
    half = (evidence.cores or 0) // 2
    return evidence.ratio(split(evidence, name, most=half), split(evidence, name))


def share_of_memory(names: Sequence[str], limit: float) -> Test:
    """The least share of memcpy's best speed that any of these reaches with its best number of threads.

    One that may still gain from threads when the cores end might reach the limit with more of them: where all that stay
    below it may, and wherever there are fewer than `PARALLEL` cores, nothing is refuted.
    """

    def test(evidence: Evidence, _: Numbers) -> Quantity:
        needs(evidence, 2)
        moved = split(evidence, MEMORY)
        shares = {name: evidence.ratio(moved, split(evidence, name)) for name in names}
        low = [name for name, share in shares.items() if share(CONFIDENCE).value < limit]
        growing = [name for name in low if _upper_half(evidence, name)(CONFIDENCE).band[1] > NEAR]
        cut = f"{', '.join(growing)} may still gain from threads when the cores end" if growing == low else ""
        if (evidence.cores or 0) < PARALLEL:
            cut = f"takes a machine with {PARALLEL} logical cores or more to be refuted, this one has {evidence.cores}"
        return with_reserve(least(list(shares.values())), unrefuted=cut)

    return test


def leads(name: str, others: Sequence[str], least_threads: Callable[[Numbers], int] = lambda _: 1) -> Test:
    """The others' least time, with so many threads or more, over the least time of `name`.

    The last of the claim's numbers is a number of threads, beyond which the machine must be able to go.
    """

    def test(evidence: Evidence, numbers: Numbers) -> Quantity:
        needs(evidence, round(numbers[-1]) + 1)
        start = least_threads(numbers)
        over = [case for other in others for case in split(evidence, other, least_threads=start)]
        return evidence.ratio(over, split(evidence, name, least_threads=start))

    return test


def leads_up_to(name: str, other: str) -> Test:
    """The least, over thread counts up to the first of the claim's numbers, of the other's time over that of `name`."""

    def test(evidence: Evidence, numbers: Numbers) -> Quantity:
        last = round(numbers[0])
        needs(evidence, 2)
        threads = evidence.cases["threads"]
        mine, its = ({int(threads[case]): case for case in split(evidence, each, most=last)} for each in (name, other))
        counts = sorted(mine.keys() & its.keys())
        if not counts:
            raise Undecided(f"{name} and {other} have no number of threads in common")
        reached = "" if counts[-1] >= last else f"up to {counts[-1]} threads only, {last} are wanted"
        return with_reserve(least([evidence.ratio([its[t]], [mine[t]]) for t in counts]), unproven=reached)

    return test


def hash_leads(name: str, aeads: Sequence[str]) -> Test:
    """The least time of any of the AEADs under ParSplit over that of a hash with threads of its own."""

    def test(evidence: Evidence, _: Numbers) -> Quantity:
        needs(evidence, PARALLEL)
        over = [case for aead in aeads for case in split(evidence, aead)]
        return evidence.ratio(over, evidence.find(name, engine="whole", op="digest", threads=_counts(evidence)))

    return test


def opening_unlike_sealing_in_parallel(name: str) -> Test:
    """The factor, up or down, between the least times of opening and sealing with two threads or more."""

    def test(evidence: Evidence, _: Numbers) -> Quantity:
        needs(evidence, 2)
        both = [split(evidence, name, op, least_threads=2) for op in ("open", "seal")]
        return greatest([evidence.ratio(*both), evidence.ratio(*reversed(both))])

    return test
