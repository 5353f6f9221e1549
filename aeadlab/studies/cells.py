"""Cells, half a kilobyte at a time: the document *Tor*."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Final

from aeadlab.bench.case import Case
from aeadlab.bench.profile import Profile
from aeadlab.catalogue import Catalogue
from aeadlab.studies.lineup import BASELINES, entrants, lines_last
from aeadlab.studies.selection import Selection
from aeadlab.studies.study import Study
from aeadlab.workloads import CELLS

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

A_MILLION: Final = 1_000_000

OWN: Final = tuple(
    f"rijndael/aes-128-ctr.{way}-o{level}"
    for way, level in product(("plain", "counter-optimization", "full-unroll"), (2, 3))
)
"""AES by tables in the document's three ways, at both levels of optimisation."""

OPENSSLS: Final = tuple(
    f"{library}/aes-128-ctr{way}" for library, way in product(("openssl", "openssl-system"), ("", ".aes-encrypt"))
)
"""EVP and the low-level function, of two versions."""

TODAY: Final = ("aws-lc/aes-128-ctr", "boringssl/aes-128-ctr", "rustcrypto/aes-128-ctr", "libgcrypt/aes-128-ctr")


def count(profile: Profile) -> int:
    """Cells of a whole run: a million, or what a profile with small messages has time for."""
    return max(1, min(A_MILLION, profile.bytes // 1024))


def cases(catalogue: Catalogue, profile: Profile, selection: Selection) -> list[Case]:
    """Encrypting cells of both lengths under one key, and whole runs of the shorter."""
    found = []
    chosen = entrants(catalogue, selection.implementations, (*TODAY, *OPENSSLS, *OWN))
    for entrant in lines_last(chosen):
        found += [entrant.whole(entrant.first_op, cell) for cell in CELLS]
        if entrant.engine == "whole" and entrant.name not in BASELINES:
            found.append(Case(entrant.name, entrant.first_op, CELLS[0] * count(profile), "cells", block_size=CELLS[0]))
    return found


def _bars(samples: pd.DataFrame, venue: str) -> tuple[Figure, pd.DataFrame]:
    from aeadlab.figures.cells import cell_times

    return cell_times(samples, venue)


def _beside(samples: pd.DataFrame, venue: str) -> tuple[Figure, pd.DataFrame]:
    from aeadlab import published
    from aeadlab.figures.cells import beside_tor

    return beside_tor(samples, published.load("Tor"), venue)


STUDY = Study(
    name="cells",
    question="Which AES should a program that encrypts half a kilobyte at a time call?",
    cases=cases,
    figures={"cells": _bars, "cells-published": _beside},
    notebook="07-cells.ipynb",
)
