"""All implementations of one kind in the catalogue, a row per algorithm: more than the ETH paper's Appendix A has."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from typing import Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pandas import DataFrame

from aeadlab.display.units import significant, size_name
from aeadlab.errors import EmptyFigureError
from aeadlab.figures import rows, style
from aeadlab.figures.bar_chart import row_chart
from aeadlab.figures.curves import MOST_EMPHASISED
from aeadlab.figures.palette import appearance_of
from aeadlab.figures.ticks import least_shown, set_log_scale
from aeadlab.stats.roofline import LIMIT_SHARES, limit_shares, limits_in_words
from aeadlab.stats.selection import CASE_COLUMNS, default_cases, is_baseline, named_rows, usable
from aeadlab.stats.summary import case_medians
from aeadlab.studies.eth.catalogue.overview import overview
from aeadlab.studies.tables import relative_time

COLUMNS: Final = (
    "algorithm", "implementation", "library", "kind", "op", "engine", "model", "bytes", "status", "n", "seconds",
    "seconds_low", "seconds_high", "gib_per_s", "cycles_per_byte", "share_of_memcpy", *LIMIT_SHARES[:2],
    "rank", "time_over_fastest", "time_over_fastest_low", "time_over_fastest_high", "long_bytes", "long_gib_per_s",
)  # fmt: skip

_PLURALS: Final = {"aead": "AEADs", "cipher": "ciphers", "hash": "hashes", "mac": "MACs"}

_MOST_ROWS: Final = 36
"""Largest number of algorithms in a figure."""

_LEAST_AXIS: Final = 1.0
"""Smallest width of the axes in inches."""


def catalogue_speeds(samples: DataFrame, venue: str = "lncs", kind: str = "aead") -> tuple[Figure, DataFrame]:
    """Draw the speed of every implementation of a kind in one thread: one row per algorithm, one point per library.

    The fastest library of each row is coloured and named before the next two; the others are grey. The fastest
    algorithm is on top. Of more than `_MOST_ROWS` algorithms, half of the rows are the fastest ones and the others are
    those that most libraries have; the caption gives the number left out. The table is that of `catalogue_table`.

    Parameters
    ----------
    kind
        ``aead``, ``cipher``, ``hash`` or ``mac``.
    """
    space = style.venue(venue)
    table = catalogue_table(samples, kind)
    best = table[table["rank"] == 1].sort_values("gib_per_s", ascending=False, kind="stable")
    library_count = best["algorithm"].map(table.groupby("algorithm", observed=True)["library"].nunique())
    half = -(-_MOST_ROWS // 2)
    others = best.assign(library_count=library_count).iloc[half:].nlargest(_MOST_ROWS - half, "library_count")
    shown = best[best.index.isin([*best.head(half).index, *others.index])]
    names = {
        str(name): [str(library) for library in own.sort_values("rank")["library"]][:3]
        for name, own in table[table["rank"].between(1, 3)].groupby("algorithm", observed=True)
    }
    limit = limits_in_words(shown["limit"])
    named = 3 if space.width >= style.WIDE_COLUMN else 1
    longest = int(shown["long_bytes"].max())
    fastest_column = rows.Column(("fastest", "GiB/s"), tuple(significant(row.gib_per_s) for row in named_rows(shown)))
    long_column = rows.Column(
        (size_name(longest), "GiB/s"), tuple(_speed(row.long_gib_per_s) for row in named_rows(shown))
    )
    share_column = rows.Column(
        ("% of", "limit" if " " in limit else limit), tuple(_percent(row.share_of_limit) for row in named_rows(shown))
    )
    names_column = rows.Column(
        ("fastest libraries",) if named > 1 else ("fastest",),
        tuple(", ".join(names[str(name)][:named]) for name in shown["algorithm"]),
        "left",
    )
    labels = [rows.Label(str(name)) for name in shown["algorithm"]]
    columns = [fastest_column, *[long_column] * bool(longest), share_column, names_column]
    # The share of the limit is left out first where not all fit.
    for left_out in columns[-2:0:-1]:
        if space.width - rows.labels_width(labels) - sum(column.width for column in columns) < _LEAST_AXIS:
            columns.remove(left_out)
    share = f"; % of {limit}" * (share_column in columns)
    fastest = shown.iloc[0]
    winners = shown["library"].astype(str).value_counts()
    omitted, failed = len(best) - len(shown), int(table["status"].ne("ok").sum())
    sentences = [
        f"{fastest['implementation']} is fastest with {significant(fastest['gib_per_s'])} GiB/s; {winners.index[0]} "
        f"leads {winners.iloc[0]} of {len(shown)} rows.",
        f"A point is a library; coloured: the fastest of its row{share}.",
        f"{size_name(int(table['bytes'].iloc[0]))} in one thread, medians; intervals are in the table."
        + f" {size_name(longest)} was measured with the AEADs, ciphers and hashes that the paper's claims are about."
        * bool(longest),
        f"{omitted} more {_PLURALS[kind]} are in the table only." if omitted else "",
        f"{failed} failed and are absent." if failed else "",
    ]

    def draw(layout: rows.RowLayout, axes: Axes) -> None:
        # Of libraries that share a colour the one that leads most rows has it.
        by_colour = {appearance_of(name).colour: name for name in reversed(winners.index)}
        coloured = [name for name in winners.index if name in by_colour.values()][:MOST_EMPHASISED]
        _draw_points(axes, layout, table, [str(name) for name in shown["algorithm"]], coloured)

    return row_chart(labels, columns, sentences, space, draw), table


def catalogue_table(samples: DataFrame, kind: str) -> DataFrame:
    """Tabulate the implementations of a kind over one whole message in one thread, without the baselines.

    The message is the one that most implementations of the kind were measured with; the record has a longer one of
    few, whose length and speed are ``long_bytes`` and ``long_gib_per_s``.

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
    longest = case_medians(cases[cases["bytes"].eq(cases["bytes"].max()) & cases["bytes"].gt(length)])
    cases, selected = (rows[rows["bytes"] == length] for rows in (cases, selected))
    by = list(CASE_COLUMNS)
    table = case_medians(cases)
    for column in ("bytes", "gib_per_s"):
        values = longest.dropna(subset="seconds").set_index("implementation")[column]
        table[f"long_{column}"] = table["implementation"].map(values)
    table["long_bytes"] = table["long_bytes"].fillna(0).astype(np.int64)
    fastest = table.dropna(subset="seconds").sort_values("seconds", kind="stable").drop_duplicates("algorithm")[by]
    timed = usable(cases, [*by, "process", "round", "seconds"])
    over_fastest = relative_time(timed, timed.merge(fastest, on=by), ["algorithm"], "time_over_fastest")
    table = table.merge(over_fastest, on=by, how="left")
    table = table.merge(limit_shares(selected), on=by, how="left")
    table["rank"] = table.groupby("algorithm", observed=True)["seconds"].rank(method="first").fillna(0).astype(np.int64)
    table = table.assign(unranked=table["rank"].eq(0))
    keys = ["algorithm", "unranked", "rank", "implementation"]
    return table.sort_values(keys, kind="stable", ignore_index=True)[list(COLUMNS)]


def _draw_points(
    axes: Axes, layout: rows.RowLayout, table: DataFrame, algorithms: list[str], coloured: Collection[str]
) -> None:
    positions = dict(zip(algorithms, layout.positions, strict=True))
    drawn = table[table["algorithm"].isin(positions) & table["status"].eq("ok")]
    low = least_shown(drawn["gib_per_s"])
    axes.hlines(list(positions.values()), 0, 1, transform=axes.get_yaxis_transform(), color="#EEEEEE", lw=0.4, zorder=0)
    drawn = drawn.assign(y=drawn["algorithm"].map(positions).astype(float), fastest=drawn["rank"].eq(1))
    inside = drawn[drawn["gib_per_s"].ge(low)]
    # One call for each colour: a vector file then has one marker for all of its points.
    coloured_by = inside["library"].astype(str).where(inside["fastest"], "")
    for (fastest, library), points in inside.groupby(["fastest", coloured_by]):
        face = appearance_of(str(library)).colour if library in coloured else style.FAINT
        size, face, order = (3.8, face, 3) if fastest else (2.6, style.CONTEXT, 2)
        axes.plot(points["gib_per_s"], points["y"], "o", markersize=size, mfc=face, mec="white", mew=0.3, zorder=order)
    for name, beyond in drawn[drawn["gib_per_s"].lt(low)].groupby("algorithm", observed=True)["gib_per_s"]:
        rows.draw_beyond(axes, positions[str(name)], significant(float(beyond.min()), 2), left=True)
    set_log_scale(axes, drawn.loc[drawn["gib_per_s"].ge(low), "gib_per_s"])
    rows.label_axis(axes, "speed (GiB/s)")


def _speed(gib_per_s: float) -> str:
    return significant(gib_per_s) if np.isfinite(gib_per_s) else ""


def _percent(share: float) -> str:
    return significant(100 * share) if np.isfinite(share) else ""


FIGURES: Final = {
    "overview": overview,
    "catalogue-ciphers": partial(catalogue_speeds, kind="cipher"),
    "catalogue-hashes": partial(catalogue_speeds, kind="hash"),
    "catalogue-macs": partial(catalogue_speeds, kind="mac"),
    "catalogue-aeads": partial(catalogue_speeds, kind="aead"),
}
