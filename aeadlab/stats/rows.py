"""Many comparisons at once: from log ratios with their errors to verdicts that hold across all rows."""

from __future__ import annotations

from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from aeadlab.stats.compare import NoiseFloor, benjamini_hochberg, sign_test
from aeadlab.stats.interval import CONFIDENCE, Floats
from aeadlab.stats.pairing import relative_speed, round_times
from aeadlab.stats.selection import usable

FALSE_DISCOVERY_RATE: Final = 0.05
"""Expected share of wrong claims among all rows that are called improved or worse."""


def paired_rows(
    baseline: pd.DataFrame, candidate: pd.DataFrame, on: list[str], noise: NoiseFloor, confidence: float = CONFIDENCE
) -> pd.DataFrame:
    """Candidate's time over baseline's for every case that both have, paired by round; what `compare` does for one.

    Parameters
    ----------
    baseline, candidate : pandas.DataFrame
        Samples of one record, with `on`, ``round``, ``seconds``, ``warmup`` and ``status``; one case each for every
        value of `on`.
    on : list of str
        The columns by which cases are matched.
    noise : NoiseFloor
        Of that record.

    Returns
    -------
    pandas.DataFrame
        One row per value of `on` that both have: `on`, ``pairs`` (common rounds), ``ratio``, ``low``, ``high``,
        ``noise`` (half-width in log ratio) and ``p_value`` (sign test against the noise band). Without a common round
        the numbers are NaN and the p-value is 1.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If a column is missing or a time that counts is not finite and positive.
    """
    old, new = (usable(side, [*on, "round", "seconds"]) for side in (baseline, candidate))
    # The speed of the baseline as a multiple of the candidate's is the candidate's time over the baseline's.
    table = relative_speed(old, new, on, on, confidence)
    keys = new[on].drop_duplicates()
    table = table.merge(keys, on=on, how="inner")
    both = round_times(old, on).merge(round_times(new, on), on=[*on, "round"], suffixes=("_old", "_new"))
    logs = np.log(both["seconds_new"]) - np.log(both["seconds_old"])
    counts = both[on].assign(above=logs > noise.width, below=logs < -noise.width).groupby(on, observed=True, sort=True)
    table = table.merge(counts[["above", "below"]].sum().reset_index(), on=on, how="left")
    above, below = (table.pop(side).fillna(0) for side in ("above", "below"))
    return table.assign(noise=noise.width, p_value=sign_test(above, below, table["pairs"]))


def judged(table: pd.DataFrame, false_discovery_rate: float = FALSE_DISCOVERY_RATE) -> pd.DataFrame:
    """Add ``p_adjusted`` (Benjamini-Hochberg across the rows) and ``verdict``.

    A row is ``improved`` or ``worse`` only if its whole interval lies outside of its noise band *and* its adjusted
    p-value is at most the false discovery rate; else, and wherever something is unknown, there is ``no credible
    difference``.

    Parameters
    ----------
    table : pandas.DataFrame
        With ``low`` and ``high`` (time ratios), ``noise`` (half-width in log ratio) and ``p_value``.
    """
    adjusted = benjamini_hochberg(table["p_value"].to_numpy(dtype=np.float64))
    noise = _floats(table["noise"])
    low, high = np.log(_floats(table["low"])), np.log(_floats(table["high"]))
    believed = adjusted <= false_discovery_rate
    found = np.select(
        [believed & (high < -noise), believed & (low > noise)], ["improved", "worse"], "no credible difference"
    )
    return table.assign(p_adjusted=adjusted, verdict=found)


def _floats(values: ArrayLike) -> Floats:
    return np.asarray(values, dtype=np.float64)
