"""Random generators: cycles per byte of short requests, and the scaling of several streams."""

from __future__ import annotations

from math import isfinite, log, nan
from typing import Any, Final

import numpy as np
from matplotlib.figure import Figure
from pandas import DataFrame, Series

from aeadlab.display.units import significant, size_name
from aeadlab.errors import EmptyFigureError
from aeadlab.figures import style
from aeadlab.figures.heat_map import HeatMap, heat_maps
from aeadlab.figures.published_comparison import published_comparison
from aeadlab.figures.published_pairs import published_pairs
from aeadlab.stats.selection import default_cases, named_rows
from aeadlab.stats.summary import case_medians
from aeadlab.studies.netbsd.study import GENERATORS, INLINED, LOOKED_UP, REQUEST, STREAMS, WORD, WORD_BY_WORD
from aeadlab.verdicts import published

COLUMNS: Final = (
    "implementation", "algorithm", "form", "streams", "request", "bytes", "status", "n", "seconds", "seconds_low",
    "seconds_high", "gib_per_s", "cycles_per_byte", "scaling_factor",
)  # fmt: skip

_FORMS: Final = ("inlined", "per-thread", LOOKED_UP, "unlocked", "locked")
"""Forms of a generator in the figure, the fastest first; others, which few generators have, are in the table."""

_PRIVATE: Final = "rc4.per-thread"
"""Stands for ARC4 without a lock where one stream runs, which shares its state with no other."""

_KERNELS: Final = DataFrame(
    [
        ("arc4-mtx", "rc4.locked", ""),
        ("arc4-nomtx", _PRIVATE, ", private"),
        ("arc4-nomtx", "rc4.unlocked", ", atomic"),
        ("arc4-percpu", f"rc4.{LOOKED_UP}", ""),
        ("hc128-percpu", f"hc-128.{LOOKED_UP}", ""),
        ("hc128-inline", f"hc-128.{INLINED}", ""),
    ],
    columns=["variant", "generator", "suffix"],
)
"""Generators that stand for each kernel of the document, with what the label of a row adds to the kernel's name."""


def generator_speeds(samples: DataFrame, venue: str = "lncs") -> tuple[Figure, DataFrame]:
    """Draw cycles per byte of 32-bit requests by algorithm and form as a heat map, beside the scaling of four streams.

    The table is that of `generator_table`.
    """
    space = style.venue(venue)
    table = generator_table(samples)
    short = table[table["request"].eq(WORD) & table["streams"].eq(1) & table["status"].eq("ok")]
    if short.empty:
        raise EmptyFigureError("no generator was measured with requests of 32 bits: measure the study generators")
    # Of several lengths the shortest is used: the document's own runs cover few generators with few samples.
    long = table[table["request"].eq(REQUEST) & table["status"].eq("ok")].sort_values("bytes")
    scaling = long[long["streams"].eq(STREAMS)].drop_duplicates("implementation")
    cycles = _by_form(short, "cycles_per_byte", short["algorithm"])
    factors = STREAMS * _by_form(scaling, "scaling_factor", short["algorithm"])
    maps = [HeatMap("cycles per byte, requests of 32 bits", cycles.map(_number), _shades(-cycles.map(log)))]
    if factors.notna().any(axis=None):
        title = f"speed of {STREAMS} streams (\N{MULTIPLICATION SIGN} one)"
        maps.append(HeatMap(title, factors.map(_number), _shades(factors)))
    fastest = short.sort_values("cycles_per_byte").iloc[0]
    both = [form for form in ("inlined", "locked") if form in cycles]
    sentences = [
        f"{fastest['algorithm']}, {fastest['form']}, is fastest: {significant(fastest['cycles_per_byte'])} cycles per "
        "byte; " + " and ".join(f"{form} {significant(cycles[form].median())}" for form in both) + " in the median of "
        "the generators.",
        "Darker: faster; unlocked and locked: one state for all streams.",
        f"Medians of one stream; right: requests of {REQUEST} bytes. Intervals are in the table.",
    ]
    return heat_maps(maps, sentences, space), table


def _by_form(rows: DataFrame, column: str, algorithms: Series[str]) -> DataFrame:
    """Return a number by algorithm and form."""
    by = rows.pivot_table(index="algorithm", columns="form", values=column, aggfunc="first", observed=True)
    measured = [form for form in _FORMS if form in by]
    return by.reindex(index=list(dict.fromkeys(map(str, algorithms))), columns=measured or list(by)).astype(float)


def _shades(values: DataFrame) -> DataFrame:
    """Return the place of each value between the smallest (0) and the largest (1)."""
    least, most = float(np.nanmin(values)), float(np.nanmax(values))
    return (values - least) / ((most - least) or 1.0)


def _number(value: float) -> str:
    return significant(value, 2) if isfinite(value) else ""


def generator_table(samples: DataFrame) -> DataFrame:
    """Tabulate the cases of generators by algorithm and form.

    ``request`` is 4 for the words of the inlined forms too. ``scaling_factor`` is the time of one stream over that of
    ``streams``, each of which generates as many bytes.
    """
    cases = default_cases(samples, largest=False)
    cases = cases[cases["op"].eq("generate")]
    if cases.empty:
        raise EmptyFigureError("the samples hold no generator: measure the study generators")
    table = case_medians(cases).rename(columns={"threads": "streams", "block_size": "request"})
    parts = table["implementation"].str.partition("/")[2].str.partition(".")
    table = table.assign(algorithm=parts[0], form=parts[2])
    table.loc[table["form"].isin(WORD_BY_WORD) & table["request"].eq(0), "request"] = WORD
    alone = table[table["streams"].eq(1)].set_index(["implementation", "request", "bytes"])["seconds"]
    one = [alone.get((row.implementation, row.request, row.bytes // row.streams), nan) for row in named_rows(table)]
    table["scaling_factor"] = np.array(one) / table["seconds"]
    table["order"] = table["algorithm"].map(list(dict.fromkeys(table["algorithm"])).index)
    keys = ["order", "form", "request", "streams"]
    return table.sort_values(keys, kind="stable", ignore_index=True)[list(COLUMNS)]


def published_generator_speeds(samples: DataFrame, venue: str = "lncs") -> tuple[Figure, DataFrame]:
    """Draw published beside measured times: per byte, of one and of four streams, relative to ARC4 under a lock.

    ARC4 without a lock has two rows for one stream: of a private state, and of a shared one of atomic numbers.
    """
    groups = {
        "cycles per byte": "cycles per byte, 32 bits", "time for 4 GB": "one stream, the same output",
        "time for 16 GB": "four streams",
    }  # fmt: skip
    table = published.load("NetBSD").merge(_KERNELS, on="variant")
    table = table[table["quantity"].isin(groups)]
    table = table[table["generator"].ne(_PRIVATE) | table["quantity"].ne("time for 16 GB")]
    table = table.sort_values("quantity", key=lambda column: column.map(list(groups).index), kind="stable")
    stream_bytes = _stream_bytes(samples)
    pairs = published_pairs(
        samples, table, lambda row: (groups[str(row.quantity)], f"{row.variant}{row.suffix}"),
        lambda row: _case(str(row.generator), str(row.quantity), stream_bytes),
        lambda row: _case("rc4.locked", str(row.quantity), stream_bytes),
    )  # fmt: skip
    here = f", here {size_name(stream_bytes)}" if stream_bytes else ""
    note = (
        "The document has no date. It measured on four Opteron 880, eight cores, in a NetBSD kernel, and 4 GB for each "
        f"stream{here}. Without a lock (nomtx): private, a state of one stream in plain memory; "
        "atomic, a state for all streams of atomic numbers, which cost time without contention, too."
    )
    return published_comparison(pairs, "time (\N{MULTIPLICATION SIGN} ARC4 under a lock)", note, venue)


def _stream_bytes(samples: DataFrame) -> int:
    """Return the bytes of one stream in one execution."""
    compared = [f"{GENERATORS}/{generator}" for generator in _KERNELS["generator"]]
    long = samples[samples["implementation"].isin(compared) & samples["block_size"].eq(REQUEST)]
    long = long[long["threads"].eq(1)]
    # The document's own runs of 4 GB have too few samples for an interval.
    return int(long["bytes"].min()) if len(long) else 0


def _case(generator: str, quantity: str, stream_bytes: int) -> dict[str, Any]:
    case: dict[str, Any] = {"implementation": f"{GENERATORS}/{generator}", "op": "generate"}
    if quantity == "cycles per byte":
        return case | {"block_size": 0 if generator.endswith(INLINED) else WORD, "threads": 1}
    streams = 1 if quantity == "time for 4 GB" else STREAMS
    return case | {"block_size": REQUEST, "threads": streams, "bytes": streams * stream_bytes}


FIGURES: Final = {"generators": generator_speeds, "generators-published": published_generator_speeds}
