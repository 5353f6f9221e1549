"""Two run times at some thread counts: Appendix C of the ETH paper."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Final

from aeadlab.bench.case import Case
from aeadlab.bench.profile import Profile
from aeadlab.catalogue import Catalogue
from aeadlab.catalogue.kinds import DELAY
from aeadlab.errors import ArgumentError
from aeadlab.host.cores import process_cores
from aeadlab.parsplit import schedules
from aeadlab.studies.selection import Selection
from aeadlab.studies.study import Study

COMPUTING: Final = ("rustcrypto/aes-256-gcm", "openssl/aes-256-gcm")
"""Implementations that compute, measured with at most as many threads as cores."""

PUBLISHED: Final = Case(
    "cryptopp/aes-256-gcm", "seal", 1 << 30, "parsplit", "rekeyed", 16 << 10, 5, schedules.ETH_PAPER
)
"""The case of the paper's Figure 12: Crypto++'s AES-GCM, 1 GiB, 5 threads, and a new context for each block.

It is in profile paper on computers with five cores or more. The paper does not state the block size of this
measurement; 16 KiB is the example of its Section 4."""

COUNTS: Final = (*range(1, 17), 24, 28, 32, 48, 64)
FEW_COUNTS: Final = (*range(1, 11), 16)
SMALL_COUNTS: Final = (3, 5)
"""Thread counts of the profiles paper, quick and smoke."""

SCHEDULES: Final = (*(name for name in schedules.ENGINE if not name.endswith("-pinned")), *schedules.EXTERNAL)
FEW_SCHEDULES: Final = (schedules.ETH_PAPER, "rayon-external", "rayon-max-len", schedules.DEFAULT, "static")

EXPERIMENT_COUNTS: Final = (3, 5, 6)
BLOCKS_THREADS: Final = 5
BLOCK_COUNTS: Final = (5, 8, 10, 16, 20, 40, 80, 320, 1280, 65536)
"""Thread count that is measured with several block counts, and these block counts."""

MAX_BYTES: Final = 256 << 20
"""Largest message of threads that compute; longer ones would take most of the time of the study."""

BYTES_PER_THREAD: Final = 1 << 20
"""Bytes for each thread, which take 26 ms at 25 ns per byte."""

MANY_THREADS: Final = 32
"""Above this count blocks and messages are twice as large: two cores can wake 80,000 threads per second evenly, as
measured by `aeadlab.studies.thread_modes.stealing.waiting_accuracy`, but not more."""


def message(threads: int) -> tuple[int, int]:
    """Return the bytes of the message and of a block at a thread count: 64 blocks for each thread."""
    factor = 2 if threads > MANY_THREADS else 1
    return threads * BYTES_PER_THREAD * factor, factor * (BYTES_PER_THREAD >> 6)


def cases(catalogue: Catalogue, profile: Profile, selection: Selection) -> list[Case]:
    """Return the cases of waiting threads (schedules, experiments, block counts) and of computing threads."""
    paper, smoke = profile.effort == "paper", profile.effort == "smoke"
    counts = selection.threads or (SMALL_COUNTS if smoke else COUNTS if paper else FEW_COUNTS)
    measured = SCHEDULES if paper else (schedules.ETH_PAPER, schedules.DEFAULT) if smoke else FEW_SCHEDULES
    names = selection.implementations
    declared = []
    if names is None or DELAY in names:
        declared += [_waiting(threads, schedule) for threads, schedule in product(counts, measured)]
        tested = [threads for threads in EXPERIMENT_COUNTS if threads in counts]
        declared += [_waiting(threads, experiment) for threads, experiment in product(tested, schedules.EXPERIMENTS)]
        declared += _block_counts() if paper and BLOCKS_THREADS in counts else ()
        # One thread is the reference of perfect balance.
        declared.append(_waiting(1, "static"))
    computing = [name for name in (COMPUTING if names is None else names) if name != DELAY]
    possible = [threads for threads in counts if threads <= process_cores()]
    if computing and not possible and not declared:
        raise ArgumentError(
            f"threads {', '.join(map(str, counts))}: implementations that compute are measured with at most "
            f"{process_cores()} threads here, the number of cores; {DELAY} accepts any number"
        )
    length = min(profile.varied_bytes, MAX_BYTES)
    declared += [
        Case(name, "seal", length, "parsplit", block_size=16 << 10, threads=threads, schedule=schedule)
        for name, threads, schedule in product(computing, possible, (schedules.ETH_PAPER, schedules.DEFAULT))
    ]
    if paper and PUBLISHED.threads in possible and (names is None or PUBLISHED.implementation in names):
        declared.append(PUBLISHED)
    return list(dict.fromkeys(declared))


def _waiting(threads: int, schedule: str) -> Case:
    length, block = message(threads)
    return Case(DELAY, "seal", length, "parsplit", block_size=block, threads=threads, schedule=schedule)


def _block_counts() -> Iterator[Case]:
    threads = BLOCKS_THREADS
    for number, schedule in product(BLOCK_COUNTS, (schedules.ETH_PAPER, schedules.DEFAULT)):
        # At the largest count a block still has to take longer than a wake-up.
        length = max(message(threads)[0] // number, 4 << 10) * number
        yield Case(DELAY, "seal", length, "parsplit", block_size=length // number, threads=threads, schedule=schedule)


STUDY = Study(
    name="thread-modes",
    question="Why do some thread counts have two run times, and which schedule has one?",
    cases=cases,
    module=__name__,
    notebook="04-thread-count-modes.ipynb",
)
