"""Random generators: cycles per byte of short requests, and what several streams make together."""

from __future__ import annotations

from typing import Any, Final

from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from pandas import DataFrame

from aeadlab.errors import EmptyFigureError
from aeadlab.figures import rows, style
from aeadlab.figures.beside import beside
from aeadlab.figures.palette import look
from aeadlab.figures.plain import case_medians, each, plain
from aeadlab.figures.published_pairs import pairs, rows_of
from aeadlab.units import significant

COLUMNS: Final = (
    "implementation", "algorithm", "form", "streams", "request", "bytes", "status", "n", "seconds", "seconds_low",
    "seconds_high", "gib_per_s", "cycles_per_byte", "scaling_factor",
)  # fmt: skip

_HEAD: Final = 0.27
_AXIS: Final = 0.36
_CAPTION: Final = 0.5
_WORD: Final = 4
_REQUEST: Final = 256
_FOUR: Final = 4

_FORMS: Final = {
    "arc4-mtx": ("rc4", "locked"),
    "arc4-nomtx": ("rc4", "unlocked"),
    "arc4-percpu": ("rc4", "per-thread"),
    "hc128-percpu": ("hc-128", "per-thread"),
    "hc128-inline": ("hc-128", "inlined"),
}
"""The document's kernels, and the forms of generators here."""


def generator_speeds(samples: DataFrame, venue: str = "lncs") -> tuple[Figure, DataFrame]:
    """Draw cycles per byte of requests of 32 bits, by algorithm and form; beside them the scaling factor of four streams.

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
    short = table[table["request"].eq(_WORD) & table["streams"].eq(1) & table["status"].eq("ok")]
    entries: list[Any] = []
    for algorithm, of in short.groupby("algorithm", sort=False, observed=True):
        entries += [str(algorithm), *each(of)]
    if not entries:
        raise EmptyFigureError("no generator was asked for 32 bits: measure the study generators")
    labels = [rows.Label(e, heading=True) if isinstance(e, str) else rows.Label(e.form) for e in entries]
    scaling = table[table["streams"].eq(_FOUR)].set_index("implementation")["scaling_factor"].to_dict()
    written = [
        _column(("cycles", "/byte"), entries, lambda row: significant(row.cycles_per_byte)),
        _column(("4 streams", "scaling"), entries, lambda row: significant(scaling.get(row.implementation, float("nan")))),
    ]
    lines = rows.wrapped(
        "Requests of 32 bits to one stream: medians with their 95 % intervals. Scaling: the time of one stream over that "
        "of four that make four times as much together, 256 bytes at a time; 1 is perfect with four cores.",
        space.width - 0.04,
    )
    fixed = _HEAD + _AXIS + style.LINE * len(lines) + 0.04
    pitch = rows.pitch([labels], space.height - _CAPTION - fixed)
    with style.settings():
        figure = style.new_figure(space.width, fixed + rows.sheet_height(labels, pitch))
        sheet = rows.Sheet(figure, labels, _HEAD, pitch)
        left = rows.labels_width(labels)
        edge = space.width - sum(column.width for column in written) - 0.02
        axes = sheet.axes(left, edge)
        for position, row in enumerate(entries):
            if not isinstance(row, str):
                scale = row.cycles_per_byte / row.seconds
                ends = (scale * row.seconds_low, scale * row.seconds_high)
                seen = look(f"generators/{row.algorithm}")
                rows.bar(sheet, axes, position, row.cycles_per_byte, ends, seen, row.form != "per-thread", False)
        axes.set_xlim(left=0)
        axes.xaxis.set_major_locator(MaxNLocator(max(2, int(rows.axes_width(axes) / 0.3)), steps=[1, 2, 2.5, 5, 10]))
        rows.name_axis(axes, "TSC cycles per byte")
        sheet.columns(written, edge)
        rows.write_notes(figure, lines)
    return figure, table


def generator_table(samples: DataFrame) -> DataFrame:
    """Tabulate the cases of generators.

    Returns
    -------
    DataFrame
        One row per case: `COLUMNS`, by algorithm and form. ``request`` is 4 for the inlined form's words too.
        ``scaling_factor`` is the time of one stream over that of so many, which make as many times as much.

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
    table.loc[table["form"].eq("inlined") & table["request"].eq(0), "request"] = _WORD
    alone = table[table["streams"].eq(1)].set_index(["implementation", "request"])["seconds"]
    one = [alone.get((row.implementation, row.request), float("nan")) for row in each(table)]
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
    long = samples[samples["op"].eq("generate") & samples["block_size"].eq(_REQUEST) & samples["threads"].eq(1)]
    return int(long["bytes"].max()) if len(long) else 0


def _case(variant: str, quantity: str, each_stream: int) -> dict[str, Any]:
    algorithm, form = _FORMS[variant]
    case: dict[str, Any] = {"implementation": f"generators/{algorithm}.{form}", "op": "generate"}
    if quantity == "cycles per byte":
        return case | {"block_size": 0 if form == "inlined" else _WORD, "threads": 1}
    streams = 1 if quantity == "time for 4 GB" else _FOUR
    return case | {"block_size": _REQUEST, "threads": streams, "bytes": streams * each_stream}


def _column(heading: tuple[str, ...], entries: list[Any], text: Any) -> rows.Column:
    return rows.Column(heading, tuple("" if isinstance(row, str) else text(row) for row in entries))
