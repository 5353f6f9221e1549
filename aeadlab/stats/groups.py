"""Groups of rows, computed together for all groups of one size as rows of a matrix."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from aeadlab.stats.processes import CONFIDENCE, FEWEST, Floats, Samples

_CHUNK_ELEMENTS: Final = 4_000_000


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

    def process_numbers(self, process: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return the number of each row's process within its group, in `order`, and the count of each group.

        Parameters
        ----------
        process : ndarray of int, shape (rows,)
            Process of each row, in the order of the frame.
        """
        group = np.repeat(np.arange(len(self)), self.sizes)
        together = process[self.order]
        place = np.lexsort((together, group))
        is_new = np.ones(place.size, dtype=np.intp)
        is_new[1:] = (np.diff(together[place]) != 0) | (np.diff(group[place]) != 0)
        ordinal = np.cumsum(is_new) - 1
        first = ordinal[self.starts]
        numbers = np.empty(place.size, dtype=np.intp)
        numbers[place] = ordinal - np.repeat(first, self.sizes)
        return numbers, np.diff(np.append(first, ordinal[-1] + 1 if place.size else 0))

    def median_intervals(
        self, values: Floats, process: NDArray[np.int64], confidence: float = CONFIDENCE
    ) -> tuple[Floats, Floats, Floats]:
        """Return median, low and high of each group, each of shape (groups,); see `aeadlab.stats.processes`."""
        median, low, high = np.empty(len(self)), np.empty(len(self)), np.empty(len(self))
        for which, samples in self.by_process(values, process):
            median[which] = samples.median
            low[which], high[which] = samples.bounds(confidence)
        return median, low, high

    def by_process(self, values: Floats, process: NDArray[np.int64]) -> Iterator[tuple[NDArray[np.intp], Samples]]:
        """Yield groups together with their samples, those of one size and number of processes at a time."""
        numbers, counts = self.process_numbers(process)
        together = values[self.order]
        for size, units in np.unique(np.stack([self.sizes, counts]), axis=1).T:
            alike = np.flatnonzero((self.sizes == size) & (counts == units))
            step = max(1, _CHUNK_ELEMENTS // int((size + 1) * (units if FEWEST <= units < size else 1)))
            for start in range(0, alike.size, step):
                which = alike[start : start + step]
                rows = self.starts[which][:, np.newaxis] + np.arange(size)
                yield which, Samples.of(together[rows], numbers[rows])
