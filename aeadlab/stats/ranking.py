"""Ranks implementations by the geometric mean of their time ratios over the cases that all of them have.

The geometric mean is the only mean of ratios whose order does not depend on the reference [1]_. It says nothing of any
single case, which is why the extremes stand beside it.

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
from aeadlab.stats.compare import NoiseFloor
from aeadlab.stats.interval import CONFIDENCE, Floats, median_interval
from aeadlab.stats.pairing import round_times
from aeadlab.stats.selection import usable


@dataclass(frozen=True)
class Ranking:
    """Implementations in order, the fastest first.

    Attributes
    ----------
    table : pandas.DataFrame
        One row per implementation: ``place`` (shared by those that are not told apart from the first of the place),
        ``implementation``, ``ratio`` (geometric mean of its time over the reference's, 1 is as fast), ``low`` and
        ``high`` (bootstrap over rounds; NaN below six), ``best`` and ``worst`` (least and greatest ratio of any case),
        ``cases_here`` (how many cases it has, ranked or not).
    cases : pandas.DataFrame
        The cases that the ranking is about: those that every implementation has.
    left_out : pandas.DataFrame
        The other cases, with ``implementations``: how many have it.
    rounds : int
        Rounds in which everything that is ranked was measured.
    """

    table: pd.DataFrame
    cases: pd.DataFrame
    left_out: pd.DataFrame
    rounds: int


def ranking(
    samples: pd.DataFrame,
    on: list[str],
    noise: NoiseFloor,
    reference: str | None = None,
    confidence: float = CONFIDENCE,
) -> Ranking:
    """Rank all implementations among the samples on the intersection of their cases.

    In each round the logarithms of an implementation's ratios are averaged over the cases; the median over rounds is
    its score, with the bootstrap interval of a median. What slows a whole round cancels.

    Parameters
    ----------
    samples : pandas.DataFrame
        Samples of one record, with ``implementation``, `on`, ``round``, ``seconds``, ``warmup`` and ``status``; each
        implementation has each case at most once.
    on : list of str
        What makes a case besides the implementation.
    noise : NoiseFloor
        Of that record: those whose ratio does not leave its band share a place.
    reference : str, optional
        The implementation whose time is 1. Without it each case is relative to whoever is fastest there, by median.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If fewer than two have usable samples, no case is common to all, no round has all of them, or there is no such
        reference.
    """
    times = round_times(usable(samples, ["implementation", *on, "round", "seconds"]), ["implementation", *on])
    names = sorted(times["implementation"].unique())
    if len(names) < 2:
        raise ArgumentError(f"{names[0] if names else 'nothing'} has samples that count; two are wanted to be ranked")
    if reference is not None and reference not in names:
        raise ArgumentError(f"reference {reference} is not among those that are ranked: {', '.join(names)}")
    counts = times[["implementation", *on]].drop_duplicates().groupby(on, observed=True).size()
    owners = counts.rename("implementations").reset_index()
    common = owners.loc[owners["implementations"] == len(names), on].reset_index(drop=True)
    if common.empty:
        raise ArgumentError(f"no case is common to all of {', '.join(names)}{_why(times, on)}: leave some of them out")
    logs, rounds = _matrix(times.merge(common.assign(case=range(len(common))), on=on), names, len(common))
    if not rounds:
        raise ArgumentError(f"no round has every common case of {', '.join(names)}: leave some of them out")
    medians = np.median(logs, axis=0)
    chosen = medians.argmin(axis=1) if reference is None else np.full(len(common), names.index(reference))
    relative = logs - np.take_along_axis(logs, chosen[np.newaxis, :, np.newaxis], axis=2)
    scores = relative.mean(axis=1)
    by_case = np.median(relative, axis=0)
    order = np.argsort(np.median(scores, axis=0), kind="stable")
    here = times[["implementation", *on]].drop_duplicates().groupby("implementation", observed=True).size()
    rows: list[dict[str, Any]] = []
    place = 1
    for at, which in enumerate(order):
        middle, low, high = median_interval(scores[:, which], confidence)
        # The first of a place decides who shares it: neighbours alone could chain the fastest to the slowest.
        if at == 0 or _apart(scores[:, which] - scores[:, order[place - 1]], noise, confidence):
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
                "cases_here": int(here[names[which]]),
            }
        )
    left_out = owners[owners["implementations"] < len(names)].reset_index(drop=True)
    return Ranking(pd.DataFrame(rows), common, left_out, rounds)


def _why(times: pd.DataFrame, on: list[str]) -> str:
    """The columns that keep them apart, where a single one does."""
    total = times["implementation"].nunique()
    owners = {column: times[["implementation", column]].drop_duplicates()[column].value_counts().max() for column in on}
    columns = [column for column, most in owners.items() if most < total]
    return f", which differ in {' and '.join(columns)}" if columns else ""


def _matrix(times: pd.DataFrame, names: list[str], cases: int) -> tuple[Floats, int]:
    """Log seconds of the rounds that are complete, shape (rounds, cases, implementations), and how many there are."""
    rounds, at = np.unique(times["round"].to_numpy(), return_inverse=True)
    logs = np.full((rounds.size, cases, len(names)), np.nan)
    which = pd.Categorical(times["implementation"], categories=names).codes
    logs[at, times["case"].to_numpy(), which] = np.log(times["seconds"].to_numpy(dtype=np.float64))
    complete = logs[~np.isnan(logs).any(axis=(1, 2))]
    return complete, len(complete)


def _apart(logs: Floats, noise: NoiseFloor, confidence: float) -> bool:
    # Comparisons with NaN are false: an unknown interval or floor tells nothing apart.
    return median_interval(logs, confidence).low > noise.width
