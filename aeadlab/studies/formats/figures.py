"""Speed of sealing and opening files, by format, program, length and thread count."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Final

from matplotlib.figure import Figure
from pandas import DataFrame

from aeadlab.display.units import count_noun, significant, size_name
from aeadlab.errors import EmptyFigureError
from aeadlab.figures import style
from aeadlab.figures.curves import LIMIT, Curve, Panel, curve, draw_panels, emphasise
from aeadlab.figures.ticks import size_ticks
from aeadlab.files.formats import FORMATS
from aeadlab.stats.roofline import limits_in_words, ordinary_limit
from aeadlab.stats.selection import CASE_COLUMNS, default_conditions, named_rows, require_columns, usable
from aeadlab.stats.summary import case_medians
from aeadlab.studies.formats import study
from aeadlab.studies.formats.study import OWN, OWN_FORMATS, REUSED, TINK
from aeadlab.studies.tables import relative_time

COLUMNS: Final = (
    "format", "implementation", "memory", "op", "bytes", "threads", "status", "n", "seconds", "seconds_low",
    "seconds_high", "gib_per_s", "gib_per_s_low", "gib_per_s_high", "overhead_bytes", "time_over_own",
    "time_over_own_low", "time_over_own_high",
)  # fmt: skip

_NARROW: Final = 5.4
"""Height in inches of all panels of a narrow column together, without their labels."""

_DRAWN: Final = OWN_FORMATS[:-1]
_VERBS: Final = {"seal": "sealing", "open": "opening"}


def overhead(format: str, length: int) -> int:
    """Return the bytes that a file has beside its message; one of age has a single X25519 stanza."""
    if format.startswith("cobblestone"):
        return 56 + 16 * (length // 16384 + 1)
    if format == "age":
        return 184 + 16 * max(1, -(-length // 65536))
    if format == "dare":
        return 32 * -(-length // 65536)
    if format in TINK:
        header = 8 + FORMATS[format].key_bytes
        return header + 16 * -(-(length + header) // FORMATS[format].chunk_bytes)
    return 74 + 32 * max(1, -(-length // ((1 << 20) - 32)))


def file_speeds(samples: DataFrame, venue: str = "lncs", op: str = "seal") -> tuple[Figure, DataFrame]:
    """Draw the speed of the programs of each format over the length of the message.

    There is one panel for each format that this project writes, of those of Tink for the one with longer segments. The
    others are in the table.

    A point is a median with its 95 % interval. The dashed line is a copy of the same length in one thread. The table is
    that of `file_table` for one operation.

    Parameters
    ----------
    op
        ``seal`` or ``open``.
    """
    space = style.venue(venue)
    table = file_table(samples)
    table = table[table["op"].eq(op)].reset_index(drop=True)
    if table.empty:
        raise EmptyFigureError(f"the samples hold no {op} of a file: measure the study formats")
    sizes = sorted({int(size) for size in table["bytes"]})
    limits = (sizes[0] / 1.5, sizes[-1] * 1.5)
    copy = ordinary_limit(samples["implementation"])
    copies = _copies(samples, copy)
    formats = [format for format in _DRAWN if table["format"].eq(format).any()]
    columns = 2 if space.width >= style.WIDE_COLUMN else 1
    panels = []
    for format in formats:
        own = table[table["format"].eq(format)]
        curves = [copies] if copies else []
        for _, rows in own.groupby(["implementation", "memory", "threads"], sort=False, observed=True):
            if rows["gib_per_s"].notna().any():
                first = next(named_rows(rows))
                marker = "o" if first.memory == "new" else "s"
                one = curve(rows, "bytes", "gib_per_s", name=_name(first.implementation, first.memory, first.threads))
                curves.append(replace(one, appearance=replace(one.appearance, marker=marker)))
        title = f"{format}, {_VERBS[op]}"
        one_panel = Panel(title, "message", "GiB/s", emphasise(curves), size_ticks(sizes), limits)
        panels.append(one_panel if columns > 1 else replace(one_panel, height=_NARROW / len(formats)))
    other = dict.fromkeys(map(_without_memory, table.loc[~table["format"].isin(_DRAWN), "implementation"]))
    failed = table.loc[table["status"].ne("ok"), "implementation"].drop_duplicates()
    sentences = [
        _result(table, op),
        f"Failed: {', '.join(map(str, failed))}." if len(failed) else "",
        f"In the table only: {', '.join(other)}." if other else "",
        f"Dashed: {limits_in_words([copy])}, one thread. Square: reused memory; circle: new. From Python; medians with "
        "95 % intervals.",
    ]
    return draw_panels(panels, space, sentences, columns=min(columns, len(panels))), table


def _copies(samples: DataFrame, copy: str) -> Curve | None:
    rows = samples[samples["implementation"].eq(copy) & samples["engine"].eq("whole") & default_conditions(samples)]
    if rows.empty:
        return None
    table = case_medians(rows).sort_values("bytes")
    return replace(curve(table, "bytes", "gib_per_s"), appearance=LIMIT, low=(), high=())


def _name(implementation: str, memory: str, threads: int) -> str:
    library = implementation.partition("/")[0]
    return f"{library}, {threads}{' reused' * (memory == 'reused')}" if library == OWN else library


def _without_memory(implementation: object) -> str:
    return str(implementation).removesuffix(REUSED)


def _result(table: DataFrame, op: str) -> str:
    """Return how much faster this project's files are in the most threads than the others, for the longest message."""
    longest = table[table["bytes"].eq(table["bytes"].max())]
    others = longest[~longest["implementation"].str.startswith(f"{OWN}/") & longest["time_over_own"].notna()]
    factors = [
        f"{_without_memory(row.implementation)} {significant(row.time_over_own)} times"
        for row in named_rows(others)
        if row.time_over_own
    ]
    if not factors:
        return ""
    threads = count_noun(int(table["threads"].max()), "thread")
    length = size_name(int(longest["bytes"].iloc[0]))
    return f"Time of {_VERBS[op]} {length} relative to {OWN} with {threads}, same memory: {', '.join(factors)}."


def file_table(samples: DataFrame) -> DataFrame:
    """Tabulate sealing and opening of files by format, program, length and thread count.

    ``memory`` is ``new`` or ``reused``, that of the result. ``overhead_bytes`` are those of `overhead`.
    ``time_over_own`` is relative to this project's file of the same format, length and operation, in the same kind of
    memory and the most threads.
    """
    by = list(CASE_COLUMNS)
    require_columns(samples, [*by, "kind", "status", "warmup"])
    rows = samples[samples["kind"].eq("file") & default_conditions(samples, ignore=("model",))]
    if rows.empty:
        raise EmptyFigureError("the samples hold no file: measure the study formats")
    names = rows["implementation"].astype(str)
    format = names.str.partition("/")[2].str.removesuffix(REUSED)
    rows = rows.assign(format=format, memory=names.str.endswith(REUSED).map({True: "reused", False: "new"}))
    kinds = ["format", "memory"]
    timed = usable(rows, [*by, "process", "round", "seconds", *kinds])
    own = timed["implementation"].astype(str).str.startswith(f"{OWN}/") & timed["threads"].eq(rows["threads"].max())
    table = case_medians(rows).merge(rows[[*by, *kinds]].drop_duplicates(), on=by, how="left")
    over_own = relative_time(timed, timed[own], [*kinds, "op", "bytes"], "time_over_own", [*by, *kinds])
    table = table.merge(over_own, on=[*by, *kinds], how="left")
    table["overhead_bytes"] = [overhead(row.format, row.bytes) for row in named_rows(table)]
    places = {name: place for place, name in enumerate(study.FORMATS)}
    table["place"], table["is_own"] = table["format"].map(places), table["implementation"].str.startswith(f"{OWN}/")
    keys = ["place", "op", "is_own", "implementation", "threads", "bytes"]
    ascending = [True, False, True, True, True, True]
    return table.sort_values(keys, ascending=ascending, kind="stable", ignore_index=True)[list(COLUMNS)]


FIGURES: Final = {
    "file-formats-sealing": partial(file_speeds, op="seal"),
    "file-formats-opening": partial(file_speeds, op="open"),
}
