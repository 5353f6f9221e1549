"""Summary of samples by case: median with interval, spread, speed and outliers."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from aeadlab.stats.groups import Groups
from aeadlab.stats.interval import sorted_median, sorted_quantile
from aeadlab.stats.outliers import OUTLIER_CLASSES, outlier_counts
from aeadlab.stats.processes import Floats
from aeadlab.stats.selection import CASE_COLUMNS, require_columns, usable
from aeadlab.stats.validation import finite


def summary(samples: pd.DataFrame, by: list[str] | None = None) -> pd.DataFrame:
    """Summarise samples by case, without warm-ups and failed samples.

    Parameters
    ----------
    samples : pandas.DataFrame
        One row per sample, with ``process``, ``seconds``, ``gib_per_s``, ``cycles_per_byte``, ``warmup``,
        ``status`` and the columns of `by`.
    by : list of str, optional
        Columns that identify a group; by default `CASE_COLUMNS`, with one row for each arm of an A/A pair.

    Returns
    -------
    pandas.DataFrame
        The columns of `by`, in ascending order of them, then

        n
            number of counted samples; a case without any has no row
        processes
            number of processes that took them
        median, low, high
            seconds, with the 95 % interval (`aeadlab.stats.interval.median_interval`)
        mad
            median absolute deviation in seconds, not scaled to a standard deviation; NaN for one sample
        p05, p95
            quantiles of the seconds, linear between neighbours; NaN for one sample
        gib_per_s, gib_per_s_low, gib_per_s_high
            median payload speed with its own interval
        cycles_per_byte
            median TSC cycles per byte; NaN where it is undefined, as for empty messages
        outliers_low_severe, outliers_low_mild, outliers_high_mild, outliers_high_severe
            counts by Tukey's fences; every other column includes the outliers

    Notes
    -----
    The result does not depend on the order of the samples. The run time is O(rows x processes).
    """
    by = list(CASE_COLUMNS) if by is None else list(by)
    require_columns(samples, by)
    rows = usable(samples, [*by, *(c for c in ("process", "seconds", "gib_per_s", "cycles_per_byte") if c not in by)])
    groups = Groups.of(rows, by)
    seconds = rows["seconds"].to_numpy(dtype=np.float64)
    speed = finite("gib_per_s", rows["gib_per_s"].to_numpy(dtype=np.float64))
    process = rows["process"].to_numpy(dtype=np.int64)
    table = {name: np.empty(len(groups)) for name in ("mad", "p05", "p95")}
    outliers = np.empty((len(groups), len(OUTLIER_CLASSES)), dtype=np.int64)
    for which, times in groups.sorted_rows(seconds):
        for name, column in _describe(times).items():
            table[name][which] = column
        outliers[which] = outlier_counts(times)
    names = {"median": seconds, "gib_per_s": speed}
    for name, values in names.items():
        prefix = "" if name == "median" else f"{name}_"
        table[name], table[f"{prefix}low"], table[f"{prefix}high"] = _positive_medians(groups, values, process)
    table["cycles_per_byte"] = _medians_where_defined(groups, rows["cycles_per_byte"].to_numpy(dtype=np.float64))
    counts = {f"outliers_{name}": outliers[:, i] for i, name in enumerate(OUTLIER_CLASSES) if name != "none"}
    processes = groups.process_numbers(process)[1].astype(np.int64)
    result = pd.DataFrame({"n": groups.sizes.astype(np.int64), "processes": processes, **table, **counts})
    return pd.concat([groups.keys, result], axis=1)


def _describe(times: Floats) -> dict[str, Floats]:
    """Return columns of the summary from ascending rows, shape (groups, n)."""
    median = sorted_median(times)
    if times.shape[1] == 1:
        # The spread of a single value is unknown; zero would state that there is none.
        mad = p05 = p95 = np.full(median.shape, np.nan)
    else:
        distance = np.abs(times - median[:, np.newaxis])
        distance.sort(axis=1)
        mad = sorted_median(distance)
        p05, p95 = sorted_quantile(times, 0.05), sorted_quantile(times, 0.95)
    return {"mad": mad, "p05": p05, "p95": p95}


def _positive_medians(groups: Groups, values: Floats, process: NDArray[np.int64]) -> tuple[Floats, Floats, Floats]:
    """Return `Groups.median_intervals` of values of 0 or more, with ends from logarithms, so that none is negative."""
    median = np.empty(len(groups))
    for which, samples in groups.by_process(values, process):
        median[which] = samples.median
    least = np.finfo(np.float64).tiny
    _, *ends = groups.median_intervals(np.log(np.maximum(values, least)), process)
    # Three to five processes of which some have the speed 0 have a t interval of infinite width.
    with np.errstate(over="ignore"):
        low, high = (np.where(end <= np.log(2 * least), 0.0, np.exp(end)) for end in ends)
    return median, low, high


def _medians_where_defined(groups: Groups, values: Floats) -> Floats:
    """Return the median of each group, NaN for a group with a value that is not finite."""
    result = np.empty(len(groups))
    for which, rows in groups.sorted_rows(values):
        # Sorting puts infinities and NaN at the ends, so that two comparisons check a whole row.
        defined = np.isfinite(rows[:, 0]) & np.isfinite(rows[:, -1])
        result[which] = np.where(defined, sorted_median(np.where(defined[:, np.newaxis], rows, 0.0)), np.nan)
    return result


def case_medians(samples: pd.DataFrame) -> pd.DataFrame:
    """Return the median of each case, or the reason of its failure.

    Returns
    -------
    pandas.DataFrame
        One row per case: `CASE_COLUMNS`, ``status`` (``ok``, or the reason of a case that failed at any time), ``n``,
        ``seconds``, ``gib_per_s`` and ``cycles_per_byte``; seconds and speed with ``_low`` and ``_high``. NaN, and 0
        for ``n``, without a counted sample.
    """
    by = list(CASE_COLUMNS)
    names = {"median": "seconds", "low": "seconds_low", "high": "seconds_high"}
    medians = summary(samples, by).rename(columns=names)
    columns = [*by, "n", *names.values(), "gib_per_s", "gib_per_s_low", "gib_per_s_high", "cycles_per_byte"]
    # Reasons begin with "failed" and so come before "ok".
    cases = samples[[*by, "status"]].sort_values("status", kind="stable").drop_duplicates(by)
    table = cases.merge(medians[columns], on=by, how="left")
    return table.assign(n=table["n"].fillna(0).astype("int64"))
