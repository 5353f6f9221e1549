"""Many comparisons at once: from log ratios with their errors to verdicts that hold across all rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from aeadlab.stats.compare import band_p_values
from aeadlab.stats.groups import Groups
from aeadlab.stats.pairing import relative_speed, round_times
from aeadlab.stats.processes import FEWEST, Floats
from aeadlab.stats.selection import usable

FALSE_DISCOVERY_RATE: Final = 0.05
"""Bound on the expected share of false verdicts among all rows with the verdict ``faster`` or ``slower``."""


def paired_rows(
    baseline: pd.DataFrame, candidate: pd.DataFrame, on: list[str], noise: Callable[[pd.DataFrame], Floats]
) -> pd.DataFrame:
    """Return the candidate's time over the baseline's for every case of both, paired by round as in `compare`.

    Parameters
    ----------
    baseline, candidate : pandas.DataFrame
        Samples of one record; one case each for every value of `on`.
    on : list of str
        The columns by which cases are matched.
    noise : callable
        Returns the noise floor of each of some cases, a half-width in log ratio; see
        `aeadlab.stats.noise_floor.noise_widths`.

    Returns
    -------
    pandas.DataFrame
        One row per value of `on` in both: `on`, ``pairs`` (common rounds), ``processes``, ``ratio``, ``low``, ``high``,
        ``noise`` (half-width in log ratio) and ``p_value`` (of "the ratio lies within the noise band"). Without an
        interval the numbers are NaN and the p-value is 1.
    """
    columns = [*on, "process", "round", "seconds"]
    old, new = (usable(side, columns) for side in (baseline, candidate))
    # The baseline's speed over the candidate's is the candidate's time over the baseline's.
    table = relative_speed(old, new, on, on)
    table = table.merge(new[on].drop_duplicates(), on=on, how="inner")
    both = round_times(old, on).merge(round_times(new, on), on=[*on, "process", "round"], suffixes=("_old", "_new"))
    logs = np.log(both["seconds_new"].to_numpy(dtype=np.float64) / both["seconds_old"].to_numpy(dtype=np.float64))
    groups = Groups.of(both, on)
    widths = noise(groups.keys)
    p_values = band_p_values(groups, logs, both["process"].to_numpy(dtype=np.int64), widths)
    table = table.merge(groups.keys.assign(p_value=p_values), on=on, how="left")
    return table.assign(noise=noise(table), p_value=table["p_value"].fillna(1.0))


def with_verdicts(table: pd.DataFrame) -> pd.DataFrame:
    """Add ``p_adjusted`` (Benjamini-Hochberg [1]_ across the rows) and ``verdict``.

    The verdict is ``faster`` or ``slower`` only if the interval comes from three processes or more, lies outside the
    noise band as a whole *and* the adjusted p-value is at most the false discovery rate; otherwise, also for unknown
    values, it is ``no credible difference``. Rows of fewer than three processes do not count among the others: their
    ``p_adjusted`` is 1.

    Parameters
    ----------
    table : pandas.DataFrame
        With ``low`` and ``high`` (time ratios), ``noise`` (half-width in log ratio), ``p_value``, and the numbers of
        processes in the columns that begin with ``processes``.

    References
    ----------
    .. [1] Y. Benjamini and Y. Hochberg, Controlling the False Discovery Rate, Journal of the Royal Statistical
       Society B 57 (1995), 289-300.
    """
    # scipy.stats takes longer to import than most commands run.
    from scipy.stats import false_discovery_control

    counts = [table[name] for name in table.columns if str(name).startswith("processes")]
    enough = np.logical_and.reduce([_floats(count) >= FEWEST for count in counts])
    # Without enough processes a p-value is one of rounds, and would make those of the other rows smaller.
    adjusted = _floats(false_discovery_control(np.where(enough, _floats(table["p_value"]), 1.0)))
    noise = _floats(table["noise"])
    low, high = np.log(_floats(table["low"])), np.log(_floats(table["high"]))
    significant = enough & (adjusted <= FALSE_DISCOVERY_RATE)
    verdicts = np.select(
        [significant & (high < -noise), significant & (low > noise)], ["faster", "slower"], "no credible difference"
    )
    return table.assign(p_adjusted=adjusted, verdict=verdicts)


def _floats(values: ArrayLike) -> Floats:
    return np.asarray(values, dtype=np.float64)
