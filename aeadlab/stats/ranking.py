"""Ranking of implementations by the geometric mean of their time ratios over their common cases.

The geometric mean is the only mean of ratios whose order does not depend on the reference [1]_. Since
it does not describe any single case, the table contains the extremes as well.

References
----------
.. [1] P. J. Fleming, J. J. Wallace, How not to lie with statistics: the correct way to summarize benchmark results,
   Communications of the ACM 29 (1986), 218-221.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from aeadlab.errors import ArgumentError
from aeadlab.stats.interval import Floats, median_interval
from aeadlab.stats.noise_floor import NoiseFloor
from aeadlab.stats.pairing import round_times
from aeadlab.stats.selection import usable


@dataclass(frozen=True)
class Ranking:
    """Implementations in order, the fastest first.

    Attributes
    ----------
    table : pandas.DataFrame
        One row per implementation: ``place`` (that of the preceding row if not distinguishable from the fastest of that
        place), ``implementation``, ``ratio`` (geometric mean of its time over the reference's), ``low`` and
        ``high`` (bootstrap over rounds; NaN below six), ``best`` and ``worst`` (smallest and largest ratio of a case),
        ``cases_here`` (number of its cases, ranked or not).
    cases : pandas.DataFrame
        The ranked cases: those that every implementation has.
    left_out : pandas.DataFrame
        The other cases, with ``implementations``, the number of implementations that have it.
    rounds : int
        Number of rounds with all ranked cases.
    """

    table: pd.DataFrame
    cases: pd.DataFrame
    left_out: pd.DataFrame
    rounds: int


def ranking(samples: pd.DataFrame, on: list[str], noise: NoiseFloor, reference: str | None = None) -> Ranking:
    """Rank the implementations in the samples over the cases that all of them have.

    In each round the logarithms of an implementation's ratios are averaged over the cases; the median over rounds is
    its score, with the bootstrap interval of a median. Effects on a whole round cancel.

    Parameters
    ----------
    samples : pandas.DataFrame
        Samples of one record, with ``implementation``, `on`, ``round``, ``seconds``, ``warmup`` and ``status``; each
        implementation has each case at most once.
    on : list of str
        Columns that identify a case together with the implementation.
    noise : NoiseFloor
        Noise floor of that record: an implementation gets a new place if the whole interval of its time relative to
        the first of the current place is above the band.
    reference : str, optional
        The implementation whose time is 1. Without it each case is relative to its fastest implementation, by median.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If fewer than two have usable samples, no case is common to all, no round has all of them, or there is no such
        reference.
    """
    times = round_times(usable(samples, ["implementation", *on, "round", "seconds"]), ["implementation", *on])
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
    logs, rounds = _matrix(times.merge(common.assign(case=range(len(common))), on=on), names, len(common))
    if not rounds:
        raise ArgumentError(f"no round has every common case of {', '.join(names)}: exclude some of them")
    medians = np.median(logs, axis=0)
    chosen = medians.argmin(axis=1) if reference is None else np.full(len(common), names.index(reference))
    relative = logs - np.take_along_axis(logs, chosen[np.newaxis, :, np.newaxis], axis=2)
    scores = relative.mean(axis=1)
    by_case = np.median(relative, axis=0)
    order = np.argsort(np.median(scores, axis=0), kind="stable")
    case_counts = times[["implementation", *on]].drop_duplicates().groupby("implementation", observed=True).size()
    rows: list[dict[str, Any]] = []
    place = 1
    for at, which in enumerate(order):
        middle, low, high = median_interval(scores[:, which])
        # Each is compared with the first of the place: comparing neighbours could chain the fastest to the slowest.
        if at == 0 or _is_slower(scores[:, which] - scores[:, order[place - 1]], noise):
            place = at + 1
        rows.append(
            {
                "place": place,
                "implementation": names[which],
                "ratio": np.exp(middle),
                "low": np.exp(low),
                "high": np.exp(high),
                "best": np.exp(by_case[:, which].min()),
                "worst": np.exp(by_case[:, which].max()),
                "cases_here": int(case_counts[names[which]]),
            }
        )
    left_out = owners[owners["implementations"] < len(names)].reset_index(drop=True)
    return Ranking(pd.DataFrame(rows), common, left_out, rounds)


def _difference(times: pd.DataFrame, on: list[str]) -> str:
    """Return in words the single columns in which no value is common to all implementations."""
    total = times["implementation"].nunique()
    owners = {column: times[["implementation", column]].drop_duplicates()[column].value_counts().max() for column in on}
    columns = [column for column, most in owners.items() if most < total]
    return f", which differ in {' and '.join(columns)}" if columns else ""


def _matrix(times: pd.DataFrame, names: list[str], cases: int) -> tuple[Floats, int]:
    """Return log seconds of the complete rounds, shape (rounds, cases, implementations), and their number."""
    rounds, at = np.unique(times["round"].to_numpy(), return_inverse=True)
    logs = np.full((rounds.size, cases, len(names)), np.nan)
    which = pd.Categorical(times["implementation"], categories=names).codes
    logs[at, times["case"].to_numpy(), which] = np.log(times["seconds"].to_numpy(dtype=np.float64))
    complete = logs[~np.isnan(logs).any(axis=(1, 2))]
    return complete, len(complete)


def _is_slower(logs: Floats, noise: NoiseFloor) -> bool:
    # Comparisons with NaN are false: an unknown interval or noise floor separates nothing.
    return median_interval(logs).low > noise.width
