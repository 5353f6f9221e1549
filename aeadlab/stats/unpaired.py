"""Comparison of two runs, which share no round: effects of a run or a process on all its samples do not cancel.

Two runs of unchanged code differ by process rather than by sample: the addresses of stack and heap change the time of
the same loop by some percent [1]_. The rounds of one process are therefore one observation, their median, and the
interval comes from the variance between processes (Welch's, on logarithms of medians; a positive correlation of
successive processes counts, as in `aeadlab.stats.processes`). Rounds treated as independent
would give intervals that shrink with the number of rounds, and differences for most cases of an A/A comparison.

With fewer than three processes on a side this variance is unknown: the interval comes from the rounds, holds within
these processes only, and supports no verdict (`aeadlab.stats.rows.with_verdicts`).

References
----------
.. [1] T. Mytkowicz, A. Diwan, M. Hauswirth, P. F. Sweeney, Producing Wrong Data Without Doing Anything Obviously Wrong,
   ASPLOS 2009.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from aeadlab.stats.groups import Groups
from aeadlab.stats.pairing import round_times
from aeadlab.stats.processes import CONFIDENCE, FEWEST, Floats, error_of_mean
from aeadlab.stats.selection import usable


def unpaired_rows(
    baseline: pd.DataFrame, candidate: pd.DataFrame, on: list[str], confidence: float = CONFIDENCE
) -> pd.DataFrame:
    """Return the candidate's time over the baseline's for every case of both, from different runs.

    Parameters
    ----------
    baseline, candidate : pandas.DataFrame
        Samples of one record each, with `on`, ``process``, ``round``, ``seconds``, ``warmup`` and ``status``; one case
        for every value of `on`.
    on : list of str
        The columns by which cases are matched.

    Returns
    -------
    pandas.DataFrame
        One row per value of `on` in both: `on`, then for each side (``_a``, ``_b``) ``rounds`` and
        ``processes``; ``log_ratio`` with its interval ``log_low`` and ``log_high``; ``error`` (standard error) and
        ``freedom`` (degrees of freedom, infinite where the interval comes from rounds). The interval is NaN for fewer
        than six rounds in one or two processes.

    Notes
    -----
    The point estimate is the ratio of the geometric means of the processes' medians; in the case of a single process,
    of the medians. There the interval combines the two medians' own intervals (MOVER, [1]_), which keeps
    their skewness.

    References
    ----------
    .. [1] G. Y. Zou, A. Donner, Construction of confidence limits about effect measures: a general approach, Statistics
       in Medicine 27 (2008), 1693-1702.
    """
    sides = [_described(side, on, confidence) for side in (baseline, candidate)]
    table = sides[0].merge(sides[1], on=on, suffixes=("_a", "_b")).sort_values(on, ignore_index=True)
    a, b = ({name: _floats(table, f"{name}_{side}") for name in _DESCRIBED} for side in "ab")
    several = (a["processes"] >= FEWEST) & (b["processes"] >= FEWEST)
    tail = (1 + confidence) / 2

    by_process = b["mean"] - a["mean"]
    error, freedom = _welch(a, b)
    reach = np.where(error > 0, stdtrit(freedom, tail), 0.0) * error

    by_round = b["median"] - a["median"]
    below = np.hypot(b["median"] - b["low"], a["high"] - a["median"])
    above = np.hypot(b["high"] - b["median"], a["median"] - a["low"])
    # The end that is nearer to no difference decides, so the error is taken from that side.
    towards = np.where(by_round > 0, below, above) / ndtri(tail)

    return table[on].assign(
        rounds_a=table["rounds_a"],
        rounds_b=table["rounds_b"],
        processes_a=table["processes_a"],
        processes_b=table["processes_b"],
        log_ratio=np.where(several, by_process, by_round),
        log_low=np.where(several, by_process - reach, by_round - below),
        log_high=np.where(several, by_process + reach, by_round + above),
        error=np.where(several, error, towards),
        freedom=np.where(several, freedom, np.inf),
    )


def against_noise(table: pd.DataFrame, width: ArrayLike) -> pd.DataFrame:
    """Return ratios, noise and p-values of the result of `unpaired_rows`, for `rows.with_verdicts`.

    Parameters
    ----------
    width : array_like, shape (rows,) or ()
        Half-width of the noise band of each row in log ratio.

    Returns
    -------
    pandas.DataFrame
        The table with ``ratio``, ``low``, ``high``, ``noise`` and ``p_value`` (two-sided, of "the log ratio lies within
        the band") instead of ``log_ratio``, ``log_low``, ``log_high``, ``error`` and ``freedom``. The p-value is 1
        where the interval is unknown.
    """
    widths = np.broadcast_to(np.asarray(width, dtype=np.float64), len(table))
    beyond = np.abs(_floats(table, "log_ratio")) - widths
    error, freedom = _floats(table, "error"), _floats(table, "freedom")
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = np.where(error > 0, beyond / error, np.where(beyond > 0, np.inf, 0.0))
        finite = np.isfinite(freedom)
        tail = np.where(finite, stdtr(np.where(finite, freedom, 1.0), -statistic), ndtr(-statistic))
    p = np.where(np.isnan(beyond) | np.isnan(error) | (beyond <= 0), 1.0, np.minimum(1.0, 2 * tail))
    logs = {"ratio": "log_ratio", "low": "log_low", "high": "log_high"}
    kept = table.drop(columns=[*logs.values(), "error", "freedom"])
    return kept.assign(
        **{name: np.exp(_floats(table, column)) for name, column in logs.items()}, noise=widths, p_value=p
    )


_DESCRIBED = ("mean", "variance", "processes", "median", "low", "high")


def _described(samples: pd.DataFrame, on: list[str], confidence: float) -> pd.DataFrame:
    """Return, for each case, counts, mean of the processes' log medians, its variance, and the rounds' log median."""
    rows = usable(samples, [*on, "process", "round", "seconds"])
    # Cases are numbered, since grouping a million rows by many columns of text takes seconds.
    case = rows.groupby(on, observed=True, sort=True).ngroup()
    times = round_times(rows[["process", "round", "seconds"]].assign(case=case), ["case"])
    times["log"] = np.log(times["seconds"].to_numpy(dtype=np.float64))
    groups = Groups.of(times, ["case"])
    median, low, high = groups.median_intervals(
        times["log"].to_numpy(dtype=np.float64), times["process"].to_numpy(dtype=np.int64), confidence
    )
    medians = times.groupby(["case", "process"])["log"].median().reset_index()
    centred = medians["log"] - medians.groupby("case")["log"].transform("mean")
    products = (centred * centred.shift()).where(medians["case"].eq(medians["case"].shift()), 0.0)
    processes = (
        medians.assign(squares=centred**2, products=products)
        .groupby("case")
        .agg(mean=("log", "mean"), processes=("log", "size"), squares=("squares", "sum"), products=("products", "sum"))
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        error = error_of_mean(*(_floats(processes, name) for name in ("squares", "products", "processes")))
    processes = processes.assign(variance=error**2).drop(columns=["squares", "products"])
    keys = rows[on].assign(case=case).drop_duplicates("case")
    described = groups.keys.assign(rounds=groups.sizes, median=median, low=low, high=high)
    return keys.merge(described, on="case").merge(processes.reset_index(), on="case").drop(columns="case")


def _welch(a: dict[str, Floats], b: dict[str, Floats]) -> tuple[Floats, Floats]:
    """Return the standard error of the difference of two means and its degrees of freedom (Welch-Satterthwaite)."""
    parts = [np.where(side["processes"] > 1, side["variance"], 0.0) for side in (a, b)]
    total = parts[0] + parts[1]
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = [(part / total) ** 2 / (side["processes"] - 1) for part, side in zip(parts, (a, b), strict=True)]
        freedom = 1 / (shares[0] + shares[1])
    # With equal medians in all processes the degrees of freedom have no effect.
    return np.sqrt(total), np.where(np.isfinite(freedom) & (freedom > 0), freedom, 1.0)


def _floats(table: pd.DataFrame, column: str) -> Floats:
    return table[column].to_numpy(dtype=np.float64)
