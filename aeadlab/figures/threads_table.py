"""The table behind the figures over threads: one row per implementation, operation and thread count."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pandas as pd
from pandas import DataFrame

from aeadlab.errors import EmptyFigureError
from aeadlab.figures.plain import case_medians, plain, shares_of_memcpy
from aeadlab.stats.pairing import relative_speed
from aeadlab.stats.scaling import fit_amdahl, speed_up
from aeadlab.stats.selection import CASE_COLUMNS, usable

COLUMNS: Final = (
    "implementation", "engine", "op", "bytes", "block_size", "threads", "schedule", "beyond_cores", "status", "n",
    "seconds", "seconds_low", "seconds_high", "gib_per_s", "share_of_memcpy", "share_of_memcpy_low",
    "share_of_memcpy_high", "speed_up", "speed_up_low", "speed_up_high", "efficiency", "speed_up_over_whole",
    "amdahl_serial", "amdahl_limit",
)  # fmt: skip

_SERIES: Final = ["implementation", "op", "block_size", "schedule"]


def thread_table(samples: DataFrame, published: DataFrame | None = None) -> DataFrame:
    """Tabulate cases that use threads: under ParSplit, or by an implementation that is parallel itself.

    Parameters
    ----------
    samples
        One row per sample, as a record gives when it is loaded. The largest message is taken, separate buffers, warm
        caches, nothing masked, replica 0. Its ``attrs["logical_cores"]`` says which counts are beyond the cores.
    published
        Not part of the table; kept so that all tables are called alike.

    Returns
    -------
    DataFrame
        One row per case: `COLUMNS`. Times in seconds; speed-ups are over the same case with one thread, and
        ``speed_up_over_whole`` over the whole message in one thread; shares are of memcpy's speed with as many
        threads. ``amdahl_serial`` is the serial share that Amdahl's law needs to fit the counts up to the cores, and
        ``amdahl_limit`` its inverse, the speed-up that no thread count exceeds: NaN from fewer than two counts or where
        growth is linear. A case that failed has its reason in ``status`` and NaN.

    Raises
    ------
    aeadlab.errors.EmptyFigureError
        If no case uses threads, or a column is missing.
    """
    rows = plain(samples)
    if rows.empty:
        raise EmptyFigureError("the samples hold no case with separate buffers, warm caches and no mask")
    whole = rows["engine"].eq("whole")
    parallel = set(rows.loc[whole & rows["threads"].gt(1), "implementation"])
    split = rows[(rows["engine"] == "parsplit") | (whole & rows["implementation"].isin(parallel))]
    if split.empty:
        raise EmptyFigureError("the samples hold no case under ParSplit: measure the study speedup")
    by = list(CASE_COLUMNS)
    table = case_medians(split)
    ups = speed_up(split).drop(columns=["pairs", "efficiency_low", "efficiency_high"])
    table = table.merge(ups, on=by, how="left").merge(shares_of_memcpy(rows), on=by, how="left")
    counted = usable(rows, [*by, "round", "seconds"])
    messages = counted[(counted["engine"] == "whole") & (counted["threads"] == 1)]
    on = ["implementation", "op"]
    over = relative_speed(counted[counted.index.isin(split.index)], messages, by, on)
    table = table.merge(over[[*by, "ratio"]].rename(columns={"ratio": "speed_up_over_whole"}), on=by, how="left")
    cores = logical_cores(samples)
    table["beyond_cores"] = False if cores is None else table["threads"].gt(cores)
    within = split if cores is None else split[split["threads"] <= cores]
    table = table.merge(_fits(within), on=_SERIES, how="left")
    order = table.groupby("implementation", observed=True)["seconds"].transform("min").fillna(np.inf)
    baseline = table["implementation"].str.startswith("baseline/")
    table = table.assign(order=order, baseline=~baseline).sort_values(
        ["baseline", "order", "implementation", "op", "block_size", "threads"], kind="stable", ignore_index=True
    )
    return table[list(COLUMNS)]


def _fits(split: DataFrame) -> DataFrame:
    """Amdahl's law for each series."""
    found: list[dict[str, Any]] = []
    rows = usable(split, [*_SERIES, "threads", "gib_per_s", "seconds"])
    for key, group in rows.groupby(_SERIES, observed=True, sort=False):
        serial = fit_amdahl(group["threads"], group["gib_per_s"]).parameters["serial"].estimate
        # A share so small that a thousand threads would not show it is none.
        limit = 1 / serial if serial > 1e-3 else np.nan
        found.append({**dict(zip(_SERIES, key, strict=True)), "amdahl_serial": serial, "amdahl_limit": limit})
    return DataFrame(found, columns=[*_SERIES, "amdahl_serial", "amdahl_limit"])


def logical_cores(samples: DataFrame) -> int | None:
    """Logical cores of the computer that the samples come from; None where the frame does not say."""
    cores = samples.attrs.get("logical_cores")
    return int(cores) if cores else None


def absent_names(table: DataFrame, published: DataFrame | None) -> list[str]:
    """Implementations that a document runs under ParSplit and the table does not have."""
    if published is None:
        return []
    split = published[(published["variant"] == "parsplit") & published["implementation"].ne("")]
    return [str(name) for name in pd.unique(split["implementation"]) if name not in set(table["implementation"])]
