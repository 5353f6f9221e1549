"""One figure for one's own question: any two columns of a record against each other."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from math import isfinite
from typing import Any, Final

import numpy as np
import seaborn
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pandas import DataFrame
from pandas.api.types import is_numeric_dtype

from aeadlab.dimensions import DEFAULT_CONDITIONS
from aeadlab.display.conditions import CONDITIONS, shared
from aeadlab.display.nearest import hint
from aeadlab.errors import ArgumentError, EmptyFigureError, UnknownNameError
from aeadlab.figures import style
from aeadlab.figures.curves import MOST_EMPHASISED, columns_of
from aeadlab.figures.palette import COLOURS, INK, appearance_of
from aeadlab.figures.rows import wrap
from aeadlab.figures.ticks import count_ticks, fit_ticks, log_ticks, set_ticks, size_ticks
from aeadlab.records.record import Record
from aeadlab.stats import medians
from aeadlab.stats.interval import within_processes
from aeadlab.stats.selection import is_baseline

QUANTITIES: Final[Mapping[str, tuple[str, float]]] = {
    "gib_per_s": ("speed (GiB/s)", 1.0),
    "seconds": ("time (ms)", 1e3),
    "cycles_per_byte": ("TSC cycles per byte", 1.0),
    "share": ("speed (% of the memory limit)", 100.0),
}
"""Quantities of the y axis: label with its unit, and factor from the unit of `aeadlab.stats.medians`."""

_LABELS: Final = {"bytes": "message", "block_size": "block size", "aad_bytes": "associated data"}
_SIZES: Final = tuple(_LABELS)
_LOG_FROM: Final = 20.0
"""Ratio of the largest to the smallest value from which an axis is logarithmic."""

_LEGEND_ROW: Final = 0.16
_PANEL: Final = 2.0


def plot(
    record: Record,
    x: str = "bytes",
    y: str = "gib_per_s",
    color: str = "library",
    facet: str | None = None,
    *,
    venue: str = "lncs",
    **conditions: Any,
) -> Figure:
    """Draw the median of each case of a record with its 95 % interval, in the style of the lab.

    Cases that differ in other conditions than the ones drawn are lines of their own; give these conditions to select
    some. Without a choice, masked cases and others under special conditions (`aeadlab.dimensions.DEFAULT_CONDITIONS`)
    are left out. Up to seven values of `color` are coloured, those with the largest y first; the others are grey.

    Parameters
    ----------
    record
        From `aeadlab.load_record`, `aeadlab.latest`, `aeadlab.measure` or `aeadlab.sweep`.
    x, color, facet
        Columns: ``implementation``, ``library``, ``algorithm``, ``kind`` or a condition of a case, such as ``bytes``,
        ``threads``, ``block_size``, ``schedule`` or ``engine``. `facet` gives each value a panel.
    y
        One of `QUANTITIES`: ``gib_per_s``, ``seconds``, ``cycles_per_byte`` or ``share``.
    venue
        One of `aeadlab.figures.style.VENUES`: sets the width.
    conditions
        Values of columns, one or a list for each: ``algorithm="aes-256-gcm"``, ``threads=[1, 2]``.

    Returns
    -------
    matplotlib.figure.Figure
        A notebook shows it; ``figure.savefig`` writes it. The medians are the result of `aeadlab.stats.medians`.

    Raises
    ------
    aeadlab.errors.UnknownNameError
        If there is no such column, quantity or venue.
    aeadlab.errors.EmptyFigureError
        If no case has the given conditions.

    Examples
    --------
    >>> import aeadlab
    >>> record = aeadlab.latest("message-sizes")  # doctest: +SKIP
    >>> aeadlab.plot(record, x="bytes", color="library", algorithm="aes-256-gcm", model="keyed")  # doctest: +SKIP
    """
    space = style.venue(venue)
    table = _usual(_select(record, _table(record), conditions), {x, color, facet, *conditions})
    columns = [column for column in table if column in (*CONDITIONS, "implementation", "library", "algorithm", "kind")]
    for role, name in (("x", x), ("color", color), ("facet", facet)):
        if name is not None:
            _check(name, columns, f"column {name!r} for {role}")
    _check(y, QUANTITIES, f"quantity {y!r} for y")
    facets = [None] if facet is None else sorted(table[facet].unique())
    palette = _palette(table, color, y)
    count = columns_of(space, len(facets))
    rows = -(-len(facets) // count)
    few = within_processes(int(table["processes"].max()))
    title = wrap(f"{shared(table)}; medians with 95 % intervals. {few}", space.width - 0.1)
    keys = [name for name in palette if palette[name] != style.CONTEXT]
    per_row = max(1, int(space.width / (0.4 + max(style.text_width(str(name)) for name in keys))))
    height = rows * _PANEL + _LEGEND_ROW * -(-len(keys) // per_row) + style.LINE * len(title) + 0.2
    if height > space.height:
        raise ArgumentError(f"{len(facets)} values of {facet} do not fit on a page: select some of them")
    with style.settings():
        figure = style.new_figure(space.width, height)
        figure.set_layout_engine("constrained")
        grid = figure.subplots(rows, count, squeeze=False, sharey=True)
        for axes, value in zip(grid.flat, facets, strict=False):
            shown = table if value is None else table[table[facet].eq(value)]
            _draw(axes, shown, x, y, color, palette)
            axes.set_title("" if value is None else str(value), loc="left")
            axes.set_xlabel(_LABELS.get(x, x))
            axes.set_ylabel(QUANTITIES[y][0])
            axes.label_outer(remove_inner_ticks=False)
            _set_x(axes, table[x], x, space.width / count - 0.7)
        for axes in grid.flat[len(facets) :]:
            axes.remove()
        _set_y(grid.flat[0], QUANTITIES[y][1] * table[y])
        handles = [one for axes in grid.flat[:1] for one in _handles(axes, palette, keys)]
        figure.legend(handles, [str(name) for name in keys], loc="outside lower left", ncols=per_row, frameon=False)
        figure.suptitle("\n".join(title), x=0.01, ha="left", fontsize=style.TEXT)
    figure.caption = " ".join(title)
    return figure


def _table(record: Record) -> DataFrame:
    """Return the median of each case with library, algorithm and kind."""
    table = medians(record.samples)
    parts = table["implementation"].astype(str).str.partition("/")
    kinds = record.samples.drop_duplicates("implementation").set_index("implementation")["kind"].astype(str)
    return table.assign(library=parts[0], algorithm=parts[2], kind=table["implementation"].map(kinds.to_dict()))


def _select(record: Record, table: DataFrame, conditions: Mapping[str, Any]) -> DataFrame:
    for name, wanted in conditions.items():
        _check(name, [str(column) for column in table], f"column {name!r}")
        values = [wanted] if isinstance(wanted, str) or not isinstance(wanted, Iterable) else list(wanted)
        known = table[name].unique().tolist()
        if absent := [value for value in values if value not in known]:
            ending = hint(str(absent[0]), map(str, known))
            raise EmptyFigureError(f"no case of {record.name} has {name} {absent[0]!r}; {ending}")
        table = table[table[name].isin(values)]
        if table.empty:
            raise EmptyFigureError(f"no case of {record.name} has {name} {wanted!r} and the conditions before it")
    return table


def _usual(table: DataFrame, chosen: Collection[str | None]) -> DataFrame:
    """Leave out special conditions that are neither chosen nor those of all cases."""
    for name, usual in DEFAULT_CONDITIONS.items():
        if name in table and name not in chosen and table[name].eq(usual).any():
            table = table[table[name].eq(usual)]
    return table


def _check(name: str, known: Iterable[str], given: str) -> None:
    listed = list(known)
    if name not in listed:
        raise UnknownNameError(f"there is no {given}; {hint(name, listed)}")


def _palette(table: DataFrame, color: str, y: str) -> dict[Any, str]:
    """Return the colour of each value, in the order of the largest y."""
    order = list(table.groupby(color, observed=True)[y].max().sort_values(ascending=False).index)
    of_libraries = [str(name).partition("/")[0] for name in order]
    if color in ("library", "implementation") and len(set(of_libraries)) == len(of_libraries):
        colours = {name: INK if is_baseline(str(name)) else appearance_of(str(name)).colour for name in order}
    else:
        colours = {name: COLOURS[number % len(COLOURS)] for number, name in enumerate(order)}
    return {name: colours[name] if number < MOST_EMPHASISED else style.CONTEXT for number, name in enumerate(order)}


def _draw(axes: Axes, table: DataFrame, x: str, y: str, color: str, palette: Mapping[Any, str]) -> None:
    scale = QUANTITIES[y][1]
    rest = [name for name in ("implementation", *CONDITIONS) if name not in (x, color)]
    drawn = table.assign(**{end: scale * table[end] for end in (y, f"{y}_low", f"{y}_high")})
    drawn["line"] = drawn[rest].astype(str).agg(" ".join, axis=1)
    order = [name for name in palette if name in set(drawn[color])]
    common: dict[str, Any] = {"x": x, "y": y, "hue": color, "hue_order": order, "palette": dict(palette), "ax": axes}
    if is_numeric_dtype(drawn[x]):
        seaborn.lineplot(drawn, units="line", estimator=None, linewidth=1.0, legend=False, **common)
    seaborn.scatterplot(drawn, legend=False, s=14, linewidth=0.3, zorder=3, **common)
    for name, own in drawn.groupby(color, observed=True):
        if palette[name] != style.CONTEXT:
            reach = np.maximum([own[y] - own[f"{y}_low"], own[f"{y}_high"] - own[y]], 0.0)
            axes.errorbar(own[x], own[y], yerr=reach, fmt="none", ecolor=palette[name], elinewidth=0.6, alpha=0.7)
    axes.grid(axis="y")


def _handles(axes: Axes, palette: Mapping[Any, str], names: Sequence[Any]) -> list[Any]:
    return [axes.plot([], [], "o-", color=palette[name], markersize=3.4, label=str(name))[0] for name in names]


def _set_x(axes: Axes, values: Any, x: str, width: float) -> None:
    if not is_numeric_dtype(values):
        axes.tick_params(axis="x", rotation=90)
        return
    positive = [float(value) for value in values if value > 0]
    if positive and max(positive) / min(positive) > _LOG_FROM:
        axes.set_xscale("log")
        axes.set_xlim(min(positive) / 1.3, max(positive) * 1.3)
    ticks = size_ticks(values) if x in _SIZES and positive else count_ticks(int(value) for value in values)
    fit_ticks(axes, ticks, width)


def _set_y(axes: Axes, values: Any) -> None:
    positive = [float(value) for value in values if isfinite(value) and value > 0]
    if positive and max(positive) / min(positive) > _LOG_FROM:
        axes.set_yscale("log")
        set_ticks(axes.yaxis, log_ticks(*axes.get_ylim(), 3))
    else:
        axes.set_ylim(bottom=0)
