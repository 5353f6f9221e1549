"""Random generators, asked by one thread or by several: the document *NetBSD*."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Final

from aeadlab.bench.case import Case
from aeadlab.bench.profile import Profile
from aeadlab.catalogue import Catalogue
from aeadlab.studies.lineup import logical_cores
from aeadlab.studies.selection import MOST_THREADS, Selection
from aeadlab.studies.study import Study
from aeadlab.workloads import GENERATORS, INLINED, REQUEST, STREAMS, WORD

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

ALGORITHMS: Final = (
    "rc4", "hc-128", "chacha8", "chacha12", "chacha20", "salsa20", "aes-256-ctr", "aegis-128l-stream", "blake3-xof",
)  # fmt: skip
FORMS: Final = ("per-thread", "locked", "unlocked")
"""A state for each thread, one under a lock, one that all change at once."""

WORDS: Final = 1_000_000
"""Short requests of an execution, as the document times them after each new key."""

PUBLISHED: Final = ("rc4.locked", "rc4.unlocked", "rc4.per-thread", "hc-128.per-thread", "hc-128.inlined")
"""What the document compares."""

_EACH_STREAM: Final = 1 << 23
"""Bytes that a stream makes at most in one execution."""

_WHOLE_RUN: Final = 4 * 10**9
"""Bytes that the document's stream makes."""

_LARGE: Final = 1 << 30
"""Bytes of a message from which a profile has time for the document's own runs."""


def name(algorithm: str, form: str) -> str:
    """The implementation of a generator in a form."""
    return f"{GENERATORS}/{algorithm}.{form}"


def words(profile: Profile) -> int:
    """Short requests of one execution."""
    return max(1, min(WORDS, profile.bytes >> 4))


def each_stream(profile: Profile) -> int:
    """Bytes that one stream makes in one execution."""
    return max(1, min(profile.varied_bytes >> 7, _EACH_STREAM))


def stream_counts(selection: Selection) -> tuple[int, ...]:
    """One, which others are over; the document's four and as many as there are cores, or those that were chosen."""
    usual = (STREAMS, min(logical_cores(), MOST_THREADS))
    return tuple(sorted({1, *(selection.threads or usual)}))


def cases(_: Catalogue, profile: Profile, selection: Selection) -> list[Case]:
    """Short requests to one stream, and long ones to one and several."""
    names = selection.implementations
    found = []
    each = each_stream(profile)
    for algorithm, form in product(ALGORITHMS, (*FORMS, INLINED)):
        one = name(algorithm, form)
        if names is not None and one not in names:
            continue
        found.append(Case(one, "generate", WORD * words(profile), block_size=0 if form == INLINED else WORD))
        streams = stream_counts(selection)
        found += [Case(one, "generate", each * count, block_size=REQUEST, threads=count) for count in streams]
        if f"{algorithm}.{form}" in PUBLISHED and profile.bytes >= _LARGE and not profile.shorter:
            found += [
                Case(one, "generate", _WHOLE_RUN * count, block_size=REQUEST, threads=count) for count in (1, STREAMS)
            ]
    return found


def _bars(samples: pd.DataFrame, venue: str) -> tuple[Figure, pd.DataFrame]:
    from aeadlab.figures.generators import generator_speeds

    return generator_speeds(samples, venue)


def _beside(samples: pd.DataFrame, venue: str) -> tuple[Figure, pd.DataFrame]:
    from aeadlab import published
    from aeadlab.figures.generators import beside_netbsd

    return beside_netbsd(samples, published.load("NetBSD"), venue)


STUDY = Study(
    name="generators",
    question="Which random generator, and shared how, gives the most?",
    cases=cases,
    figures={"generators": _bars, "generators-published": _beside},
    notebook="08-random-generators.ipynb",
)
