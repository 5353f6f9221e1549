"""Speed against the length of the message, from the first-level cache to memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pandas import DataFrame

from aeadlab.bench.masks import CONTROL
from aeadlab.errors import EmptyFigureError
from aeadlab.figures import style
from aeadlab.figures.curves import Curve, Panel, draw
from aeadlab.figures.legend import Entry, Legend
from aeadlab.figures.palette import look
from aeadlab.figures.plain import case_medians, is_baseline
from aeadlab.stats.roofline import roofline_share
from aeadlab.stats.selection import CASE_COLUMNS, require_columns
from aeadlab.units import short_size

COLUMNS: Final = (
    "implementation", "op", "engine", "model", "placement", "mask", "bytes", "status", "n", "seconds", "gib_per_s",
    "gib_per_s_low", "gib_per_s_high", "cycles_per_byte", "share_of_limit", "share_of_limit_low", "share_of_limit_high",
    "limit",
)  # fmt: skip

_BUFFERS: Final = {"separate": 2, "in-place": 1}
_TITLES: Final = {"separate": "from one buffer to another", "in-place": "in place"}


def size_speeds(samples: DataFrame, venue: str = "lncs") -> tuple[Figure, DataFrame]:
    """Draw speed against length, for separate buffers and in place, in one thread over the whole message.

    A point is the median with its 95 % interval. A vertical line stands where message and output together are as long
    as a cache; beyond the last, every byte comes from memory.

    Parameters
    ----------
    samples
        One row per sample; see `size_table` for what is taken from it. Its ``attrs["caches"]`` gives the lines.
    venue
        One of `aeadlab.figures.style.VENUES`.

    Returns
    -------
    figure
        As wide as the venue's column.
    table
        What `size_table` gives, masked cases included, which the figure leaves out.

    Raises
    ------
    aeadlab.errors.EmptyFigureError
        If the samples hold no whole message in one thread.
    aeadlab.errors.UnknownNameError
        If there is no such venue.
    """
    space = style.venue(venue)
    table = size_table(samples)
    drawn = table[table["mask"] == ""]
    lengths = sorted({int(length) for length in drawn["bytes"] if length})
    step = -(-len(lengths) // 6)
    ticks = {float(length): short_size(length) for length in lengths[::step]}
    limits = (lengths[0] / 1.4, lengths[-1] * 1.4)
    panels = [
        Panel(
            _TITLES[placement],
            "message (bytes)",
            "speed (GiB/s)",
            [_curve(rows) for _, rows in of.groupby("implementation", sort=False, observed=True)],
            ticks,
            limits,
            extra=_caches(samples.attrs.get("caches") or {}, _BUFFERS[placement], limits),
        )
        for placement in _TITLES
        if len(of := drawn[(drawn["placement"] == placement) & drawn["bytes"].gt(0)])
    ]
    legend = []
    for name, rows in drawn.groupby("implementation", sort=False, observed=True):
        failed = rows["status"].ne("ok").all()
        legend.append(Entry(f"{name} (failed)" if failed else str(name), None if failed else look(str(name))))
    note = (
        "One thread, whole messages, warm caches: medians with their 95 % intervals. Vertical lines: there message and "
        "output fill that cache."
    )
    return draw(panels, space, Legend(legend, space.width), [note]), table


def size_table(samples: DataFrame) -> DataFrame:
    """Tabulate whole messages of all lengths in one thread, warm caches, replica 0.

    Returns
    -------
    DataFrame
        One row per case: `COLUMNS`. Times in seconds, speeds in GiB/s; ``share_of_limit`` is of memcpy's speed for
        separate buffers and of XOR's in place (``limit``), at the same length. A case that failed has its reason in
        ``status`` and NaN.

    Raises
    ------
    aeadlab.errors.EmptyFigureError
        If there is no such case, or a column is missing.
    """
    by = list(CASE_COLUMNS)
    require_columns(samples, [*by, "status", "warmup"])
    wanted = samples["engine"].isin(["whole", "python"]) & samples["threads"].eq(1) & samples["cache"].eq("warm")
    rows = samples[wanted & samples["replica"].eq(0) & samples["mask"].ne(CONTROL)]
    if rows.empty:
        raise EmptyFigureError("the samples hold no whole message in one thread: measure the study memory")
    table = case_medians(rows)
    # Of all samples: memcpy under ParSplit can be faster than over the whole message.
    shares = roofline_share(samples).rename(
        columns={"share": "share_of_limit", "low": "share_of_limit_low", "high": "share_of_limit_high"}
    )
    table = table.merge(shares.drop(columns="pairs"), on=by, how="left")
    fastest = table.groupby("implementation", observed=True)["gib_per_s"].transform("max").fillna(0.0)
    first = ~table["implementation"].map(is_baseline).astype(bool)
    table = table.assign(first=first, fastest=-fastest)
    keys = ["first", "fastest", "implementation", "mask", "op", "placement", "bytes"]
    return table.sort_values(keys, kind="stable", ignore_index=True)[list(COLUMNS)]


def _curve(rows: DataFrame) -> Curve:
    rows = rows.sort_values("bytes")
    median, low, high = (rows[f"gib_per_s{end}"].tolist() for end in ("", "_low", "_high"))
    return Curve(look(str(rows["implementation"].iloc[0])), rows["bytes"].tolist(), median, low, high)


def _caches(caches: dict[str, int], buffers: int, limits: tuple[float, float]) -> Callable[[Axes], None]:
    def lines(axes: Axes) -> None:
        for name, size in sorted(caches.items()):
            if limits[0] < (place := size / buffers) < limits[1]:
                axes.axvline(place, color=style.FAINT, linewidth=0.6, linestyle=":", zorder=0.5)
                above = axes.get_xaxis_transform()
                words: dict[str, Any] = {"ha": "center", "va": "top", "fontsize": style.TEXT, "color": style.FAINT}
                words["bbox"] = {"facecolor": "white", "edgecolor": "none", "pad": 0.6}
                axes.text(place, 0.985, name, transform=above, **words)

    return lines
