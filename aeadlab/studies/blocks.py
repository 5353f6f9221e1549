"""Block sizes under ParSplit: Figures 6 and 11 of the ETH paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aeadlab.bench.case import Case
from aeadlab.bench.profile import Profile
from aeadlab.catalogue import Catalogue
from aeadlab.studies.lineup import BASELINES, PAPER, SPLIT, entrants, logical_cores
from aeadlab.studies.selection import Selection
from aeadlab.studies.study import Study

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

SMALLEST = 1 << 10
"""The paper's smallest block, in bytes."""


def block_sizes(message: int) -> tuple[int, ...]:
    """Powers of two from 1 KiB to the message, which may itself be none."""
    powers = [1 << power for power in range(SMALLEST.bit_length() - 1, message.bit_length()) if 1 << power <= message]
    return tuple(sorted({*powers, message} - {0})) or (1,)


def cases(catalogue: Catalogue, profile: Profile, selection: Selection) -> list[Case]:
    """Sealing in blocks of each size with half of the logical cores, as in the paper, and the whole message."""
    counts = selection.threads or (max(1, logical_cores() // 2),)
    length = profile.varied_bytes
    found = []
    for entrant in entrants(catalogue, selection.implementations, SPLIT):
        op = entrant.first_op
        found.append(entrant.whole(op, length))
        found += entrant.split(op, length, selection.block_sizes or block_sizes(length), counts)
    return found


def _times(samples: pd.DataFrame, venue: str) -> tuple[Figure, pd.DataFrame]:
    from aeadlab import published
    from aeadlab.figures.block_sizes import block_size_times

    return block_size_times(samples, published.load("ETH"), venue)


STUDY = Study(
    name="blocks",
    question="Which block size is best, and what do small blocks cost?",
    cases=cases,
    figures={"figure-6-block-sizes": _times},
    notebook="03-block-size.ipynb",
    named=(*PAPER, *BASELINES),
)
