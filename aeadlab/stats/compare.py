"""Whether two cases differ: their ratio, paired by round, against the noise floor of the run itself."""

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
from aeadlab.stats.pairing import relative_speed, round_times
from aeadlab.stats.selection import CASE_COLUMNS, finite, usable

Verdict = Literal["improved", "no credible difference", "worse"]


@dataclass(frozen=True)
class NoiseFloor:
    """How far apart this run puts two arms of one and the same case.

    Attributes
    ----------
    width : float
        Half-width of the band in log ratio, at least 0; NaN when no A/A pair has enough rounds to tell.
    pairs : int
        A/A pairs that it comes from.
    """

    width: float
    pairs: int

    @property
    def low(self) -> float:
        """Lower end of the band as a ratio, below 1."""
        return exp(-self.width)

    @property
    def high(self) -> float:
        """Upper end of the band as a ratio, above 1."""
        return exp(self.width)


@dataclass(frozen=True)
class Ratio:
    """Candidate's time over baseline's time; below 1 the candidate is faster.

    Attributes
    ----------
    ratio, low, high : float
        Exponential of the median log ratio, with the bootstrap interval; its ends are NaN below six pairs.
    pairs : int
        Rounds in which both were measured.
    """

    ratio: float
    low: float
    high: float
    pairs: int


@dataclass(frozen=True)
class Comparison(Ratio):
    """A ratio judged against the noise floor.

    Attributes
    ----------
    noise : NoiseFloor
        The band that the interval must leave.
    p_value : float
        Sign test of "the median log ratio lies within the noise band", two-sided; for `benjamini_hochberg`.
    """

    noise: NoiseFloor
    p_value: float

    @property
    def verdict(self) -> Verdict:
        """What may be said of the candidate; see `verdict`."""
        return verdict(self.low, self.high, self.noise)


def noise_floor(samples: pd.DataFrame, confidence: float = CONFIDENCE) -> NoiseFloor:
    """Noise floor of a run from its A/A pairs: cases measured twice, as replica 0 and replica 1.

    The two arms run the same code, so their ratio is 1 and the interval of it shows what the machine makes of that.
    The interval is widened to a band symmetric about 1 on the log scale; of several A/A pairs the widest counts.

    Parameters
    ----------
    samples : pandas.DataFrame
        Samples of one record, with `selection.CASE_COLUMNS`, ``round``, ``seconds``, ``warmup`` and ``status``.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If no case has both replicas in a common round, or a time that counts is not finite and positive.
    """
    by = [column for column in CASE_COLUMNS if column != "replica"]
    rows = usable(samples, [*CASE_COLUMNS, "round", "seconds"])
    table = relative_speed(rows[rows["replica"] == 1], rows[rows["replica"] == 0], by, by, confidence)
    table = table[table["pairs"] > 0]
    if table.empty:
        raise ArgumentError(
            "the samples hold no A/A pair (one case as replica 0 and as replica 1 in the same rounds); "
            "measure the study with its A/A pair, for without a noise floor no difference can be judged"
        )
    widths = np.log(np.maximum(table["high"].to_numpy(dtype=np.float64), 1 / table["low"].to_numpy(dtype=np.float64)))
    known = widths[~np.isnan(widths)]
    return NoiseFloor(float(known.max()) if known.size else float("nan"), int(len(table)))


def ratio(baseline: pd.DataFrame, candidate: pd.DataFrame, confidence: float = CONFIDENCE) -> Ratio:
    """Candidate's time over baseline's, paired by round.

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
    """Judge candidate against baseline: their ratio, the verdict, and a p-value to correct over many comparisons.

    Parameters
    ----------
    baseline, candidate : pandas.DataFrame
        The samples of one case each, from the record that `noise` comes from.
    noise : NoiseFloor
        From `noise_floor`.

    Raises
    ------
    aeadlab.errors.ArgumentError
        As `ratio`.
    """
    logs = _log_ratios(baseline, candidate)
    found = _ratio(logs, confidence)
    above, below = np.count_nonzero(logs > noise.width), np.count_nonzero(logs < -noise.width)
    p_value = float(sign_test(above, below, logs.size))
    return Comparison(found.ratio, found.low, found.high, found.pairs, noise, p_value)


def verdict(low: float, high: float, noise: NoiseFloor) -> Verdict:
    """``improved`` or ``worse`` only when the whole interval of the time ratio lies outside the noise band.

    An unknown interval or noise floor (NaN, from too few rounds) allows no claim: ``no credible difference``.
    """
    if high < noise.low:
        return "improved"
    if low > noise.high:
        return "worse"
    return "no credible difference"


def benjamini_hochberg(p_values: ArrayLike) -> Floats:
    """Adjusted p-values that bound the false discovery rate over many comparisons [1]_.

    Rejecting where the result is at most q keeps the expected share of false rejections at q or below.

    Parameters
    ----------
    p_values : array_like, shape (n,)
        Between 0 and 1.

    Returns
    -------
    ndarray, shape (n,)
        In the order given.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If a value is NaN or outside 0 to 1.

    References
    ----------
    .. [1] Y. Benjamini and Y. Hochberg, Controlling the False Discovery Rate, Journal of the Royal Statistical
       Society B 57 (1995), 289-300.
    """
    p = finite("p-values", p_values)
    if p.size and (p.min() < 0 or p.max() > 1):
        raise ArgumentError(f"p-values range from {p.min():g} to {p.max():g}, 0 to 1 is wanted")
    falling = np.argsort(-p, kind="stable")
    ranks = np.arange(p.size, 0, -1)
    adjusted = np.empty_like(p)
    adjusted[falling] = np.minimum.accumulate(np.minimum(p[falling] * p.size / ranks, 1.0))
    return adjusted


def sign_test(above: ArrayLike, below: ArrayLike, pairs: ArrayLike) -> Floats:
    """Two-sided sign test against the nearer edge of a band: it needs nothing of the distribution, as the median.

    Parameters
    ----------
    above, below : array_like of int
        Pairs whose log ratio lies beyond the upper and the lower edge. Of an unknown band (NaN) these are none.
    pairs : array_like of int
        All pairs.

    Returns
    -------
    ndarray
        P-values in the shape of what is given; 1 where nothing lies beyond either edge.
    """
    beyond = np.maximum(above, below)
    # P(Binomial(pairs, 1/2) >= beyond), and the other side's.
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
                f"the {role} holds usable samples of {cases} cases, one is wanted; select by the case columns "
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
