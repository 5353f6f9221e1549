"""Where the time goes: from the first-level cache to memory, with the CPU's vector AES and without."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

from aeadlab.bench.case import Case, Placement
from aeadlab.bench.profile import Profile
from aeadlab.catalogue import Catalogue
from aeadlab.studies.lineup import BLOCK, PAPER, entrants, logical_cores
from aeadlab.studies.selection import Selection
from aeadlab.studies.study import Study

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

AEADS = (*PAPER[:3], "aws-lc/aes-256-gcm", "openssl/chacha20-poly1305", "libaegis/aegis-128x2")

SMALLEST = 4 << 10
"""Bytes of the smallest message, with input and output well within a first-level cache."""


def sizes(largest: int) -> tuple[int, ...]:
    """Lengths of messages, each four times the one before, and the largest."""
    powers = [SMALLEST << 2 * step for step in range(32) if SMALLEST << 2 * step < largest]
    return (*powers, largest)


def cases(catalogue: Catalogue, profile: Profile, selection: Selection) -> list[Case]:
    """Every size and placement in one thread; the largest message under ParSplit with one thread and with all."""
    counts = tuple(sorted({1, *(selection.threads or (max(2, logical_cores()),))}))
    placements: tuple[Placement, ...] = ("separate", "in-place")
    length = profile.varied_bytes
    found = []
    for entrant in entrants(catalogue, selection.implementations, AEADS):
        op = entrant.first_op
        for size, placement in product(sizes(length), placements):
            if placement == "separate" or (entrant.in_place and op != "digest" and entrant.engine == "whole"):
                found.append(replace(entrant.whole(op, size), placement=placement))
        found += entrant.split(op, length, selection.block_sizes or (BLOCK,), counts)
    return found


def _sizes(samples: pd.DataFrame, venue: str) -> tuple[Figure, pd.DataFrame]:
    from aeadlab.figures.sizes import size_speeds

    return size_speeds(samples, venue)


def _regimes(samples: pd.DataFrame, venue: str) -> tuple[Figure, pd.DataFrame]:
    from aeadlab.figures.regimes import regimes

    return regimes(samples, venue)


STUDY = Study(
    name="memory",
    question="Is it the arithmetic or the memory that takes the time?",
    cases=cases,
    figures={"sizes": _sizes, "regimes": _regimes},
    notebook="09-memory-limit.ipynb",
    masks=("zen2",),
)
