"""The medians of a record for display: speed, time and cycles with intervals, and the share of memcpy."""

from __future__ import annotations

from typing import Any

import pandas as pd
from pandas import DataFrame

from aeadlab.display.conditions import CONDITIONS, varied
from aeadlab.errors import ArgumentError
from aeadlab.stats.groups import Groups
from aeadlab.stats.roofline import LIMIT_SHARES, LIMITING, MEMCPY_SHARES, limit_shares
from aeadlab.stats.selection import CASE_COLUMNS, usable
from aeadlab.stats.summary import summary

_ORDER = {
    word: i
    for i, word in enumerate(
        ("seal", "open", "encrypt", "decrypt", "digest", "generate", "whole", "parsplit", "python", "cells")
    )
}
"""Sort positions of values that are not sorted alphabetically."""

_CASE = list(CASE_COLUMNS)
_QUANTITIES = ("gib_per_s", "seconds", "cycles_per_byte")
_SHARES = ("share", "share_low", "share_high")
_NUMBERS = [*(f"{quantity}{end}" for quantity in _QUANTITIES for end in ("", "_low", "_high")), *_SHARES, *LIMIT_SHARES]


def medians(samples: DataFrame) -> DataFrame:
    """Summarise samples for display, sorted by varied condition and median time; in each, memory limits are last.

    Raise ArgumentError if there is no counted sample.

    Returns
    -------
    pandas.DataFrame
        One row per case with a counted sample, without the second arms of A/A pairs: ``implementation`` and
        `CONDITIONS`, then

        n, processes
            number of counted samples, and of the processes that took them
        gib_per_s, gib_per_s_low, gib_per_s_high
            median payload speed and its 95 % interval (`aeadlab.stats.interval.median_interval`)
        seconds, seconds_low, seconds_high
            median time of one message
        cycles_per_byte, cycles_per_byte_low, cycles_per_byte_high
            of the time-stamp counter; NaN for empty messages
        share, share_low, share_high
            of the speed of memcpy (in place: of xor) with the same size, threads and cache state; NaN for this
            itself, and where it was not measured
        limit
            implementation whose speed is the memory limit of the case, see `aeadlab.stats.roofline.roofline_share`;
            NaN for limits themselves
        share_of_limit, share_of_limit_low, share_of_limit_high
            of the speed of this limit
    """
    table = summary(samples, _CASE)
    table = table[table["replica"] == 0]
    if table.empty:
        raise ArgumentError("no case has a counted sample: measure again")
    table = table.rename(columns={"median": "seconds", "low": "seconds_low", "high": "seconds_high"})
    table = table.merge(limit_shares(samples), on=_CASE, how="left")
    for share, of_memcpy, of_limit in zip(_SHARES, MEMCPY_SHARES, LIMIT_SHARES[1:], strict=True):
        table[share] = table[of_memcpy].where(table["placement"] == "separate", table[of_limit])
    table = table.drop(columns="cycles_per_byte").merge(_cycles(samples), on=_CASE, how="left")
    limit = table["implementation"].isin(LIMITING)
    by = [*varied(table), "_limit", "seconds"]
    ordered = table.assign(_limit=limit).sort_values(by, kind="stable", key=lambda values: values.map(_place))
    return ordered[["implementation", *CONDITIONS, "n", "processes", *_NUMBERS]].reset_index(drop=True)


def _place(value: Any) -> Any:
    return _ORDER.get(value, value)


def _cycles(samples: DataFrame) -> DataFrame:
    """Return the median cycles per byte of each case with its interval, without empty messages."""
    rows = usable(samples, [*_CASE, "process", "cycles_per_byte"])
    rows = rows[rows["cycles_per_byte"].notna()]
    groups = Groups.of(rows, _CASE)
    names = ("cycles_per_byte", "cycles_per_byte_low", "cycles_per_byte_high")
    process = rows["process"].to_numpy(dtype="int64")
    numbers = groups.median_intervals(rows["cycles_per_byte"].to_numpy(dtype=float), process)
    return pd.concat([groups.keys, DataFrame(dict(zip(names, numbers, strict=True)))], axis=1)
