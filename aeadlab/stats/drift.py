"""Whether times depend on when they were taken, and how to take a drift common to all cases out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from aeadlab.errors import ArgumentError
from aeadlab.stats.interval import Floats
from aeadlab.stats.pairing import round_times
from aeadlab.stats.selection import CASE_COLUMNS, counted, finite, positive, same_length, usable

SIGNIFICANCE = 0.01
NEGLIGIBLE_TAU = 0.1
NEGLIGIBLE_CHANGE = 0.01


@dataclass(frozen=True)
class Drift:
    """Rank correlation of times with the order in which they were taken.

    Attributes
    ----------
    tau : float
        Kendall's tau-b: 1 when every later sample is slower, -1 when faster. NaN for fewer than three samples or when
        all are equal.
    p_value : float
        Two-sided, exact for small samples without ties; NaN with `tau`.
    n : int
        Samples.
    change : float
        Median of the last third of the samples over that of the first, less 1. NaN with `tau`, and where the first
        third's median is not above zero.
    """

    tau: float
    p_value: float
    n: int
    change: float

    @property
    def ordered(self) -> bool:
        """Significant at 1 %, and not negligible: in a long run the least tau becomes significant."""
        return self.p_value < SIGNIFICANCE and abs(self.tau) >= NEGLIGIBLE_TAU

    @property
    def found(self) -> bool:
        """Ordered, and by a percent or more: times that are steady to 20 ns follow their order by 20 ns."""
        return self.ordered and abs(self.change) >= NEGLIGIBLE_CHANGE


def drift(values: ArrayLike, order: ArrayLike) -> Drift:
    """Test one case's times for a trend.

    Kendall's tau and not Spearman's rho, since its null distribution is exact for few samples: three rising times are
    no evidence.

    Parameters
    ----------
    values : array_like, shape (n,)
        Seconds. Of other values `Drift.change` says little, and `Drift.ordered` what there is to say.
    order : array_like, shape (n,)
        Position in the run.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If the lengths differ, or any number is NaN or infinite.
    """
    times, positions = finite("values", values), finite("order", order)
    same_length("values", times, "order", positions)
    if times.size < 3 or np.ptp(times) == 0 or np.ptp(positions) == 0:
        return Drift(float("nan"), float("nan"), int(times.size), float("nan"))
    # Here: it takes longer to load than most commands take.
    from scipy.stats import kendalltau

    found = kendalltau(positions, times)
    return Drift(float(found.statistic), float(found.pvalue), int(times.size), _change(times, positions))


def _change(times: Floats, positions: Floats) -> float:
    in_order = times[np.argsort(positions, kind="stable")]
    third = -(-times.size // 3)
    first, last = float(np.median(in_order[:third])), float(np.median(in_order[-third:]))
    return last / first - 1 if first > 0 else float("nan")


def detrend(samples: pd.DataFrame) -> pd.Series[float]:
    """Seconds with the drift that all cases share taken out, round by round.

    Each time is divided by how much slower than usual the *other* cases were in the same round: the median over them
    of time over the case's own median. A case never helps to correct itself, which would make it look steadier than
    it is; correcting by few other cases adds their noise.

    Parameters
    ----------
    samples : pandas.DataFrame
        Samples of one record, with `selection.CASE_COLUMNS`, ``round``, ``seconds``, ``warmup`` and ``status``.

    Returns
    -------
    pandas.Series
        Seconds with the index of `samples`; NaN for warm-ups and failed samples.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If a round holds one case only, or a time that counts is not finite and positive.
    """
    by = list(CASE_COLUMNS)
    rows = usable(samples, [*by, "round", "seconds"])
    result = np.full(len(samples), np.nan)
    if rows.empty:
        return pd.Series(result, index=samples.index, name="seconds")
    case = rows.groupby(by, observed=True, dropna=False).ngroup().to_numpy()
    keyed = pd.DataFrame({"case": case, "round": rows["round"].to_numpy(), "seconds": rows["seconds"].to_numpy()})
    times = round_times(keyed, ["case"])
    logs = pd.Series(np.log(positive("seconds", times["seconds"].to_numpy())))
    residual = (logs - logs.groupby(times["case"]).transform("median")).to_numpy(dtype=np.float64)
    times["factor"] = np.exp(_median_of_others(times["round"].to_numpy(), residual))
    factor = keyed.merge(times[["case", "round", "factor"]], on=["case", "round"], how="left")["factor"]
    result[counted(samples)] = keyed["seconds"].to_numpy() / factor.to_numpy()
    return pd.Series(result, index=samples.index, name="seconds")


def _median_of_others(rounds: Floats, residual: Floats) -> Floats:
    """For each entry, the median residual of the other entries of its round."""
    ascending = np.lexsort((residual, rounds))
    _, start, size = np.unique(rounds[ascending], return_index=True, return_counts=True)
    if size.min() == 1:
        raise ArgumentError(
            f"round {rounds[ascending][start[size.argmin()]]:g} holds one case only, so nothing tells its drift from "
            "its own noise; detrend a run of several interleaved cases"
        )
    start, size = np.repeat(start, size), np.repeat(size, size)
    position = np.arange(residual.size) - start
    values = residual[ascending]
    # Without the entry at `position`, whatever follows it moves down by one.
    left, right = (size - 2) // 2, (size - 1) // 2
    middle = 0.5 * (values[start + left + (left >= position)] + values[start + right + (right >= position)])
    result = np.empty_like(residual)
    result[ascending] = middle
    return result
