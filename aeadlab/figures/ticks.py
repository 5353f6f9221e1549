"""Axis ticks: plain decimal numbers, as many as the axis has room for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from typing import Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import FixedFormatter, FixedLocator, FuncFormatter, MaxNLocator, NullLocator

from aeadlab.display.units import size_name
from aeadlab.figures.style import text_width

_STEPS: Final = ((1,), (1, 3), (1, 2, 5), (1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9), tuple(step / 2 for step in range(2, 20)))
"""Multiples of the powers of ten, the coarsest set first."""

_LINEAR_STEPS: Final = ([1, 2, 2.5, 5, 10], [1, 2, 2.5, 3, 4, 5, 10], [1, 4, 10], [1, 8, 10])
"""Steps of a linear axis, of which the first that leaves room for the labels is used."""

_FEWEST: Final = 3
"""Fewest ticks of an axis."""

_LABEL_WIDTH: Final = 0.3
"""Inches that a tick label takes."""


def size_ticks(lengths: Iterable[float]) -> dict[float, str]:
    """Return ticks for lengths in bytes with their units, the most important first; see `fit_ticks`.

    The ticks are powers of ten if a length is a multiple of 1000 bytes, and the lengths that are powers of two
    otherwise, so that an axis has either decimal or binary units.
    """
    sizes = sorted({int(length) for length in lengths if length > 0})
    if any(size % 1000 == 0 for size in sizes):
        powers = [power for power in range(13) if sizes[0] <= 10**power <= sizes[-1]]
        return {10.0**power: size_name(10**power) for power in sorted(powers, key=lambda power: power % 3)}
    binary = [size for size in sizes if size & (size - 1) == 0]
    # The exponents that are multiples of the largest power of two come first: any prefix is regularly spaced.
    binary.sort(key=lambda size: -((size.bit_length() - 1) & (1 - size.bit_length())))
    return {float(size): size_name(size) for size in binary}


def count_ticks(counts: Iterable[int]) -> dict[float, str]:
    """Return ticks for thread counts, powers of two and the largest first; see `fit_ticks`."""
    different = set(counts)
    most = max(different)
    ordered = sorted(different, key=lambda count: (count & (count - 1) != 0 and count != most, count))
    return {float(count): str(count) for count in ordered}


def fit_ticks(axes: Axes, ticks: Mapping[float, str], width: float) -> None:
    """Put those ticks on the x axis, the first ones first, whose labels fit beside each other.

    Where fewer than three fit, both ends and the middle have priority.

    Parameters
    ----------
    width
        Of the axes in inches.
    """
    low, high = axes.transScale.transform([(end, 1.0) for end in axes.get_xlim()])[:, 0]
    places = {
        tick: (axes.transScale.transform((tick, 1.0))[0] - low) / (high - low) * width
        for tick in ticks
        if min(axes.get_xlim()) <= tick <= max(axes.get_xlim())
    }
    shown = _fitting(places, ticks, list(places))
    if len(shown) < _FEWEST and len(places) >= _FEWEST:
        ordered = sorted(places, key=places.__getitem__)
        ends = ordered[0], ordered[-1]
        centre = (places[ends[0]] + places[ends[1]]) / 2
        shown = _fitting(places, ticks, [*ends, *sorted(ordered, key=lambda tick: abs(places[tick] - centre))])
    axes.xaxis.set_major_locator(FixedLocator(shown))
    axes.xaxis.set_major_formatter(FixedFormatter([ticks[tick] for tick in shown]))
    axes.xaxis.set_minor_locator(NullLocator())


def _fitting(places: Mapping[float, float], ticks: Mapping[float, str], order: Iterable[float]) -> list[float]:
    taken: dict[float, tuple[float, float]] = {}
    for tick in order:
        half = text_width(ticks[tick]) / 2 + 0.03
        left, right = places[tick] - half, places[tick] + half
        if tick not in taken and all(right <= start or left >= end for start, end in taken.values()):
            taken[tick] = left, right
    return sorted(taken)


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
    """Put round numbers on a linear x axis, as many as fit; two where there is no room for three."""
    low, high = sorted(axes.get_xlim())
    counts = range(_label_count(axes), _label_count(axes) + _FEWEST)
    # A locator may place one of its ticks beyond the axis, so that one more is needed.
    locators = [MaxNLocator(n, steps=steps, min_n_ticks=_FEWEST) for n in counts for steps in _LINEAR_STEPS]
    for locator in locators:
        ticks = [tick for tick in locator.tick_values(low, high) if low <= tick <= high]
        if len(ticks) < _FEWEST:
            continue
        apart = axes_width(axes) * (ticks[1] - ticks[0]) / (high - low)
        if apart >= sum(text_width(f"{tick:g}") for tick in ticks[-2:]) / 2:
            break
    else:
        locator = MaxNLocator(1, steps=[1, 2, 5, 10], min_n_ticks=2)
    axes.xaxis.set_major_locator(locator)


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
    ticks = log_ticks(low, high, _FEWEST)
    step = min(-(-len(ticks) // _label_count(axes)), (len(ticks) - 1) // (_FEWEST - 1))
    set_ticks(axes.xaxis, ticks[:: max(step, 1)])


def least_shown(values: Iterable[float]) -> float:
    """Return the smallest value that sets a logarithmic axis: a few far below all others are drawn at its edge.

    These are at most one in fifty, and less than a fifth of the next one.
    """
    ascending = sorted(value for value in values if isfinite(value) and value > 0)
    for number in range(len(ascending) // 50, 0, -1):
        if ascending[number - 1] < ascending[number] / 5:
            return ascending[number]
    return ascending[0]


def axes_width(axes: Axes) -> float:
    """Return the width of axes in inches."""
    figure = axes.get_figure()
    return float(axes.get_position().width * figure.get_size_inches()[0]) if isinstance(figure, Figure) else 0.0


def _label_count(axes: Axes) -> int:
    return max(3, int(axes_width(axes) / _LABEL_WIDTH))
