"""Panels of curves, each named at its end, laid out in inches on paper."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import Any, Final, Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator, NullFormatter
from pandas import DataFrame

from aeadlab.display.units import significant
from aeadlab.figures import style
from aeadlab.figures.caption import Caption
from aeadlab.figures.palette import Appearance, appearance_of
from aeadlab.figures.ticks import fit_ticks, log_ticks, set_ticks

MOST_EMPHASISED: Final = 7
"""Largest number of coloured series in a panel."""

HEIGHT: Final = 1.75
"""Height of a panel in inches."""

LIMIT: Final = Appearance(style.FAINT, "None", (0, (3, 1.2)))
"""Appearance of limits and models, which are no implementations."""

_LEFT: Final = 0.5
_RIGHT: Final = 0.08
_BETWEEN: Final = 0.1
_BOTTOM: Final = 0.34
_TOP: Final = 0.19
_ABOVE: Final = 0.04
"""Inches by which names may extend above the axes."""
_LEADER: Final = 0.16
"""Inches from the end of the axes to the name of a curve."""

Scale = Literal["linear", "log"]


@dataclass(frozen=True)
class Curve:
    """Points joined by a line; a point that is NaN interrupts the line.

    Attributes
    ----------
    low, high
        Ends of the intervals; empty or NaN for none.
    name
        Written at the end of the line, in one line or more; ``""`` for none.
    band
        Whether the intervals are a band and not bars.
    published
        Whether the points are published ones, which are hollow.
    marked
        Whether the points of a grey curve have marks, too.
    """

    appearance: Appearance
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] = ()
    high: Sequence[float] = ()
    name: str = ""
    band: bool = False
    published: bool = False
    marked: bool = False

    @property
    def emphasised(self) -> bool:
        """Whether the curve is coloured."""
        red, green, blue = to_rgb(self.appearance.colour)
        return not red == green == blue


@dataclass(frozen=True)
class Panel:
    """Axes with their curves.

    Attributes
    ----------
    x_label
        ``""`` for a panel above another with the same axis, whose ticks have no labels.
    ticks
        Positions on the x axis and their labels, the most important first: the others are left out for want of room.
    limits
        Of the x axis.
    background
        Draws reference lines and bands before the curves.
    y_limits
        Points beyond them are drawn at the edge with their value.
    height
        Inches; names of curves that need more make the row of the panel higher.
    """

    title: str
    x_label: str
    y_label: str
    curves: Sequence[Curve]
    ticks: Mapping[float, str]
    limits: tuple[float, float]
    x_scale: Scale = "log"
    y_scale: Scale = "log"
    background: Callable[[Axes], None] = field(default=lambda axes: None)
    y_limits: tuple[float, float] | None = None
    height: float = HEIGHT


def curve(rows: DataFrame, x: str, y: str, scale: float = 1.0, name: str = "") -> Curve:
    """Return the curve of one implementation from a table with its medians and intervals.

    Parameters
    ----------
    rows
        In the order of the x axis; columns ``implementation``, `x`, and `y` alone and with ``_low`` and ``_high``.
    scale
        Factor from the unit of the table to that of the axis.
    name
        Written at the end of the line.
    """
    values, low, high = ((scale * rows[f"{y}{end}"]).tolist() for end in ("", "_low", "_high"))
    return Curve(appearance_of(str(rows["implementation"].iloc[0])), rows[x].tolist(), values, low, high, name)


def emphasise(curves: Iterable[Curve]) -> list[Curve]:
    """Return the curves, of which those after the first `MOST_EMPHASISED` coloured ones are grey and without a name."""
    shown: list[Curve] = []
    for line in curves:
        if line.emphasised and sum(other.emphasised for other in shown) >= MOST_EMPHASISED:
            line = replace(line, appearance=replace(line.appearance, colour=style.CONTEXT), name="", low=(), high=())
        shown.append(line)
    return shown


def columns_of(space: style.Venue, panels: int) -> int:
    """Return the number of panels side by side in a column of this width: three, two or one."""
    return min(panels, 3 if space.width > 6 else 2 if space.width >= style.WIDE_COLUMN else 1)


def draw_panels(
    panels: Sequence[Panel | None],
    space: style.Venue,
    sentences: Iterable[str],
    *,
    columns: int = 0,
    shared_y: bool = True,
) -> Figure:
    """Draw panels row by row with the caption below.

    Parameters
    ----------
    panels
        None leaves a place empty.
    sentences
        Of the caption; see `aeadlab.figures.caption.Caption`.
    columns
        Panels in a row; 0 for as many as `columns_of` allows.
    shared_y
        Whether the panels of a row have the same y axis.
    """
    columns = columns or columns_of(space, len(panels))
    places = [panels[start : start + columns] for start in range(0, len(panels), columns)]
    rows = [[panel for panel in row if panel is not None] for row in places]
    caption = Caption(sentences, space.width)
    lefts, widths = _columns(panels, columns, space.width, shared_y)
    bottoms = [_BOTTOM if any(panel.x_label for panel in row) else _BETWEEN for row in rows]
    heights = [max(max(panel.height, _names_height(panel)) for panel in row) for row in rows]
    tops = [_TOP if any(panel.title for panel in row) else 0.05 for row in rows]
    height = sum(map(sum, (heights, bottoms, tops))) + caption.height + 0.04
    with style.settings():
        figure = style.new_figure(space.width, height)
        above = 0.0
        for row, inches, top, bottom in zip(rows, heights, tops, bottoms, strict=True):
            above += top
            drawn = []
            for panel, left, width in zip(row, lefts, widths, strict=False):
                box = (left / space.width, 1 - (above + inches) / height, width / space.width, inches / height)
                axes = figure.add_axes(box)
                _draw_panel(axes, panel, width)
                drawn.append(axes)
            _share_y(drawn, row, shared_y)
            for panel, axes, left, width in zip(row, drawn, lefts, widths, strict=False):
                _draw_beyond(axes, panel)
                _write_names(figure, axes, panel, left + width, above, inches)
            above += inches + bottom
        caption.write(figure)
    return figure


def _columns(
    panels: Sequence[Panel | None], columns: int, width: float, shared_y: bool
) -> tuple[list[float], list[float]]:
    """Return the left edge and the width of the axes of each column in inches."""
    names = [
        max(
            (_name_width(line.name) for panel in panels[column::columns] if panel for line in panel.curves), default=0.0
        )
        for column in range(columns)
    ]
    rights = [_LEADER + name + 0.02 if name else _RIGHT for name in names]
    lefts = [_LEFT if not column or not shared_y else _BETWEEN for column in range(columns)]
    each = (width - sum(rights) - sum(lefts)) / columns
    starts = [sum(lefts[: column + 1]) + sum(rights[:column]) + column * each for column in range(columns)]
    return starts, [each] * columns


def _names_height(panel: Panel) -> float:
    """Return the height of axes whose names fit between the title and the panel below."""
    names = [line.name for line in panel.curves if line.name]
    return sum(map(_name_height, names)) - _ABOVE - _below(panel)


def _below(panel: Panel) -> float:
    """Return how far names may extend below the axes."""
    return _BOTTOM - 0.02 if panel.x_label else 0.0


def _name_height(name: str) -> float:
    return style.LINE * (1 + name.count("\n"))


def _name_width(name: str) -> float:
    return max(map(style.text_width, name.split("\n"))) if name else 0.0


def _draw_panel(axes: Axes, panel: Panel, width: float) -> None:
    axes.set_xscale(panel.x_scale)
    axes.set_yscale(panel.y_scale)
    axes.set_xlim(*panel.limits)
    panel.background(axes)
    for number, line in enumerate(panel.curves):
        # The first are the most important and on top.
        _draw_curve(axes, line, 2 + (len(panel.curves) - number) / 1000 - (0.5 if not line.emphasised else 0.0))
    axes.grid(axis="y")
    if panel.y_limits is not None:
        axes.set_ylim(*panel.y_limits)
    elif panel.y_scale == "linear":
        axes.set_ylim(bottom=0)
    else:
        # Grey curves do not set the axis.
        shown = [line for line in panel.curves if line.appearance.colour != style.CONTEXT]
        values = [y for line in shown for y in (*line.y, *line.low, *line.high) if isfinite(y) and y > 0]
        axes.set_ylim(min(values, default=1.0) / 1.25, max(values, default=10.0) * 1.25)
    fit_ticks(axes, panel.ticks, width)
    if panel.x_label:
        axes.set_xlabel(panel.x_label, labelpad=2)
    else:
        axes.xaxis.set_major_formatter(NullFormatter())
    axes.set_ylabel(panel.y_label, labelpad=2)
    axes.set_title(panel.title, pad=3, fontsize=style.TITLE, loc="left")


def _share_y(drawn: Sequence[Axes], row: Sequence[Panel], shared: bool) -> None:
    low, high = min(axes.get_ylim()[0] for axes in drawn), max(axes.get_ylim()[1] for axes in drawn)
    for number, (axes, panel) in enumerate(zip(drawn, row, strict=True)):
        if shared:
            axes.set_ylim(low, high)
        most = max(3, int(panel.height / 0.3))
        if axes.get_yscale() == "log":
            ticks = log_ticks(*axes.get_ylim(), 3)
            set_ticks(axes.yaxis, ticks[:: -(-len(ticks) // (2 * most))])
        else:
            axes.yaxis.set_major_locator(MaxNLocator(most, steps=[1, 2, 2.5, 5, 10], min_n_ticks=3))
        if number and shared:
            axes.yaxis.set_major_formatter(NullFormatter())
            axes.set_ylabel("")


def _draw_curve(axes: Axes, curve: Curve, order: float) -> None:
    appearance, strong = curve.appearance, curve.emphasised
    x, y = np.asarray(curve.x, dtype=np.float64), np.asarray(curve.y, dtype=np.float64)
    line: dict[str, Any] = {"color": appearance.colour, "linewidth": 1.1 if strong else 0.8, "zorder": order}
    axes.plot(x, y, linestyle=appearance.line, **line)
    low, high = (np.asarray(ends, dtype=np.float64) for ends in (curve.low, curve.high))
    if low.size and curve.band:
        axes.fill_between(x, low, high, color=appearance.colour, alpha=0.25, linewidth=0, zorder=order - 0.001)
    elif low.size:
        # Matplotlib leaves out NaN. Rounding may put an end past the median by a bit.
        reach = np.maximum([y - low, high - y], 0.0)
        axes.errorbar(x, y, yerr=reach, fmt="none", ecolor=appearance.colour, elinewidth=0.6, alpha=0.7, zorder=order)
    face, edge, size = ("none", appearance.colour, 6.0) if curve.published else (appearance.colour, "white", 3.4)
    if not (strong or curve.published or curve.marked):
        return
    axes.plot(
        x, y, appearance.marker, markersize=size, mfc=face, mec=edge, mew=0.8 if curve.published else 0.3, zorder=order
    )


def _draw_beyond(axes: Axes, panel: Panel) -> None:
    """Draw coloured points beyond the limits of the y axis at its edge, with their values."""
    low, high = axes.get_ylim()
    for line in panel.curves if panel.y_limits is not None else ():
        for x, y in zip(line.x, line.y, strict=True):
            if line.emphasised and isfinite(y) and not low <= y <= high:
                edge, sign, align = (high, "^", "top") if y > high else (low, "v", "bottom")
                axes.plot([x], [edge], sign, mfc=line.appearance.colour, mew=0, markersize=3.6, clip_on=False)
                axes.annotate(significant(y), (x, edge), (4, 0), textcoords="offset points", va=align, ha="left")


def _write_names(figure: Figure, axes: Axes, panel: Panel, right: float, above: float, inches: float) -> None:
    """Write the names of curves beside the axes, at the height of their ends and apart from each other."""
    ends = []
    for line in panel.curves:
        finite = [(x, y) for x, y in zip(line.x, line.y, strict=True) if isfinite(y)]
        if line.name and finite:
            x, y = finite[-1]
            place = axes.transData.transform((x, y)) - axes.transAxes.transform((0, 0))
            share = place / (axes.transAxes.transform((1, 1)) - axes.transAxes.transform((0, 0)))
            ends.append((above + inches * (1 - min(max(share[1], 0.0), 1.0)), (x, y), line))
    ends.sort(key=lambda end: end[0])
    heights = [_name_height(line.name) for _, _, line in ends]
    places = spread([end for end, _, _ in ends], heights, above - _ABOVE, above + inches + _below(panel))
    width, height = figure.get_size_inches()
    for place, (_, end, line) in zip(places, ends, strict=True):
        y = 1 - place / height
        leader = Line2D([(right + 0.1) / width], [y], color=line.appearance.colour, linewidth=0.5)
        start = figure.transFigure.inverted().transform(axes.transData.transform(np.clip(end, None, np.inf)))
        leader.set_data([start[0], (right + 0.12) / width], [min(max(start[1], 0.0), 1.0), y])
        figure.add_artist(leader)
        figure.text(
            (right + _LEADER) / width, y, line.name, va="center", fontsize=style.TEXT, linespacing=1.0,
            color=style.EDGE if line.emphasised else style.FAINT,
        )  # fmt: skip


def spread(wanted: Sequence[float], heights: Sequence[float], top: float, bottom: float) -> list[float]:
    """Return the positions of texts in ascending order, without overlap, each as near as possible to its target.

    All are distances from the top of the figure in inches, `heights` those of the texts. Texts that do not fit between
    `top` and `bottom` exceed the bottom.
    """
    placed: list[float] = []
    for position, height in zip(wanted, heights, strict=True):
        least = placed[-1] + (height + heights[len(placed) - 1]) / 2 if placed else top + height / 2
        placed.append(max(position, least))
    edge = max(bottom, top + sum(heights))
    for number in reversed(range(len(placed))):
        placed[number] = min(placed[number], edge - heights[number] / 2)
        edge = placed[number] - heights[number] / 2
    return placed
