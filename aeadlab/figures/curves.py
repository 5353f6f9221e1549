"""Panels of curves with one shared legend below them, laid out in inches on paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedFormatter, FixedLocator, NullFormatter, NullLocator
from pandas import DataFrame

from aeadlab.figures import style
from aeadlab.figures.legend import Legend
from aeadlab.figures.palette import Appearance, appearance_of
from aeadlab.figures.rows import wrap, write_notes
from aeadlab.figures.ticks import log_ticks, set_ticks

_HEIGHT: Final = 2.05
_LEFT: Final = 0.47
_RIGHT: Final = 0.06
_BETWEEN: Final = 0.14
_BOTTOM: Final = 0.32
_TOP: Final = 0.17

Scale = Literal["linear", "log"]


@dataclass(frozen=True)
class Curve:
    """Points joined by a line; a point that is NaN interrupts the line.

    Attributes
    ----------
    low, high
        Ends of the intervals; empty or NaN for none.
    hollow
        Whether each point is drawn hollow; the figure's notes give the meaning.
    thin
        Whether the line is only a reference.
    """

    appearance: Appearance
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] = ()
    high: Sequence[float] = ()
    hollow: Sequence[bool] = ()
    thin: bool = False


@dataclass(frozen=True)
class Panel:
    """Axes with their curves.

    Attributes
    ----------
    ticks
        Positions on the x axis and their labels.
    limits
        Of the x axis.
    background
        Draws reference lines and bands before the curves.
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


def curve(rows: DataFrame, x: str, y: str, scale: float = 1.0, hollow: Sequence[bool] = ()) -> Curve:
    """Return the curve of one implementation from a table with its medians and intervals.

    Parameters
    ----------
    rows
        In the order of the x axis; columns ``implementation``, `x`, and `y` alone and with ``_low`` and ``_high``.
    scale
        Factor from the unit of the table to that of the axis.
    """
    values, low, high = ((scale * rows[f"{y}{end}"]).tolist() for end in ("", "_low", "_high"))
    return Curve(appearance_of(str(rows["implementation"].iloc[0])), rows[x].tolist(), values, low, high, hollow)


def draw_panels(
    panels: Sequence[Panel], space: style.Venue, legend: Legend, notes: Sequence[str], *, shared_y: bool = True
) -> Figure:
    """Draw panels with the legend and the notes below: side by side in a wide column, below each other otherwise."""
    side_by_side = space.width >= style.WIDE_COLUMN and len(panels) > 1
    lines = [line for note in notes for line in wrap(note, space.width - 0.04)]
    top = (1 if side_by_side else len(panels)) * (_TOP + _HEIGHT + _BOTTOM)
    height = top + legend.height + len(lines) * style.LINE + 0.14
    with style.settings():
        figure = style.new_figure(space.width, height)
        drawn = []
        boxes = _boxes(len(panels), space.width, side_by_side, shared_y)
        for panel, (left, above, width) in zip(panels, boxes, strict=True):
            box = (left / space.width, 1 - (above + _HEIGHT) / height, width / space.width, _HEIGHT / height)
            axes = figure.add_axes(box)
            _draw_panel(axes, panel)
            drawn.append(axes)
        low, high = min(axes.get_ylim()[0] for axes in drawn), max(axes.get_ylim()[1] for axes in drawn)
        for axes in drawn:
            if shared_y:
                axes.set_ylim(low, high)
            if axes.get_yscale() == "log":
                set_ticks(axes.yaxis, log_ticks(*axes.get_ylim(), 4))
        for axes in drawn[1:] if side_by_side and shared_y else ():
            axes.yaxis.set_major_formatter(NullFormatter())
            axes.set_ylabel("")
        legend.draw(figure, top + 0.02)
        write_notes(figure, lines)
    return figure


def _boxes(count: int, width: float, side_by_side: bool, shared_y: bool) -> list[tuple[float, float, float]]:
    """Return left, top and width of each panel in inches."""
    if not side_by_side:
        pitch = _TOP + _HEIGHT + _BOTTOM
        return [(_LEFT, _TOP + number * pitch, width - _LEFT - _RIGHT) for number in range(count)]
    between = _BETWEEN if shared_y else _LEFT
    each = (width - _LEFT - _RIGHT - (count - 1) * between) / count
    return [(_LEFT + number * (each + between), _TOP, each) for number in range(count)]


def _draw_panel(axes: Axes, panel: Panel) -> None:
    axes.set_xscale(panel.x_scale)
    axes.set_yscale(panel.y_scale)
    axes.set_xlim(*panel.limits)
    panel.background(axes)
    for line in panel.curves:
        _draw_curve(axes, line)
    axes.grid(axis="y")
    if panel.y_limits is not None:
        axes.set_ylim(*panel.y_limits)
    elif panel.y_scale == "linear":
        axes.set_ylim(bottom=0)
    axes.xaxis.set_major_locator(FixedLocator(list(panel.ticks)))
    axes.xaxis.set_major_formatter(FixedFormatter(list(panel.ticks.values())))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel(panel.x_label, labelpad=2)
    axes.set_ylabel(panel.y_label, labelpad=2)
    axes.set_title(panel.title, pad=3, fontsize=style.TITLE, loc="left")


def _draw_curve(axes: Axes, curve: Curve) -> None:
    appearance = curve.appearance
    x, y = np.asarray(curve.x, dtype=np.float64), np.asarray(curve.y, dtype=np.float64)
    axes.plot(x, y, linestyle=appearance.line, color=appearance.colour, linewidth=0.6 if curve.thin else 0.9, zorder=2)
    low, high = (np.asarray(ends, dtype=np.float64) for ends in (curve.low, curve.high))
    if low.size:
        # Matplotlib leaves out NaN. Rounding may put an end past the median by a bit.
        reach = np.maximum([y - low, high - y], 0.0)
        axes.errorbar(x, y, yerr=reach, fmt="none", ecolor=style.EDGE, elinewidth=0.5, capsize=1.1, zorder=2.5)
    hollow = np.asarray(curve.hollow or np.zeros(x.size), dtype=np.bool_)
    for is_hollow, face, edge, width in (
        (False, appearance.colour, style.EDGE, 0.4),
        (True, "white", appearance.colour, 0.7),
    ):
        points = (hollow == is_hollow) & np.isfinite(y)
        axes.plot(x[points], y[points], appearance.marker, markersize=3.4, mfc=face, mec=edge, mew=width, zorder=3)
