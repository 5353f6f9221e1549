"""What a computer is good at: the fastest implementations of each kind in a record, whatever its study."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pandas import DataFrame

from aeadlab.display.units import significant, size_name
from aeadlab.errors import EmptyFigureError
from aeadlab.figures import rows, style
from aeadlab.figures.bar_chart import row_chart
from aeadlab.figures.palette import appearance_of
from aeadlab.figures.rows import LabelledRow
from aeadlab.figures.ticks import set_log_scale
from aeadlab.stats.roofline import LIMIT_SHARES, limit_shares, limits_in_words, ordinary_limit
from aeadlab.stats.selection import CASE_COLUMNS, default_cases, is_baseline, named_rows
from aeadlab.stats.summary import case_medians

COLUMNS: Final = (
    "kind", "algorithm", "implementation", "op", "engine", "model", "bytes", "threads", "status", "n", "seconds",
    "seconds_low", "seconds_high", "gib_per_s", "gib_per_s_low", "gib_per_s_high", "cycles_per_byte", "share_of_memcpy",
    *LIMIT_SHARES[:2],
)  # fmt: skip

_KINDS: Final = {"aead": "AEADs", "cipher": "ciphers", "hash": "hashes", "mac": "MACs", "generator": "generators"}
_ALGORITHMS: Final = 6
"""Largest number of algorithms of each kind: the fastest ones that differ in more than lengths."""


def overview(samples: DataFrame, venue: str = "lncs") -> tuple[Figure, DataFrame]:
    """Draw the speed of the fastest implementation of the fastest algorithms of each kind, beside a copy.

    A point is the median with its 95 % interval; the dashed line is the limit of ordinary stores. The record may be of
    any study: the message is the one with most implementations, and of several thread counts the smallest is drawn. The
    table is that of `overview_table`.
    """
    space = style.venue(venue)
    table = overview_table(samples)
    entries: list[LabelledRow] = []
    for kind, title in _KINDS.items():
        own = table[table["kind"].eq(kind)]
        own = own[~own["algorithm"].map(_family).duplicated()].head(_ALGORITHMS)
        if len(own):
            entries.append(LabelledRow(rows.Label(title, heading=True)))
            entries += [LabelledRow(rows.Label(row.algorithm), row) for row in named_rows(own)]
    shown = [entry.row for entry in entries if entry.row is not None]
    limit = limits_in_words(table["limit"])
    stores = ordinary_limit(table["limit"])
    ordinary = table[table["limit"].eq(stores)]
    line = float((ordinary["gib_per_s"] / ordinary["share_of_limit"]).median())

    def draw(layout: rows.RowLayout, axes: Axes) -> None:
        if line == line:
            axes.axvline(line, color=style.FAINT, linewidth=0.8, linestyle="--", zorder=1)
        for y, entry in zip(layout.positions, entries, strict=True):
            if (row := entry.row) is not None:
                axes.plot([row.gib_per_s_low, row.gib_per_s_high], [y, y], color=style.EDGE, linewidth=0.7)
                rows.draw_point(axes, y, row.gib_per_s, appearance_of(row.implementation), filled=True)
        set_log_scale(axes, [*(row.gib_per_s for row in shown), line])
        rows.label_axis(axes, "speed (GiB/s)")

    def column(heading: tuple[str, ...], text: Callable[[Any], str], left: bool = False) -> rows.Column:
        cells = tuple("" if entry.row is None else text(entry.row) for entry in entries)
        return rows.Column(heading, cells, "left" if left else "right")

    columns = [
        column(("speed", "GiB/s"), lambda row: significant(row.gib_per_s)),
        column(("% of", "limit" if " " in limit else limit), lambda row: _percent(row.share_of_limit)),
        column(("fastest", "library"), lambda row: row.implementation.partition("/")[0], left=True),
    ]
    best = table.drop_duplicates("kind").set_index("kind")
    winners = [
        f"{best['implementation'][kind]} {significant(best['gib_per_s'][kind])}"
        for kind in _KINDS
        if kind in best.index
    ]
    size, threads = size_name(int(table["bytes"].iloc[0])), int(table["threads"].iloc[0])
    sentences = [
        f"Fastest of each kind, in GiB/s: {', '.join(winners)}.",
        f"Each row: the fastest library of an algorithm; dashed: {stores.removeprefix('baseline/')}.",
        f"Limit: {limit}, by the stores used." * (" " in limit),
        f"{size}, {threads} thread{'s' * (threads > 1)}; medians with 95 % intervals.",
    ]
    return row_chart([entry.label for entry in entries], columns, sentences, space, draw), table


def overview_table(samples: DataFrame) -> DataFrame:
    """Tabulate the fastest implementation of each algorithm, by kind and speed.

    The shares are those of `aeadlab.stats.roofline.limit_shares`, NaN where no limit was measured with this message.
    """
    cases = default_cases(samples, largest=False)
    cases = cases[cases["op"].isin(["seal", "encrypt", "digest", "generate"])]
    own = cases[~cases["implementation"].map(is_baseline).astype(bool)]
    if own.empty:
        raise EmptyFigureError("the samples hold no implementation beside baselines: measure the study everything")
    numbers = own.groupby(["threads", "bytes"])["implementation"].nunique()
    numbers = numbers[numbers.index.get_level_values("threads") == own["threads"].min()]
    threads, length = numbers[numbers == numbers.max()].index.max()
    cases = cases[cases["bytes"].eq(length) & cases["threads"].eq(threads)]
    table = case_medians(cases).merge(limit_shares(cases), on=list(CASE_COLUMNS), how="left")
    table = table[table["status"].eq("ok")].sort_values("gib_per_s", ascending=False, kind="stable")
    table = table[~table["implementation"].map(is_baseline).astype(bool)]
    if table.empty:
        raise EmptyFigureError("the samples hold no implementation that succeeded: see the status of each case")
    table = table.assign(algorithm=table["implementation"].str.partition("/")[2])
    table = table.drop_duplicates("algorithm")
    order = table["kind"].map(list(_KINDS).index)
    return table.assign(order=order).sort_values(
        ["order", "gib_per_s"], ascending=[True, False], kind="stable", ignore_index=True
    )[list(COLUMNS)]


def _family(algorithm: str) -> str:
    """Return the algorithm without the lengths of keys and tags and the number of lanes."""
    return re.sub(r"-(tag)?\d+(x\d+|l)?(?=-|$)", "", algorithm)


def _percent(share: float) -> str:
    return significant(100 * share, 2) if share == share else ""
