"""The cases that most figures are about: the largest message, in the plainest circumstances; and what limits them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from pandas import DataFrame

from aeadlab.stats.roofline import LIMITS, roofline_share
from aeadlab.stats.selection import CASE_COLUMNS, require_columns
from aeadlab.stats.summary import summary

MEMCPY: Final = LIMITS["separate"]
BASELINES: Final = ("memcpy", "xor")
"""Algorithms that show what moving the data costs."""


def plain(samples: DataFrame, *, largest: bool = True) -> DataFrame:
    """Rows with separate buffers, warm caches, nothing masked, and of an A/A pair the first arm.

    Parameters
    ----------
    largest
        Whether only the largest message of the samples is taken.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If a column is missing.
    """
    require_columns(samples, [*CASE_COLUMNS, "status", "warmup"])
    wanted = samples["placement"].eq("separate") & samples["cache"].eq("warm")
    wanted &= samples["mask"].eq("") & samples["replica"].eq(0)
    rows = samples[wanted]
    return rows[rows["bytes"] == rows["bytes"].max()] if largest else rows


def case_medians(rows: DataFrame) -> DataFrame:
    """One row per case of these rows, with its median, or why it failed.

    Returns
    -------
    DataFrame
        `CASE_COLUMNS`, ``status`` (``ok``, or the reason of a case that failed at any time), ``n``, ``seconds``,
        ``gib_per_s`` and ``cycles_per_byte``; the first two with ``_low`` and ``_high``. NaN, and 0 for ``n``, where no
        sample counts.
    """
    by = list(CASE_COLUMNS)
    names = {"median": "seconds", "low": "seconds_low", "high": "seconds_high"}
    medians = summary(rows, by).rename(columns=names)
    wide = [*by, "n", *names.values(), "gib_per_s", "gib_per_s_low", "gib_per_s_high", "cycles_per_byte"]
    # Reasons begin with "failed" and so come before "ok".
    cases = rows[[*by, "status"]].sort_values("status", kind="stable").drop_duplicates(by)
    table = cases.merge(medians[wide], on=by, how="left")
    return table.assign(n=table["n"].fillna(0).astype("int64"))


def shares_of_memcpy(samples: DataFrame, by: Sequence[str] = CASE_COLUMNS) -> DataFrame:
    """What `aeadlab.stats.roofline_share` says of cases with separate buffers, as the tables of figures have it.

    Parameters
    ----------
    by
        Columns that tell the cases apart.

    Returns
    -------
    DataFrame
        `by`, ``share_of_memcpy``, ``share_of_memcpy_low`` and ``share_of_memcpy_high``; memcpy itself has no row.
    """
    shares = roofline_share(samples)
    names = {"share": "share_of_memcpy", "low": "share_of_memcpy_low", "high": "share_of_memcpy_high"}
    return shares.loc[shares["limit"] == MEMCPY, [*by, *names]].rename(columns=names)


def each(frame: DataFrame) -> Iterator[Any]:
    """Rows of a frame as named tuples; the stubs give their fields every type that a cell can have."""
    return iter(frame.itertuples())


def is_baseline(implementation: str) -> bool:
    """Whether an implementation only moves data."""
    return implementation.partition("/")[2] in BASELINES
