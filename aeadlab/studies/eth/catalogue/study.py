"""All implementations of the catalogue, and 1 GiB with those that the claims of the ETH paper are about."""

from __future__ import annotations

from aeadlab.bench.case import Case
from aeadlab.bench.profile import Profile
from aeadlab.catalogue import Catalogue
from aeadlab.catalogue.implementation import Description
from aeadlab.studies.candidates import candidates, of_the_paper
from aeadlab.studies.selection import Selection
from aeadlab.studies.study import Study

LENGTH_SHIFT = 12
"""Number of times that a large message is halved: 256 KiB instead of 1 GiB.

There are about two thousand implementations, the slowest of which take minutes for 1 GiB.
"""

LARGE_SECONDS = 2700.0
"""Smallest time budget with which the long message is measured: preparing, warming up and sampling it takes a process
eight minutes with all of these implementations."""

KEY_BYTES = 32
"""Length of the keys of the AEADs that are measured with a large message: 256 bits, as in the paper."""

_SLOW_CIPHERS = ("aria-", "camellia-", "serpent-", "twofish-", "sm4-", "kuznyechik-", "magma-")
"""Ciphers for which no CPU of the lab has instructions: their AEADs take 1 to 1000 s for 1 GiB."""

_SEPARATE_PASSES = ("-eax", "-siv")
"""Modes that call the block cipher twice for each block; GCM-SIV does not. The paper's libraries have EAX anyway."""

SMALL_LIBRARIES = ("openssl", "blake3")
"""Libraries of the smoke profile, of which it measures the common algorithms."""


def cases(catalogue: Catalogue, profile: Profile, selection: Selection) -> list[Case]:
    """Return one case of each implementation over a short message, and cases of the paper's message length.

    These are sealing, encrypting or hashing; the AEADs of the paper's libraries open the long message, too. It requires
    a profile without time budget, or one of `LARGE_SECONDS`.
    """
    length = max(profile.bytes >> LENGTH_SHIFT, min(profile.bytes, 16 << 10))
    names = selection.implementations
    if names is None and profile.effort == "smoke":
        few = (one for one in catalogue if one.description.library in SMALL_LIBRARIES)
        names = tuple(one.name for one in few if _is_common(one.name))
    elif names is None:
        names = tuple(one.name for one in catalogue if _is_compared(one.description))
    short = [candidate.whole(candidate.first_op, length) for candidate in candidates(catalogue, names, ())]
    has_time = (profile.budget_seconds or LARGE_SECONDS) >= LARGE_SECONDS
    has_large = profile.effort != "smoke" and profile.bytes > length and has_time
    return short + (_large(catalogue, profile.bytes, selection) if has_large else [])


def _large(catalogue: Catalogue, length: int, selection: Selection) -> list[Case]:
    """Return the cases with the large message: those of the paper, and AEADs of all libraries with 256-bit keys."""
    of_paper = {name for op in ("seal", "encrypt", "digest") for names in of_the_paper(op).values() for name in names}
    today = {one.name for one in catalogue if _is_a_rival(one.description, length)}
    selected = selection.implementations
    names = (of_paper | today) if selected is None else (of_paper | today) & {*selected}
    declared: list[Case] = []
    for candidate in candidates(catalogue, sorted(names), ()) if names else ():
        ops = candidate.ops if candidate.name in of_paper else (candidate.first_op,)
        declared += [candidate.whole(op, length) for op in ops]
    return declared


def _is_a_rival(description: Description, length: int) -> bool:
    """Return whether it is an AEAD with 256-bit keys that may be as fast as AES-256-GCM, in a library without Python.

    The key's real length decides and not its name: AEGIS-256, HiAE and Rocca-S have such keys, AEGIS-128L has not.
    """
    algorithm = description.algorithm
    separate = algorithm.endswith(_SEPARATE_PASSES) and not algorithm.endswith("-gcm-siv")
    return (
        description.kind == "aead"
        and description.key_bytes == KEY_BYTES
        and description.origin != "python"
        and _is_compared(description)
        and not separate
        and not algorithm.startswith(_SLOW_CIPHERS)
        and description.takes(length)
    )


def _is_compared(description: Description) -> bool:
    """Return whether it is no baseline (`candidates` adds these), generator, file, or variant of an algorithm."""
    others = ("generator", "file")
    return description.library != "baseline" and description.kind not in others and "." not in description.algorithm


def _is_common(name: str) -> bool:
    return name.startswith("blake3") or "256" in name


STUDY = Study(
    name="everything",
    question="Which implementation of each algorithm is fastest on this computer?",
    cases=cases,
    module=__name__,
    notebook="01-single-threaded-baselines.ipynb",
)
