"""The noise floors of a run: by its A/A pairs, and of masked cases by their controls."""

from __future__ import annotations

from functools import cached_property

import pandas as pd

from aeadlab.bench.masks.masks import CONTROL
from aeadlab.stats.noise_floor import NoiseFloor, NoisePairs, driving_class


class Noise:
    """The noise floors of a run's cases, computed once for each driving class.

    Parameters
    ----------
    samples
        Of verified implementations, as in a loaded record.
    cases
        The columns of each case, indexed by its number.
    """

    def __init__(self, samples: pd.DataFrame, cases: pd.DataFrame) -> None:
        self._samples, self._cases = samples, cases
        self._floors: dict[tuple[str, bool], NoiseFloor] = {}

    @cached_property
    def classes(self) -> dict[int, str]:
        """The driving class of each case."""
        return dict(zip(self._cases.index.tolist(), driving_class(self._cases), strict=True))

    def floor(self, case: int, *, of_controls: bool = False) -> NoiseFloor:
        """Return the noise floor of a case by the A/A pairs of its driving class.

        Parameters
        ----------
        of_controls
            Whether the pairs are instead the controls of this class and the same cases without a mask.
        """
        key = self.classes[case], of_controls
        if key not in self._floors:
            pairs = self._controls if of_controls else self._pairs
            self._floors[key] = pairs.floor(self._cases.loc[[case]])
        return self._floors[key]

    @cached_property
    def _pairs(self) -> NoisePairs:
        return NoisePairs.of(self._samples)

    @cached_property
    def _controls(self) -> NoisePairs:
        rows = self._samples[self._samples["mask"].isin(["", CONTROL]) & self._samples["replica"].eq(0)]
        return NoisePairs.of(rows.assign(mask="", replica=rows["mask"].eq(CONTROL).astype(int)))
