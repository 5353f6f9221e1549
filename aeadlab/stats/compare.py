"""Comparison of two cases: their ratio, paired by round, with the process as the unit, against the noise floor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from aeadlab.errors import ArgumentError
from aeadlab.stats.groups import Groups
from aeadlab.stats.interval import ratio_interval, unit
from aeadlab.stats.noise_floor import NoiseFloor
from aeadlab.stats.pairing import round_times
from aeadlab.stats.processes import CONFIDENCE, FEWEST, Floats, joint_level
from aeadlab.stats.selection import CASE_COLUMNS, usable

Verdict = Literal["faster", "no credible difference", "slower"]


@dataclass(frozen=True)
class Ratio:
    """The candidate's time over the baseline's; below 1 the candidate is faster.

    Attributes
    ----------
    ratio, low, high : float
        Exponential of the median log ratio, with its interval; see `aeadlab.stats.interval.ratio_interval`.
    pairs : int
        Number of rounds in which both were measured.
    processes : int
        Number of processes that took these rounds.
    """

    ratio: float
    low: float
    high: float
    pairs: int
    processes: int

    @property
    def unit(self) -> str:
        """What the interval comes from, in words."""
        return unit(self.processes, self.pairs, equal=self.low == self.high)


@dataclass(frozen=True)
class Comparison(Ratio):
    """A ratio with its verdict against the noise floor.

    Attributes
    ----------
    noise : NoiseFloor
        The band that the interval must leave for a difference.
    p_value : float
        Two-sided, of "the median log ratio lies within the noise band"; NaN where there is no interval.
    """

    noise: NoiseFloor
    p_value: float

    @property
    def verdict(self) -> Verdict:
        """The conclusion for the candidate; see `verdict`."""
        return verdict(self.low, self.high, self.noise, self.processes)


def confidence_of_chosen(candidates: int) -> float:
    """Return the level of one comparison that keeps 95 % for all pairs of some candidates at once (Bonferroni).

    The fastest of several is chosen by the same samples that then compare it. Its comparison with any other holds at
    95 % only at this level. It is 0.95 for two candidates.
    """
    return joint_level(candidates * (candidates - 1) // 2)


def ratio(baseline: pd.DataFrame, candidate: pd.DataFrame, confidence: float = CONFIDENCE) -> Ratio:
    """Return the candidate's time over the baseline's, paired by round.

    Parameters
    ----------
    baseline, candidate : pandas.DataFrame
        The samples of one case each, from one record.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If a frame holds no case or several, the two share no round, or a time is not finite and positive.
    """
    return _ratio(_paired(baseline, candidate), confidence)


def compare(
    baseline: pd.DataFrame, candidate: pd.DataFrame, noise: NoiseFloor, confidence: float = CONFIDENCE
) -> Comparison:
    """Compare a candidate with a baseline: their ratio, the verdict and a p-value.

    Parameters
    ----------
    baseline, candidate : pandas.DataFrame
        The samples of one case each, from the record that `noise` comes from.
    noise : NoiseFloor
        From `aeadlab.stats.noise_floor`.

    Errors are those of `ratio`.
    """
    paired = _paired(baseline, candidate)
    measured = _ratio(paired, confidence)
    logs = np.log(paired["candidate"].to_numpy(dtype=np.float64) / paired["baseline"].to_numpy(dtype=np.float64))
    p_value = band_p_values(Groups.of(paired, []), logs, paired["process"].to_numpy(dtype=np.int64), noise.width)[0]
    return Comparison(
        measured.ratio, measured.low, measured.high, measured.pairs, measured.processes, noise, float(p_value)
    )


def verdict(low: float, high: float, noise: NoiseFloor, processes: int) -> Verdict:
    """Return ``faster`` or ``slower`` if the whole interval of the time ratio lies outside the noise band.

    Otherwise, where the interval is unknown (NaN), and where it comes from fewer than three processes, the verdict is
    ``no credible difference``.
    """
    if processes < FEWEST:
        return "no credible difference"
    if high < noise.low:
        return "faster"
    if low > noise.high:
        return "slower"
    return "no credible difference"


def band_p_values(groups: Groups, logs: Floats, process: NDArray[np.int64], width: ArrayLike) -> Floats:
    """Return two-sided p-values of "the median of the group lies within a band about 0", shape (groups,).

    Parameters
    ----------
    logs : ndarray, shape (rows,)
        Log ratios, in the order of the grouped frame.
    process : ndarray of int, shape (rows,)
    width : array_like, shape (groups,) or ()
        Half-width of the band; a p-value is that of the nearer edge, and 1 inside the band.
    """
    p_values, widths = np.empty(len(groups)), np.broadcast_to(np.asarray(width, dtype=np.float64), (len(groups),))
    for which, samples in groups.by_process(logs, process):
        median, edge = samples.median, widths[which]
        p_values[which] = np.where(np.abs(median) <= edge, 1.0, samples.p_values(np.sign(median) * edge))
    return p_values


def _paired(baseline: pd.DataFrame, candidate: pd.DataFrame) -> pd.DataFrame:
    """Return the times of both in each common round: ``process``, ``round``, ``baseline`` and ``candidate``."""
    times = []
    for role, samples in (("baseline", baseline), ("candidate", candidate)):
        rows = usable(samples, [*CASE_COLUMNS, "process", "round", "seconds"])
        cases = len(rows[list(CASE_COLUMNS)].drop_duplicates())
        if cases != 1:
            raise ArgumentError(
                f"the {role} holds usable samples of {cases} cases instead of 1; select by the case columns "
                f"({', '.join(CASE_COLUMNS)})"
            )
        times.append(round_times(rows, []).rename(columns={"seconds": role}))
    paired = times[0].merge(times[1], on=["process", "round"])
    if paired.empty:
        raise ArgumentError("baseline and candidate share no round; compare cases that one run measured together")
    return paired


def _ratio(paired: pd.DataFrame, confidence: float) -> Ratio:
    candidate, baseline = (paired[arm].to_numpy(dtype=np.float64) for arm in ("candidate", "baseline"))
    found = ratio_interval(candidate, baseline, paired["round"], paired["process"], confidence)
    return Ratio(*found, found.rounds, found.processes)
