"""Comparison of two cases: their ratio, paired by round, against the noise floor of the run."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import bdtrc

from aeadlab.errors import ArgumentError
from aeadlab.stats.interval import CONFIDENCE, Floats, median_interval
from aeadlab.stats.noise_floor import NoiseFloor
from aeadlab.stats.pairing import round_times
from aeadlab.stats.selection import CASE_COLUMNS, usable

Verdict = Literal["faster", "no credible difference", "slower"]


@dataclass(frozen=True)
class Ratio:
    """The candidate's time over the baseline's; below 1 the candidate is faster.

    Attributes
    ----------
    ratio, low, high : float
        Exponential of the median log ratio, with the bootstrap interval; its ends are NaN below six pairs.
    pairs : int
        Number of rounds in which both were measured.
    """

    ratio: float
    low: float
    high: float
    pairs: int


@dataclass(frozen=True)
class Comparison(Ratio):
    """A ratio with its verdict against the noise floor.

    Attributes
    ----------
    noise : NoiseFloor
        The band that the interval must leave for a difference.
    p_value : float
        Two-sided sign test of "the median log ratio lies within the noise band".
    """

    noise: NoiseFloor
    p_value: float

    @property
    def verdict(self) -> Verdict:
        """The conclusion for the candidate; see `verdict`."""
        return verdict(self.low, self.high, self.noise)


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
    return _ratio(_log_ratios(baseline, candidate), confidence)


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
    logs = _log_ratios(baseline, candidate)
    measured = _ratio(logs, confidence)
    above, below = np.count_nonzero(logs > noise.width), np.count_nonzero(logs < -noise.width)
    p_value = float(sign_test(above, below, logs.size))
    return Comparison(measured.ratio, measured.low, measured.high, measured.pairs, noise, p_value)


def verdict(low: float, high: float, noise: NoiseFloor) -> Verdict:
    """Return ``faster`` or ``slower`` if the whole interval of the time ratio lies outside the noise band.

    Otherwise, and where the interval or the noise floor is unknown (NaN, from too few rounds), the verdict is ``no
    credible difference``.
    """
    if high < noise.low:
        return "faster"
    if low > noise.high:
        return "slower"
    return "no credible difference"


def sign_test(above: ArrayLike, below: ArrayLike, pairs: ArrayLike) -> Floats:
    """Return p-values of the two-sided sign test against the nearer edge of a band, whatever the distribution.

    Parameters
    ----------
    above, below : array_like of int
        Pairs whose log ratio lies beyond the upper and the lower edge; 0 for an unknown band (NaN).
    pairs : array_like of int
        All pairs.

    Returns
    -------
    ndarray
        In the shape of the arguments; 1 where no pair lies beyond an edge.
    """
    beyond = np.maximum(above, below)
    # P(Binomial(pairs, 1/2) >= beyond), on both sides.
    return np.asarray(
        np.minimum(1.0, 2 * bdtrc(beyond - 1.0, np.asarray(pairs, dtype=np.int64), 0.5)), dtype=np.float64
    )


def _log_ratios(baseline: pd.DataFrame, candidate: pd.DataFrame) -> Floats:
    times = []
    for role, samples in (("baseline", baseline), ("candidate", candidate)):
        rows = usable(samples, [*CASE_COLUMNS, "round", "seconds"])
        cases = len(rows[list(CASE_COLUMNS)].drop_duplicates())
        if cases != 1:
            raise ArgumentError(
                f"the {role} holds usable samples of {cases} cases instead of 1; select by the case columns "
                f"({', '.join(CASE_COLUMNS)})"
            )
        times.append(round_times(rows, []).set_index("round")["seconds"])
    paired = pd.concat(times, axis=1, join="inner", keys=["baseline", "candidate"])
    if paired.empty:
        raise ArgumentError("baseline and candidate share no round; compare cases that one run measured together")
    logs = np.log(paired["candidate"].to_numpy(dtype=np.float64) / paired["baseline"].to_numpy(dtype=np.float64))
    return np.asarray(logs, dtype=np.float64)


def _ratio(logs: Floats, confidence: float) -> Ratio:
    centre, low, high = median_interval(logs, confidence)
    return Ratio(exp(centre), exp(low), exp(high), int(logs.size))
