"""Bar charts: labelled rows with bars or points and columns of numbers."""

from __future__ import annotations

from collections.abc import Callable
from math import nan

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.text import Text

from aeadlab.figures import style
from aeadlab.figures.bar_chart import Bar, bar_chart, row_chart
from aeadlab.figures.caption import MOST_LINES
from aeadlab.figures.rows import RowLayout, row_labels
from aeadlab.figures.style import VENUES, venue
from aeadlab.figures.ticks import least_shown, set_log_scale

Check = Callable[[Figure, str], None]
Texts = Callable[[Figure], list[Text]]
Written = Callable[[Figure], list[str]]
Noted = Callable[[Figure], str]
NOTE = "What the bars are, and where they come from."


def bar_of(value: float, label: str = "encrypt", **more: object) -> Bar:
    low, high = 0.9 * value, 1.2 * value
    return Bar(label, "openssl/aes-128-ctr", value, low, high, (f"{value:g}", "x"), **more)  # type: ignore[arg-type]


def drawn(*entries: Bar | str, name: str = "lncs") -> Figure:
    return bar_chart(entries, [("s",), ("GiB", "/s")], "time (s)", [NOTE], venue(name))


def lengths(axes: Axes) -> list[float]:
    """Return the lengths of the bars from the top."""
    bars = [patch for patch in axes.patches if isinstance(patch, Rectangle)]
    return [patch.get_width() for patch in sorted(bars, key=lambda patch: patch.get_y())]


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


def test_a_mark_is_a_vertical_line_at_its_position() -> None:
    (axes,) = drawn(bar_of(2.0, mark=2.5), bar_of(3.0)).axes
    marks = [line for line in axes.lines if len(set(np.asarray(line.get_xdata()))) == 1 and len(line.get_xdata()) == 2]  # type: ignore[arg-type]
    assert [np.asarray(line.get_xdata())[0] for line in marks] == [2.5]


def test_a_row_without_value_has_its_reason_and_no_bar(written: Written) -> None:
    figure = drawn(bar_of(2.0), Bar("gone", "tor/aes", nan, nan, nan, ("", ""), reason="failed"))
    assert lengths(figure.axes[0]) == [2.0]
    assert {"gone", "failed"} <= set(written(figure))


def log_axes(low: float, high: float, name: str = "lncs") -> Axes:
    """Return the logarithmic axes of a chart of points."""

    def draw(layout: RowLayout, axes: Axes) -> None:
        set_log_scale(axes, [low, high, 0.0])

    return row_chart(row_labels([bar_of(low)]), [], [NOTE], venue(name), draw).axes[0]


def test_log_axis_has_decimal_numbers() -> None:
    axes = log_axes(0.004, 30.0)
    assert axes.get_xscale() == "log"
    assert axes.get_xlim() == pytest.approx((0.004 / 1.4, 42.0))
    assert [label.get_text() for label in axes.get_xticklabels()] == ["0.01", "0.1", "1", "10"]
    assert not list(axes.get_xticks(minor=True))


@pytest.mark.parametrize(("low", "high"), [(1.0, 1.0), (0.97, 1.06), (1e-9, 1e9), (3.1, 3.3)])
def test_log_axis_has_three_to_as_many_ticks_as_fit(low: float, high: float) -> None:
    for name in ("usenix", "ieee-double"):
        axes = log_axes(low, high, name)
        left, right = axes.get_xlim()
        ticks = [tick for tick in axes.get_xticks() if left <= tick <= right]
        assert 3 <= len(ticks) <= VENUES[name].width / 0.3


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
    check_layout(drawn(*entries, name=name), name)


def test_notes_are_wrapped_to_the_column(written: Written, noted: Noted) -> None:
    long = " ".join(["words"] * 30)
    figure = bar_chart([bar_of(1.0)], [("s",), ("x",)], "time (s)", [long, "", long, "Short."], venue("ieee"))
    lines = [text for text in written(figure) if text.startswith("words")]
    assert noted(figure) == f"{long} Short.", "a sentence that does not fit is left out"
    assert figure.caption == f"{long} {long} Short."  # type: ignore[attr-defined]
    assert 2 < len(lines) <= MOST_LINES
    assert max(style.text_width(line) for line in lines) <= venue("ieee").width


def test_values_far_below_all_others_do_not_set_the_axis() -> None:
    values = [1.0 + number / 10 for number in range(60)]
    assert least_shown([*values, 0.01]) == 1.0
    assert least_shown([*values, 0.9]) == 0.9, "not far below"
    assert least_shown([0.01, 1.0, 2.0]) == 0.01, "one of three is no outlier"
    assert least_shown([*values, 0.0, nan, -1.0]) == 1.0
