"""How close a case comes to what memory allows: its speed as a share of the memory-limit case beside it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import pandas as pd

from aeadlab.stats.interval import CONFIDENCE
from aeadlab.stats.pairing import relative_speed
from aeadlab.stats.selection import CASE_COLUMNS, usable

LIMITS: Mapping[str, str] = MappingProxyType({"separate": "baseline/memcpy", "in-place": "baseline/xor"})


_ALIKE = ["bytes", "threads", "placement", "cache"]


def limit_rows(samples: pd.DataFrame) -> pd.DataFrame:
    """Rows that count of the cases that are the limits: one case for each length, thread count, placement and cache.

    Where several cases qualify (engines, schedules, block sizes, replicas), the one with the least median time is the
    limit.

    Parameters
    ----------
    samples : pandas.DataFrame
        As `roofline_share` takes them.

    Returns
    -------
    pandas.DataFrame
        `selection.CASE_COLUMNS`, ``round`` and ``seconds``.

    Raises
    ------
    aeadlab.errors.ArgumentError
        As `roofline_share`.
    """
    by = list(CASE_COLUMNS)
    rows = usable(samples, [*by, "round", "seconds"])
    rows = rows[_is_limit(rows)]
    medians = rows.groupby(by, observed=True, dropna=False)["seconds"].median().reset_index()
    fastest = medians.sort_values("seconds", kind="stable").drop_duplicates(_ALIKE)[by]
    return rows.merge(fastest, on=by)


def roofline_share(samples: pd.DataFrame, confidence: float = CONFIDENCE) -> pd.DataFrame:
    """Share of the memory limit that each case reaches, paired by round.

    The limit moves the same bytes with the same threads in the same placement and computes next to nothing:
    ``baseline/memcpy`` from one buffer to another, ``baseline/xor`` in place, at its fastest; see `limit_rows`.

    Parameters
    ----------
    samples : pandas.DataFrame
        Samples of one record, with `selection.CASE_COLUMNS`, ``round``, ``seconds``, ``warmup`` and ``status``.

    Returns
    -------
    pandas.DataFrame
        One row per case other than the limits' own: `selection.CASE_COLUMNS`, ``limit`` (implementation that limits
        this placement), ``pairs`` (rounds that hold both), ``share`` (1 is the limit's speed; above 1 is possible from
        noise, or when the limit case is no limit), ``low`` and ``high``. A case without a limit has 0 pairs and NaN;
        below six pairs the interval is NaN.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If a column is missing, or a time that counts is not finite and positive.
    """
    by = list(CASE_COLUMNS)
    rows = usable(samples, [*by, "round", "seconds"])
    table = relative_speed(rows[~_is_limit(rows)], limit_rows(samples), by, _ALIKE, confidence)
    table.insert(len(by), "limit", table["placement"].astype(object).map(LIMITS))
    return table.rename(columns={"ratio": "share"})


def _is_limit(rows: pd.DataFrame) -> pd.Series[bool]:
    found = pd.Series(False, index=rows.index)
    for placement, name in LIMITS.items():
        found |= rows["placement"].eq(placement) & rows["implementation"].eq(name)
    return found
