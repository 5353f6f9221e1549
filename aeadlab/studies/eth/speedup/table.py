"""The table of the figures by thread count: one row per implementation, operation and thread count."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pandas as pd
from pandas import DataFrame

from aeadlab.dimensions import BASELINE
from aeadlab.errors import EmptyFigureError
from aeadlab.stats.pairing import relative_speed
from aeadlab.stats.roofline import LIMIT_SHARES, MEMCPY_SHARES, limit_shares
from aeadlab.stats.scaling import fit_amdahl, speed_up
from aeadlab.stats.selection import CASE_COLUMNS, default_cases, usable
from aeadlab.stats.summary import case_medians

COLUMNS: Final = (
    "implementation", "engine", "op", "bytes", "block_size", "threads", "schedule", "model", "beyond_cores", "status",
    "n", "seconds", "seconds_low", "seconds_high", "gib_per_s", *MEMCPY_SHARES, *LIMIT_SHARES,
    "speed_up", "speed_up_low", "speed_up_high", "efficiency", "speed_up_over_whole",
    "amdahl_serial", "amdahl_limit", "amdahl_limit_low", "amdahl_limit_high",
)  # fmt: skip

_FIT: Final = ["amdahl_serial", "amdahl_limit", "amdahl_limit_low", "amdahl_limit_high"]
_SERIES: Final = ["implementation", "op", "block_size", "schedule", "model"]


def thread_table(samples: DataFrame, cores: int | None = None) -> DataFrame:
    """Tabulate cases that use threads, under ParSplit or in an implementation with threads of its own.

    Speed-ups are over the same case with one thread, and ``speed_up_over_whole`` over the whole message in one thread;
    shares are those of `aeadlab.stats.roofline.limit_shares`, with the same thread count. ``amdahl_serial`` is the
    serial share fitted by Amdahl's law to the counts up to the cores, and ``amdahl_limit`` its inverse, the limit of
    the speed-up by this model: NaN with fewer than three counts, since two always fit, or where growth is linear. The
    upper end of its 95 % interval, that of the fit, is infinite where growth may be linear.

    Parameters
    ----------
    cores
        Logical cores of the run, for the column ``beyond_cores``; None where they are unknown.
    """
    rows = default_cases(samples)
    if rows.empty:
        raise EmptyFigureError("the samples hold no case with separate buffers, warm caches and no mask")
    whole = rows["engine"].eq("whole")
    parallel = set(rows.loc[whole & rows["threads"].gt(1), "implementation"])
    split = rows[(rows["engine"] == "parsplit") | (whole & rows["implementation"].isin(parallel))]
    if split.empty:
        raise EmptyFigureError("the samples hold no case under ParSplit: measure the study speedup")
    by = list(CASE_COLUMNS)
    table = case_medians(split)
    ups = speed_up(split).drop(columns=["pairs", "processes", "efficiency_low", "efficiency_high"])
    table = table.merge(ups, on=by, how="left").merge(limit_shares(rows), on=by, how="left")
    timed = usable(rows, [*by, "process", "round", "seconds"])
    messages = timed[(timed["engine"] == "whole") & (timed["threads"] == 1)]
    on = ["implementation", "op"]
    over = relative_speed(timed[timed.index.isin(split.index)], messages, by, on)
    table = table.merge(over[[*by, "ratio"]].rename(columns={"ratio": "speed_up_over_whole"}), on=by, how="left")
    table["beyond_cores"] = False if cores is None else table["threads"].gt(cores)
    within = split if cores is None else split[split["threads"] <= cores]
    table = table.merge(_fits(within), on=_SERIES, how="left")
    order = table.groupby("implementation", observed=True)["seconds"].transform("min").fillna(np.inf)
    baseline = table["implementation"].str.startswith(BASELINE)
    table = table.assign(order=order, not_baseline=~baseline).sort_values(
        ["not_baseline", "order", "implementation", "op", "block_size", "threads"], kind="stable", ignore_index=True
    )
    return table[list(COLUMNS)]


def _fits(split: DataFrame) -> DataFrame:
    """Fit Amdahl's law to each series."""
    fits: list[dict[str, Any]] = []
    rows = usable(split, [*_SERIES, "threads", "gib_per_s", "process", "seconds"])
    for key, group in rows.groupby(_SERIES, observed=True, sort=False):
        # The fits of the single processes take long, and two thread counts have no limit.
        process = group["process"] if group["threads"].nunique() > 2 else None
        serial = fit_amdahl(group["threads"], group["gib_per_s"], process=process).serial
        # A smaller share has no visible effect with a thousand threads.
        has_limit = process is not None and serial.estimate > 1e-3
        limit = 1 / serial.estimate if has_limit else np.nan
        ends = (serial.high, serial.low) if has_limit else (np.nan,) * 2
        low, high = (1 / end if end > 0 else np.inf if end == 0 else np.nan for end in ends)
        fits.append(dict(zip((*_SERIES, *_FIT), (*key, serial.estimate, limit, low, high), strict=True)))
    return DataFrame(fits, columns=[*_SERIES, *_FIT])


def absent_names(table: DataFrame, document: DataFrame) -> list[str]:
    """Return the implementations that the document runs under ParSplit and the table lacks."""
    split = document[(document["variant"] == "parsplit") & document["implementation"].ne("")]
    return [str(name) for name in pd.unique(split["implementation"]) if name not in set(table["implementation"])]
