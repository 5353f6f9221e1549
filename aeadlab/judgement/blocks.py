"""Quantities about ParSplit with blocks of different sizes, at one number of threads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from aeadlab.judgement.claim import Numbers, Test
from aeadlab.judgement.estimate import Quantity, greatest, least
from aeadlab.judgement.evidence import Evidence, Undecided

BLOCKS_PER_THREAD: Final = 8
"""Fewer blocks than this leave threads without work, which says nothing of the size as such."""


def _by_size(evidence: Evidence, name: str) -> dict[int, int]:
    """Cases by block size; Undecided unless they share one number of threads."""
    cases = evidence.find(name, engine="parsplit", op="seal")
    table = evidence.cases.loc[cases]
    if table["threads"].nunique() > 1:
        raise Undecided(f"{name} was measured with several numbers of threads, one is wanted")
    return {int(table["block_size"][case]): case for case in cases}


def outside_over_inside(names: Sequence[str]) -> Test:
    """The least, over these, of the best time with other block sizes over the best time within a range.

    The claim's numbers are the ends of the range in KiB, both inside.
    """

    def test(evidence: Evidence, numbers: Numbers) -> Quantity:
        ratios = []
        for name in names:
            sizes = _by_size(evidence, name)
            if int(evidence.cases["threads"][next(iter(sizes.values()))]) < 2:
                raise Undecided("measured with one thread; the claim is about many")
            inside = [case for size, case in sizes.items() if numbers[0] <= size / 1024 <= numbers[1]]
            outside = [case for case in sizes.values() if case not in inside]
            if not inside or not outside:
                raise Undecided(f"{name} has no block size {'outside of' if inside else 'within'} the range")
            ratios.append(evidence.ratio(outside, inside))
        return least(ratios)

    return test


def worst_over_best(names: Sequence[str]) -> Test:
    """The greatest, over these, of the worst time with any block size over the best.

    Sizes that leave fewer than `BLOCKS_PER_THREAD` blocks to a thread are left out.
    """

    def test(evidence: Evidence, _: Numbers) -> Quantity:
        ratios = []
        for name in names:
            table = evidence.cases.loc[list(_by_size(evidence, name).values())]
            enough = table[table["bytes"] // table["block_size"] >= BLOCKS_PER_THREAD * table["threads"]]
            cases = [int(case) for case in enough.index]
            ratios += [evidence.ratio([case], cases) for case in cases]
        return greatest(ratios)

    return test
