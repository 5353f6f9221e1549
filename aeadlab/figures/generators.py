"""Random generators: cycles per byte of short requests, and what several streams make together."""

from __future__ import annotations

from math import isfinite, nan
from typing import Any, Final

from matplotlib.figure import Figure
from pandas import DataFrame

from aeadlab.errors import EmptyFigureError
from aeadlab.figures import style
from aeadlab.figures.beside import beside
from aeadlab.figures.listed import Bar, bars
from aeadlab.figures.plain import case_medians, each, plain
from aeadlab.figures.published_pairs import pairs, rows_of
from aeadlab.units import significant
from aeadlab.workloads import GENERATORS, INLINED, REQUEST, STREAMS, WORD

COLUMNS: Final = (
    "implementation", "algorithm", "form", "streams", "request", "bytes", "status", "n", "seconds", "seconds_low",
    "seconds_high", "gib_per_s", "cycles_per_byte", "scaling_factor",
)  # fmt: skip

_BESIDE: Final = (("gib_per_s", 1), ("scaling_factor", STREAMS))
"""What stands beside a bar: a column of the table, and of how many streams."""

_FORMS: Final = {
    "arc4-mtx": ("rc4", "locked"),
    "arc4-nomtx": ("rc4", "unlocked"),
    "arc4-percpu": ("rc4", "per-thread"),
    "hc128-percpu": ("hc-128", "per-thread"),
    "hc128-inline": ("hc-128", INLINED),
}
"""The document's kernels, and the forms of generators here."""


def generator_speeds(samples: DataFrame, venue: str = "lncs") -> tuple[Figure, DataFrame]:
    """Draw cycles per byte of requests of 32 bits, by algorithm and form, and what four streams make.

    Parameters
    ----------
    samples
        One row per sample; see `generator_table` for what is taken from it.
    venue
        One of `aeadlab.figures.style.VENUES`.

    Returns
    -------
    figure
        As wide as the venue's column.
    table
        What `generator_table` gives.

    Raises
    ------
    aeadlab.errors.EmptyFigureError
        If the samples hold no generator.
    aeadlab.errors.UnknownNameError
        If there is no such venue.
    """
    space = style.venue(venue)
    table = generator_table(samples)
    short = table[table["request"].eq(WORD) & table["streams"].eq(1) & table["status"].eq("ok")]
    if short.empty:
        raise EmptyFigureError("no generator was asked for 32 bits: measure the study generators")
    # The document's own runs may be there as well, of few generators and with few samples.
    long = table[table["request"].eq(REQUEST)].sort_values("bytes").drop_duplicates(["implementation", "streams"])
    rates = long.set_index(["implementation", "streams"])
    entries: list[Bar | str] = []
    for algorithm, of in short.groupby("algorithm", sort=False, observed=True):
        entries.append(str(algorithm))
        entries += [_bar(row, rates) for row in each(of)]
    note = (
        "Bars: requests of 32 bits to one stream, medians with their 95 % intervals; pale: one state for all streams. "
        f"Beside them requests of {REQUEST} bytes: GiB/s of one stream, and the time of one over that of {STREAMS} "
        f"that make as many times as much together; with {STREAMS} cores 1 is the most, with fewer as many times less."
    )
    headings = [("cycles", "/byte"), ("1 stream", "GiB/s"), (f"{STREAMS} streams", "scaling")]
    return bars(entries, headings, "TSC cycles per byte", note, space), table


def _bar(row: Any, rates: DataFrame) -> Bar:
    scale = row.cycles_per_byte / row.seconds
    shown = ((column, rates[column].get((row.implementation, streams), nan)) for column, streams in _BESIDE)
    numbers = tuple(significant(value) if isfinite(value) else "-" for _, value in shown)
    return Bar(
        row.form,
        f"{GENERATORS}/{row.algorithm}",
        row.cycles_per_byte,
        scale * row.seconds_low,
        scale * row.seconds_high,
        (significant(row.cycles_per_byte), *numbers),
        pale=row.form in ("locked", "unlocked"),
    )


def generator_table(samples: DataFrame) -> DataFrame:
    """Tabulate the cases of generators.

    Returns
    -------
    DataFrame
        One row per case: `COLUMNS`, by algorithm and form. ``request`` is 4 for the inlined form's words too.
        ``scaling_factor`` is the time of one stream over that of so many, each of which makes as much as the one.

    Raises
    ------
    aeadlab.errors.EmptyFigureError
        If there is none.
    """
    every = plain(samples, largest=False)
    found = every[every["op"].eq("generate")]
    if found.empty:
        raise EmptyFigureError("the samples hold no generator: measure the study generators")
    table = case_medians(found).rename(columns={"threads": "streams", "block_size": "request"})
    parts = table["implementation"].str.partition("/")[2].str.partition(".")
    table = table.assign(algorithm=parts[0], form=parts[2])
    table.loc[table["form"].eq(INLINED) & table["request"].eq(0), "request"] = WORD
    alone = table[table["streams"].eq(1)].set_index(["implementation", "request", "bytes"])["seconds"]
    one = [alone.get((row.implementation, row.request, row.bytes // row.streams), nan) for row in each(table)]
    table["scaling_factor"] = DataFrame({"one": one}, index=table.index)["one"] / table["seconds"]
    order = {name: place for place, name in enumerate(dict.fromkeys(table["algorithm"]))}
    table = table.assign(place=table["algorithm"].map(order))
    keys = ["place", "form", "request", "streams"]
    return table.sort_values(keys, kind="stable", ignore_index=True)[list(COLUMNS)]


def beside_netbsd(samples: DataFrame, published: DataFrame, venue: str = "lncs") -> tuple[Figure, DataFrame]:
    """Draw the document's table beside ours: cycles per byte, one and four streams, over ARC4 under a lock.

    Parameters, returns and errors are those of `aeadlab.figures.beside.beside`.
    """
    groups = {
        "cycles per byte": "cycles per byte, 32 bits", "time for 4 GB": "one stream, the same output",
        "time for 16 GB": "four streams",
    }  # fmt: skip
    table = rows_of(published, groups)
    table = table[table["variant"].isin(_FORMS)]
    each_stream = _each_stream(samples)

    def case(row: Any) -> dict[str, Any]:
        return _case(str(row.variant), str(row.quantity), each_stream)

    found = pairs(
        samples, table, lambda row: (groups[str(row.quantity)], str(row.variant)), case,
        lambda row: _case("arc4-mtx", str(row.quantity), each_stream),
    )  # fmt: skip
    note = "The document measured about 2014 on four Opteron 880 of 2005, eight cores, in a NetBSD kernel."
    return beside(
        sorted(found, key=lambda pair: list(groups.values()).index(pair.group)),
        "time (\N{MULTIPLICATION SIGN} ARC4 under a lock)", note, venue,
    )  # fmt: skip


def _each_stream(samples: DataFrame) -> int:
    long = samples[samples["op"].eq("generate") & samples["block_size"].eq(REQUEST) & samples["threads"].eq(1)]
    # Whole runs of 4 GB, where there are any, are too few for an interval.
    return int(long["bytes"].min()) if len(long) else 0


def _case(variant: str, quantity: str, each_stream: int) -> dict[str, Any]:
    algorithm, form = _FORMS[variant]
    case: dict[str, Any] = {"implementation": f"{GENERATORS}/{algorithm}.{form}", "op": "generate"}
    if quantity == "cycles per byte":
        return case | {"block_size": 0 if form == INLINED else WORD, "threads": 1}
    streams = 1 if quantity == "time for 4 GB" else STREAMS
    return case | {"block_size": REQUEST, "threads": streams, "bytes": streams * each_stream}
