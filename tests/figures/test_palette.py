from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from numpy.typing import NDArray

from aeadlab.figures.palette import ALGORITHMS, COLOURS, LIBRARIES, appearance_of

KNOWN = [
    "baseline/memcpy", "baseline/copy", "baseline/copy-stream", "baseline/xor", "numba/xor", "openssl/aes-256-gcm",
    "rustcrypto/aes-256-gcm",
    "cryptopp/aes-256-gcm", "aeadlab/aes-256-ctr+blake3", "pyca/aes-256-gcm", "pycryptodome/aes-256-gcm",
    "blake3/blake3", "blake3-py/blake3", "openssl/aes-256-gmac", "rustcrypto/ghash",
]  # fmt: skip

# Linear RGB as seen without one kind of cone: Machado, Oliveira and Fernandes, IEEE TVCG 15 (2009), severity 1.
COLOUR_BLINDNESS = {
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
TO_XYZ = np.array([[0.412456, 0.357576, 0.180438], [0.212673, 0.715152, 0.072175], [0.019334, 0.119192, 0.950304]])


def lab(linear: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return CIE L*a*b* of linear sRGB, white D65."""
    x, y, z = np.cbrt(TO_XYZ @ linear / (TO_XYZ @ np.ones(3)))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def linear(colour: str) -> NDArray[np.float64]:
    parts = np.array(to_rgb(colour))
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def test_colours_differ_in_grey() -> None:
    lightness = sorted(lab(linear(colour))[0] for colour in COLOURS)
    assert min(np.diff(lightness)) >= 8


@pytest.mark.parametrize("blindness", COLOUR_BLINDNESS)
def test_colours_differ_for_colour_blind_readers(blindness: str) -> None:
    matrix = np.array(COLOUR_BLINDNESS[blindness])
    seen = [lab(np.clip(matrix @ linear(colour), 0.0, 1.0)) for colour in COLOURS]
    assert min(float(np.linalg.norm(a - b)) for a, b in combinations(seen, 2)) >= 15


def test_known_libraries_have_distinct_bars() -> None:
    bars = [(colour, hatch) for colour, hatch, _ in LIBRARIES.values()]
    assert len(set(bars)) == len(bars)


def test_known_implementations_have_distinct_appearances() -> None:
    looks = [appearance_of(name) for name in KNOWN]
    assert len(set(looks)) == len(looks)


@pytest.mark.parametrize("library", ["openssl", "other-library"])
def test_algorithms_of_a_library_differ_in_marker_or_line(library: str) -> None:
    looks = [appearance_of(f"{library}/{algorithm}") for algorithm in ALGORITHMS]
    assert len({(seen.colour, seen.hatch) for seen in looks}) == 1
    assert len({(seen.marker, seen.line) for seen in looks}) == len(ALGORITHMS)


def test_libraries_of_one_algorithm_have_different_markers() -> None:
    papers = ("openssl", "rustcrypto", "cryptopp", "aeadlab", "pyca", "pycryptodome", "baseline")
    assert len({appearance_of(f"{library}/aes-256-gcm").marker for library in papers}) == len(papers)


def test_external_libraries_differ_from_known_ones() -> None:
    known = {(colour, hatch) for colour, hatch, _ in LIBRARIES.values()}
    unlisted = {(seen.colour, seen.hatch) for seen in (appearance_of(f"library{i}/aes-256-gcm") for i in range(300))}
    assert known.isdisjoint(unlisted)
    assert len(unlisted) == 32


def test_appearances_are_stable_across_runs() -> None:
    """The expected values are literals, since appearances must not depend on the hash seed or change later."""
    seen = appearance_of("openssl/aes-256-gcm")
    assert (seen.colour, seen.hatch, seen.marker, seen.line) == ("#015688", "", "s", "-")
    seen = appearance_of("mylib/myalgorithm")
    assert (seen.colour, seen.hatch, seen.marker, seen.line) == ("#015688", "oooo", "p", (0, (4, 1, 1, 1)))
