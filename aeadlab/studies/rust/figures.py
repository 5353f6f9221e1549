"""Time and speed by message length, with key set-up and without: the document *Rust*."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from matplotlib.figure import Figure
from pandas import DataFrame

from aeadlab.display.units import short_size, size_name
from aeadlab.errors import EmptyFigureError
from aeadlab.figures import style
from aeadlab.figures.curves import Curve, Panel, curve, draw_panels
from aeadlab.figures.legend import Entry, Legend
from aeadlab.figures.palette import appearance_of
from aeadlab.figures.published_comparison import published_comparison
from aeadlab.figures.published_pairs import published_pairs
from aeadlab.stats.latency import fit_latency
from aeadlab.stats.selection import default_cases, is_baseline, named_rows
from aeadlab.stats.summary import case_medians
from aeadlab.studies.rust.study import AS_LINKED, STUDY
from aeadlab.verdicts import published

COLUMNS: Final = (
    "implementation", "op", "engine", "model", "bytes", "status", "n", "seconds", "seconds_low", "seconds_high",
    "gib_per_s", "gib_per_s_low", "gib_per_s_high", "cycles_per_byte", "rank",
)  # fmt: skip
LATENCY_COLUMNS: Final = (
    "implementation", "engine", "model", "startup_ns", "gib_per_s", "half_bytes", "worst_residual", "sizes",
)  # fmt: skip

IN_CACHE: Final = 100_000
"""Bytes of the longest message in a fit: longer messages exceed the second-level cache, and time is not linear."""

_LEGEND_ENTRIES: Final = 20
"""Legend entries that fit below two panels in a narrow column."""

_BASELINE: Final = "ring/aes-256-gcm"
_SYSTEM: Final = "openssl-system"
_LONGEST_OF_SPEED: Final = 16 << 10
_MACHINE: Final = "on an Intel Xeon Platinum 8272CL in a virtual machine"


def message_size_times(samples: DataFrame, venue: str = "lncs") -> tuple[Figure, DataFrame]:
    """Draw the time of short messages and the speed of all, with the key set up before.

    Where not all implementations fit, the figure shows those that the study names, the baselines, and as many of the
    fastest as possible. The table is that of `message_size_table`, with all implementations and models.
    """
    space = style.venue(venue)
    table = message_size_table(samples)
    implementations = [str(name) for name in table["implementation"].drop_duplicates()]
    preferred = sorted(implementations, key=lambda name: not (name in STUDY.named or is_baseline(name)))
    shown = [name for name in implementations if name in preferred[:_LEGEND_ENTRIES]]
    has_keyed = table.groupby("implementation", observed=True)["model"].agg(lambda models: "keyed" in set(models))
    one_model = table["model"].eq("keyed") | ~table["implementation"].map(has_keyed).astype(bool)
    drawn = table[one_model & table["implementation"].isin(shown) & table["status"].eq("ok") & table["bytes"].gt(0)]
    if drawn.empty:
        raise EmptyFigureError("every whole message failed: see the status of each in message_size_table")
    lengths = _common_lengths(drawn)
    drawn = drawn[drawn["bytes"].isin(lengths)]
    short = [length for length in lengths if length <= 1 << 10]
    panels = [
        Panel(
            "short messages", "message (bytes)", "time (\N{GREEK SMALL LETTER MU}s)",
            _curves(drawn[drawn["bytes"].isin(short)], "seconds", 1e6), {float(n): short_size(n) for n in short},
            (min(short, default=1) / 1.4, max(short, default=1) * 1.4),
        ),
        Panel(
            "all messages", "message (bytes)", "speed (GiB/s)", _curves(drawn, "gib_per_s", 1.0),
            # The last tick label is wide and must not exceed the paper.
            {float(n): short_size(n) for n in lengths[:: -(-len(lengths) // 6)]}, (lengths[0] / 1.4, lengths[-1] * 2.5),
        ),
    ]  # fmt: skip
    ok = set(drawn["implementation"])
    entries = [Entry(name, appearance_of(name)) if name in ok else Entry(f"{name} (absent)", None) for name in shown]
    notes = ["One thread, the key set up before; medians with their 95 % intervals."]
    if omitted := len(implementations) - len(shown):
        notes.append(f"{omitted} more implementations are in the table only.")
    legend = Legend(entries, space.width)
    return draw_panels(panels if short else panels[1:], space, legend, notes, shared_y=False), table


def message_size_table(samples: DataFrame) -> DataFrame:
    """Tabulate whole messages of all lengths in one thread.

    ``rank`` 1 is the fastest of its model and length; baselines have rank 0. Speeds are in GiB/s.
    """
    cases = default_cases(samples, largest=False)
    cases = cases[cases["engine"].isin(["whole", "python"]) & cases["threads"].eq(1)]
    if cases.empty:
        raise EmptyFigureError("the samples hold no whole message in one thread: measure the study message-sizes")
    table = case_medians(cases)
    ranked = table["status"].eq("ok") & ~table["implementation"].map(is_baseline).astype(bool)
    rank = table[ranked].groupby(["model", "bytes"], observed=True)["seconds"].rank(method="first")
    table["rank"] = rank.reindex(table.index).fillna(0).astype(np.int64)
    fastest = table.groupby("implementation", observed=True)["gib_per_s"].transform("max").fillna(0.0)
    table = table.assign(fastest=-fastest)
    keys = ["fastest", "implementation", "model", "bytes"]
    return table.sort_values(keys, kind="stable", ignore_index=True)[list(COLUMNS)]


def latencies(table: DataFrame) -> DataFrame:
    """Fit start-up time, asymptotic rate and half-performance length of each implementation and model.

    The result has `LATENCY_COLUMNS`, the shortest start-up first; see `aeadlab.stats.latency.Latency`. Implementations
    measured with fewer than three lengths have no row.

    Parameters
    ----------
    table
        The result of `message_size_table`. Messages longer than `IN_CACHE` are not used.
    """
    fits = []
    in_cache = table[table["status"].eq("ok") & table["bytes"].le(IN_CACHE)]
    for (name, engine, model), rows in in_cache.groupby(["implementation", "engine", "model"], observed=True):
        if rows["bytes"].nunique() < 3:
            continue
        fit = fit_latency(rows["bytes"], rows["seconds"])
        numbers = (1e9 * fit.startup_seconds, fit.bytes_per_second / 2**30, fit.half_bytes, fit.worst_residual)
        fits.append((name, engine, model, *numbers, len(rows)))
    return DataFrame(fits, columns=list(LATENCY_COLUMNS)).sort_values("startup_ns", ignore_index=True)


def crossovers(table: DataFrame) -> DataFrame:
    """Tabulate the fastest implementation of each model by range of lengths.

    The columns are ``model``, ``from_bytes``, ``to_bytes``, ``implementation``, and ``ahead``: the smallest ratio in
    the range of the second-fastest time to the fastest, NaN where only one was measured. Lengths measured with few
    implementations are left out, since the fastest of these is not the fastest of all.
    """
    ranges: list[dict[str, Any]] = []
    ranked = table[table["rank"].gt(0)]
    common = ranked["bytes"].isin(_common_lengths(ranked))
    for (model, length), rows in ranked[common].groupby(["model", "bytes"], observed=True):
        first, *others = named_rows(rows.sort_values("rank").head(2))
        ahead = float(others[0].seconds / first.seconds) if others else float("nan")
        last = ranges[-1] if ranges else {}
        if (last.get("model"), last.get("implementation")) == (model, first.implementation):
            last |= {"to_bytes": length, "ahead": min(last["ahead"], ahead)}
        else:
            ranges.append({"model": model, "from_bytes": length, "to_bytes": length,
                           "implementation": first.implementation, "ahead": ahead})  # fmt: skip
    return DataFrame(ranges, columns=["model", "from_bytes", "to_bytes", "implementation", "ahead"])


def published_message_times(samples: DataFrame, venue: str = "lncs") -> tuple[Figure, DataFrame]:
    """Draw the published times beside the measured ones, relative to ring's AES-256-GCM of the same length."""
    table = published.lookup("Rust", quantity="time")
    pairs = published_pairs(
        samples, table.sort_values("bytes", kind="stable"),
        lambda row: (size_name(int(row.bytes)), f"{row.library}/{row.algorithm}"),
        lambda row: _case(f"{row.library}/{row.algorithm}", int(row.bytes)) | AS_LINKED,
        lambda row: _case(_BASELINE, int(row.bytes)) | AS_LINKED,
        varied=AS_LINKED.keys(),
    )  # fmt: skip
    note = (
        f"The document measured in 2021 {_MACHINE}, with ring 0.16.20, aes-gcm 0.9.4 and chacha20poly1305 0.8.2. "
        f"Both here and there messages are sealed in place with {AS_LINKED['aad_bytes']} bytes of "
        "associated data, as in the program that the document links."
    )
    return published_comparison(pairs, f"time (\N{MULTIPLICATION SIGN} {_BASELINE})", note, venue)


def published_openssl_speed(samples: DataFrame, venue: str = "lncs") -> tuple[Figure, DataFrame]:
    """Draw the document's two runs of ``openssl speed`` beside the system's OpenSSL, relative to messages of 16 KiB."""
    table = published.lookup("Rust", quantity="throughput", variant="openssl speed")
    # The time of one message follows from the throughput in kB/s.
    table = table.assign(seconds=table["bytes"].astype(float) / (table["value"].astype(float) * 1e3))
    pairs = published_pairs(
        samples, table,
        lambda row: (str(row.algorithm), size_name(int(row.bytes))),
        lambda row: _case(f"{_SYSTEM}/{row.algorithm}", int(row.bytes)),
        lambda row: _case(f"{_SYSTEM}/{row.algorithm}", _LONGEST_OF_SPEED),
    )  # fmt: skip
    note = (
        f"The document ran OpenSSL 1.1.1f of 2020, compiled in 2021, {_MACHINE}. Its loop makes no tag and sets no "
        "nonce, which each message here has: the shorter, the more that weighs."
    )
    axis_label = f"time of a message (\N{MULTIPLICATION SIGN} {size_name(_LONGEST_OF_SPEED)})"
    return published_comparison(pairs, axis_label, note, venue)


def _case(name: str, length: int) -> dict[str, Any]:
    return {"implementation": name, "bytes": length, "model": "keyed", "op": "seal", "engine": "whole"}


def _common_lengths(rows: DataFrame) -> list[int]:
    """Return the lengths that most implementations have; a few have others too, such as one of `openssl speed`."""
    counts = rows.groupby("bytes", observed=True)["implementation"].nunique()
    return [int(length) for length in counts.index[counts > counts.max() / 2]]


def _curves(rows: DataFrame, column: str, scale: float) -> list[Curve]:
    groups = rows.groupby("implementation", sort=False, observed=True)
    return [curve(group.sort_values("bytes"), "bytes", column, scale) for _, group in groups]


FIGURES: Final = {
    "message-sizes": message_size_times,
    "message-sizes-published": published_message_times,
    "message-sizes-openssl-speed": published_openssl_speed,
}
