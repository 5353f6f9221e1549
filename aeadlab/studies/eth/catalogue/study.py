"""All implementations of the catalogue: Figures 7, 8 and 9 of the ETH paper."""

from __future__ import annotations

from aeadlab.bench.case import Case
from aeadlab.bench.profile import Profile
from aeadlab.catalogue import Catalogue
from aeadlab.catalogue.implementation import Description
from aeadlab.studies.candidates import candidates
from aeadlab.studies.selection import Selection
from aeadlab.studies.study import Study

LENGTH_SHIFT = 12
"""Number of times that a large message is halved: 256 KiB instead of 1 GiB.

There are about two thousand implementations, the slowest of which take minutes for 1 GiB.
"""

SMALL_LIBRARIES = ("openssl", "blake3")
"""Libraries of the smoke profile, of which it measures the common algorithms."""


def cases(catalogue: Catalogue, profile: Profile, selection: Selection) -> list[Case]:
    """Return one case of each implementation: sealing, encrypting or hashing one message."""
    length = max(profile.bytes >> LENGTH_SHIFT, min(profile.bytes, 16 << 10))
    names = selection.implementations
    if names is None and profile.effort == "smoke":
        few = (one for one in catalogue if one.description.library in SMALL_LIBRARIES)
        names = tuple(one.name for one in few if _is_common(one.name))
    elif names is None:
        names = tuple(one.name for one in catalogue if _is_compared(one.description))
    return [candidate.whole(candidate.first_op, length) for candidate in candidates(catalogue, names, ())]


def _is_compared(description: Description) -> bool:
    """Return whether it is no baseline (`candidates` adds these), no generator and no variant of an algorithm."""
    return description.library != "baseline" and description.kind != "generator" and "." not in description.algorithm


def _is_common(name: str) -> bool:
    return name.startswith("blake3") or "256" in name


STUDY = Study(
    name="everything",
    question="Which implementation of each algorithm is fastest on this computer?",
    cases=cases,
    module=__name__,
    notebook="01-single-threaded-baselines.ipynb",
)
