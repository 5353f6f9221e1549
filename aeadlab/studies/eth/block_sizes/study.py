"""Block sizes under ParSplit: Figure 6 of the ETH paper."""

from __future__ import annotations

from aeadlab.bench.case import Case
from aeadlab.bench.profile import Profile
from aeadlab.catalogue import Catalogue
from aeadlab.host.cores import process_cores
from aeadlab.studies.candidates import BASELINES, PAPER_AEADS, PARSPLIT_AEADS, candidates, published_splits
from aeadlab.studies.selection import Selection
from aeadlab.studies.study import Study

SMALLEST = 1 << 10
"""Smallest block size of the paper in bytes."""


def block_sizes(message: int) -> tuple[int, ...]:
    """Return the powers of two from 1 KiB to the message length, and the message length itself."""
    powers = [1 << power for power in range(SMALLEST.bit_length() - 1, message.bit_length()) if 1 << power <= message]
    return tuple(sorted({*powers, message} - {0})) or (1,)


def cases(catalogue: Catalogue, profile: Profile, selection: Selection) -> list[Case]:
    """Return the cases of whole messages, and with each block size on half of the logical cores and on all of them.

    The paper has half of the logical cores. What it splits is measured as published, too.
    """
    half = max(1, process_cores() // 2)
    counts = selection.threads or tuple(sorted({half, process_cores()}))
    length = profile.varied_bytes
    published, declared = published_splits(selection.implementations), []
    for candidate in candidates(catalogue, selection.implementations, PARSPLIT_AEADS):
        op = candidate.first_op
        declared.append(candidate.whole(op, length))
        sizes = selection.block_sizes or block_sizes(length)
        declared += candidate.split(op, length, sizes, counts)
        if candidate.name in published:
            declared += candidate.split_as_published(op, length, counts, sizes)
    return declared


STUDY = Study(
    name="blocks",
    question="Which block size is best, and what do small blocks cost?",
    cases=cases,
    module=__name__,
    notebook="03-block-size.ipynb",
    named=(*PAPER_AEADS, *BASELINES),
)
