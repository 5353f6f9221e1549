"""Speed from the first-level cache to memory, with and without the CPU's vector AES."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

from aeadlab.bench.case import Case, Placement
from aeadlab.bench.profile import Profile
from aeadlab.catalogue import Catalogue
from aeadlab.host.cores import process_cores
from aeadlab.studies.candidates import BLOCK_SIZE, PAPER_AEADS, candidates
from aeadlab.studies.selection import Selection
from aeadlab.studies.study import Study

AEADS = (*PAPER_AEADS[:3], "aws-lc/aes-256-gcm", "openssl/chacha20-poly1305", "libaegis/aegis-128x2")

SMALLEST = 4 << 10
"""Bytes of the smallest message, whose input and output fit into a first-level cache."""


def sizes(largest: int) -> tuple[int, ...]:
    """Return message lengths from `SMALLEST`, each four times the one before, and the largest."""
    powers = [SMALLEST << 2 * step for step in range(32) if SMALLEST << 2 * step < largest]
    return (*powers, largest)


def cases(catalogue: Catalogue, profile: Profile, selection: Selection) -> list[Case]:
    """Return the cases of every length and placement in one thread, and of the largest message under ParSplit."""
    counts = tuple(sorted({1, *(selection.threads or (max(2, process_cores()),))}))
    placements: tuple[Placement, ...] = ("separate", "in-place")
    length = profile.varied_bytes
    declared = []
    for candidate in candidates(catalogue, selection.implementations, AEADS):
        op = candidate.first_op
        for size, placement in product(sizes(length), placements):
            if placement == "separate" or (candidate.in_place and op != "digest" and candidate.engine == "whole"):
                declared.append(replace(candidate.whole(op, size), placement=placement))
        declared += candidate.split(op, length, selection.block_sizes or (BLOCK_SIZE,), counts)
    return declared


STUDY = Study(
    name="memory",
    question="Does the arithmetic or the memory limit the speed?",
    cases=cases,
    module=__name__,
    notebook="09-memory-limit.ipynb",
    masks=("zen2",),
)
