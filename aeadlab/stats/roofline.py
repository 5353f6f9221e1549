"""The roofline of memory: the speed of a case as a share of the memory limit measured in the same rounds."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, TypeAlias

import numpy as np
import pandas as pd

from aeadlab.dimensions import BASELINE, DIMENSIONS
from aeadlab.stats.pairing import relative_speed
from aeadlab.stats.selection import CASE_COLUMNS, numbered

MEMCPY, COPY, COPY_STREAM = COPIES = ("baseline/memcpy", "baseline/copy", "baseline/copy-stream")
"""Copies from one buffer to another: as the C library chooses, with ordinary stores, with streaming stores."""

XOR: Final = "baseline/xor"

LIMITING: Final = (COPY, COPY_STREAM, MEMCPY, XOR)
"""The implementations that can be the limit of others, in the order in which texts name them."""

LIMITS: Mapping[str, str] = MappingProxyType({"separate": MEMCPY, "in-place": XOR})
"""By placement: the limit where nothing else was measured, which every record has."""

STREAMING: Final = frozenset({"aeadlab/aes-128-gcm", "aeadlab/aes-192-gcm", "aeadlab/aes-256-gcm"})
"""Implementations that use streaming stores for messages beyond the last-level cache."""

LIMIT_COLUMNS: Final = [dimension.name for dimension in DIMENSIONS if dimension.changes_limit]
"""Columns in which a case and its limit agree."""

LIMIT_SHARES: Final = ("limit", *(f"share_of_limit{end}" for end in ("", "_low", "_high")))
MEMCPY_SHARES: Final = tuple(f"share_of_memcpy{end}" for end in ("", "_low", "_high"))
"""Columns of `limit_shares` beside those of the case."""

_Groups: TypeAlias = Sequence[Collection[str]]

ORDINARY_STORES: Final[_Groups] = ((COPY,), (MEMCPY,))
"""The limit of ciphers with ordinary stores: the copy that writes as they do; memcpy where this was not measured."""

_HOLDING: Final[Mapping[str, _Groups]] = {
    "ordinary": ORDINARY_STORES,
    # In the cache ordinary stores are faster, and such implementations use them there.
    "streaming": ((COPY_STREAM, COPY), (MEMCPY,)),
    "in-place": ((XOR,),),
}
"""The limit of a case, by the stores that it can use."""

_OF_MEMCPY: Final[Mapping[str, _Groups]] = dict.fromkeys(("ordinary", "streaming"), ((MEMCPY,),))


def limit_rows(samples: pd.DataFrame, names: _Groups) -> pd.DataFrame:
    """Return the counted samples of the limits: one case for each length, thread count, placement and cache.

    Of several such cases (engines, schedules, block sizes, replicas) the one with the smallest median time is taken.

    Parameters
    ----------
    names
        Groups of implementations. A group is used where none of those before it was measured.

    Returns
    -------
    pandas.DataFrame
        `selection.CASE_COLUMNS`, ``process``, ``round`` and ``seconds``.
    """
    cases, rows = _timed(samples)
    fastest = rows["case"].isin(_fastest(cases, names).index)
    return rows[fastest].drop(columns="case").reset_index(drop=True)


def _timed(samples: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the frames of `selection.numbered`, the cases with their median ``seconds``."""
    cases, rows = numbered(samples)
    return cases.assign(seconds=rows.groupby("case")["seconds"].median()), rows


def _fastest(cases: pd.DataFrame, names: _Groups) -> pd.DataFrame:
    """Return the cases that are the limits, as `limit_rows` describes them."""
    ranks = {name: rank for rank, group in enumerate(names) for name in group}
    chosen = cases[cases["implementation"].isin(list(ranks))]
    chosen = chosen.assign(rank=chosen["implementation"].astype(object).map(ranks))
    return chosen.sort_values(["rank", "seconds"], kind="stable").drop_duplicates(LIMIT_COLUMNS)


def roofline_share(samples: pd.DataFrame) -> pd.DataFrame:
    """Return the share of the memory limit that each case reaches, paired by round.

    The limit moves the same bytes with the same threads in the same placement with almost no computation, each at its
    fastest; see `limit_rows`. From one buffer to another it is the copy with ordinary stores, and for implementations
    that use streaming stores (`STREAMING`) the faster of the copies with ordinary and with streaming stores. Where
    these were not measured it is ``baseline/memcpy``. In place it is ``baseline/xor``.

    Returns
    -------
    pandas.DataFrame
        One row per case other than the limits' own: `selection.CASE_COLUMNS`, ``limit`` (implementation that limits
        this case), ``pairs`` (rounds that hold both), ``share`` (1 is the limit's speed; values above 1 come
        from noise, or from a case that is not limited by memory), ``low`` and ``high``. A case without a limit has 0
        pairs and NaN.
    """
    return _shares(samples, _HOLDING)


def shares_of_memcpy(samples: pd.DataFrame, by: Sequence[str] = CASE_COLUMNS) -> pd.DataFrame:
    """Return the shares of memcpy's speed of the cases with separate buffers, with the names of figures' columns.

    Parameters
    ----------
    by
        Columns that identify a case.

    Returns
    -------
    pandas.DataFrame
        `by`, ``share_of_memcpy``, ``share_of_memcpy_low`` and ``share_of_memcpy_high``; memcpy itself has no row.
    """
    names = dict(zip(("share", "low", "high"), MEMCPY_SHARES, strict=True))
    return _shares(samples[samples["placement"].ne("in-place")], _OF_MEMCPY)[[*by, *names]].rename(columns=names)


def limit_shares(samples: pd.DataFrame, by: Sequence[str] = CASE_COLUMNS) -> pd.DataFrame:
    """Return the columns of `shares_of_memcpy` and, from `roofline_share`, ``limit`` and ``share_of_limit``.

    Parameters
    ----------
    by
        Columns that identify a case.

    Returns
    -------
    pandas.DataFrame
        `by`, `MEMCPY_SHARES` and `LIMIT_SHARES`; a case that has only one of the shares has NaN in the other.
    """
    names = dict(zip(("limit", "share", "low", "high"), LIMIT_SHARES, strict=True))
    of_limit = roofline_share(samples)[[*by, *names]].rename(columns=names)
    return shares_of_memcpy(samples, by).merge(of_limit, on=list(by), how="outer")


def ordinary_limit(implementations: Iterable[str]) -> str:
    """Return the limit of ciphers with ordinary stores if these implementations were measured: a copy or memcpy."""
    return COPY if COPY in set(implementations) else MEMCPY


def limits_in_words(limits: Iterable[object]) -> str:
    """Return the algorithms of the column ``limit``: ``copy``, ``copy or copy-stream``; ``memcpy`` without limits."""
    used = {*limits}
    return " or ".join(name.removeprefix(BASELINE) for name in LIMITING if name in used) or "memcpy"


def _shares(samples: pd.DataFrame, limits: Mapping[str, _Groups]) -> pd.DataFrame:
    """Return the columns of `roofline_share` for these limits, by the stores that a case can use."""
    cases, rows = _timed(samples)
    in_place, streaming = cases["placement"].eq("in-place"), cases["implementation"].isin(list(STREAMING))
    cases = cases.assign(stores=np.select([in_place, streaming], ["in-place", "streaming"], "ordinary"))
    is_limit, found = pd.Series(False, index=cases.index), []
    for stores, groups in limits.items():
        placed = in_place == (stores == "in-place")
        found.append(_fastest(cases[placed], groups).assign(stores=stores))
        is_limit |= placed & cases["implementation"].isin([name for group in groups for name in group])
    on = [*LIMIT_COLUMNS, "stores"]
    limit = pd.concat(found)[[*on, "implementation"]].rename(columns={"implementation": "limit"})
    limit = limit.reset_index(names="reference").astype({"limit": object})
    limited = cases[~is_limit].reset_index().merge(limit, on=on, how="left")
    limited = limited.assign(
        reference=limited["reference"].fillna(-1).astype(np.intp),
        limit=limited["limit"].fillna(limited["placement"].astype(object).map(LIMITS)),
    )
    times = ["process", "round", "seconds"]
    of_cases = rows[["case", *times]].merge(limited[["case", "reference"]], on="case")
    of_limits = rows[rows["case"].isin(limit["reference"])].rename(columns={"case": "reference"})
    shares = relative_speed(of_cases, of_limits[["reference", *times]], ["case", "reference"], ["reference"])
    table = limited[["case", *CASE_COLUMNS, "limit"]].merge(shares.drop(columns="reference"), on="case")
    return table.drop(columns="case").rename(columns={"ratio": "share"})
