"""The whole catalogue side by side: Figures 7, 8 and 9 of the ETH paper, with every library that is here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aeadlab.bench.case import Case
from aeadlab.bench.profile import Profile
from aeadlab.catalogue import Catalogue
from aeadlab.catalogue.implementation import Description
from aeadlab.studies.lineup import entrants
from aeadlab.studies.selection import Selection
from aeadlab.studies.study import Draw, Study

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

SHARE = 12
"""Power of two by which messages are shorter than a large one: 256 KiB instead of 1 GiB.

There are some two thousand implementations, the slowest of which need minutes for 1 GiB.
"""

FEW = ("openssl", "blake3")
"""Libraries of which a profile of small messages, which only shows that everything runs, takes the usual half."""

_SMALL = 1 << 20


def cases(catalogue: Catalogue, profile: Profile, selection: Selection) -> list[Case]:
    """Each implementation over one message: sealing, encrypting or hashing it, whichever it can."""
    length = max(profile.bytes >> SHARE, min(profile.bytes, 16 << 10))
    names = selection.implementations
    if names is None and profile.bytes <= _SMALL:
        names = tuple(one.name for one in catalogue if one.description.library in FEW and _usual(one.name))
    elif names is None:
        names = tuple(one.name for one in catalogue if _is_asked(one.description))
    return [entrant.whole(entrant.first_op, length) for entrant in entrants(catalogue, names, ())]


def _is_asked(d: Description) -> bool:
    """Reference lines are in every study, and generators have one of their own."""
    return d.library != "baseline" and d.kind != "generator" and "." not in d.algorithm


def _usual(name: str) -> bool:
    return name.startswith("blake3") or "256" in name


def _figure(kind: str) -> Draw:
    def draw(samples: pd.DataFrame, venue: str) -> tuple[Figure, pd.DataFrame]:
        from aeadlab.figures.catalogue import catalogue_speeds

        return catalogue_speeds(samples, kind, venue)

    return draw


STUDY = Study(
    name="everything",
    question="Which implementation of each algorithm is fastest, of all that are here?",
    cases=cases,
    figures={
        "figure-7-ciphers": _figure("cipher"),
        "figure-8-hashes": _figure("hash"),
        "figure-8-macs": _figure("mac"),
        "figure-9-aeads": _figure("aead"),
    },
    notebook="01-single-threaded-baselines.ipynb",
)
