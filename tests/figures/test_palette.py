from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from numpy.typing import NDArray

from aeadlab.figures.palette import COLOURS, INK, LIBRARIES, MARKERS, Appearance, appearance_of
from aeadlab.figures.style import CONTEXT, FAINT

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


EVERY = (INK, *COLOURS)


def test_colours_differ_in_grey() -> None:
    lightness = sorted(lab(linear(colour))[0] for colour in EVERY)
    assert min(np.diff(lightness)) >= 5.5


def test_colours_differ_with_normal_vision() -> None:
    seen = [lab(linear(colour)) for colour in EVERY]
    assert min(float(np.linalg.norm(a - b)) for a, b in combinations(seen, 2)) >= 24


@pytest.mark.parametrize("blindness", COLOUR_BLINDNESS)
def test_colours_differ_for_colour_blind_readers(blindness: str) -> None:
    matrix = np.array(COLOUR_BLINDNESS[blindness])
    seen = [lab(np.clip(matrix @ linear(colour), 0.0, 1.0)) for colour in EVERY]
    assert min(float(np.linalg.norm(a - b)) for a, b in combinations(seen, 2)) >= 20


def test_colours_are_not_grey() -> None:
    """Grey series are those that are not emphasised."""
    for colour in COLOURS:
        red, green, blue = to_rgb(colour)
        assert not red == green == blue
    assert len(set(to_rgb(INK))) == len(set(to_rgb(CONTEXT))) == len(set(to_rgb(FAINT))) == 1


def test_known_libraries_have_distinct_appearances() -> None:
    assert len(set(LIBRARIES.values())) == len(LIBRARIES)


def test_libraries_compared_in_one_panel_have_distinct_colours() -> None:
    """These libraries of AES-256-GCM are lines of one panel; the others are panels of their own or rows with labels."""
    compared = (
        "openssl", "openssl-system", "aws-lc", "boringssl", "ring", "rustcrypto", "cryptopp", "pyca", "pycryptodome",
    )  # fmt: skip
    assert len({appearance_of(f"{library}/aes-256-gcm").colour for library in compared}) == len(compared)


@pytest.mark.parametrize("library", ["openssl", "other-library"])
def test_the_appearance_is_that_of_the_library(library: str) -> None:
    assert len({appearance_of(f"{library}/{algorithm}") for algorithm in ("aes-256-gcm", "ghash", "sha-256")}) == 1


def test_unknown_libraries_have_colours_of_the_palette() -> None:
    seen = [appearance_of(f"library{i}/aes-256-gcm") for i in range(300)]
    assert {one.colour for one in seen} == set(COLOURS)
    assert {one.marker for one in seen} == set(MARKERS)


def test_appearances_are_stable_across_runs() -> None:
    """The expected values are literals, since appearances must not depend on the hash seed or change later."""
    assert appearance_of("openssl/aes-256-gcm") == Appearance("#106AAC", "s")
    assert appearance_of("mylib/myalgorithm") == Appearance("#FC300F", "p")
