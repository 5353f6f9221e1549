"""Time and speed by message length, with key set-up and without: the document *Rust*."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

import numpy as np
from matplotlib.figure import Figure
from pandas import DataFrame

from aeadlab.display.units import significant, size_name
from aeadlab.errors import EmptyFigureError
from aeadlab.figures import style
from aeadlab.figures.curves import LIMIT, Curve, Panel, columns_of, curve, draw_panels, emphasise
from aeadlab.figures.published_comparison import published_comparison
from aeadlab.figures.published_pairs import published_pairs
from aeadlab.figures.ticks import size_ticks
from aeadlab.stats.latency import fit_latency
from aeadlab.stats.roofline import ordinary_limit
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

_LIBRARIES_OF_A_PANEL: Final = 3
"""Number of libraries from which an algorithm has a panel of its own."""

_BASELINE: Final = "ring/aes-256-gcm"
_SYSTEM: Final = "openssl-system"
_LONGEST_OF_SPEED: Final = 16 << 10
_MACHINE: Final = "on an Intel Xeon Platinum 8272CL in a virtual machine"


def message_size_times(samples: DataFrame, venue: str = "lncs") -> tuple[Figure, DataFrame]:
    """Draw speed by message length with the key set up before, and the speed relative to the fastest library below.

    A panel has the libraries of one algorithm; algorithms of fewer than three libraries share one. Up to seven are
    coloured, first those that the study names, then the fastest; the others are grey. The table is that of
    `message_size_table`, with all implementations and models.
    """
    space = style.venue(venue)
    table = message_size_table(samples)
    has_keyed = table.groupby("implementation", observed=True)["model"].agg(lambda models: "keyed" in set(models))
    one_model = table["model"].eq("keyed") | ~table["implementation"].map(has_keyed).astype(bool)
    drawn = table[one_model & table["status"].eq("ok") & table["bytes"].gt(0)]
    if drawn.empty:
        raise EmptyFigureError("every whole message failed: see the status of each in message_size_table")
    drawn = drawn[drawn["bytes"].isin(_common_lengths(drawn))]
    limit = drawn[drawn["implementation"].eq(ordinary_limit(drawn["implementation"]))]
    rest = drawn[~drawn["implementation"].map(is_baseline).astype(bool)]
    parts = rest["implementation"].str.partition("/")[2].str.partition(".")
    rest = rest.assign(algorithm=parts[0], variant=parts[2])
    libraries = rest.groupby("algorithm", sort=False, observed=True)["implementation"].nunique()
    own = [name for name in libraries.index if libraries[name] >= _LIBRARIES_OF_A_PANEL]
    groups = {str(name): rest[rest["algorithm"].eq(name)] for name in own}
    others = rest[~rest["algorithm"].isin(own)]
    lengths = sorted(set(drawn["bytes"]))
    columns = columns_of(space, len(groups) + bool(len(others)))
    limits = lengths[0] / 1.4, lengths[-1] * 1.4
    pairs = [_size_panels(title, rows, limit, lengths, limits) for title, rows in groups.items()]
    panels: list[Panel | None] = []
    for start in range(0, len(pairs), columns):
        above, below = (list(half) for half in zip(*pairs[start : start + columns], strict=True))
        blank: list[Panel | None] = [None] * (columns - len(above))
        if len(others) and blank:
            blank[0], others = _size_panels("other algorithms", others, limit, lengths, limits)[0], others.iloc[:0]
        panels += [*above, *blank, *below, *([None] * len(blank))]
    if len(others):
        panels.append(_size_panels("other algorithms", others, limit, lengths, limits)[0])
    absent = sorted({str(name) for name in table["implementation"]} - {str(name) for name in drawn["implementation"]})
    dashed = "".join(f"; dashed: {name.partition('/')[2]}" for name in limit["implementation"].unique())
    sentences = [
        _fastest(rest[rest["algorithm"].isin(own)] if own else rest, lengths),
        f"Above: speed with 95 % intervals{dashed}. Below: share of the fastest library's speed.",
        "One thread, medians, the key set up before; grey: further libraries.",
        f"Absent: {', '.join(absent)}." if absent else "",
    ]
    return draw_panels(panels, space, sentences, columns=columns), table


def _size_panels(
    title: str, rows: DataFrame, limit: DataFrame, lengths: Sequence[int], limits: tuple[float, float]
) -> tuple[Panel, Panel]:
    """Return the panel of speeds, and that of speeds relative to the fastest of each length.

    The curves are named in the lower panel; of several algorithms, which have no lower panel, in the upper one.
    """
    fastest = rows.groupby("bytes", observed=True)["gib_per_s"].transform("max")
    rows = rows.assign(share=rows["gib_per_s"] / fastest, share_low=np.nan, share_high=np.nan)
    by_name = {str(name): own.sort_values("bytes") for name, own in rows.groupby("implementation", sort=False)}
    order = sorted(by_name, key=lambda name: name not in STUDY.named)
    several = rows["algorithm"].nunique() > 1
    names = {name: _short_name(own.iloc[0], several) for name, own in by_name.items()}
    speeds = [curve(by_name[name], "bytes", "gib_per_s", name=names[name] * several) for name in order]
    shares = [curve(by_name[name], "bytes", "share", 100.0, names[name]) for name in order]
    dashed = [
        Curve(LIMIT, own["bytes"].tolist(), own["gib_per_s"].tolist(), name=str(name).partition("/")[2])
        for name, own in limit.groupby("implementation", observed=True)
    ]
    panel = partial(Panel, ticks=size_ticks(lengths), limits=limits)
    above = panel(title, "message" * several, "speed (GiB/s)", [*emphasise(speeds), *dashed], height=1.3)
    below = panel(
        "", "message", "of fastest (%)", emphasise(shares), y_scale="linear", y_limits=(0.0, 105.0), height=1.0
    )  # fmt: skip
    return above, below


def _short_name(row: Any, with_algorithm: bool) -> str:
    library = str(row.implementation).partition("/")[0] + f", {row.variant}" * bool(row.variant)
    return f"{row.algorithm}\n({library})" if with_algorithm else library


def _fastest(rows: DataFrame, lengths: Sequence[int]) -> str:
    """Return a sentence with the fastest library of each algorithm for the shortest and for the longest messages."""
    ends = [
        rows[rows["bytes"].eq(length)].sort_values("seconds").drop_duplicates("algorithm").set_index("algorithm")
        for length in (lengths[0], lengths[-1])
    ]
    found = [
        f"{name} {_library(ends[0], name)} ({significant(1e9 * ends[0]['seconds'][name])} ns) and "
        f"{_library(ends[1], name)} ({significant(ends[1]['gib_per_s'][name])} GiB/s)"
        for name in ends[0].index.intersection(ends[1].index)
    ]
    return f"Fastest for {size_name(lengths[0])} and {size_name(lengths[-1])}: {'; '.join(found[:3])}."


def _library(rows: DataFrame, algorithm: str) -> str:
    return str(rows["implementation"][algorithm]).partition("/")[0]


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
    axis_label = f"time of a message (\N{MULTIPLICATION SIGN} that of {size_name(_LONGEST_OF_SPEED)})"
    return published_comparison(pairs, axis_label, note, venue)


def _case(name: str, length: int) -> dict[str, Any]:
    return {"implementation": name, "bytes": length, "model": "keyed", "op": "seal", "engine": "whole"}


def _common_lengths(rows: DataFrame) -> list[int]:
    """Return the lengths that most implementations have; a few have others too, such as one of `openssl speed`."""
    counts = rows.groupby("bytes", observed=True)["implementation"].nunique()
    return [int(length) for length in counts.index[counts > counts.max() / 2]]


FIGURES: Final = {
    "message-sizes": message_size_times,
    "message-sizes-published": published_message_times,
    "message-sizes-openssl-speed": published_openssl_speed,
}
