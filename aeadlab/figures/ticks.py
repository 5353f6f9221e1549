"""Axis ticks: plain decimal numbers, as many as the axis has room for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isfinite
from typing import Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator

_STEPS: Final = ((1,), (1, 3), (1, 2, 5), (1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9))
"""Multiples of the powers of ten, the coarsest set first."""

_LABEL_WIDTH: Final = 0.3
"""Inches that a tick label takes."""


def log_ticks(low: float, high: float, least: int) -> list[float]:
    """Return ticks for a logarithmic axis: powers of ten, or multiples of them where these are fewer than `least`."""
    exponents = range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(high))) + 1)
    for steps in _STEPS:
        ticks = [step * 10.0**exponent for exponent in exponents for step in steps]
        ticks = [tick for tick in ticks if low <= tick <= high]
        if len(ticks) >= least:
            break
    return ticks


def set_ticks(axis: Axis, ticks: Sequence[float]) -> None:
    """Put ticks at these values, labelled with decimal numbers, and remove minor ticks."""
    axis.set_major_locator(FixedLocator(ticks))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def set_linear_ticks(axes: Axes) -> None:
    """Put round numbers on a linear x axis, as many as fit."""
    axes.xaxis.set_major_locator(MaxNLocator(_label_count(axes), steps=[1, 2, 2.5, 5, 10]))


def set_log_scale(axes: Axes, values: Iterable[float], margin: float = 1.4) -> None:
    """Make the x axis logarithmic.

    Parameters
    ----------
    values
        The axis covers those that are finite and above zero.
    margin
        The axis starts at the smallest value divided by this factor.
    """
    covered = [value for value in values if isfinite(value) and value > 0]
    low, high = min(covered) / margin, max(covered) * 1.4
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    ticks = log_ticks(low, high, 2)
    set_ticks(axes.xaxis, ticks[:: -(-len(ticks) // _label_count(axes))])


def axes_width(axes: Axes) -> float:
    """Return the width of axes in inches."""
    figure = axes.get_figure()
    return float(axes.get_position().width * figure.get_size_inches()[0]) if isinstance(figure, Figure) else 0.0


def _label_count(axes: Axes) -> int:
    return max(2, int(axes_width(axes) / _LABEL_WIDTH))
