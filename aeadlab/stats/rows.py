"""Many comparisons at once: from log ratios with their errors to verdicts that hold across all rows."""

from __future__ import annotations

from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from aeadlab.stats.compare import sign_test
from aeadlab.stats.interval import Floats
from aeadlab.stats.noise_floor import NoiseFloor
from aeadlab.stats.pairing import relative_speed, round_times
from aeadlab.stats.selection import usable

FALSE_DISCOVERY_RATE: Final = 0.05
"""Bound on the expected share of false verdicts among all rows with the verdict ``faster`` or ``slower``."""


def paired_rows(baseline: pd.DataFrame, candidate: pd.DataFrame, on: list[str], noise: NoiseFloor) -> pd.DataFrame:
    """Return the candidate's time over the baseline's for every case of both, paired by round as in `compare`.

    Parameters
    ----------
    baseline, candidate : pandas.DataFrame
        Samples of one record; one case each for every value of `on`.
    on : list of str
        The columns by which cases are matched.
    noise : NoiseFloor
        Of that record.

    Returns
    -------
    pandas.DataFrame
        One row per value of `on` in both: `on`, ``pairs`` (common rounds), ``ratio``, ``low``, ``high``, ``noise``
        (half-width in log ratio) and ``p_value`` (sign test against the noise band). Without a common round the
        numbers are NaN and the p-value is 1.
    """
    old, new = (usable(side, [*on, "round", "seconds"]) for side in (baseline, candidate))
    # The baseline's speed over the candidate's is the candidate's time over the baseline's.
    table = relative_speed(old, new, on, on)
    keys = new[on].drop_duplicates()
    table = table.merge(keys, on=on, how="inner")
    both = round_times(old, on).merge(round_times(new, on), on=[*on, "round"], suffixes=("_old", "_new"))
    logs = np.log(both["seconds_new"]) - np.log(both["seconds_old"])
    counts = both[on].assign(above=logs > noise.width, below=logs < -noise.width).groupby(on, observed=True, sort=True)
    table = table.merge(counts[["above", "below"]].sum().reset_index(), on=on, how="left")
    above, below = (table.pop(side).fillna(0) for side in ("above", "below"))
    return table.assign(noise=noise.width, p_value=sign_test(above, below, table["pairs"]))


def with_verdicts(table: pd.DataFrame) -> pd.DataFrame:
    """Add ``p_adjusted`` (Benjamini-Hochberg [1]_ across the rows) and ``verdict``.

    The verdict is ``faster`` or ``slower`` only if the whole interval lies outside the noise band *and* the adjusted
    p-value is at most the false discovery rate; otherwise, also for unknown values, it is ``no credible difference``.

    Parameters
    ----------
    table : pandas.DataFrame
        With ``low`` and ``high`` (time ratios), ``noise`` (half-width in log ratio) and ``p_value``.

    References
    ----------
    .. [1] Y. Benjamini and Y. Hochberg, Controlling the False Discovery Rate, Journal of the Royal Statistical
       Society B 57 (1995), 289-300.
    """
    # scipy.stats takes longer to import than most commands run.
    from scipy.stats import false_discovery_control

    adjusted = _floats(false_discovery_control(_floats(table["p_value"])))
    noise = _floats(table["noise"])
    low, high = np.log(_floats(table["low"])), np.log(_floats(table["high"]))
    significant = adjusted <= FALSE_DISCOVERY_RATE
    verdicts = np.select(
        [significant & (high < -noise), significant & (low > noise)], ["faster", "slower"], "no credible difference"
    )
    return table.assign(p_adjusted=adjusted, verdict=verdicts)


def _floats(values: ArrayLike) -> Floats:
    return np.asarray(values, dtype=np.float64)
