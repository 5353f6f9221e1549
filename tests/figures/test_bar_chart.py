"""Bar charts: labelled rows with bars or points and columns of numbers."""

from __future__ import annotations

from collections.abc import Callable
from math import nan

import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.text import Text

from aeadlab.figures import style
from aeadlab.figures.bar_chart import Bar, bar_chart
from aeadlab.figures.rows import row_labels
from aeadlab.figures.style import VENUES, venue
from aeadlab.figures.ticks import set_log_scale

Check = Callable[[Figure, str], None]
Texts = Callable[[Figure], list[Text]]
Written = Callable[[Figure], list[str]]
Noted = Callable[[Figure], str]
NOTE = "What the bars are, and where they come from."


def bar_of(value: float, label: str = "encrypt", **more: object) -> Bar:
    low, high = 0.9 * value, 1.2 * value
    return Bar(label, "openssl/aes-128-ctr", value, low, high, (f"{value:g}", "x"), **more)  # type: ignore[arg-type]


def drawn(*entries: Bar | str, log: bool = False, name: str = "lncs") -> Figure:
    return bar_chart(entries, [("s",), ("GiB", "/s")], "time (s)", NOTE, venue(name), log=log)


def lengths(axes: Axes) -> list[float]:
    """Return the lengths of the bars from the top; each has an outline over its hatch."""
    outlines = [patch for patch in axes.patches if isinstance(patch, Rectangle) and not patch.get_fill()]
    return [patch.get_width() for patch in sorted(outlines, key=lambda patch: patch.get_y())]


def hollow(axes: Axes) -> list[float]:
    return [float(line.get_xdata()[0]) for line in axes.lines if line.get_markerfacecolor() == "none"]  # type: ignore[index]


def test_bars_have_length_label_and_numbers(texts: Texts) -> None:
    figure = drawn("AES 128", bar_of(2.0, "first"), bar_of(5.0, "second"))
    (axes,) = figure.axes
    assert lengths(axes) == [2.0, 5.0]
    assert axes.get_xlim()[0] == 0 and axes.get_xlim()[1] > 5
    words = {text.get_text(): text for text in texts(figure)}
    assert {"AES 128", "first", "second", "2", "5", "s", "GiB", "/s", "time (s)", NOTE} <= set(words)
    assert words["AES 128"].get_weight() == "bold" and words["first"].get_weight() == "normal"
    assert words["first"].get_position()[1] == words["2"].get_position()[1]
    assert words["first"].get_position()[1] > words["second"].get_position()[1]


def test_intervals_are_drawn_unless_nan() -> None:
    (axes,) = drawn(bar_of(2.0)).axes
    (container,) = axes.containers[1:]
    ((ends,),) = [bars.get_segments() for bars in container.get_children() if hasattr(bars, "get_segments")]
    assert sorted(ends[:, 0]) == pytest.approx([1.8, 2.4])
    (axes,) = drawn(Bar("a", "openssl/a", 2.0, nan, nan, ("", ""))).axes
    assert len(axes.containers) == 1 and lengths(axes) == [2.0]


def test_a_point_is_hollow_and_at_its_position(texts: Texts) -> None:
    (axes,) = drawn(bar_of(2.0, point=2.5), bar_of(3.0)).axes
    assert hollow(axes) == [2.5]


def test_a_row_without_value_has_its_reason_and_no_bar(written: Written) -> None:
    figure = drawn(bar_of(2.0), Bar("gone", "tor/aes", nan, nan, nan, ("", ""), reason="failed"))
    assert lengths(figure.axes[0]) == [2.0]
    assert {"gone", "failed"} <= set(written(figure))


def test_a_pale_bar_has_a_lighter_colour() -> None:
    (axes,) = drawn(bar_of(2.0), bar_of(2.0, pale=True)).axes
    full, pale = (patch.get_facecolor() for patch in axes.patches if patch.get_fill())
    assert [0.5 + 0.5 * part for part in full[:3]] == pytest.approx(pale[:3])


def test_log_axis_has_decimal_numbers() -> None:
    figure = drawn(bar_of(0.004), bar_of(30.0), bar_of(0.0), log=True)
    (axes,) = figure.axes
    assert axes.get_xscale() == "log"
    assert axes.get_xlim() == pytest.approx((0.002, 42.0))
    assert [label.get_text() for label in axes.get_xticklabels()] == ["0.01", "0.1", "1", "10"]
    assert not list(axes.get_xticks(minor=True))


@pytest.mark.parametrize(("low", "high"), [(1.0, 1.0), (0.97, 1.06), (1e-9, 1e9), (3.1, 3.3)])
def test_log_axis_has_two_to_as_many_ticks_as_fit(low: float, high: float) -> None:
    for name in ("usenix", "ieee-double"):
        (axes,) = drawn(bar_of(low), bar_of(high), log=True, name=name).axes
        left, right = axes.get_xlim()
        ticks = [tick for tick in axes.get_xticks() if left <= tick <= right]
        assert 2 <= len(ticks) <= VENUES[name].width / 0.3


def test_log_scale_ignores_values_without_logarithm() -> None:
    figure = style.new_figure(3, 2)
    axes = figure.add_axes((0.1, 0.1, 0.8, 0.8))
    set_log_scale(axes, [nan, 0.0, 2.0, -1.0, 4.0, float("inf")])
    assert axes.get_xlim() == pytest.approx((2.0 / 1.4, 4.0 * 1.4))


def test_the_axis_starts_right_of_the_headings() -> None:
    space = venue("ieee")

    def left(heading: str) -> float:
        (axes,) = drawn(heading, bar_of(1.0, "a"), name="ieee").axes
        return axes.get_position().x0 * space.width

    assert left("wider than its rows") == pytest.approx(0.1 + 1.1 * style.text_width("wider than its rows"))
    assert left("much wider than its rows and than a third of a column") == pytest.approx(0.35 * space.width)
    assert left("b") < left("wider than its rows")


def test_row_labels_of_strings_are_headings() -> None:
    (heading, row) = row_labels(["AES 128", bar_of(1.0, "ecb")])
    assert (heading.text, heading.heading, row.text, row.heading) == ("AES 128", True, "ecb", False)


@pytest.mark.parametrize("name", VENUES)
def test_forty_rows_fit_every_venue(name: str, check_layout: Check) -> None:
    entries = [entry for group in range(8) for entry in (f"group {group}", *(bar_of(group + 0.5) for _ in range(5)))]
    check_layout(drawn(*entries, log=True, name=name), name)


def test_notes_are_wrapped_to_the_column(written: Written, noted: Noted) -> None:
    long = " ".join(["words"] * 60)
    figure = bar_chart([bar_of(1.0)], [("s",), ("x",)], "time (s)", long, venue("ieee"))
    lines = [text for text in written(figure) if text.startswith("words")]
    assert noted(figure) == long and len(lines) > 3
    assert max(style.text_width(line) for line in lines) <= venue("ieee").width
