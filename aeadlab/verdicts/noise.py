"""The noise floors of a run: by its A/A pairs, and of masked cases by their controls."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import pandas as pd

from aeadlab.bench.masks.masks import CONTROL
from aeadlab.stats.noise_floor import NoiseFloor, NoisePairs


class Noise:
    """The noise floors of the driving classes of a run, each computed once for all views of it.

    Parameters
    ----------
    samples
        Of verified implementations, as in a loaded record.
    """

    def __init__(self, samples: pd.DataFrame) -> None:
        self._samples = samples
        self._floors: dict[tuple[str, bool], NoiseFloor] = {}

    def floor(self, name: str, example: Callable[[], pd.DataFrame], *, of_controls: bool = False) -> NoiseFloor:
        """Return the noise floor of a driving class.

        Parameters
        ----------
        example
            Returns a case of this class, one row. It is called once for each, since claims ask thousands of times.
        of_controls
            Whether the pairs are controls and the same cases without a mask, instead of the arms of A/A pairs.
        """
        key = name, of_controls
        if key not in self._floors:
            self._floors[key] = (self._controls if of_controls else self._pairs).floor(example())
        return self._floors[key]

    @cached_property
    def _pairs(self) -> NoisePairs:
        return NoisePairs.of(self._samples)

    @cached_property
    def _controls(self) -> NoisePairs:
        rows = self._samples[self._samples["mask"].isin(["", CONTROL]) & self._samples["replica"].eq(0)]
        return NoisePairs.of(rows.assign(mask="", replica=rows["mask"].eq(CONTROL).astype(int)))
