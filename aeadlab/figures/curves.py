"""Lays out a figure as panels of curves with one legend below, in inches on paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, cast

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedFormatter, FixedLocator, FuncFormatter, NullFormatter, NullLocator

from aeadlab.figures import style
from aeadlab.figures.palette import Look
from aeadlab.figures.rows import wrapped
from aeadlab.figures.style import TEXT, TITLE, text_width

_HEIGHT: Final = 2.05
_LEFT: Final = 0.47
_BETWEEN: Final = 0.14
_BOTTOM: Final = 0.32
_TOP: Final = 0.17
_ENTRY: Final = 0.125
_HANDLE: Final = 0.3

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


@dataclass(frozen=True)
class Entry:
    """A line of the legend: an implementation's look, or None where it is absent and the text says why.

    Without `line` its marker stands alone.
    """

    text: str
    look: Look | None
    line: bool = True


def draw(panels: Sequence[Panel], space: style.Venue, legend: Sequence[Entry], notes: Sequence[str]) -> Figure:
    """Panels beside or below each other, the legend under them in as many columns as fit, then the notes.

    All panels have the same y axis unless they name another label.
    """
    beside = space.width >= style.BESIDE_FROM and len(panels) > 1
    alike = len({panel.y_label for panel in panels}) == 1
    columns = _columns(legend, space.width)
    entry_rows = -(-len(legend) // columns) if legend else 0
    lines = [line for note in notes for line in wrapped(note, space.width - 0.04)]
    text = entry_rows * _ENTRY + len(lines) * style.LINE + 0.14
    rows = 1 if beside else len(panels)
    height = rows * (_TOP + _HEIGHT + _BOTTOM) + text
    with style.settings():
        figure = style.new_figure(space.width, height)
        boxes = _boxes(len(panels), space.width, beside, alike)
        drawn = []
        for panel, (left, top, width) in zip(panels, boxes, strict=True):
            box = (left / space.width, 1 - (top + _HEIGHT) / height, width / space.width, _HEIGHT / height)
            axes = figure.add_axes(box)
            _fill(axes, panel)
            drawn.append(axes)
        if alike:
            low = min(axes.get_ylim()[0] for axes in drawn)
            high = max(axes.get_ylim()[1] for axes in drawn)
            for axes in drawn:
                axes.set_ylim(low, high)
            for axes in drawn[1:] if beside else ():
                axes.set_yticklabels([])
                axes.set_ylabel("")
        for axes in drawn:
            _tick_values(axes)
            if beside and alike and axes is not drawn[0]:
                axes.yaxis.set_major_formatter(NullFormatter())
        top = rows * (_TOP + _HEIGHT + _BOTTOM) + 0.02
        _write_legend(figure, legend, columns, top)
        for position, line in enumerate(reversed(lines)):
            figure.text(0.02 / space.width, (0.05 + position * style.LINE) / height, line, va="baseline")
    return figure


def _boxes(count: int, width: float, beside: bool, alike: bool) -> list[tuple[float, float, float]]:
    """Left, top and width of each panel in inches."""
    if not beside:
        pitch = _TOP + _HEIGHT + _BOTTOM
        return [(_LEFT, _TOP + number * pitch, width - _LEFT - 0.06) for number in range(count)]
    gap = _BETWEEN if alike else _LEFT + 0.06
    each = (width - _LEFT - 0.06 - (count - 1) * gap) / count
    return [(_LEFT + number * (each + gap), _TOP, each) for number in range(count)]


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
    low, high = axes.get_ylim()
    for steps in ((1,), (1, 3), (1, 2, 5), (1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9)):
        exponents = range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(high))) + 1)
        ticks = [step * 10.0**exponent for exponent in exponents for step in steps]
        ticks = [tick for tick in ticks if low <= tick <= high]
        if len(ticks) >= 4:
            break
    axes.yaxis.set_major_locator(FixedLocator(ticks))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_minor_locator(NullLocator())


def _columns(legend: Sequence[Entry], width: float) -> int:
    widest = max((text_width(entry.text) for entry in legend), default=1.0) + _HANDLE + 0.12
    return max(1, int((width - 0.02) / widest))


def _write_legend(figure: Figure, legend: Sequence[Entry], columns: int, top: float) -> None:
    width, height = figure.get_size_inches()
    pitch = width / columns
    rows = -(-len(legend) // columns)
    for number, entry in enumerate(legend):
        column, row = divmod(number, rows)
        left, y = 0.02 + column * pitch, 1 - (top + (row + 0.5) * _ENTRY) / height
        if entry.look is not None:
            look = entry.look
            ends = [left / width, (left + _HANDLE - 0.06) / width]
            line = Line2D(ends, [y, y], color=look.colour, linewidth=0.9)
            line.set_linestyle(cast("Any", look.line))
            if entry.line:
                figure.add_artist(line)
            middle: dict[str, Any] = {"marker": look.marker, "markersize": 3.4, "mfc": look.colour, "mec": style.EDGE}
            figure.add_artist(Line2D([sum(ends) / 2], [y], linestyle="none", mew=0.4, **middle))
        figure.text((left + _HANDLE) / width, y, entry.text, va="center_baseline", fontsize=TEXT)
