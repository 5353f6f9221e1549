"""Summary of samples by case: median with interval, spread, speed and outliers."""

from __future__ import annotations

import numpy as np
import pandas as pd

from aeadlab.stats.groups import Groups
from aeadlab.stats.interval import Floats, median_bounds, sorted_median, sorted_quantile
from aeadlab.stats.outliers import OUTLIER_CLASSES, outlier_counts
from aeadlab.stats.selection import CASE_COLUMNS, require_columns, usable
from aeadlab.stats.validation import finite


def summary(samples: pd.DataFrame, by: list[str] | None = None) -> pd.DataFrame:
    """Summarise samples by case, without warm-ups and failed samples.

    Parameters
    ----------
    samples : pandas.DataFrame
        One row per sample, with ``seconds``, ``gib_per_s``, ``cycles_per_byte``, ``warmup``, ``status`` and the
        columns of `by`.
    by : list of str, optional
        Columns that identify a group; by default `CASE_COLUMNS`, with one row for each arm of an A/A pair.

    Returns
    -------
    pandas.DataFrame
        The columns of `by`, in ascending order of them, then

        n
            number of counted samples; a case without any has no row
        median, low, high
            seconds, with the 95 % BCa bootstrap interval; its ends are NaN for fewer than six samples
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
    The result depends neither on the order of the samples nor on the state of a random generator. The run time is
    O(rows x log(rows per case)) plus 2,000 resamples per case.
    """
    by = list(CASE_COLUMNS) if by is None else list(by)
    require_columns(samples, by)
    rows = usable(samples, [*by, *(c for c in ("seconds", "gib_per_s", "cycles_per_byte") if c not in by)])
    groups = Groups.of(rows, by)
    seconds = rows["seconds"].to_numpy(dtype=np.float64)
    speed = finite("gib_per_s", rows["gib_per_s"].to_numpy(dtype=np.float64))
    table = {name: np.empty(len(groups)) for name in ("median", "low", "high", "mad", "p05", "p95")}
    outliers = np.empty((len(groups), len(OUTLIER_CLASSES)), dtype=np.int64)
    for which, times in groups.sorted_rows(seconds):
        for name, column in _describe(times).items():
            table[name][which] = column
        outliers[which] = outlier_counts(times)
    table["gib_per_s"], table["gib_per_s_low"], table["gib_per_s_high"] = groups.median_intervals(speed)
    table["cycles_per_byte"] = _medians_where_defined(groups, rows["cycles_per_byte"].to_numpy(dtype=np.float64))
    counts = {f"outliers_{name}": outliers[:, i] for i, name in enumerate(OUTLIER_CLASSES) if name != "none"}
    result = pd.DataFrame({"n": groups.sizes.astype(np.int64), **table, **counts})
    return pd.concat([groups.keys, result], axis=1)


def _describe(times: Floats) -> dict[str, Floats]:
    """Return columns of the summary from ascending rows, shape (groups, n)."""
    median = sorted_median(times)
    low, high = median_bounds(times)
    if times.shape[1] == 1:
        # The spread of a single value is unknown; zero would state that there is none.
        mad = p05 = p95 = np.full(median.shape, np.nan)
    else:
        distance = np.abs(times - median[:, np.newaxis])
        distance.sort(axis=1)
        mad = sorted_median(distance)
        p05, p95 = sorted_quantile(times, 0.05), sorted_quantile(times, 0.95)
    return {"median": median, "low": low, "high": high, "mad": mad, "p05": p05, "p95": p95}


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
