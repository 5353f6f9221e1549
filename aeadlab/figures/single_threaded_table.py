"""The table behind the single-threaded figures: one row per bar, measured or absent, and what is published."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

import numpy as np
import pandas as pd
from pandas import DataFrame

from aeadlab.errors import EmptyFigureError
from aeadlab.figures.plain import BASELINES, MEMCPY, each, is_baseline, shares_of_memcpy
from aeadlab.published import settled
from aeadlab.stats.pairing import relative_speed
from aeadlab.stats.roofline import limit_rows
from aeadlab.stats.selection import CASE_COLUMNS, require_columns, usable
from aeadlab.stats.summary import summary

REFERENCE: Final = "openssl/aes-256-gcm"
"""Each document's times, and ours, are put in relation to this implementation's whole-message seal."""

MEMORY_LIMITS_FROM: Final = 0.85
"""Share of memcpy's speed from which an AEAD is called limited by memory."""

COLUMNS: Final = (
    "implementation", "kind", "engine", "model", "op", "bytes", "block_size", "threads", "schedule", "placement",
    "status", "n", "seconds", "seconds_low", "seconds_high", "gib_per_s", "cycles_per_byte", "share_of_memcpy",
    "overhead_percent", "overhead_percent_low", "overhead_percent_high",
    "relative_time", "relative_time_low", "relative_time_high",
    "published_document", "published_hardware", "published_bytes",
    "published_seconds", "published_overhead_percent", "published_relative_time",
)  # fmt: skip

_BASELINE_OPS: Final = ("seal", "encrypt", "open", "decrypt")

# What tells the bars of one figure apart.
_KEY: Final = ["implementation", "engine", "op", "block_size", "schedule"]
_TEXT_COLUMNS: Final = tuple(c for c in CASE_COLUMNS if c not in ("bytes", "block_size", "threads", "replica"))
_Bar: TypeAlias = tuple[str, str, str, int, str]


def single_threaded_table(samples: DataFrame, ops: Sequence[str], published: DataFrame | None = None) -> DataFrame:
    """Tabulate the single-threaded cases of the largest message, ParSplit with one thread beside the whole message.

    Parameters
    ----------
    samples
        One row per sample, as a record gives when it is loaded. Replica 1 of an A/A pair, other sizes and more
        threads are left out; of two placements ``separate`` is taken, and of memcpy the fastest case, which is the
        limit. Where a bar was measured under both models the model of most bars is taken, and ``oneshot``, which is
        the main paper's, when they tie.
    ops
        ``("seal", "open")`` for AEADs, ``("digest",)`` for hashes and MACs.
    published
        Rows of `aeadlab.published.load`. Its implementations are expected to be there: a row says so if they are not.

    Returns
    -------
    DataFrame
        `COLUMNS`. The baselines first, then each implementation, the fastest first. ``status`` is ``ok``,
        ``not measured`` or ``failed: why``; the numbers of rows that are not ``ok`` are NaN. Times in seconds;
        ``share_of_memcpy`` as `aeadlab.stats.roofline_share` has it, and 1 for memcpy itself. ``overhead_percent`` of
        ParSplit over the whole message, and ``relative_time`` to the whole-message seal of `REFERENCE`, are medians of
        ratios paired by round, with 95 % intervals.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If a column is missing, or no case fits.
    """
    require_columns(samples, [*CASE_COLUMNS, "round", "seconds", "warmup", "status"])
    # Records may hold categories, which keep what is not there and group differently.
    samples = samples.astype(dict.fromkeys((*_TEXT_COLUMNS, "status"), str))
    rows = _of_one_model(_of_one_memcpy(_of_one_size(samples, tuple(ops))))
    measured = _measured(rows, shares_of_memcpy(samples))
    relations = published_relations(published)
    expected = _expected(rows, measured, tuple(ops), {name for name, _, op in relations if op in ops})
    table = measured.reindex(pd.MultiIndex.from_tuples(expected, names=_KEY)).reset_index()
    table["bytes"], table["threads"] = int(rows["bytes"].iloc[0]), 1
    # The row that says why comes after the samples that a case gave before it failed.
    failed = rows[rows["status"] != "ok"].drop_duplicates(_KEY, keep="last").set_index(_KEY)["status"].to_dict()
    missing = table["n"].isna()
    reasons = [failed.get(bar, "not measured") for bar in expected]
    table["status"] = np.where(missing, reasons, "ok")
    beside = [relations.get((bar[0], bar[1].replace("python", "whole"), bar[2]), {}) for bar in expected]
    table = pd.concat([table, DataFrame(beside, index=table.index)], axis=1).reindex(columns=list(COLUMNS))
    for column in ("n", "published_bytes"):
        table[column] = table[column].astype("Int64")
    return table


def _of_one_size(samples: DataFrame, ops: tuple[str, ...]) -> DataFrame:
    """Samples of the largest message: the cases wanted, the baselines, and the reference."""
    plain = (samples["cache"] == "warm") & (samples["mask"] == "")
    rows = samples[plain & (samples["threads"] == 1) & (samples["replica"] == 0)]
    moving = rows["algorithm"].isin(BASELINES)
    wanted = rows["op"].isin(ops) & ~moving
    if not wanted.any():
        raise EmptyFigureError(
            f"the samples hold no single-threaded case with op {' or '.join(ops)}; "
            "measure the study that the figure belongs to, or pass its whole record"
        )
    moved = (rows["engine"] != "parsplit") | (rows["implementation"] == MEMCPY)
    baseline = moving & rows["op"].isin(_BASELINE_OPS) & moved
    reference = (rows["implementation"] == REFERENCE) & (rows["op"] == "seal") & (rows["engine"] == "whole")
    kept: DataFrame = rows[(baseline | wanted | reference) & (rows["bytes"] == rows.loc[wanted, "bytes"].max())]
    separate = kept["placement"] == "separate"
    return kept[separate] if separate.any() else kept


def _of_one_memcpy(rows: DataFrame) -> DataFrame:
    """Of memcpy the case that is the limit; the one over the whole message where none is."""
    memcpy = rows["implementation"] == MEMCPY
    limit = limit_rows(rows[memcpy])
    shown = rows[_KEY].eq(limit[_KEY].iloc[0]).all(axis=1) if len(limit) else rows["engine"] != "parsplit"
    return rows[shown | ~memcpy]


def _of_one_model(rows: DataFrame) -> DataFrame:
    """Samples of one model for each bar."""
    bars = rows[[*_KEY, "model"]].drop_duplicates()
    counts = bars["model"].value_counts()
    usual = "oneshot" if counts.get("oneshot", 0) >= counts.max() else str(counts.index[0])
    chosen = bars.assign(other=bars["model"] != usual).sort_values(["other", "model"], kind="stable")
    return rows.merge(chosen.drop_duplicates(_KEY)[[*_KEY, "model"]], on=[*_KEY, "model"])


def _measured(rows: DataFrame, shares: DataFrame) -> DataFrame:
    """What was measured of each bar, indexed by `_KEY`."""
    found = summary(rows).rename(columns={"median": "seconds", "low": "seconds_low", "high": "seconds_high"})
    found = found.merge(shares, on=list(CASE_COLUMNS), how="left")
    found.loc[found["implementation"] == MEMCPY, "share_of_memcpy"] = 1.0
    counted = usable(rows, [*_KEY, "round", "seconds"])
    whole, split = counted[counted["engine"] == "whole"], counted[counted["engine"] == "parsplit"]
    reference = whole[(whole["implementation"] == REFERENCE) & (whole["op"] == "seal")]
    relative = _relative_time(counted[~counted["implementation"].map(is_baseline).astype(bool)], reference, [])
    overhead = 100 * (_relative_time(split, whole, ["implementation", "op"]) - 1)
    return (
        found.set_index(_KEY).join(relative.add_prefix("relative_time")).join(overhead.add_prefix("overhead_percent"))
    )


def _relative_time(cases: DataFrame, reference: DataFrame, on: list[str]) -> DataFrame:
    """Time of each case over that of its reference, in columns ``""``, ``_low`` and ``_high``, indexed by `_KEY`."""
    speed = relative_speed(cases, reference, _KEY, on).set_index(_KEY)
    return DataFrame({"": 1 / speed["ratio"], "_low": 1 / speed["high"], "_high": 1 / speed["low"]})


def _expected(rows: DataFrame, measured: DataFrame, ops: tuple[str, ...], published: set[str]) -> list[_Bar]:
    """The bars of the figure in their order, whether they were measured or not."""
    bars = rows[[*_KEY, "algorithm"]].drop_duplicates()
    moving = bars["algorithm"].isin(BASELINES)
    wanted = bars[~moving & bars["op"].isin(ops)]
    engines = {str(name): set(group) for name, group in bars.groupby("implementation", observed=True)["engine"]}
    expected: list[_Bar] = []
    for algorithm in BASELINES:
        for row in each(_first_op(bars[bars["algorithm"] == algorithm])):
            expected.append((row.implementation, row.engine, row.op, row.block_size, row.schedule))
    split = wanted[wanted["engine"] == "parsplit"]
    splits = {op: sorted({(row.block_size, row.schedule) for row in each(split[split["op"] == op])}) for op in ops}
    seconds = measured["seconds"].to_dict()

    def whole(name: str, op: str) -> _Bar:
        return (name, "python" if engines.get(name) == {"python"} else "whole", op, 0, "")

    names = published | {str(name) for name in wanted["implementation"]}
    for name in sorted(names, key=lambda name: (seconds.get(whole(name, ops[0]), np.inf), name)):
        for op in ops:
            bar = whole(name, op)
            expected.append(bar)
            if bar[1] == "whole":
                expected += [(name, "parsplit", op, block_size, schedule) for block_size, schedule in splits[op]]
    return expected


def _first_op(bars: DataFrame) -> DataFrame:
    """One bar per implementation: a baseline does the same in every op."""
    rank = bars["op"].map(_BASELINE_OPS.index)
    return bars.assign(rank=rank).sort_values(["implementation", "rank"]).drop_duplicates("implementation")


def published_relations(published: DataFrame | None) -> dict[tuple[str, str, str], dict[str, object]]:
    """What a document prints of single-threaded runs, and what follows from it, by implementation, engine and op.

    The columns ``published_...`` of `single_threaded_table`; empty without a document.
    """
    if published is None:
        return {}
    rows = settled(published)
    rows = rows[(rows["threads"] == 1).fillna(False).astype(bool)]
    whole = rows[(rows["quantity"] == "median time") & (rows["variant"] == "whole")]
    split = rows[(rows["quantity"] == "overhead") & (rows["variant"] == "parsplit")]
    times = {(row.implementation, row.operation): float(row.seconds) for row in each(whole)}
    own = times.get((REFERENCE, "seal"), np.nan)
    relations: dict[tuple[str, str, str], dict[str, object]] = {}
    for row in (*each(whole), *each(split)):
        seconds, overhead = times.get((row.implementation, row.operation), np.nan), np.nan
        if row.variant == "parsplit":
            overhead = float(row.value)
            seconds *= 1 + overhead / 100
        relations[row.implementation, row.variant, row.operation] = {
            "published_document": row.document, "published_hardware": row.hardware, "published_bytes": row.bytes,
            "published_seconds": seconds, "published_overhead_percent": overhead,
            "published_relative_time": seconds / own,
        }  # fmt: skip
    return relations
