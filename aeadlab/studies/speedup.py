"""Speed-up with threads: Figures 4, 5 and 10 of the ETH paper, with opening, which the paper left out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from aeadlab.bench.case import Case
from aeadlab.bench.profile import Profile
from aeadlab.catalogue import Catalogue
from aeadlab.studies.lineup import BASELINES, BLOCK, PAPER, SPLIT, entrants, logical_cores
from aeadlab.studies.selection import MOST_THREADS, Selection
from aeadlab.studies.study import Study

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

PARALLEL_HASH = "blake3-rayon/blake3"
"""The paper's other way to use threads: a hash that is a tree."""


def thread_counts(cores: int) -> tuple[int, ...]:
    """Every count up to the logical cores, and a few beyond, where threads must take turns."""
    beyond = (cores + 1, -(-3 * cores // 2), 2 * cores)
    return tuple(count for count in sorted({*range(1, cores + 1), *beyond}) if count <= MOST_THREADS)


def cases(catalogue: Catalogue, profile: Profile, selection: Selection) -> list[Case]:
    """Each implementation over the whole message in one thread, and under ParSplit with each thread count."""
    length = profile.varied_bytes
    # Speed-ups are over one thread, whatever counts are asked for.
    counts = sorted({1, *(selection.threads or thread_counts(logical_cores()))})
    found: list[Case] = []
    for entrant in entrants(catalogue, selection.implementations, (*SPLIT, PARALLEL_HASH)):
        for op in entrant.ops:
            if entrant.parallel:
                found += [replace(entrant.whole(op, length), threads=count) for count in counts]
            else:
                found.append(entrant.whole(op, length))
                found += entrant.split(op, length, selection.block_sizes or (BLOCK,), counts)
    return found


def _times(samples: pd.DataFrame, venue: str) -> tuple[Figure, pd.DataFrame]:
    from aeadlab import published
    from aeadlab.figures.threads import thread_times

    return thread_times(samples, published.load("ETH"), venue)


def _speed_ups(samples: pd.DataFrame, venue: str) -> tuple[Figure, pd.DataFrame]:
    from aeadlab import published
    from aeadlab.figures.threads import thread_speed_ups

    return thread_speed_ups(samples, published.load("ETH"), venue)


STUDY = Study(
    name="speedup",
    question="How far do threads take each AEAD, and what stops it?",
    cases=cases,
    figures={"figure-4-times": _times, "figure-5-speedup": _speed_ups},
    notebook="02-speedup.ipynb",
    named=(*PAPER, *BASELINES, PARALLEL_HASH),
)
