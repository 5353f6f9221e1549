"""The noise floor of a run, from its A/A pairs: the ratios that it measures between two arms of the same case."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from aeadlab.errors import ArgumentError
from aeadlab.stats.interval import Floats
from aeadlab.stats.pairing import relative_speed
from aeadlab.stats.selection import CASE_COLUMNS, require_columns, usable


@dataclass(frozen=True)
class NoiseFloor:
    """A band of time ratios, symmetric about 1 on the log scale, within which no difference is credible.

    Attributes
    ----------
    width : float
        Half-width of the band in log ratio, at least 0; NaN when no A/A pair has enough rounds for an interval.
    pairs : int
        Number of A/A pairs with a common round; those with too few rounds for an interval do not affect the width.
    """

    width: float
    pairs: int

    @property
    def low(self) -> float:
        """Lower end of the band as a ratio, at most 1."""
        return exp(-self.width)

    @property
    def high(self) -> float:
        """Upper end of the band as a ratio, at least 1."""
        return exp(self.width)


def noise_floor(samples: pd.DataFrame) -> NoiseFloor:
    """Return the noise floor of a run from its A/A pairs: cases measured as replica 0 and as replica 1.

    Both arms run the same code, so the true ratio of their times is 1. The band of a pair contains the interval of the
    measured ratio; the widest band of all pairs is the noise floor.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If no case has both replicas in a common round, or the time of a counted sample is not finite and positive.
    """
    columns = [*CASE_COLUMNS, "round", "seconds"]
    require_columns(samples, columns)
    rows = usable(_of_replicated_cases(samples), columns)
    by = [column for column in CASE_COLUMNS if column != "replica"]
    table = relative_speed(rows[rows["replica"] == 1], rows[rows["replica"] == 0], by, by)
    table = table[table["pairs"] > 0]
    if table.empty:
        raise ArgumentError(
            "the samples hold no A/A pair (one case as replica 0 and as replica 1 in the same rounds), without which "
            "the noise floor is unknown; measure the study with its A/A pair"
        )
    widths = band_width(table["low"], table["high"])
    known = widths[~np.isnan(widths)]
    return NoiseFloor(float(known.max()) if known.size else float("nan"), int(len(table)))


def band_width(low: ArrayLike, high: ArrayLike) -> Floats:
    """Return the half-width in log ratio of the symmetric band that contains the interval of an A/A ratio.

    Parameters
    ----------
    low, high : array_like
        Ends of the intervals as ratios; NaN where they are unknown.
    """
    ends = np.maximum(np.asarray(high, dtype=np.float64), 1 / np.asarray(low, dtype=np.float64))
    return np.asarray(np.log(ends), dtype=np.float64)


def _of_replicated_cases(samples: pd.DataFrame) -> pd.DataFrame:
    """Return the samples that can belong to an A/A pair; a record can hold a million other samples."""
    replicas = samples[samples["replica"] == 1]
    return samples[
        samples["implementation"].isin(replicas["implementation"]) & samples["bytes"].isin(replicas["bytes"])
    ]
