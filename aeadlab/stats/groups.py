"""Groups of rows, computed together for all groups of one size as rows of a matrix."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from aeadlab.stats.interval import CONFIDENCE, Floats, median_bounds, sorted_median


@dataclass(frozen=True)
class Groups:
    """The rows of a frame by group.

    Attributes
    ----------
    keys : pandas.DataFrame
        One row per group, in ascending order of the key columns.
    order : ndarray of int, shape (rows,)
        Row positions, group after group.
    starts, sizes : ndarray of int, shape (groups,)
        Start of each group in `order`, and its length, at least one.
    """

    keys: pd.DataFrame
    order: NDArray[np.intp]
    starts: NDArray[np.intp]
    sizes: NDArray[np.intp]

    @classmethod
    def of(cls, frame: pd.DataFrame, by: list[str]) -> Groups:
        """Group rows with equal values in the columns `by`; without columns all rows are one group."""
        if by and len(frame):
            codes = frame.groupby(by, sort=True, observed=True, dropna=False).ngroup().to_numpy()
        else:
            codes = np.zeros(len(frame), dtype=np.int64)
        sizes = np.bincount(codes) if len(frame) else np.zeros(0, dtype=np.intp)
        # NumPy sorts 16-bit integers by radix, in linear time; a record rarely has more cases.
        narrow = codes.astype(np.uint16) if sizes.size <= 1 << 16 else codes
        order = np.argsort(narrow, kind="stable")
        starts = np.cumsum(sizes) - sizes
        keys = frame[by].iloc[order[starts]].reset_index(drop=True)
        return cls(keys, order, starts, sizes)

    def __len__(self) -> int:
        return int(self.sizes.size)

    def sorted_rows(self, values: Floats) -> Iterator[tuple[NDArray[np.intp], Floats]]:
        """Yield, for each size, the groups of that size and their ascending values, shape (groups, size)."""
        together = values[self.order]
        for size in np.unique(self.sizes):
            which = np.flatnonzero(self.sizes == size)
            rows = together[self.starts[which][:, np.newaxis] + np.arange(size)]
            rows.sort(axis=1)
            yield which, rows

    def median_intervals(self, values: Floats, confidence: float = CONFIDENCE) -> tuple[Floats, Floats, Floats]:
        """Return median, low and high of each group, each of shape (groups,); see `interval.median_bounds`."""
        median, low, high = np.empty(len(self)), np.empty(len(self)), np.empty(len(self))
        for which, rows in self.sorted_rows(values):
            median[which] = sorted_median(rows)
            low[which], high[which] = median_bounds(rows, confidence)
        return median, low, high
