"""The roofline of memory: the speed of a case as a share of the memory limit measured in the same rounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

import pandas as pd

from aeadlab.dimensions import DIMENSIONS
from aeadlab.stats.pairing import relative_speed
from aeadlab.stats.selection import CASE_COLUMNS, usable

LIMITS: Mapping[str, str] = MappingProxyType({"separate": "baseline/memcpy", "in-place": "baseline/xor"})
"""By placement: the implementation whose speed is the memory limit."""

MEMCPY: Final = LIMITS["separate"]

LIMIT_COLUMNS: Final = [dimension.name for dimension in DIMENSIONS if dimension.changes_limit]
"""Columns in which a case and its limit agree."""


def limit_rows(samples: pd.DataFrame) -> pd.DataFrame:
    """Return the counted samples of the limits: one case for each length, thread count, placement and cache.

    Of several such cases (engines, schedules, block sizes, replicas) the one with the smallest median time is taken.

    Returns
    -------
    pandas.DataFrame
        `selection.CASE_COLUMNS`, ``process``, ``round`` and ``seconds``.
    """
    by = list(CASE_COLUMNS)
    rows = usable(samples, [*by, "process", "round", "seconds"])
    rows = rows[_is_limit(rows)]
    medians = rows.groupby(by, observed=True, dropna=False)["seconds"].median().reset_index()
    fastest = medians.sort_values("seconds", kind="stable").drop_duplicates(LIMIT_COLUMNS)[by]
    return rows.merge(fastest, on=by)


def roofline_share(samples: pd.DataFrame) -> pd.DataFrame:
    """Return the share of the memory limit that each case reaches, paired by round.

    The limit moves the same bytes with the same threads in the same placement with almost no computation:
    ``baseline/memcpy`` from one buffer to another, ``baseline/xor`` in place, each at its fastest; see `limit_rows`.

    Returns
    -------
    pandas.DataFrame
        One row per case other than the limits' own: `selection.CASE_COLUMNS`, ``limit`` (implementation that limits
        this placement), ``pairs`` (rounds that hold both), ``share`` (1 is the limit's speed; values above 1 come
        from noise, or from a case that is not limited by memory), ``low`` and ``high``. A case without a limit has 0
        pairs and NaN.
    """
    by = list(CASE_COLUMNS)
    rows = usable(samples, [*by, "process", "round", "seconds"])
    table = relative_speed(rows[~_is_limit(rows)], limit_rows(samples), by, LIMIT_COLUMNS)
    table.insert(len(by), "limit", table["placement"].astype(object).map(LIMITS))
    return table.rename(columns={"ratio": "share"})


def shares_of_memcpy(samples: pd.DataFrame, by: Sequence[str] = CASE_COLUMNS) -> pd.DataFrame:
    """Return `roofline_share` of the cases with separate buffers, with the column names of figures' tables.

    Parameters
    ----------
    by
        Columns that identify a case.

    Returns
    -------
    pandas.DataFrame
        `by`, ``share_of_memcpy``, ``share_of_memcpy_low`` and ``share_of_memcpy_high``; memcpy itself has no row.
    """
    shares = roofline_share(samples)
    names = {"share": "share_of_memcpy", "low": "share_of_memcpy_low", "high": "share_of_memcpy_high"}
    return shares.loc[shares["limit"] == MEMCPY, [*by, *names]].rename(columns=names)


def _is_limit(rows: pd.DataFrame) -> pd.Series[bool]:
    is_limit = pd.Series(False, index=rows.index)
    for placement, name in LIMITS.items():
        is_limit |= rows["placement"].eq(placement) & rows["implementation"].eq(name)
    return is_limit
