"""The table of two computers: all cases, with times relative to OpenSSL on the same computer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import pandas as pd
from pandas import DataFrame

from aeadlab.errors import ArgumentError
from aeadlab.stats.pairing import relative_speed
from aeadlab.stats.roofline import shares_of_memcpy
from aeadlab.stats.selection import TEXT_COLUMNS, default_cases, is_baseline, named_rows, usable
from aeadlab.stats.summary import summary
from aeadlab.studies.eth.baselines.table import REFERENCE, published_by_case

KEY: Final = ["implementation", "engine", "model", "op", "block_size", "threads", "schedule"]
"""Columns that identify a case on both computers; the message length is not one, since times are relative."""

SIDES: Final = ("left", "right")

_SIDE_COLUMNS: Final = (
    "status", "bytes", "n", "seconds", "seconds_low", "seconds_high", "relative_time", "relative_time_low",
    "relative_time_high", "share_of_memcpy", "share_of_memcpy_low", "share_of_memcpy_high",
)  # fmt: skip

_PUBLISHED: Final = ("published_document", "published_hardware", "published_bytes", "published_relative_time")

COLUMNS: Final = (*KEY, *(f"{side}_{column}" for side in SIDES for column in _SIDE_COLUMNS), *_PUBLISHED)

_OPS: Final = ("seal", "open", "encrypt", "decrypt", "digest")


def two_computers_table(
    left: DataFrame, right: DataFrame, names: Sequence[str] = SIDES, published: DataFrame | None = None
) -> DataFrame:
    """Tabulate two records side by side.

    Parameters
    ----------
    left, right
        Samples of two records; only those that `default_cases` keeps are used. The message length is the largest that
        both have, or each record's largest where they have none in common.
    names
        Names of the records in messages.
    published
        Rows of `aeadlab.verdicts.published.load`, or None.

    Returns
    -------
    DataFrame
        `COLUMNS`, one row per case of either record: the baselines first, then the implementations, the fastest of the
        left record first. ``left_status`` and ``right_status`` are ``ok``, ``not measured`` or ``failed: reason``; the
        numbers of a side that is not ``ok`` are NaN, except the length of a failed case. Times are in seconds.
        ``..._relative_time`` is the time of the case over that of `REFERENCE` sealing the whole message in one thread,
        ``..._share_of_memcpy`` its speed over that of memcpy with as many threads, both in the same run. They are
        medians of ratios paired by round, with 95 % intervals.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If a column is missing, a record has no `REFERENCE`, or the two have no other case in common.
    """
    both = [_rows(samples) for samples in (left, right)]
    lengths = _common_lengths([_reference_lengths(rows, name) for rows, name in zip(both, names, strict=True)])
    sides = [_side(rows[rows["bytes"] == length]) for rows, length in zip(both, lengths, strict=True)]
    table = _joined(sides[0], sides[1])
    both_ok = table["left_status"].eq("ok") & table["right_status"].eq("ok")
    if not (both_ok & ~_is_reference(table)).any():
        measured = [", ".join(sorted(set(side["implementation"]))) for side in sides]
        raise ArgumentError(
            f"{names[0]} and {names[1]} have no case in common except {REFERENCE}: one has {measured[0]}, the other "
            f"{measured[1]}; measure the same study on both computers, such as `aeadlab measure baselines`"
        )
    by_case = published_by_case(published)
    columns = [
        by_case.get((row.implementation, row.engine, row.op), {}) if row.threads == 1 else {}
        for row in named_rows(table)
    ]
    table = pd.concat([table, DataFrame(columns, index=table.index)], axis=1).reindex(columns=list(COLUMNS))
    for column in ("left_bytes", "left_n", "right_bytes", "right_n", "published_bytes"):
        table[column] = table[column].astype("Int64")
    return table


def _rows(samples: DataFrame) -> DataFrame:
    rows = default_cases(samples, largest=False)
    # Categories would add groups without samples.
    return rows.astype(dict.fromkeys((*TEXT_COLUMNS, "status"), str))


def _is_reference(rows: DataFrame) -> pd.Series[bool]:
    whole = rows["engine"].eq("whole") & rows["threads"].eq(1)
    return whole & rows["implementation"].eq(REFERENCE) & rows["op"].eq("seal")


def _reference_lengths(rows: DataFrame, name: str) -> set[int]:
    """Return the lengths for which there is a reference.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If there is none.
    """
    references = rows[_is_reference(rows) & rows["status"].eq("ok") & ~rows["warmup"].astype(bool)]
    if references.empty:
        raise ArgumentError(
            f"{name} has no {REFERENCE} sealing a whole message in one thread, to which the times of each computer are "
            "relative: choose a record that has it, such as one of study baselines"
        )
    return {int(length) for length in references["bytes"].unique()}


def _common_lengths(sides: Sequence[set[int]]) -> tuple[int, int]:
    if common := sides[0] & sides[1]:
        return max(common), max(common)
    return max(sides[0]), max(sides[1])


def _side(rows: DataFrame) -> DataFrame:
    """Return the numbers of each case of one record."""
    cases = rows[KEY].drop_duplicates(ignore_index=True)
    medians = summary(rows, KEY).rename(columns={"median": "seconds", "low": "seconds_low", "high": "seconds_high"})
    timed = usable(rows, [*KEY, "process", "round", "seconds"])
    reference = timed[_is_reference(timed)]
    # One model: `keyed` where it was measured.
    speed = relative_speed(timed, reference[reference["model"] == reference["model"].min()], KEY, [])
    relative = speed[KEY].assign(
        relative_time=1 / speed["ratio"], relative_time_low=1 / speed["high"], relative_time_high=1 / speed["low"]
    )
    table = cases.merge(medians, on=KEY, how="left").merge(relative, on=KEY, how="left")
    table = table.merge(shares_of_memcpy(rows, KEY), on=KEY, how="left")
    # The row with the reason follows the samples taken before the failure.
    failures = rows[rows["status"] != "ok"].drop_duplicates(KEY, keep="last")[[*KEY, "status"]]
    table = table.merge(failures, on=KEY, how="left").assign(bytes=int(rows["bytes"].iloc[0]))
    table["status"] = np.where(table["n"].notna(), "ok", table["status"].fillna("not measured"))
    return table[[*KEY, *_SIDE_COLUMNS]]


def _joined(left: DataFrame, right: DataFrame) -> DataFrame:
    """Return the cases of both records in drawing order."""
    named = [
        side.rename(columns={c: f"{name}_{c}" for c in _SIDE_COLUMNS})
        for name, side in zip(SIDES, (left, right), strict=True)
    ]
    table = named[0].merge(named[1], on=KEY, how="outer")
    for name in SIDES:
        table[f"{name}_status"] = table[f"{name}_status"].fillna("not measured")
    fastest = table["left_relative_time"].fillna(table["right_relative_time"])
    fastest = fastest.where(table["engine"] != "parsplit").groupby(table["implementation"]).transform("min")
    baseline = table["implementation"].map(is_baseline).astype(bool)
    table = table.assign(
        _group=~baseline,
        _fastest=fastest.fillna(np.inf),
        _op=table["op"].map(_OPS.index),
        _split=table["engine"] == "parsplit",
    )
    order = ["_group", "_fastest", "implementation", "_op", "_split", "threads", "block_size", "schedule", "model"]
    return table.sort_values(order, kind="stable", ignore_index=True)
