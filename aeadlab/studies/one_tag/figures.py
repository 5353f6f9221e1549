"""Time and bytes of each form of the tags, by block size."""

from __future__ import annotations

from typing import Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pandas import DataFrame

from aeadlab.display.units import count_noun, short_size, size_name
from aeadlab.errors import EmptyFigureError
from aeadlab.figures import style
from aeadlab.figures.curves import Curve, Panel, draw_panels
from aeadlab.figures.legend import Entry, Legend
from aeadlab.figures.palette import COLOURS, LINES, MARKERS, Appearance
from aeadlab.stats.selection import CASE_COLUMNS, default_conditions, require_columns, usable
from aeadlab.stats.summary import case_medians
from aeadlab.studies.one_tag.study import AEAD, OF_A_CIPHER, OF_AN_AEAD, OPS
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
    ticks = {float(size): short_size(size) for size in sizes}
    limits = (sizes[0] / 1.5, sizes[-1] * 1.5)
    series = list(table.groupby(["implementation", "tags"], sort=False, observed=True))
    panels, legend = [], []
    for op in OPS:
        curves = []
        for (_, form), rows in series:
            own = rows[rows["op"].eq(op) & ~(rows["implementation"].eq(AEAD) & rows["tags"].eq("concatenated"))]
            if own["time_over_concatenated"].notna().any():
                ratios = (own[f"time_over_concatenated{end}"].tolist() for end in ("", "_low", "_high"))
                curves.append(Curve(_appearance(str(form)), own["block_size"].tolist(), *ratios))
        panels.append(
            Panel(
                _TITLES[op],
                "block size (bytes)",
                "time over concatenated tags",
                curves,
                ticks,
                limits,
                y_scale="log",
                background=_draw_equal,
            )  # fmt: skip
        )
    for (name, form), rows in series:
        if name == AEAD and form == "concatenated":
            continue
        failed = rows["status"].ne("ok").all()
        text = f"{form}, {name}" + (f" ({rows['status'].iloc[0].partition(':')[0]})" if failed else "")
        legend.append(Entry(text, None if failed else _appearance(str(form))))
    message = size_name(int(table["bytes"].iloc[0]))
    threads = count_noun(int(table["threads"].max()), "thread")
    note = (
        f"Messages of {message}, {threads}, separate buffers: medians with their 95 % intervals. Line: concatenated "
        f"tags of {AEAD}."
    )
    return draw_panels(panels, space, Legend(legend, space.width), [note]), table


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


def _appearance(form: str) -> Appearance:
    position = _FORMS.index(form) + 1
    return Appearance(COLOURS[position], "", MARKERS[position], LINES[position % len(LINES)])


def _draw_equal(axes: Axes) -> None:
    axes.axhline(1.0, color=style.FAINT, linewidth=0.8, zorder=1)


FIGURES: Final = {"one-tag-costs": tag_costs}
