"""Time and speed against the length of a message, with key set-up and without: the document *Rust*."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

import numpy as np
from matplotlib.figure import Figure
from pandas import DataFrame

from aeadlab.errors import EmptyFigureError
from aeadlab.figures import style
from aeadlab.figures.beside import beside
from aeadlab.figures.curves import Curve, Panel, draw
from aeadlab.figures.legend import Entry, Legend
from aeadlab.figures.palette import look
from aeadlab.figures.plain import case_medians, each, is_baseline, plain
from aeadlab.figures.published_pairs import pairs, rows_of
from aeadlab.stats.latency import fit_latency
from aeadlab.units import short_size, size_name

COLUMNS: Final = (
    "implementation", "op", "engine", "model", "bytes", "status", "n", "seconds", "seconds_low", "seconds_high",
    "gib_per_s", "gib_per_s_low", "gib_per_s_high", "cycles_per_byte", "rank",
)  # fmt: skip
LATENCY_COLUMNS: Final = (
    "implementation", "engine", "model", "startup_ns", "gib_per_s", "half_bytes", "worst_residual", "sizes",
)  # fmt: skip

IN_CACHE: Final = 100_000
"""Bytes of the longest message of a fit: longer ones leave the second-level cache, and the line bends."""

_MOST: Final = 20
"""Implementations that a legend has room for below two panels in a narrow column."""

_BASE: Final = "ring/aes-256-gcm"
_SYSTEM: Final = "openssl-system"
_LONGEST_OF_SPEED: Final = 16 << 10
_MACHINE: Final = "on an Intel Xeon Platinum 8272CL (Cascade Lake, 2019) in a virtual machine"


def message_size_times(
    samples: DataFrame, venue: str = "lncs", named: Collection[str] = ()
) -> tuple[Figure, DataFrame]:
    """Draw the time of short messages and the speed of all, key set up before.

    Parameters
    ----------
    samples
        One row per sample; see `message_size_table` for what is taken from it.
    venue
        One of `aeadlab.figures.style.VENUES`.
    named
        Implementations that are drawn, with the baselines and as many of the fastest as there is room for, where not
        all can be.

    Returns
    -------
    figure
        As wide as the venue's column.
    table
        What `message_size_table` gives, other models included, and all implementations.

    Raises
    ------
    aeadlab.errors.EmptyFigureError
        If the samples hold no whole message, or every one failed.
    aeadlab.errors.UnknownNameError
        If there is no such venue.
    """
    space = style.venue(venue)
    table = message_size_table(samples)
    every = [str(name) for name in table["implementation"].drop_duplicates()]
    first = sorted(every, key=lambda name: not (name in named or is_baseline(name)))[:_MOST]
    names = [name for name in every if name in first]
    models = table.groupby("implementation", observed=True)["model"].agg(lambda of: "keyed" in set(of))
    kept = table["model"].eq("keyed") | ~table["implementation"].map(models).astype(bool)
    drawn = table[kept & table["implementation"].isin(names) & table["status"].eq("ok") & table["bytes"].gt(0)]
    if drawn.empty:
        raise EmptyFigureError("every whole message failed: see the status of each in message_size_table")
    lengths = _common(drawn)
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
            # The last number is wide, and ends where the paper does.
            {float(n): short_size(n) for n in lengths[:: -(-len(lengths) // 6)]}, (lengths[0] / 1.4, lengths[-1] * 2.5),
        ),
    ]  # fmt: skip
    ok = set(drawn["implementation"])
    legend = Legend([Entry(name if name in ok else f"{name} (absent)", look(name) if name in ok else None)
                     for name in names], space.width)  # fmt: skip
    notes = ["One thread, the key set up before; medians with their 95 % intervals."]
    if left := len(every) - len(names):
        notes.append(f"{left} more implementations are in the table only.")
    return draw(panels if short else panels[1:], space, legend, notes, one_axis=False), table


def message_size_table(samples: DataFrame) -> DataFrame:
    """Tabulate whole messages of all lengths in one thread.

    Returns
    -------
    DataFrame
        One row per case: `COLUMNS`; ``rank`` 1 is the fastest of its model and length, baselines left out (0). Times in
        seconds, speeds in GiB/s.

    Raises
    ------
    aeadlab.errors.EmptyFigureError
        If there is no such case.
    """
    every = plain(samples, largest=False)
    rows = every[every["engine"].isin(["whole", "python"]) & every["threads"].eq(1)]
    if rows.empty:
        raise EmptyFigureError("the samples hold no whole message in one thread: measure the study message-sizes")
    table = case_medians(rows)
    counts = table["status"].eq("ok") & ~table["implementation"].map(is_baseline).astype(bool)
    rank = table[counts].groupby(["model", "bytes"], observed=True)["seconds"].rank(method="first")
    table["rank"] = rank.reindex(table.index).fillna(0).astype(np.int64)
    fastest = table.groupby("implementation", observed=True)["gib_per_s"].transform("max").fillna(0.0)
    table = table.assign(fastest=-fastest)
    keys = ["fastest", "implementation", "model", "bytes"]
    return table.sort_values(keys, kind="stable", ignore_index=True)[list(COLUMNS)]


def latencies(table: DataFrame) -> DataFrame:
    """Start-up time, asymptotic rate and half-performance length of each implementation and model.

    Parameters
    ----------
    table
        What `message_size_table` gives. Messages longer than `IN_CACHE` are left out.

    Returns
    -------
    DataFrame
        `LATENCY_COLUMNS`, the shortest start-up first; see `aeadlab.stats.latency.Latency`. Cases of fewer than three
        lengths have no row.
    """
    found = []
    of = table[table["status"].eq("ok") & table["bytes"].le(IN_CACHE)]
    for (name, engine, model), rows in of.groupby(["implementation", "engine", "model"], observed=True):
        if rows["bytes"].nunique() < 3:
            continue
        fit = fit_latency(rows["bytes"], rows["seconds"])
        numbers = (1e9 * fit.startup_seconds, fit.bytes_per_second / 2**30, fit.half_bytes, fit.worst_residual)
        found.append((name, engine, model, *numbers, len(rows)))
    return DataFrame(found, columns=list(LATENCY_COLUMNS)).sort_values("startup_ns", ignore_index=True)


def crossovers(table: DataFrame) -> DataFrame:
    """Which implementation is fastest at which length: a row for each run of lengths that one leads, for each model.

    Returns
    -------
    DataFrame
        ``model``, ``from_bytes``, ``to_bytes``, ``implementation``, and ``ahead`` (time of the second over its own, the
        least in that run; NaN where one alone was measured). Lengths that few have are left out: who leads there is
        whoever was measured.
    """
    found: list[dict[str, Any]] = []
    ranked = table[table["rank"].gt(0)]
    common = ranked["bytes"].isin(_common(ranked))
    for (model, length), rows in ranked[common].groupby(["model", "bytes"], observed=True):
        first, *others = each(rows.sort_values("rank").head(2))
        ahead = float(others[0].seconds / first.seconds) if others else float("nan")
        last = found[-1] if found else {}
        if (last.get("model"), last.get("implementation")) == (model, first.implementation):
            last |= {"to_bytes": length, "ahead": min(last["ahead"], ahead)}
        else:
            found.append({"model": model, "from_bytes": length, "to_bytes": length,
                          "implementation": first.implementation, "ahead": ahead})  # fmt: skip
    return DataFrame(found, columns=["model", "from_bytes", "to_bytes", "implementation", "ahead"])


def beside_rust(samples: DataFrame, published: DataFrame, venue: str = "lncs") -> tuple[Figure, DataFrame]:
    """Draw the document's table beside ours: times over ring's AES-256-GCM of the same length, the key set up before.

    Parameters, returns and errors are those of `aeadlab.figures.beside.beside`; `published` is
    `aeadlab.published.load` of the document.
    """
    table = rows_of(published, ["time"])
    found = pairs(
        samples, table.sort_values("bytes", kind="stable"),
        lambda row: (size_name(int(row.bytes)), f"{row.library}/{row.algorithm}"),
        lambda row: _case(f"{row.library}/{row.algorithm}", int(row.bytes)),
        lambda row: _case(_BASE, int(row.bytes)),
    )  # fmt: skip
    note = (
        f"The document measured in 2021 {_MACHINE}, with ring 0.16.20, aes-gcm 0.9.4 and chacha20poly1305 0.8.2 of "
        "that year: in place, and with 32 bytes of associated data, which weigh on the shortest message."
    )
    return beside(found, f"time (\N{MULTIPLICATION SIGN} {_BASE})", note, venue)


def beside_openssl_speed(samples: DataFrame, published: DataFrame, venue: str = "lncs") -> tuple[Figure, DataFrame]:
    """Draw the document's two runs of ``openssl speed`` beside the system's OpenSSL here: times over that of 16 KiB.

    Parameters, returns and errors are those of `aeadlab.figures.beside.beside`.
    """
    table = rows_of(published, ["throughput"])
    table = table[table["variant"].eq("openssl speed")]
    # A speed says how long a message takes.
    table = table.assign(seconds=table["bytes"].astype(float) / (table["value"].astype(float) * 1e3))
    found = pairs(
        samples, table,
        lambda row: (str(row.algorithm), size_name(int(row.bytes))),
        lambda row: _case(f"{_SYSTEM}/{row.algorithm}", int(row.bytes)),
        lambda row: _case(f"{_SYSTEM}/{row.algorithm}", _LONGEST_OF_SPEED),
    )  # fmt: skip
    note = (
        f"The document ran OpenSSL 1.1.1f of 2020, compiled in 2021, {_MACHINE}. Its loop makes no tag and sets no "
        "nonce, which each message here has: the shorter, the more that weighs."
    )
    return beside(found, f"time of a message (\N{MULTIPLICATION SIGN} {size_name(_LONGEST_OF_SPEED)})", note, venue)


def _case(name: str, length: int) -> dict[str, Any]:
    return {"implementation": name, "bytes": length, "model": "keyed", "op": "seal", "engine": "whole"}


def _common(rows: DataFrame) -> list[int]:
    """Lengths that most implementations have; a few have others besides, such as one of `openssl speed`."""
    counts = rows.groupby("bytes", observed=True)["implementation"].nunique()
    return [int(length) for length in counts.index[counts > counts.max() / 2]]


def _curves(rows: DataFrame, column: str, scale: float) -> list[Curve]:
    found = []
    for name, of in rows.groupby("implementation", sort=False, observed=True):
        of = of.sort_values("bytes")
        values, low, high = ((scale * of[f"{column}{end}"]).tolist() for end in ("", "_low", "_high"))
        found.append(Curve(look(str(name)), of["bytes"].tolist(), values, low, high))
    return found
