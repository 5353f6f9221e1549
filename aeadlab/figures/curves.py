"""Lays out a figure as panels of curves with one legend below, in inches on paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedFormatter, FixedLocator, FuncFormatter, NullFormatter, NullLocator

from aeadlab.figures import style
from aeadlab.figures.legend import Legend
from aeadlab.figures.palette import Look
from aeadlab.figures.rows import wrapped, write_notes
from aeadlab.figures.style import TITLE
from aeadlab.figures.ticks import log_ticks

_HEIGHT: Final = 2.05
_LEFT: Final = 0.47
_BETWEEN: Final = 0.14
_BOTTOM: Final = 0.32
_TOP: Final = 0.17

Scale = Literal["linear", "log"]


@dataclass(frozen=True)
class Curve:
    """Points of one implementation, joined by a line; absent values (NaN) are left out, and so is the line to them.

    Attributes
    ----------
    look
        From `palette.look`.
    low, high
        Ends of the intervals; NaN for none.
    hollow
        Which points are drawn hollow; the figure's notes say what that means.
    thin
        Whether the line is only a reference.
    """

    look: Look
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
        Places on the x axis and what stands there.
    extra
        Draws reference lines and bands, before the curves.
    limits
        Of the x axis.
    """

    title: str
    x_label: str
    y_label: str
    curves: Sequence[Curve]
    ticks: Mapping[float, str]
    limits: tuple[float, float]
    x_scale: Scale = "log"
    y_scale: Scale = "log"
    extra: Callable[[Axes], None] = field(default=lambda axes: None)
    y_limits: tuple[float, float] | None = None


def draw(
    panels: Sequence[Panel], space: style.Venue, legend: Legend, notes: Sequence[str], *, one_axis: bool = True
) -> Figure:
    """Panels beside or below each other, with one y axis or one each, the legend under them, then the notes."""
    beside = space.width >= style.BESIDE_FROM and len(panels) > 1
    lines = [line for note in notes for line in wrapped(note, space.width - 0.04)]
    rows = 1 if beside else len(panels)
    top = rows * (_TOP + _HEIGHT + _BOTTOM)
    height = top + legend.height + len(lines) * style.LINE + 0.14
    with style.settings():
        figure = style.new_figure(space.width, height)
        drawn = []
        for panel, (left, above, width) in zip(panels, _boxes(len(panels), space.width, beside, one_axis), strict=True):
            box = (left / space.width, 1 - (above + _HEIGHT) / height, width / space.width, _HEIGHT / height)
            axes = figure.add_axes(box)
            _fill(axes, panel)
            drawn.append(axes)
        low, high = min(axes.get_ylim()[0] for axes in drawn), max(axes.get_ylim()[1] for axes in drawn)
        for axes in drawn:
            if one_axis:
                axes.set_ylim(low, high)
            _tick_values(axes)
        for axes in drawn[1:] if beside and one_axis else ():
            axes.yaxis.set_major_formatter(NullFormatter())
            axes.set_ylabel("")
        legend.write(figure, top + 0.02)
        write_notes(figure, lines)
    return figure


def _boxes(count: int, width: float, beside: bool, one_axis: bool) -> list[tuple[float, float, float]]:
    """Left, top and width of each panel in inches."""
    if not beside:
        pitch = _TOP + _HEIGHT + _BOTTOM
        return [(_LEFT, _TOP + number * pitch, width - _LEFT - 0.06) for number in range(count)]
    between = _BETWEEN if one_axis else _LEFT
    each = (width - _LEFT - 0.06 - (count - 1) * between) / count
    return [(_LEFT + number * (each + between), _TOP, each) for number in range(count)]


def _fill(axes: Axes, panel: Panel) -> None:
    axes.set_xscale(panel.x_scale)
    axes.set_yscale(panel.y_scale)
    axes.set_xlim(*panel.limits)
    panel.extra(axes)
    for curve in panel.curves:
        _plot(axes, curve)
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
    axes.set_title(panel.title, pad=3, fontsize=TITLE, loc="left")


def _plot(axes: Axes, curve: Curve) -> None:
    look = curve.look
    x, y = np.asarray(curve.x, dtype=np.float64), np.asarray(curve.y, dtype=np.float64)
    axes.plot(x, y, linestyle=look.line, color=look.colour, linewidth=0.6 if curve.thin else 0.9, zorder=2)
    low, high = (np.asarray(ends, dtype=np.float64) for ends in (curve.low, curve.high))
    if low.size:
        # An interval that is unknown is left out by Matplotlib, as is a point; the ends may round past the median.
        reach = np.maximum([y - low, high - y], 0.0)
        axes.errorbar(x, y, yerr=reach, fmt="none", ecolor=style.EDGE, elinewidth=0.5, capsize=1.1, zorder=2.5)
    hollow = np.asarray(curve.hollow or np.zeros(x.size), dtype=np.bool_)
    for empty, face, edge, width in ((False, look.colour, style.EDGE, 0.4), (True, "white", look.colour, 0.7)):
        these = (hollow == empty) & np.isfinite(y)
        axes.plot(x[these], y[these], look.marker, markersize=3.4, mfc=face, mec=edge, mew=width, zorder=3)


def _tick_values(axes: Axes) -> None:
    """Numbers as people write them, where a logarithmic axis would have powers of ten, and enough of them."""
    if axes.get_yscale() != "log":
        return
    axes.yaxis.set_major_locator(FixedLocator(log_ticks(*axes.get_ylim(), 4)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_minor_locator(NullLocator())
