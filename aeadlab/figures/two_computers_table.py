"""The table behind two computers beside each other: every case of either, relative to its own computer's OpenSSL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import pandas as pd
from pandas import DataFrame

from aeadlab.errors import ArgumentError
from aeadlab.figures.plain import each, is_baseline, plain, shares_of_memcpy
from aeadlab.figures.single_threaded_table import REFERENCE, published_relations
from aeadlab.stats.pairing import relative_speed
from aeadlab.stats.selection import CASE_COLUMNS, usable
from aeadlab.stats.summary import summary

KEY: Final = ["implementation", "engine", "model", "op", "block_size", "threads", "schedule"]
"""What makes a case on both computers: everything but the length of the message, which relations do without."""

SIDES: Final = ("left", "right")

_OF_A_SIDE: Final = (
    "status", "bytes", "n", "seconds", "seconds_low", "seconds_high", "relative_time", "relative_time_low",
    "relative_time_high", "share_of_memcpy", "share_of_memcpy_low", "share_of_memcpy_high",
)  # fmt: skip

_PUBLISHED: Final = ("published_document", "published_hardware", "published_bytes", "published_relative_time")

COLUMNS: Final = (*KEY, *(f"{side}_{column}" for side in SIDES for column in _OF_A_SIDE), *_PUBLISHED)

_OPS: Final = ("seal", "open", "encrypt", "decrypt", "digest")
_TEXT_COLUMNS: Final = [c for c in CASE_COLUMNS if c not in ("bytes", "block_size", "threads", "replica")]


def two_computers_table(
    left: DataFrame, right: DataFrame, names: Sequence[str] = SIDES, published: DataFrame | None = None
) -> DataFrame:
    """Tabulate two runs side by side.

    Parameters
    ----------
    left, right
        Samples of two records; those that `plain` keeps. Of the message lengths the largest is taken that both have,
        and if they have none in common, each one's largest.
    names
        What to call them in messages.
    published
        Rows of `aeadlab.published.load`, or None.

    Returns
    -------
    DataFrame
        `COLUMNS`, one row per case that either has, the baselines first, then each implementation, the fastest on the
        left first. ``left_status`` and ``right_status`` are ``ok``, ``not measured`` or ``failed: why``; the numbers of
        a side that is not ``ok`` are NaN. Times in seconds; ``..._relative_time`` is to the same run's `REFERENCE`
        sealing the whole message in one thread, ``..._share_of_memcpy`` to the same run's memcpy with as many threads.
        Both are medians of ratios paired by round, with 95 % intervals.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If a column is missing, a side has no `REFERENCE`, or the two have no other case in common.
    """
    both = [_rows(samples) for samples in (left, right)]
    lengths = _lengths([_reference(rows, name) for rows, name in zip(both, names, strict=True)])
    sides = [_side(rows[rows["bytes"] == length]) for rows, length in zip(both, lengths, strict=True)]
    table = _joined(sides[0], sides[1])
    good = table["left_status"].eq("ok") & table["right_status"].eq("ok")
    if not (good & ~_is_reference(table)).any():
        have = [", ".join(sorted(set(side["implementation"]))) for side in sides]
        raise ArgumentError(
            f"{names[0]} and {names[1]} have no case in common but {REFERENCE}: the one has {have[0]}, the other "
            f"{have[1]}; measure the same study on both computers, such as `aeadlab measure baselines`"
        )
    relations = published_relations(published)
    beside = [
        relations.get((row.implementation, row.engine, row.op), {}) if row.threads == 1 else {} for row in each(table)
    ]
    table = pd.concat([table, DataFrame(beside, index=table.index)], axis=1).reindex(columns=list(COLUMNS))
    for column in ("left_bytes", "left_n", "right_bytes", "right_n", "published_bytes"):
        table[column] = table[column].astype("Int64")
    return table


def _rows(samples: DataFrame) -> DataFrame:
    rows = plain(samples, largest=False)
    # Records may hold categories, which keep what is not there and group differently.
    return rows.astype(dict.fromkeys((*_TEXT_COLUMNS, "status"), str))


def _is_reference(rows: DataFrame) -> pd.Series[bool]:
    whole = rows["engine"].eq("whole") & rows["threads"].eq(1)
    return whole & rows["implementation"].eq(REFERENCE) & rows["op"].eq("seal")


def _reference(rows: DataFrame, name: str) -> set[int]:
    """Lengths for which there is a reference.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If there is none.
    """
    found = rows[_is_reference(rows) & rows["status"].eq("ok") & ~rows["warmup"].astype(bool)]
    if found.empty:
        raise ArgumentError(
            f"{name} has no {REFERENCE} sealing a whole message in one thread, to which the times of each computer are "
            "put in relation: choose a record that has it, such as one of study baselines"
        )
    return {int(length) for length in found["bytes"].unique()}


def _lengths(of_both: Sequence[set[int]]) -> tuple[int, int]:
    if common := of_both[0] & of_both[1]:
        return max(common), max(common)
    return max(of_both[0]), max(of_both[1])


def _side(rows: DataFrame) -> DataFrame:
    """What one run says of each of its cases."""
    cases = rows[KEY].drop_duplicates(ignore_index=True)
    found = summary(rows, KEY).rename(columns={"median": "seconds", "low": "seconds_low", "high": "seconds_high"})
    counted = usable(rows, [*KEY, "round", "seconds"])
    reference = counted[_is_reference(counted)]
    # One model of it: `keyed` where there is one.
    speed = relative_speed(counted, reference[reference["model"] == reference["model"].min()], KEY, [])
    relative = speed[KEY].assign(
        relative_time=1 / speed["ratio"], relative_time_low=1 / speed["high"], relative_time_high=1 / speed["low"]
    )
    table = cases.merge(found, on=KEY, how="left").merge(relative, on=KEY, how="left")
    table = table.merge(shares_of_memcpy(rows, KEY), on=KEY, how="left")
    # The row that says why comes after the samples that a case gave before it failed.
    bad = rows[rows["status"] != "ok"].drop_duplicates(KEY, keep="last")[[*KEY, "status"]]
    table = table.merge(bad, on=KEY, how="left").assign(bytes=int(rows["bytes"].iloc[0]))
    table["status"] = np.where(table["n"].notna(), "ok", table["status"].fillna("not measured"))
    return table[[*KEY, *_OF_A_SIDE]]


def _joined(left: DataFrame, right: DataFrame) -> DataFrame:
    """All cases of both, in the order in which they are drawn."""
    named = [
        side.rename(columns={c: f"{name}_{c}" for c in _OF_A_SIDE})
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
