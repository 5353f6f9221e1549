"""The table of the single-threaded figures: one row per bar, measured or absent, with the published numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeAlias

import numpy as np
import pandas as pd
from pandas import DataFrame

from aeadlab.errors import EmptyFigureError
from aeadlab.parsplit.schedules import ETH_PAPER
from aeadlab.stats.roofline import COPIES, LIMIT_SHARES, MEMCPY, limit_rows, limit_shares, ordinary_limit
from aeadlab.stats.selection import (
    BASELINES,
    CASE_COLUMNS,
    TEXT_COLUMNS,
    default_conditions,
    is_baseline,
    named_rows,
    require_columns,
    usable,
)
from aeadlab.stats.summary import summary
from aeadlab.studies.tables import relative_time
from aeadlab.verdicts.published import without_duplicates

REFERENCE: Final = "openssl/aes-256-gcm"
"""Relative times, published and measured, are over the time in which it seals the whole message."""

MEMORY_LIMITS_FROM: Final = 0.85
"""Share of the memory limit from which an AEAD counts as limited by memory."""

COLUMNS: Final = (
    "implementation", "kind", "engine", "model", "op", "bytes", "block_size", "threads", "schedule", "placement",
    "status", "n", "seconds", "seconds_low", "seconds_high", "gib_per_s", "cycles_per_byte", "share_of_memcpy",
    *LIMIT_SHARES[:2],
    "overhead_percent", "overhead_percent_low", "overhead_percent_high",
    "relative_time", "relative_time_low", "relative_time_high",
    "published_document", "published_hardware", "published_bytes",
    "published_seconds", "published_overhead_percent", "published_relative_time",
)  # fmt: skip

_BASELINE_OPS: Final = ("seal", "encrypt", "open", "decrypt")

# Columns that identify a bar of a figure.
_KEY: Final = ["implementation", "engine", "op", "block_size", "schedule"]
_Bar: TypeAlias = tuple[str, str, str, int, str]


def single_threaded_table(samples: DataFrame, ops: Sequence[str], published: DataFrame | None = None) -> DataFrame:
    """Tabulate the single-threaded cases of the largest message: whole messages, and ParSplit with one thread.

    The baselines are first, then each implementation, the fastest first. ``share_of_memcpy`` and ``share_of_limit``
    are those of `aeadlab.stats.roofline.limit_shares`; the former is 1 for memcpy itself, and the latter for the limit
    of ciphers with ordinary stores. ``overhead_percent`` is the additional time under ParSplit, and ``relative_time``
    the time over that in which `REFERENCE` seals the whole message.

    Of two placements ``separate`` is used, and of each copy the fastest case. Where a bar was measured
    under both models, the model of most bars is used, and in a tie ``oneshot``, the main paper's.

    Parameters
    ----------
    ops
        ``("seal", "open")`` for AEADs, ``("digest",)`` for hashes and MACs.
    published
        Rows of `aeadlab.verdicts.published.load`. Its implementations are expected: those that were not measured have
        a row with status ``not measured``.
    """
    require_columns(samples, [*CASE_COLUMNS, "round", "seconds", "warmup", "status"])
    # Categories would add groups without samples.
    samples = samples.astype(dict.fromkeys((*TEXT_COLUMNS, "status"), str))
    rows = _of_one_model(_of_fastest_copies(_of_one_size(samples, tuple(ops))))
    measured = _measured(rows, limit_shares(samples))
    by_case = published_by_case(published)
    expected = _expected(rows, measured, tuple(ops), {name for name, _, op in by_case if op in ops})
    table = measured.reindex(pd.MultiIndex.from_tuples(expected, names=_KEY)).reset_index()
    table["bytes"], table["threads"] = int(rows["bytes"].iloc[0]), 1
    # The row with the reason follows the samples taken before the failure.
    failed = rows[rows["status"] != "ok"].drop_duplicates(_KEY, keep="last").set_index(_KEY)["status"].to_dict()
    missing = table["n"].isna()
    reasons = [failed.get(bar, "not measured") for bar in expected]
    table["status"] = np.where(missing, reasons, "ok")
    columns = [by_case.get((bar[0], bar[1].replace("python", "whole"), bar[2]), {}) for bar in expected]
    table = pd.concat([table, DataFrame(columns, index=table.index)], axis=1).reindex(columns=list(COLUMNS))
    for column in ("n", "published_bytes"):
        table[column] = table[column].astype("Int64")
    return table


def _of_one_size(samples: DataFrame, ops: tuple[str, ...]) -> DataFrame:
    """Return the samples of the largest message: the cases with these ops, the baselines, and the reference."""
    rows = samples[default_conditions(samples, ignore=("placement",)) & (samples["threads"] == 1)]
    moving = rows["algorithm"].isin(BASELINES)
    selected = rows["op"].isin(ops) & ~moving
    if not selected.any():
        raise EmptyFigureError(
            f"the samples hold no single-threaded case with op {' or '.join(ops)}; "
            "measure the study that the figure belongs to, or pass its whole record"
        )
    moved = (rows["engine"] != "parsplit") | rows["implementation"].isin(COPIES)
    baseline = moving & rows["op"].isin(_BASELINE_OPS) & moved
    reference = (rows["implementation"] == REFERENCE) & (rows["op"] == "seal") & (rows["engine"] == "whole")
    kept: DataFrame = rows[(baseline | selected | reference) & (rows["bytes"] == rows.loc[selected, "bytes"].max())]
    separate = kept["placement"] == "separate"
    return kept[separate] if separate.any() else kept


def _of_fastest_copies(rows: DataFrame) -> DataFrame:
    """Keep the fastest case of each copy, or the one over the whole message of a copy without samples."""
    for name in COPIES:
        copy = rows["implementation"] == name
        fastest = limit_rows(rows[copy], [[name]])
        shown = rows[_KEY].eq(fastest[_KEY].iloc[0]).all(axis=1) if len(fastest) else rows["engine"] != "parsplit"
        rows = rows[shown | ~copy]
    return rows


def _of_one_model(rows: DataFrame) -> DataFrame:
    """Keep the samples of one model for each bar."""
    bars = rows[[*_KEY, "model"]].drop_duplicates()
    counts = bars["model"].value_counts()
    usual = "oneshot" if counts.get("oneshot", 0) >= counts.max() else str(counts.index[0])
    chosen = bars.assign(other=bars["model"] != usual).sort_values(["other", "model"], kind="stable")
    return rows.merge(chosen.drop_duplicates(_KEY)[[*_KEY, "model"]], on=[*_KEY, "model"])


def _measured(rows: DataFrame, shares: DataFrame) -> DataFrame:
    """Return medians and ratios of each bar, indexed by `_KEY`."""
    medians = summary(rows).rename(columns={"median": "seconds", "low": "seconds_low", "high": "seconds_high"})
    medians = medians.merge(shares, on=list(CASE_COLUMNS), how="left")
    medians.loc[medians["implementation"] == MEMCPY, "share_of_memcpy"] = 1.0
    medians.loc[medians["implementation"] == ordinary_limit(medians["implementation"]), "share_of_limit"] = 1.0
    timed = usable(rows, [*_KEY, "process", "round", "seconds"])
    whole, split = timed[timed["engine"] == "whole"], timed[timed["engine"] == "parsplit"]
    reference = whole[(whole["implementation"] == REFERENCE) & (whole["op"] == "seal")]
    others = timed[~timed["implementation"].map(is_baseline).astype(bool)]
    relative = relative_time(others, reference, [], "relative_time", _KEY)
    overhead = relative_time(split, whole, ["implementation", "op"], "overhead_percent", _KEY, percent=True)
    return medians.merge(relative, on=_KEY, how="left").merge(overhead, on=_KEY, how="left").set_index(_KEY)


def _expected(rows: DataFrame, measured: DataFrame, ops: tuple[str, ...], published: set[str]) -> list[_Bar]:
    """Return the bars of the figure in order, measured or not."""
    bars = rows[[*_KEY, "algorithm"]].drop_duplicates()
    moving = bars["algorithm"].isin(BASELINES)
    selected = bars[~moving & bars["op"].isin(ops)]
    engines = {str(name): set(group) for name, group in bars.groupby("implementation", observed=True)["engine"]}
    expected: list[_Bar] = []
    for algorithm in BASELINES:
        for row in named_rows(_first_op(bars[bars["algorithm"] == algorithm])):
            expected.append((row.implementation, row.engine, row.op, row.block_size, row.schedule))
    split = selected[selected["engine"] == "parsplit"]
    splits = {op: sorted({_split_of(row) for row in named_rows(split[split["op"] == op])}) for op in ops}
    present = {(row.implementation, row.op, _split_of(row)) for row in named_rows(split)}
    seconds = measured["seconds"].to_dict()

    def whole(name: str, op: str) -> _Bar:
        return (name, "python" if engines.get(name) == {"python"} else "whole", op, 0, "")

    names = published | {str(name) for name in selected["implementation"]}
    for name in sorted(names, key=lambda name: (seconds.get(whole(name, ops[0]), np.inf), name)):
        for op in ops:
            bar = whole(name, op)
            expected.append(bar)
            if bar[1] == "whole":
                # Only what the paper splits is measured as published.
                own = [s for s in splits[op] if s[1] != ETH_PAPER or name in published or (name, op, s) in present]
                expected += [(name, "parsplit", op, block_size, schedule) for block_size, schedule in own]
    return expected


def _split_of(row: Any) -> tuple[int, str]:
    return row.block_size, row.schedule


def _first_op(bars: DataFrame) -> DataFrame:
    """Return one bar per implementation, since a baseline does the same in every op."""
    rank = bars["op"].map(_BASELINE_OPS.index)
    return bars.assign(rank=rank).sort_values(["implementation", "rank"]).drop_duplicates("implementation")


def published_by_case(published: DataFrame | None) -> dict[tuple[str, str, str], dict[str, object]]:
    """Return the columns ``published_...`` of `single_threaded_table` by implementation, engine and op.

    Without a document the result is empty.
    """
    if published is None:
        return {}
    rows = without_duplicates(published)
    rows = rows[(rows["threads"] == 1).fillna(False).astype(bool)]
    whole = rows[(rows["quantity"] == "median time") & (rows["variant"] == "whole")]
    split = rows[(rows["quantity"] == "overhead") & (rows["variant"] == "parsplit")]
    times = {(row.implementation, row.operation): float(row.seconds) for row in named_rows(whole)}
    own = times.get((REFERENCE, "seal"), np.nan)
    by_case: dict[tuple[str, str, str], dict[str, object]] = {}
    for row in (*named_rows(whole), *named_rows(split)):
        seconds, overhead = times.get((row.implementation, row.operation), np.nan), np.nan
        if row.variant == "parsplit":
            overhead = float(row.value)
            seconds *= 1 + overhead / 100
        by_case[row.implementation, row.variant, row.operation] = {
            "published_document": row.document, "published_hardware": row.hardware, "published_bytes": row.bytes,
            "published_seconds": seconds, "published_overhead_percent": overhead,
            "published_relative_time": seconds / own,
        }  # fmt: skip
    return by_case
