"""Quantities about whole messages in one thread: who is faster, what ParSplit adds, how much samples vary."""

from __future__ import annotations

from collections.abc import Sequence

from aeadlab.judgement.claim import Numbers, Test
from aeadlab.judgement.estimate import Quantity, greatest, least, with_reserve
from aeadlab.judgement.evidence import Evidence, Undecided


def op_of(name: str, op: str) -> str:
    """The op of an implementation that stands for this one: baselines have no tags, they only encrypt."""
    return "encrypt" if name.startswith("baseline/") else op


def whole(evidence: Evidence, name: str, op: str) -> list[int]:
    """The case of an implementation over the whole message in one thread; Undecided if there is none."""
    return evidence.find(name, engine="whole", op=op_of(name, op), threads=1)


def slower(names: Sequence[str], others: Sequence[str], ops: Sequence[str]) -> Test:
    """The least time of `names` over the least time of `others`; of several ops the least such ratio.

    Where some of the names were not measured the claim can be refuted by those that were, but not be proven. Of the
    others one is enough.
    """

    def test(evidence: Evidence, _: Numbers) -> Quantity:
        return least([_slower(evidence, names, others, op) for op in ops])

    return test


def _slower(evidence: Evidence, names: Sequence[str], others: Sequence[str], op: str) -> Quantity:
    wanted = {name: {"engine": "whole", "op": op_of(name, op), "threads": 1} for name in (*names, *others)}
    over, under = (
        [case for name in side for case in evidence.select([name], **wanted[name])] for side in (names, others)
    )
    absent = [evidence.missing(name, **wanted[name]) for name in names if not evidence.select([name], **wanted[name])]
    if not over or not under:
        raise Undecided(absent[0] if not over else evidence.missing(others[0], **wanted[others[0]]))
    return with_reserve(evidence.ratio(over, under), unproven="; ".join(absent))


def in_order(names: Sequence[str]) -> Test:
    """The least ratio of neighbours' sealing times: above 1 where each takes longer than the one before it."""

    def test(evidence: Evidence, _: Numbers) -> Quantity:
        cases = [whole(evidence, name, "seal") for name in names]
        return least([evidence.ratio(later, earlier) for earlier, later in zip(cases, cases[1:], strict=False)])

    return test


def opening_unlike_sealing(names: Sequence[str]) -> Test:
    """The greatest factor, up or down, between the times of opening and sealing."""

    def test(evidence: Evidence, _: Numbers) -> Quantity:
        pairs = [(whole(evidence, name, "open"), whole(evidence, name, "seal")) for name in names]
        return greatest([evidence.ratio(*both) for pair in pairs for both in (pair, pair[::-1])])

    return test


def split_over_whole(name: str) -> Test:
    """Time under ParSplit with one thread over that of the whole message.

    The last of the claim's numbers is the size of a block in KiB.
    """

    def test(evidence: Evidence, numbers: Numbers) -> Quantity:
        split = {"engine": "parsplit", "op": op_of(name, "seal"), "threads": 1, "block_size": round(1024 * numbers[-1])}
        return evidence.ratio(evidence.find(name, **split), whole(evidence, name, "seal"))

    return test


def widest_spread(names: Sequence[str], ops: Sequence[str]) -> Test:
    """The greatest spread of any of these implementations in any of these ops: see `Evidence.spread`."""

    def test(evidence: Evidence, _: Numbers) -> Quantity:
        cases = evidence.select(names, engine="whole", op=ops, threads=1)
        here = set(evidence.cases.loc[cases, "implementation"])
        absent = [evidence.missing(name) for name in names if name not in here]
        if not cases:
            raise Undecided(absent[0])
        return with_reserve(greatest([evidence.spread(case) for case in cases]), unproven="; ".join(absent))

    return test
