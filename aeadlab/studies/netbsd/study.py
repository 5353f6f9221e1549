"""Random generators used by one thread or by several: the document *NetBSD*."""

from __future__ import annotations

from typing import Final

from aeadlab._native import MAX_THREADS
from aeadlab.bench.case import Case
from aeadlab.bench.profile import Profile
from aeadlab.catalogue import Catalogue
from aeadlab.host.cores import process_cores
from aeadlab.studies.selection import Selection
from aeadlab.studies.study import Study

GENERATORS: Final = "generators"
"""The library of this project that implements the generators."""

INLINED: Final = "inlined"
"""The form of a generator without a call for each word."""

CALLED, BRANCHED, LOOKED_UP = "called", "branched", "looked-up"
"""Inlined but for a call for each word, inlined with a branch before each word, a state that each request looks up."""

WORD_BY_WORD: Final = (INLINED, CALLED, BRANCHED)
"""Forms that fill a buffer in a loop over its words, and have no requests of a word."""

WORD: Final = 4
"""Bytes of a short request."""

REQUEST: Final = 256
"""Bytes of a long request."""

STREAMS: Final = 4
"""Number of streams in the parallel test of the document."""

ALGORITHMS: Final = (
    "rc4", "hc-128", "chacha8", "chacha12", "chacha20", "salsa20", "aes-256-ctr", "aegis-128l-stream", "blake3-xof",
)  # fmt: skip
FORMS: Final = ("per-thread", "locked", "unlocked")
"""A state for each thread, a shared state under a lock, and a shared state without a lock."""

FURTHER: Final = {"rc4": (LOOKED_UP,), "hc-128": (LOOKED_UP, CALLED, BRANCHED)}
"""Forms that only the ciphers of the document have."""

WORDS: Final = 1_000_000
"""Number of short requests in an execution, as many as the document times after each new key."""

PUBLISHED: Final = (
    "rc4.locked", "rc4.unlocked", "rc4.per-thread", "rc4.looked-up", "hc-128.looked-up", "hc-128.inlined",
)  # fmt: skip
"""Generators that the document compares; two stand for its ARC4 without a lock."""

_MAX_STREAM: Final = 1 << 23
"""Largest number of bytes of a stream in one execution; of those that the document compares, twice as many."""

_WHOLE_RUN: Final = 4 * 10**9
"""Bytes of a stream in the document."""

_LARGE: Final = 1 << 30
"""Least message length in bytes of a profile that includes the document's own runs."""


def name(algorithm: str, form: str) -> str:
    """Return the implementation name of a generator in a form."""
    return f"{GENERATORS}/{algorithm}.{form}"


def forms() -> list[tuple[str, str]]:
    """Return each algorithm with each of its forms."""
    return [(a, form) for a in ALGORITHMS for form in (*FORMS, INLINED, *FURTHER.get(a, ()))]


def words(profile: Profile) -> int:
    """Return the number of short requests in one execution."""
    return max(1, min(WORDS, profile.bytes >> 4))


def bytes_per_stream(profile: Profile, published: bool) -> int:
    """Return the bytes of a stream in one execution, more for generators that the document compares."""
    return max(1, min(profile.varied_bytes >> (3 if published else 7), _MAX_STREAM << published))


def stream_counts(selection: Selection) -> tuple[int, ...]:
    """Return the stream counts: one as the reference, and those selected, or four and the number of cores."""
    default = (STREAMS, min(process_cores(), MAX_THREADS))
    return tuple(sorted({1, *(selection.threads or default)}))


def cases(_: Catalogue, profile: Profile, selection: Selection) -> list[Case]:
    """Return the cases of short requests to one stream, and of long requests to one stream and to several."""
    names = selection.implementations
    declared = []
    for algorithm, form in forms():
        generator, published = name(algorithm, form), f"{algorithm}.{form}" in PUBLISHED
        if names is not None and generator not in names:
            continue
        request = 0 if form in WORD_BY_WORD else WORD
        declared.append(Case(generator, "generate", WORD * words(profile), block_size=request))
        if form in (CALLED, BRANCHED):
            continue
        each, streams = bytes_per_stream(profile, published), stream_counts(selection)
        declared += [Case(generator, "generate", each * count, block_size=REQUEST, threads=count) for count in streams]
        if published and profile.varied_bytes >= _LARGE:
            declared += [
                Case(generator, "generate", _WHOLE_RUN * count, block_size=REQUEST, threads=count)
                for count in (1, STREAMS)
            ]
    return declared


STUDY = Study(
    name="generators",
    question="Which random generator is fastest, and how should threads share its state?",
    cases=cases,
    module=__name__,
    fixed_lengths="requests of 4 and 256 B",
    notebook="08-random-generators.ipynb",
)
