"""The overhead of a block under ParSplit, split into its parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from matplotlib.ticker import FuncFormatter
from pandas import DataFrame

from aeadlab.dimensions import BASELINE
from aeadlab.display.names import in_words
from aeadlab.display.units import duration, percent, short_size, significant, size_name
from aeadlab.errors import ArgumentError
from aeadlab.figures import style
from aeadlab.figures.palette import COLOURS
from aeadlab.lab.illustrated import Illustrated
from aeadlab.lab.interactive.panel import choice, panel, slider
from aeadlab.records.record import Record
from aeadlab.stats import medians
from aeadlab.stats.roofline import MEMCPY
from aeadlab.stats.selection import default_cases

PARTS: Final = {
    "bytes": "bytes",
    "scheduling": "assignment to thread",
    "message": "start and tag",
    "key": "key set-up",
}


@dataclass(frozen=True)
class BlockParts:
    """The time of a block of an implementation in one thread, in seconds.

    Attributes
    ----------
    per_byte
        Of the whole message in one call.
    scheduling
        Of the block of memcpy, which has no message to start.
    message
        Further time of a block with a kept key context: start, tag, and loss of overlap at its ends.
    key
        Further time of a block with a new key context and Rayon, as published; NaN where it was not measured.
    """

    per_byte: float
    scheduling: float
    message: float
    key: float

    def of(self, block_size: int) -> dict[str, float]:
        """Return the seconds of each of `PARTS` for a block of this size."""
        return dict(zip(PARTS, (self.per_byte * block_size, self.scheduling, self.message, self.key), strict=True))

    def overhead(self, block_size: int) -> float:
        """Return the overhead with a kept key context relative to the time of the bytes."""
        return (self.scheduling + self.message) / (self.per_byte * block_size)


def one_thread(record: Record) -> DataFrame:
    """Return the medians of a record in one thread, encrypting and sealing."""
    table = medians(default_cases(record.samples))
    return table[(table["threads"] == 1) & table["op"].isin(["seal", "encrypt", "digest"])]


def block_parts(table: DataFrame, implementation: str) -> BlockParts:
    """Fit the parts to the times of all block sizes, with equal relative errors.

    Parameters
    ----------
    table
        The result of `one_thread`.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If the whole message of the implementation, or its blocks, were not measured in one thread.
    """
    whole, kept = _cost(table, implementation, "keyed")
    scheduling = max(_cost(table, MEMCPY, "keyed")[1], 0.0) if MEMCPY in set(table["implementation"]) else 0.0
    try:
        renewed = _cost(table, implementation, "rekeyed")[1]
    except ArgumentError:
        renewed = float("nan")
    return BlockParts(whole, min(scheduling, max(kept, 0.0)), max(kept - scheduling, 0.0), renewed - kept)


def _cost(table: DataFrame, implementation: str, model: str) -> tuple[float, float]:
    """Return the seconds of a byte of the whole message, and the seconds that each block adds."""
    own = table[table["implementation"] == implementation]
    whole = own[(own["engine"] == "whole") & (own["model"] == "keyed")]
    split = own[(own["engine"] == "parsplit") & (own["model"] == model) & own["block_size"].lt(own["bytes"])]
    if whole.empty or split.empty:
        what = "whole message" if whole.empty else f"blocks with model {model}"
        raise ArgumentError(f"{implementation} has no {what} in one thread: `aeadlab measure blocks` measures it")
    per_byte = float((whole["seconds"] / whole["bytes"]).iloc[0])
    relative = (split["bytes"] / split["block_size"] / split["seconds"]).to_numpy(dtype=float)
    over = 1 - per_byte * (split["bytes"] / split["seconds"]).to_numpy(dtype=float)
    return per_byte, float(relative @ over / (relative @ relative))


def draw_block_parts(implementation: str, exponent: int, table: DataFrame, venue: str = "lncs") -> Illustrated:
    """Draw the parts of a block of ``2**exponent`` bytes, and the overhead of all sizes beside the measured one.

    Parameters
    ----------
    table
        The result of `one_thread`.
    """
    size, parts = 1 << exponent, block_parts(table, implementation)
    space = style.venue(venue)
    own = table[(table["implementation"] == implementation) & (table["engine"] == "parsplit")]
    own = own[(own["model"] == "keyed") & own["block_size"].lt(own["bytes"])].sort_values("block_size")
    overhead = 100 * (own["seconds"] / (parts.per_byte * own["bytes"]) - 1)
    seconds = {name: value for name, value in parts.of(size).items() if value == value}
    with style.settings():
        figure = style.new_figure(space.width, 2.6)
        left, right = figure.add_axes((0.12, 0.18, 0.18, 0.7)), figure.add_axes((0.67, 0.18, 0.31, 0.7))
        bottom = 0.0
        for number, (name, value) in enumerate(seconds.items()):
            left.bar(0, 1e6 * value, bottom=bottom, color=COLOURS[number], label=PARTS[name], width=0.5)
            bottom += 1e6 * value
        left.set(xlim=(-0.6, 0.6), xticks=[], ylabel="time of a block (µs)", title=f"{short_size(size)} blocks")
        left.legend(loc="upper left", bbox_to_anchor=(1.0, 0.6), frameon=False)
        sizes = np.geomspace(1 << 10, 1 << 22, 100)
        right.plot(sizes, 100 * (parts.scheduling + parts.message) / (parts.per_byte * sizes), color=style.EDGE)
        right.plot(own["block_size"], overhead, "o", color=COLOURS[0], label="measured", linestyle="none")
        right.axvline(size, color=style.FAINT, linestyle=":")
        right.set_xscale("log", base=2)
        right.set(xlim=(1 << 10, 1 << 22), xlabel="block size (bytes)", ylabel="overhead (%)")
        right.xaxis.set_major_formatter(FuncFormatter(lambda value, _: short_size(int(value))))
        right.legend(loc="upper right", frameon=False)
    total = sum(seconds[name] for name in ("bytes", "scheduling", "message"))
    listed = ", ".join(f"{PARTS[name]} {duration(value)[0]}" for name, value in seconds.items())
    sentences = [
        f"A block of {size_name(size)} of {in_words(implementation)} takes {duration(total)[0]} with a kept key: "
        f"{percent(parts.overhead(size))} more than its bytes in the whole message.",
        f"Parts: {listed}.",
    ]
    if (exact := overhead[own["block_size"] == size]).size:
        sentences.append(f"Measured overhead of this size: {significant(float(exact.iloc[0]))} %.")
    if "key" not in seconds:
        sentences.append("The record has no blocks with a new key context, which `aeadlab measure blocks` measures.")
    return Illustrated(sentences, figure)


def block_sizes(record: Record, venue: str = "lncs") -> Any:
    """Return a slider for the block size and a list of implementations, with the parts of the overhead."""
    table = one_thread(record)
    names = sorted(name for name in table["implementation"].unique() if _has_parts(table, name))
    if not names:
        raise ArgumentError(f"{record.name} has no blocks in one thread: `aeadlab measure blocks` measures them")
    preferred = "openssl/aes-256-gcm"
    return panel(
        lambda **values: draw_block_parts(**values, table=table, venue=venue),
        implementation=choice("implementation", names, preferred if preferred in names else None),
        exponent=slider("block size, 2 to the power of", 10, 22, 14),
    )


def _has_parts(table: DataFrame, name: str) -> bool:
    try:
        _cost(table, name, "keyed")
    except ArgumentError:
        return False
    return not name.startswith(BASELINE)
