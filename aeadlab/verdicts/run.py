"""The counted samples of a run by case."""

from __future__ import annotations

from functools import cached_property
from typing import Final

import numpy as np
import pandas as pd

from aeadlab import stats
from aeadlab.stats.pairing import round_times
from aeadlab.stats.selection import numbered, usable
from aeadlab.verdicts.noise import Noise

CASE: Final = list(stats.CASE_COLUMNS)


class Run:
    """The counted samples, computed once for all views of a run (`aeadlab.verdicts.evidence.Evidence`)."""

    def __init__(self, samples: pd.DataFrame) -> None:
        self._samples = samples

    @cached_property
    def _numbered(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        return numbered(self._samples)

    @property
    def rows(self) -> pd.DataFrame:
        """The counted samples: ``case``, a row of `cases`, with ``process``, ``round`` and ``seconds``."""
        return self._numbered[1]

    @cached_property
    def cases(self) -> pd.DataFrame:
        """The cases in ascending order of their columns, indexed from 0."""
        # Records may contain categories, which keep the values of rows that are no longer there.
        return self._numbered[0].astype({"implementation": str, "model": str})

    @cached_property
    def message_bytes(self) -> dict[int, int]:
        """The length of the message of each case that processes one, in contrast to cells and generators."""
        cases = self.cases[self.cases["engine"].ne("cells") & self.cases["op"].ne("generate")]
        return dict(zip(cases.index.tolist(), cases["bytes"].tolist(), strict=True))

    @cached_property
    def log_times(self) -> pd.DataFrame:
        """Logarithms of times: a row for each case, a column for each process and round; NaN where not measured."""
        times = round_times(self.rows[["case", "process", "round", "seconds"]], ["case"])
        times["seconds"] = np.log(times["seconds"].to_numpy(dtype=np.float64))
        return times.pivot(index="case", columns=["process", "round"], values="seconds").sort_index(axis=1)

    @cached_property
    def undisturbed(self) -> pd.DataFrame:
        """Those of `rows` that nothing disturbed, with their ``order``."""
        order = usable(self._samples, ["order"])["order"].to_numpy()
        rows = self.rows[["case", "process", "seconds"]].assign(order=order)
        return rows[~stats.disturbed(self._samples)]

    @cached_property
    def noise(self) -> Noise:
        """The noise floors."""
        return Noise(self._samples, self.cases)
