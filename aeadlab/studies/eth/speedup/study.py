"""Speed-up with threads: Figures 4 and 5 of the ETH paper, and opening, which the paper does not plot."""

from __future__ import annotations

from dataclasses import replace

from aeadlab._native import MAX_THREADS
from aeadlab.bench.case import Case
from aeadlab.bench.profile import Profile
from aeadlab.catalogue import Catalogue
from aeadlab.host.cores import process_cores
from aeadlab.studies.candidates import (
    BASELINES,
    BLOCK_SIZE,
    PAPER_AEADS,
    PARSPLIT_AEADS,
    candidates,
    published_splits,
)
from aeadlab.studies.selection import Selection
from aeadlab.studies.study import Study

PARALLEL_HASH = "blake3-rayon/blake3"
"""A tree hash with threads of its own, which the paper compares with ParSplit."""


def thread_counts(cores: int) -> tuple[int, ...]:
    """Return every count up to the logical cores, and a few above, where threads share a core."""
    beyond = (cores + 1, -(-3 * cores // 2), 2 * cores)
    return tuple(count for count in sorted({*range(1, cores + 1), *beyond}) if count <= MAX_THREADS)


def cases(catalogue: Catalogue, profile: Profile, selection: Selection) -> list[Case]:
    """Return the cases of whole messages in one thread, and under ParSplit with each thread count.

    What the paper splits is measured as published, too, opening included: the paper prints a time of it.
    """
    length = profile.varied_bytes
    # Speed-ups are relative to one thread, whatever counts are selected.
    counts = sorted({1, *(selection.threads or thread_counts(process_cores()))})
    published = published_splits(selection.implementations)
    declared: list[Case] = []
    for candidate in candidates(catalogue, selection.implementations, (*PARSPLIT_AEADS, PARALLEL_HASH)):
        for op in candidate.ops:
            if candidate.parallel:
                declared += [replace(candidate.whole(op, length), threads=count) for count in counts]
            else:
                declared.append(candidate.whole(op, length))
                declared += candidate.split(op, length, selection.block_sizes or (BLOCK_SIZE,), counts)
                if candidate.name in published:
                    declared += candidate.split_as_published(op, length, counts, selection.block_sizes)
    return declared


STUDY = Study(
    name="speedup",
    question="How much faster is each AEAD with threads, and what limits the gain?",
    cases=cases,
    module=__name__,
    notebook="02-speedup.ipynb",
    named=(*PAPER_AEADS, *BASELINES, PARALLEL_HASH),
)
