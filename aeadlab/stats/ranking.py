"""Ranking of implementations by the geometric mean of their time ratios over their common cases.

The geometric mean is the only mean of ratios whose order does not depend on the reference [1]_. Since
it does not describe any single case, the table contains the extremes as well.

Places come from multiple comparisons with the best [2]_: an implementation has the first place unless it is slower than
some other one, in comparisons of all pairs that hold at once (Bonferroni). No leader is chosen from the sample, since
the fastest of many equal implementations is fast by chance. The others are ranked among themselves in the same way.

References
----------
.. [1] P. J. Fleming, J. J. Wallace, How not to lie with statistics: the correct way to summarize benchmark results,
   Communications of the ACM 29 (1986), 218-221.
.. [2] J. C. Hsu, Constrained Simultaneous Confidence Intervals for Multiple Comparisons with the Best, Annals of
   Statistics 12 (1984), 1136-1144.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import stdtrit

from aeadlab.errors import ArgumentError
from aeadlab.stats.compare import confidence_of_chosen
from aeadlab.stats.groups import Groups
from aeadlab.stats.pairing import round_times
from aeadlab.stats.processes import CONFIDENCE, FEWEST, Floats, joint_level, standard_error
from aeadlab.stats.selection import usable


@dataclass(frozen=True)
class Ranking:
    """Implementations in order, the fastest first.

    Attributes
    ----------
    table : pandas.DataFrame
        One row per implementation: ``place`` (equal where no difference is credible; see the module),
        ``implementation``, ``ratio`` (geometric mean of its time over the reference's), ``low`` and ``high`` (95 %
        interval; without a reference at a level for all pairs of implementations, since the samples choose the fastest;
        that they do so in each of several cases does not count), ``best`` and ``worst`` (smallest and largest ratio of
        a case) with ``_low`` and ``_high``, whose intervals account for the choice among the cases (Bonferroni),
        ``cases_here`` (number of its cases, ranked or not).
    cases : pandas.DataFrame
        The ranked cases: those that every implementation has.
    left_out : pandas.DataFrame
        The other cases, with ``implementations``, the number of implementations that have it.
    margin : float
        Half-width in log ratio within which two implementations are equal.
    rounds, processes : int
        Number of rounds with all ranked cases, and of the processes that took them. All implementations share a place
        below three processes.
    """

    table: pd.DataFrame
    cases: pd.DataFrame
    left_out: pd.DataFrame
    margin: float
    rounds: int
    processes: int


def ranking(
    samples: pd.DataFrame,
    on: list[str],
    noise: Callable[[pd.DataFrame], Floats],
    reference: str | None = None,
) -> Ranking:
    """Rank the implementations in the samples over the cases that all of them have.

    In each round the logarithms of an implementation's ratios are averaged over the cases. Their median over rounds,
    with its interval over processes, is its score. Effects on a whole round cancel.

    Parameters
    ----------
    samples : pandas.DataFrame
        Samples of one record, with ``implementation``, `on`, ``process``, ``round``, ``seconds``, ``warmup`` and
        ``status``; each implementation has each case at most once.
    on : list of str
        Columns that identify a case together with the implementation.
    noise : callable
        Returns the noise floor of each of some cases, a half-width in log ratio (for example
        `aeadlab.stats.noise_floor.noise_widths`). An implementation is slower than another one if the whole interval of
        their ratio is above the mean of these over the ranked cases, which bounds the bias of their mean.
    reference : str, optional
        The implementation whose time is 1. Without it each case is relative to its fastest implementation, by median.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If fewer than two have usable samples, no case is common to all, no round has all of them, or there is no such
        reference.
    """
    rows = usable(samples, ["implementation", *on, "process", "round", "seconds"])
    times = round_times(rows, ["implementation", *on])
    names = sorted(times["implementation"].unique())
    if len(names) < 2:
        raise ArgumentError(
            f"{names[0] if names else 'no implementation'} has counted samples, expected at least two implementations"
        )
    if reference is not None and reference not in names:
        raise ArgumentError(f"reference {reference} is not among the ranked implementations: {', '.join(names)}")
    counts = times[["implementation", *on]].drop_duplicates().groupby(on, observed=True).size()
    owners = counts.rename("implementations").reset_index()
    common = owners.loc[owners["implementations"] == len(names), on].reset_index(drop=True)
    if common.empty:
        raise ArgumentError(
            f"no case is common to all of {', '.join(names)}{_difference(times, on)}: exclude some of them"
        )
    logs, process = _matrix(times.merge(common.assign(case=range(len(common))), on=on), names, len(common))
    if not process.size:
        raise ArgumentError(f"no round has every common case of {', '.join(names)}: exclude some of them")
    medians = np.median(logs, axis=0)
    chosen = medians.argmin(axis=1) if reference is None else np.full(len(common), names.index(reference))
    relative = logs - np.take_along_axis(logs, chosen[np.newaxis, :, np.newaxis], axis=2)
    scores = relative.mean(axis=1)
    level = CONFIDENCE if reference else confidence_of_chosen(len(names))
    each = Groups.of(pd.DataFrame({"which": np.tile(np.arange(len(names)), process.size)}), ["which"])
    middle, low, high = map(np.exp, each.median_intervals(scores.ravel(), np.repeat(process, len(names)), level))
    margin = float(noise(common).mean())
    table = pd.DataFrame(
        {
            "place": places(logs.mean(axis=1), process, margin),
            "implementation": names,
            "ratio": middle,
            "low": low,
            "high": high,
            **_extremes(relative, process),
            "cases_here": times[["implementation", *on]].drop_duplicates()["implementation"].value_counts()[names],
        }
    ).sort_values(["place", "ratio"], kind="stable", ignore_index=True)
    left_out = owners[owners["implementations"] < len(names)].reset_index(drop=True)
    return Ranking(table, common, left_out, margin, process.size, np.unique(process).size)


def _extremes(relative: Floats, process: NDArray[np.int64]) -> dict[str, Floats]:
    """Return the smallest and the largest ratio over cases of each implementation, with corrected intervals.

    The least of the lower ends at the nominal level bounds the smallest ratio. Any of the upper ends may do so on the
    other side, so these are taken at a level whose error is divided by the number of cases; the largest likewise.
    """
    rounds, cases, names = relative.shape
    numbers = np.tile(np.arange(cases * names), rounds)
    groups = Groups.of(pd.DataFrame({"number": numbers}), ["number"])
    of_values = np.repeat(process, cases * names)
    (median, low, high), (_, joint_low, joint_high) = (
        [np.exp(end).reshape(cases, names) for end in groups.median_intervals(relative.ravel(), of_values, level)]
        for level in (CONFIDENCE, joint_level(cases))
    )
    best = {"best": median, "best_low": low, "best_high": joint_high}
    worst = {"worst": median, "worst_low": joint_low, "worst_high": high}
    return {name: end.min(axis=0) for name, end in best.items()} | {
        name: end.max(axis=0) for name, end in worst.items()
    }


def places(logs: Floats, process: NDArray[np.int64], width: float) -> NDArray[np.intp]:
    """Return the place of each implementation, from 1.

    Parameters
    ----------
    logs : ndarray, shape (rounds, implementations)
        Logarithms of times, averaged over cases.
    process : ndarray of int, shape (rounds,)
        The process of each round, in the order of time.
    width : float
        Half-width in log ratio of the band within which no difference is credible.
    """
    numbers = np.unique(process)
    count, number = numbers.size, logs.shape[1]
    result = np.ones(number, dtype=np.intp)
    if count < FEWEST or number < 2:
        return result
    rest = np.arange(number)
    reach = float(stdtrit(count - 1, (1 + confidence_of_chosen(number)) / 2))
    slower = np.zeros((number, number), dtype=np.bool_)
    for i in range(number):
        paired = logs[:, [i]] - logs
        by_process = np.array([np.median(paired[process == one], axis=0) for one in numbers])
        slower[i] = by_process.mean(axis=0) - reach * standard_error(by_process.T) > width
    while rest.size:
        behind = slower[np.ix_(rest, rest)].any(axis=1)
        # Medians of differences need not be transitive: those of a cycle share a place.
        together = rest if behind.all() else rest[~behind]
        result[together] = number - rest.size + 1
        rest = np.setdiff1d(rest, together)
    return result


def _difference(times: pd.DataFrame, on: list[str]) -> str:
    """Return in words the single columns in which no value is common to all implementations."""
    total = times["implementation"].nunique()
    owners = {column: times[["implementation", column]].drop_duplicates()[column].value_counts().max() for column in on}
    columns = [column for column, most in owners.items() if most < total]
    return f", which differ in {' and '.join(columns)}" if columns else ""


def _matrix(times: pd.DataFrame, names: list[str], cases: int) -> tuple[Floats, NDArray[np.int64]]:
    """Return log seconds of the complete rounds, shape (rounds, cases, implementations), and their processes."""
    keys, at = np.unique(times[["process", "round"]].to_numpy(dtype=np.int64), axis=0, return_inverse=True)
    logs = np.full((len(keys), cases, len(names)), np.nan)
    which = pd.Categorical(times["implementation"], categories=names).codes
    logs[at.ravel(), times["case"].to_numpy(), which] = np.log(times["seconds"].to_numpy(dtype=np.float64))
    complete = ~np.isnan(logs).any(axis=(1, 2))
    return logs[complete], keys[complete, 0]
