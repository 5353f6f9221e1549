from __future__ import annotations

from pathlib import Path

import matplotlib
import pytest
from matplotlib.font_manager import findfont

from aeadlab.errors import UnknownNameError
from aeadlab.figures.style import TEXT, TITLE, VENUES, new_figure, settings, text_width, venue


@pytest.mark.parametrize(
    ("name", "inches"),
    [
        ("lncs", 4.803),
        ("ieee", 3.5),
        ("ieee-double", 7.16),
        ("acm", 3.337),
        ("acm-double", 7.006),
        ("usenix", 3.335),
        ("usenix-double", 7.0),
    ],
)
def test_widths_of_venues(name: str, inches: float) -> None:
    assert venue(name).width == pytest.approx(inches, abs=5e-4)
    assert venue(name).source
    assert len(VENUES) == 7


def test_unknown_venue_error_lists_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match="lncs, ieee"):
        venue("nature")


def test_text_is_large_enough_to_print() -> None:
    assert min(TEXT, TITLE) >= 6


def test_text_uses_the_font_of_matplotlib() -> None:
    with settings():
        font = Path(findfont(matplotlib.font_manager.FontProperties()))
    assert font == Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf"


def test_user_configuration_is_ignored_and_restored() -> None:
    with matplotlib.rc_context({"axes.facecolor": "red", "font.size": 30.0, "text.usetex": True}):
        with settings():
            assert matplotlib.rcParams["axes.facecolor"] == "white"
            assert matplotlib.rcParams["font.size"] == TEXT
            assert not matplotlib.rcParams["text.usetex"]
        assert matplotlib.rcParams["axes.facecolor"] == "red"
        assert matplotlib.rcParams["font.size"] == 30


def test_measured_width_is_the_width_drawn() -> None:
    with settings():
        figure = new_figure(4, 1)
        for text in ("ParSplit 256 KiB", "† at least 85 % of memcpy's speed: memory is the limit there."):
            drawn = figure.text(0, 0, text).get_window_extent().width / figure.dpi
            assert text_width(text) == pytest.approx(drawn, rel=0.02)


def test_notebooks_show_a_figure_without_pyplot() -> None:
    with settings():
        figure = new_figure(2, 1)
    image = figure._repr_png_()
    assert image.startswith(b"\x89PNG")
    assert int.from_bytes(image[16:20], "big") == 2 * 150
