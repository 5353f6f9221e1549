"""Small messages and large ones: the sizes of the document *Rust*, with key set-up and without."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Final

from aeadlab.bench.case import Case, Model
from aeadlab.bench.profile import Profile
from aeadlab.catalogue import Catalogue
from aeadlab.studies.lineup import THOROUGH, entrants, lines_last
from aeadlab.studies.selection import Selection
from aeadlab.studies.study import Study

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

SIZES: Final = (16, 64, 100, 256, 1000, 8 << 10, 16 << 10, 100_000, 1_000_000, 10_000_000, 100_000_000)
"""Bytes: the document's own and those of its two runs of `openssl speed`."""

OF_SPEED: Final = 1024
"""Bytes of a message that `openssl speed` has in place of 1000; the system's OpenSSL alone is measured with it."""

PUBLISHED: Final = (
    "rustcrypto/xchacha20-poly1305",
    "rustcrypto/chacha20-poly1305",
    "rustcrypto/aes-256-gcm",
    "ring/chacha20-poly1305",
    "ring/aes-256-gcm",
)
"""The document's table, from slow to fast."""

SINCE: Final = (
    "openssl-system/aes-256-gcm",
    "openssl-system/chacha20-poly1305",
    "openssl/aes-256-gcm",
    "openssl/chacha20-poly1305",
    "aws-lc/aes-256-gcm",
    "boringssl/aes-256-gcm",
    "libsodium/xchacha20-poly1305",
    "libaegis/aegis-128l",
    "libaegis/aegis-128x2",
    "pyca/aes-256-gcm",
    "pyca/chacha20-poly1305",
    "pycryptodome/aes-256-gcm",
)
"""Beside them: what `openssl speed` measured, what is faster today, and what Python calls."""


def sizes(largest: int) -> tuple[int, ...]:
    """Those that a profile has time and room for."""
    return tuple(size for size in SIZES if size <= largest) or SIZES[:1]


def cases(catalogue: Catalogue, profile: Profile, selection: Selection) -> list[Case]:
    """Sealing at every size, key set-up included and not."""
    names = selection.implementations
    if names is None and profile.rounds >= THOROUGH:
        descriptions = (one.description for one in catalogue)
        names = tuple(d.name for d in descriptions if d.kind == "aead" and d.library != "baseline")
    models: tuple[Model, ...] = ("oneshot", "keyed")
    found = []
    for entrant in lines_last(entrants(catalogue, names, (*PUBLISHED, *SINCE))):
        extra = (OF_SPEED,) * entrant.name.startswith("openssl-system/")
        for size, model in product((*sizes(profile.varied_bytes), *extra), models):
            if model == "oneshot" or entrant.model == "keyed":
                found.append(Case(entrant.name, entrant.first_op, size, entrant.engine, model))
    return found


def _speeds(samples: pd.DataFrame, venue: str) -> tuple[Figure, pd.DataFrame]:
    from aeadlab.figures.message_sizes import message_size_times

    return message_size_times(samples, venue, (*PUBLISHED, *SINCE))


def _beside(samples: pd.DataFrame, venue: str) -> tuple[Figure, pd.DataFrame]:
    from aeadlab import published
    from aeadlab.figures.message_sizes import beside_rust

    return beside_rust(samples, published.load("Rust"), venue)


def _beside_speed(samples: pd.DataFrame, venue: str) -> tuple[Figure, pd.DataFrame]:
    from aeadlab import published
    from aeadlab.figures.message_sizes import beside_openssl_speed

    return beside_openssl_speed(samples, published.load("Rust"), venue)


STUDY = Study(
    name="message-sizes",
    question="Which AEAD is fastest for messages of each size?",
    cases=cases,
    figures={
        "message-sizes": _speeds,
        "message-sizes-published": _beside,
        "message-sizes-openssl-speed": _beside_speed,
    },
    notebook="05-message-size.ipynb",
    named=(*PUBLISHED, *SINCE),
)
