"""The time of a message as a start and a cost for each byte, fitted to a record."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.ticker import FuncFormatter
from pandas import DataFrame

from aeadlab.display.names import in_words
from aeadlab.display.units import percent, short_size, significant, size_name
from aeadlab.errors import ArgumentError
from aeadlab.figures import style
from aeadlab.figures.palette import COLOURS
from aeadlab.lab.illustrated import Illustrated
from aeadlab.lab.interactive.panel import choice, panel
from aeadlab.records.record import Record
from aeadlab.stats import medians
from aeadlab.stats.latency import fit_latency
from aeadlab.stats.selection import default_cases

LONGEST = 100_000
"""Bytes of the longest message of the first fit, which stays in a second-level cache."""


def draw_message_parts(implementation: str, longest: int, table: DataFrame, venue: str = "lncs") -> Illustrated:
    """Draw the times of messages, and the line fitted to those of at most `longest` bytes.

    Parameters
    ----------
    table
        Medians of whole messages with the key set up before, see `aeadlab.stats.medians`.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If fewer than two lengths were measured up to `longest`.
    """
    own = table[table["implementation"] == implementation].sort_values("bytes")
    fitted = own[own["bytes"] <= longest]
    fit = fit_latency(fitted["bytes"], fitted["seconds"])
    space = style.venue(venue)
    lengths = np.geomspace(max(own["bytes"].min(), 1), own["bytes"].max(), 200)
    with style.settings():
        figure = style.new_figure(space.width, 2.7)
        axes = figure.add_axes((0.12, 0.17, 0.85, 0.78))
        start, per_byte = 1e9 * fit.startup_seconds, 1e9 / fit.bytes_per_second
        axes.fill_between(lengths, start, alpha=0.25, color=COLOURS[1], linewidth=0, label="start")
        axes.fill_between(lengths, start, start + per_byte * lengths, alpha=0.25, color=COLOURS[0], linewidth=0,
                          label="bytes")  # fmt: skip
        reach = 1e9 * np.array([own["seconds"] - own["seconds_low"], own["seconds_high"] - own["seconds"]])
        axes.errorbar(own["bytes"], 1e9 * own["seconds"], np.nan_to_num(reach).clip(0), fmt="o", color=style.EDGE,
                      label="measured", elinewidth=0.6)  # fmt: skip
        axes.axvline(longest, color=style.FAINT, linestyle=":")
        axes.set(xscale="log", yscale="log", xlabel="length of the message (bytes)", ylabel="time (ns)")
        axes.set_ylim(bottom=0.5 * 1e9 * own["seconds"].min())
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: short_size(int(value))))
        axes.legend(loc="upper left", frameon=False)
    half = f"Both parts are equal at {round(fit.half_bytes):,} bytes. " if fit.half_bytes else ""
    return Illustrated(
        [
            f"{in_words(implementation)}: {significant(start)} ns to start, and {significant(per_byte)} ns for each "
            f"byte, which is {significant(fit.bytes_per_second / 2**30)} GiB/s.",
            f"{half}The largest distance of a fitted time from the line is {percent(fit.worst_residual)}.",
        ],
        figure,
    )


def message_lengths(record: Record, venue: str = "lncs") -> Any:
    """Return lists of implementations and of the longest fitted length, with the parts of the time of a message."""
    rows = default_cases(record.samples, largest=False)
    table = medians(rows[rows["engine"].eq("whole") & rows["model"].eq("keyed") & rows["op"].eq("seal")])
    counts = table.groupby("implementation")["bytes"].nunique()
    names = sorted(counts.index[counts > 2])
    lengths = sorted({int(length) for length in table["bytes"]})[1:]
    if not names:
        raise ArgumentError(f"{record.name} has too few lengths: `aeadlab measure message-sizes` measures them")
    preferred = "openssl/aes-256-gcm"
    nearest = max([length for length in lengths if length <= LONGEST], default=lengths[-1])
    return panel(
        lambda **values: draw_message_parts(**values, table=table, venue=venue),
        implementation=choice("implementation", names, preferred if preferred in names else None),
        longest=choice("fitted up to", [(size_name(length), length) for length in lengths], nearest),
    )
