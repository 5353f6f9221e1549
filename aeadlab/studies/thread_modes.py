"""Two run times at some thread counts: Appendix C of the ETH paper."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING, Final

from aeadlab import schedules
from aeadlab.bench.case import Case
from aeadlab.bench.profile import Profile
from aeadlab.catalogue import Catalogue
from aeadlab.errors import ArgumentError
from aeadlab.kinds import DELAY
from aeadlab.studies.lineup import logical_cores
from aeadlab.studies.selection import Selection
from aeadlab.studies.study import Study

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

REAL: Final = ("rustcrypto/aes-256-gcm", "openssl/aes-256-gcm")
"""What computes, with as many threads as there are cores."""

STEADY: Final = "static"

COUNTS: Final = (*range(1, 17), 24, 28, 32, 48, 64)
FEW_COUNTS: Final = (*range(1, 11), 16)
SMALL_COUNTS: Final = (3, 5)
"""Thread counts of a thorough run, of a quick one, and of one that only shows that everything runs."""

SCHEDULES: Final = (
    *(name for name in schedules.OWN if not name.endswith("-pinned")),
    *schedules.FOREIGN,
)
FEW_SCHEDULES: Final = (schedules.PAPERS, "rayon-external", "rayon-max-len", schedules.DEFAULT, "static")

EXPERIMENT_COUNTS: Final = (3, 5, 6)
BLOCKS_THREADS: Final = 5
BLOCK_COUNTS: Final = (5, 8, 10, 16, 20, 40, 80, 320, 1280, 65536)
"""The thread count for which other numbers of blocks are tried, and these."""

MOST_BYTES: Final = 256 << 20
"""Of the message of threads that compute: beside those that wait, longer ones would take most of the time."""

EACH: Final = 1 << 20
"""Bytes for each thread: at 25 ns a byte, 26 ms."""

MANY_THREADS: Final = 32
"""Above these, blocks and messages are twice as large: two cores wake 80,000 sleepers a second, as
`aeadlab.stealing.waiting` measures, and no more evenly."""


def message(threads: int) -> tuple[int, int]:
    """Bytes of the message and of a block with so many threads: 64 blocks for each."""
    factor = 2 if threads > MANY_THREADS else 1
    return threads * EACH * factor, factor * (EACH >> 6)


def cases(catalogue: Catalogue, profile: Profile, selection: Selection) -> list[Case]:
    """Waiting threads under every schedule, the changes to Rayon's, other numbers of blocks, and real threads."""
    effort = profile.name.removesuffix("*")
    thorough, small = effort == "paper", effort == "smoke"
    counts = selection.threads or (SMALL_COUNTS if small else COUNTS if thorough else FEW_COUNTS)
    chosen = SCHEDULES if thorough else (schedules.PAPERS, schedules.DEFAULT) if small else FEW_SCHEDULES
    names = selection.implementations
    found = []
    if names is None or DELAY in names:
        found += [_waiting(threads, schedule) for threads, schedule in product(counts, chosen)]
        tried = [threads for threads in EXPERIMENT_COUNTS if threads in counts]
        found += [_waiting(threads, change) for threads, change in product(tried, schedules.EXPERIMENTS)]
        found += _numbers_of_blocks() if thorough and BLOCKS_THREADS in counts else ()
        # What an even division is: without one thread nobody knows.
        found.append(_waiting(1, STEADY))
    real = [name for name in (REAL if names is None else names) if name != DELAY]
    cores = [threads for threads in counts if threads <= logical_cores()]
    if real and not cores and not found:
        raise ArgumentError(
            f"threads {', '.join(map(str, counts))} given: threads that compute are at most as many as the "
            f"{logical_cores()} cores here; {DELAY} takes any number"
        )
    found += [
        Case(
            name,
            "seal",
            min(profile.varied_bytes, MOST_BYTES),
            "parsplit",
            block_size=16 << 10,
            threads=threads,
            schedule=schedule,
        )
        for name, threads, schedule in product(real, cores, (schedules.PAPERS, schedules.DEFAULT))
    ]
    return list(dict.fromkeys(found))


def _waiting(threads: int, schedule: str) -> Case:
    length, block = message(threads)
    return Case(DELAY, "seal", length, "parsplit", block_size=block, threads=threads, schedule=schedule)


def _numbers_of_blocks() -> Iterator[Case]:
    threads = BLOCKS_THREADS
    for number, schedule in product(BLOCK_COUNTS, (schedules.PAPERS, schedules.DEFAULT)):
        # Of the largest number each block still has to take longer than a wake-up.
        length = max(message(threads)[0] // number, 4 << 10) * number
        yield Case(DELAY, "seal", length, "parsplit", block_size=length // number, threads=threads, schedule=schedule)


def _ratios(samples: pd.DataFrame, venue: str) -> tuple[Figure, pd.DataFrame]:
    from aeadlab import published
    from aeadlab.figures.thread_modes import mode_ratios

    return mode_ratios(samples, published.load("ETH"), venue)


def _samples(samples: pd.DataFrame, venue: str) -> tuple[Figure, pd.DataFrame]:
    from aeadlab import published
    from aeadlab.figures.thread_modes import mode_samples

    return mode_samples(samples, published.load("ETH"), venue)


def _schedules(samples: pd.DataFrame, venue: str) -> tuple[Figure, pd.DataFrame]:
    from aeadlab.figures.thread_modes import schedule_times

    return schedule_times(samples, venue)


STUDY = Study(
    name="thread-modes",
    question="Why do some thread counts have two run times, and which schedule has one?",
    cases=cases,
    figures={"figure-12-samples": _samples, "modes-ratios": _ratios, "modes-schedules": _schedules},
    notebook="04-thread-count-modes.ipynb",
)
