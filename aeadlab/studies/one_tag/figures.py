"""Time and bytes of each form of the tags, by block size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pandas import DataFrame

from aeadlab.display.units import count_noun, significant, size_name
from aeadlab.errors import EmptyFigureError
from aeadlab.figures import style
from aeadlab.figures.curves import LIMIT, Panel, curve, draw_panels, emphasise
from aeadlab.figures.palette import MARKERS, Appearance, appearance_of
from aeadlab.figures.ticks import size_ticks
from aeadlab.stats.selection import CASE_COLUMNS, default_conditions, require_columns, usable
from aeadlab.stats.summary import case_medians
from aeadlab.studies.one_tag.study import AEAD, CIPHER, OF_A_CIPHER, OF_AN_AEAD, OPS
from aeadlab.studies.tables import relative_time

COLUMNS: Final = (
    "implementation", "tags", "op", "bytes", "threads", "block_size", "status", "n", "seconds", "seconds_low",
    "seconds_high", "gib_per_s", "tag_bytes", "overhead_percent", "time_over_concatenated",
    "time_over_concatenated_low", "time_over_concatenated_high",
)  # fmt: skip

BLOCK_TAG, ONE_TAG = 16, 32
"""Bytes of a tag of the AEADs here, and of a tag for all blocks."""

_FORMS: Final = (*OF_AN_AEAD, *OF_A_CIPHER)
_TITLES: Final = {"seal": "sealing", "open": "opening"}


def tag_costs(samples: DataFrame, venue: str = "lncs") -> tuple[Figure, DataFrame]:
    """Draw the time of each form of the tags relative to concatenated tags, by block size, for sealing and opening.

    A point is the median of ratios that are paired by round, with its 95 % interval. The reference is OpenSSL's
    AES-256-GCM with one tag for each block of the same size. The table is that of `tag_table`.
    """
    space = style.venue(venue)
    table = tag_table(samples)
    sizes = sorted({int(size) for size in table["block_size"]})
    limits = (sizes[0] / 1.5, sizes[-1] * 1.5)
    several = table["implementation"].str.partition("/")[0].nunique() > 1
    series = [
        (rows, _name(str(name), str(form), several), _appearance(str(name), str(form)))
        for (name, form), rows in table.groupby(["implementation", "tags"], sort=False, observed=True)
        if (name, form) != (AEAD, "concatenated")
    ]
    panels = []
    for op in OPS:
        curves = []
        for rows, name, appearance in series:
            own = rows[rows["op"].eq(op)].sort_values("block_size")
            if own["time_over_concatenated"].notna().any():
                one = curve(own, "block_size", "time_over_concatenated", name=name)
                curves.append(replace(one, appearance=appearance))
        panels.append(
            Panel(
                _TITLES[op], "block size", "time (\N{MULTIPLICATION SIGN} concatenated tags)", emphasise(curves),
                size_ticks(sizes), limits, background=_draw_equal,
            )
        )  # fmt: skip
    message = size_name(int(table["bytes"].iloc[0]))
    threads = count_noun(int(table["threads"].max()), "thread")
    failed = [name.replace("\n", " ") for rows, name, _ in series if rows["status"].ne("ok").all()]
    sentences = [
        _result(table, sizes),
        f"Failed: {', '.join(failed)}." if failed else "",
        f"Dashed: concatenated tags of {AEAD}.",
        f"{message} under ParSplit, {threads}, separate buffers; medians with 95 % intervals.",
    ]
    columns = len(panels) if space.width >= style.WIDE_COLUMN else 1
    return draw_panels(panels, space, sentences, columns=columns), table


def _result(table: DataFrame, sizes: Sequence[int]) -> str:
    """Return the relative time to seal with each form, from the smallest blocks to the largest."""
    own = table[table["op"].eq(OPS[0]) & table["implementation"].isin([AEAD, CIPHER])]
    own = own[own["tags"].ne("concatenated") & own["time_over_concatenated"].notna()]
    ratios = own.pivot_table("time_over_concatenated", "tags", "block_size", sort=False, observed=True)
    ratios = ratios.reindex(columns=[sizes[0], sizes[-1]]).dropna()
    parts = [f"{form} {significant(row.iloc[0])} to {significant(row.iloc[-1])}" for form, row in ratios.iterrows()]
    between = f"from {size_name(sizes[0])} to {size_name(sizes[-1])} blocks"
    return f"Time to seal relative to concatenated tags, {between}: {', '.join(parts)}." if parts else ""


def tag_table(samples: DataFrame) -> DataFrame:
    """Tabulate sealing and opening with each form of the tags and each block size.

    ``tag_bytes`` are the bytes that all tags add to the message, and ``overhead_percent`` their share of it. Times are
    in seconds; ``time_over_concatenated`` is relative to OpenSSL's AES-256-GCM with concatenated tags, with the same
    operation, thread count and block size.
    """
    by = list(CASE_COLUMNS)
    require_columns(samples, [*by, "status", "warmup"])
    rows = samples[samples["engine"].eq("parsplit") & default_conditions(samples, ignore=("tags",))]
    if rows.empty or not set(OPS) & set(rows["op"]):
        raise EmptyFigureError("the samples hold no case with a form of the tags: measure the study one-tag")
    table = case_medians(rows)
    timed = usable(rows, [*by, "process", "round", "seconds"])
    reference = timed[timed["implementation"].eq(AEAD) & timed["tags"].eq("concatenated")]
    on = ["op", "bytes", "threads", "block_size"]
    table = table.merge(relative_time(timed, reference, on, "time_over_concatenated"), on=by, how="left")
    blocks = np.maximum(1, -(-table["bytes"] // table["block_size"]))
    form = table["tags"].astype(str)
    one = form.map({"concatenated": 0, "standard": BLOCK_TAG}).fillna(ONE_TAG).astype(int)
    table["tag_bytes"] = np.where(form.eq("concatenated"), BLOCK_TAG * blocks, one)
    table["overhead_percent"] = 100 * table["tag_bytes"] / table["bytes"].where(table["bytes"] > 0)
    table["form"], table["operation"] = form.map(_FORMS.index), table["op"].astype(str).map(OPS.index)
    keys = ["form", "implementation", "operation", "threads", "block_size"]
    return table.sort_values(keys, kind="stable", ignore_index=True)[list(COLUMNS)]


def _name(implementation: str, form: str, with_library: bool) -> str:
    return f"{form}\n({implementation if with_library else implementation.partition('/')[2]})"


def _appearance(implementation: str, form: str) -> Appearance:
    """Return the colour of the library and the marker of the form."""
    return replace(appearance_of(implementation), marker=MARKERS[_FORMS.index(form)])


def _draw_equal(axes: Axes) -> None:
    axes.axhline(1.0, color=style.FAINT, linewidth=0.8, linestyle=LIMIT.line, zorder=1)


FIGURES: Final = {"one-tag-costs": tag_costs}
