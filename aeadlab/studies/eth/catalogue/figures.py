"""All implementations of one kind in the catalogue, a row per algorithm: more than the ETH paper's Appendix A has."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pandas import DataFrame

from aeadlab.display.units import significant, size_name
from aeadlab.errors import EmptyFigureError
from aeadlab.figures import rows, style
from aeadlab.figures.legend import Entry, Legend
from aeadlab.figures.palette import Appearance, appearance_of
from aeadlab.figures.ticks import set_log_scale
from aeadlab.stats.roofline import LIMIT_SHARES, limit_shares, limits_in_words
from aeadlab.stats.selection import CASE_COLUMNS, default_cases, is_baseline, named_rows, usable
from aeadlab.stats.summary import case_medians
from aeadlab.studies.tables import relative_time

COLUMNS: Final = (
    "algorithm", "implementation", "library", "kind", "op", "engine", "model", "bytes", "status", "n", "seconds",
    "seconds_low", "seconds_high", "gib_per_s", "cycles_per_byte", "share_of_memcpy", *LIMIT_SHARES[:2],
    "rank", "time_over_fastest", "time_over_fastest_low", "time_over_fastest_high",
)  # fmt: skip

_PLURALS: Final = {"aead": "AEADs", "cipher": "ciphers", "hash": "hashes", "mac": "MACs"}

_LEAST_AXIS: Final = 1.0
"""Smallest width of the axes in inches."""


def catalogue_speeds(samples: DataFrame, venue: str = "lncs", kind: str = "aead") -> tuple[Figure, DataFrame]:
    """Draw the speed of every implementation of a kind in one thread: one row per algorithm, one point per library.

    The fastest algorithm is on top. Where the page has no room for all, half of the rows are the fastest algorithms
    and the others are those that most libraries have; a note gives the number left out. The table is that of
    `catalogue_table`.

    Parameters
    ----------
    kind
        ``aead``, ``cipher``, ``hash`` or ``mac``.
    """
    space = style.venue(venue)
    table = catalogue_table(samples, kind)
    best = table[table["rank"] == 1].sort_values("gib_per_s", ascending=False, kind="stable")
    legend = _legend(table, space.width)
    room = space.height - rows.CAPTION - rows.HEADING - rows.AXIS - legend.height - 3 * style.LINE - 0.1
    most = max(1, int(room / rows.LEAST_PITCH))
    library_count = best["algorithm"].map(table.groupby("algorithm", observed=True)["library"].nunique())
    fastest, others = best.head(-(-most // 2)), best.assign(library_count=library_count).iloc[-(-most // 2) :]
    shown = best[best.index.isin([*fastest.index, *others.nlargest(most // 2, "library_count").index])]
    legend = _legend(table[table["algorithm"].isin(shown["algorithm"])], space.width)
    labels = [rows.Label(str(name)) for name in shown["algorithm"]]
    limit = limits_in_words(shown["limit"])
    columns = [
        rows.Column(("fastest",), tuple(str(row.library) for row in named_rows(shown))),
        rows.Column(("GiB/s",), tuple(significant(row.gib_per_s) for row in named_rows(shown))),
        rows.Column(
            ("% of", "limit" if " " in limit else limit),
            tuple(_percent(row.share_of_limit) for row in named_rows(shown)),
        ),
    ]
    left = rows.labels_width(labels)
    if space.width - left - sum(column.width for column in columns) < _LEAST_AXIS:
        del columns[-1]
    numbers = f"its speed and its share of {limit}" if len(columns) > 2 else "its speed"
    notes = [
        f"{size_name(int(table['bytes'].iloc[0]))} in one thread, medians; the fastest library of each row is named, "
        f"with {numbers}. Hollow: called from Python."
    ]
    if omitted := len(best) - len(shown):
        notes.append(f"{omitted} more {_PLURALS[kind]}, slower and in fewer libraries, are in the table only.")
    if failed := int(table["status"].ne("ok").sum()):
        notes.append(f"{failed} failed and are absent.")
    lines = rows.wrap(" ".join(notes), space.width - 0.04)
    pitch = rows.fit_pitch([labels], room)
    below = rows.rows_height(labels, pitch) + rows.HEADING + rows.AXIS
    height = below + legend.height + len(lines) * style.LINE + 0.12
    with style.settings():
        figure = style.new_figure(space.width, height)
        layout = rows.RowLayout(figure, labels, rows.HEADING, pitch)
        edge = space.width - sum(column.width for column in columns) - 0.02
        _draw_points(layout.add_axes(left, edge), layout, table, [str(name) for name in shown["algorithm"]])
        layout.write_columns(columns, edge)
        legend.draw(figure, below)
        rows.write_notes(figure, lines)
    return figure, table


def catalogue_table(samples: DataFrame, kind: str) -> DataFrame:
    """Tabulate the implementations of a kind over one whole message in one thread, without the baselines.

    The message is the one that most implementations of the kind were measured with; the record has a longer one of few.

    The order is by algorithm, the fastest first (``rank`` 1); a failed case has rank 0. ``time_over_fastest`` is the
    ratio to the fastest of the algorithm.
    """
    selected = default_cases(samples, largest=False)
    one_thread = selected["engine"].isin(["whole", "python"]) & selected["kind"].eq(kind) & selected["threads"].eq(1)
    cases = selected[one_thread & selected["op"].isin(["seal", "encrypt", "digest"])]
    cases = cases[~cases["implementation"].map(is_baseline).astype(bool)]
    if cases.empty:
        raise EmptyFigureError(f"the samples hold no {kind}: measure the study everything")
    numbers = cases.groupby("bytes")["implementation"].nunique()
    length = int(numbers[numbers == numbers.max()].index.max())
    cases, selected = (rows[rows["bytes"] == length] for rows in (cases, selected))
    by = list(CASE_COLUMNS)
    table = case_medians(cases)
    fastest = table.dropna(subset="seconds").sort_values("seconds", kind="stable").drop_duplicates("algorithm")[by]
    timed = usable(cases, [*by, "process", "round", "seconds"])
    over_fastest = relative_time(timed, timed.merge(fastest, on=by), ["algorithm"], "time_over_fastest")
    table = table.merge(over_fastest, on=by, how="left")
    table = table.merge(limit_shares(selected), on=by, how="left")
    table["rank"] = table.groupby("algorithm", observed=True)["seconds"].rank(method="first").fillna(0).astype(np.int64)
    table = table.assign(unranked=table["rank"].eq(0))
    keys = ["algorithm", "unranked", "rank", "implementation"]
    return table.sort_values(keys, kind="stable", ignore_index=True)[list(COLUMNS)]


def _legend(table: DataFrame, width: float) -> Legend:
    libraries = sorted({str(name) for name in table.loc[table["status"] == "ok", "library"]})
    return Legend([Entry(name, _appearance_of(name)) for name in libraries], width, lines=False)


def _appearance_of(library: str) -> Appearance:
    """Return one appearance for a library, whatever the algorithm, which the row identifies."""
    return appearance_of(f"{library}/aes-256-gcm")


def _draw_points(axes: Axes, layout: rows.RowLayout, table: DataFrame, algorithms: list[str]) -> None:
    positions = dict(zip(algorithms, layout.positions, strict=True))
    drawn = table[table["algorithm"].isin(positions) & table["status"].eq("ok")]
    for y in positions.values():
        axes.axhline(y, color="#EEEEEE", linewidth=0.4, zorder=0)
    # The fastest are drawn last, on top of the others.
    groups = drawn.assign(fastest=drawn["rank"] == 1).groupby(["fastest", "library", "engine"], observed=True)
    for (fastest, library, engine), points in groups:
        appearance = _appearance_of(str(library))
        face, edge = ("white", appearance.colour) if engine == "python" else (appearance.colour, style.EDGE)
        marker: dict[str, Any] = {"marker": appearance.marker, "markersize": 2.9, "mfc": face, "mec": edge, "mew": 0.4}
        heights = points["algorithm"].map(positions).astype(float)
        axes.plot(points["gib_per_s"], heights, linestyle="none", zorder=3 if fastest else 2, **marker)
    set_log_scale(axes, drawn["gib_per_s"])
    axes.set_xlabel("speed (GiB/s)", labelpad=2)


def _percent(share: float) -> str:
    return significant(100 * share) if np.isfinite(share) else ""


# The names of files are older: Figure 9 of the paper is the AEADs of its Figure 2 on a second computer.
FIGURES: Final = {
    "figure-7-ciphers": partial(catalogue_speeds, kind="cipher"),
    "figure-8-hashes": partial(catalogue_speeds, kind="hash"),
    "figure-8-macs": partial(catalogue_speeds, kind="mac"),
    "figure-9-aeads": partial(catalogue_speeds, kind="aead"),
}
