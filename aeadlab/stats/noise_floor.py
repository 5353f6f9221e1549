"""The margin below which a difference is of no practical interest, and the bias that A/A pairs of a run show."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from math import exp, log
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from aeadlab.dimensions import BASELINE
from aeadlab.stats.groups import Groups
from aeadlab.stats.pairing import round_times
from aeadlab.stats.processes import FEWEST, Floats, Samples, joint_level
from aeadlab.stats.selection import CASE_COLUMNS, require_columns, usable

MARGIN: Final = log(1.01)
"""Half-width in log ratio within which two times are equal for practical purposes, fixed before any measurement."""

LENGTH_FACTOR: Final = 4
"""A pair judges cases of at most this many times its length, or its length divided by this."""


@dataclass(frozen=True)
class NoiseFloor:
    """A band of time ratios, symmetric about 1 on the log scale, within which no difference is credible.

    Attributes
    ----------
    width : float
        Half-width of the band in log ratio: `MARGIN`, or the bias that an A/A pair shows if this is larger.
    pairs : int
        Number of A/A pairs that were tested for bias: those of the driving class and the length of what is compared.
    """

    width: float
    pairs: int

    @property
    def low(self) -> float:
        """Lower end of the band as a ratio, below 1."""
        return exp(-self.width)

    @property
    def high(self) -> float:
        """Upper end of the band as a ratio, above 1."""
        return exp(self.width)

    @property
    def is_biased(self) -> bool:
        """Whether an A/A pair showed a bias beyond the margin."""
        return self.width > MARGIN


@dataclass(frozen=True)
class NoisePairs:
    """The A/A pairs of a run, paired once for the noise floors of all its driving classes.

    Attributes
    ----------
    cases : pandas.DataFrame
        One row for each case of the implementations and lengths that have a pair: `CASE_COLUMNS`, and ``pair``, the
        number of its pair; NaN where no round holds both arms.
    processes : ndarray of int, shape (pairs,)
        Number of processes that hold both arms.
    log_ratios : list of (ndarray of int, Samples)
        Numbers of pairs, and the log ratios of the times of their arms.
    """

    cases: pd.DataFrame
    processes: NDArray[np.intp]
    log_ratios: list[tuple[NDArray[np.intp], Samples]]

    @classmethod
    def of(cls, samples: pd.DataFrame) -> NoisePairs:
        """Return the pairs of the samples of one record; errors are those of `noise_floor`."""
        columns = [*CASE_COLUMNS, "process", "round", "seconds"]
        require_columns(samples, columns)
        rows = usable(_of_replicated_cases(samples), columns)
        by = [column for column in CASE_COLUMNS if column != "replica"]
        # Numbers are grouped and merged in a tenth of the time of sixteen columns.
        rows = rows.assign(number=rows.groupby(by, observed=True, dropna=False).ngroup())
        times = rows[["number", "replica", "process", "round", "seconds"]]
        second, first = (round_times(times[times["replica"] == replica], ["number"]) for replica in (1, 0))
        both = second.merge(first, on=["number", "process", "round"], suffixes=("_of_second", "_of_first"))
        groups, process = Groups.of(both, ["number"]), both["process"].to_numpy(dtype=np.int64)
        logs = [np.log(both[f"seconds_of_{arm}"].to_numpy(dtype=np.float64)) for arm in ("first", "second")]
        cases = rows.drop_duplicates(["number", "replica"])[[*CASE_COLUMNS, "number"]]
        pair = pd.Series(np.arange(len(groups), dtype=np.float64), index=groups.keys["number"])
        return cls(
            cases.assign(pair=cases["number"].map(pair)),
            groups.process_numbers(process)[1],
            list(groups.by_process(logs[0] - logs[1], process)),
        )

    def floor(self, compared: pd.DataFrame | None = None) -> NoiseFloor:
        """Return the noise floor of the compared cases, see `noise_floor`."""
        usable = self.cases[(self.cases["replica"] == 1) & self.cases["pair"].notna()]
        usable = usable[self.processes[usable["pair"].to_numpy(dtype=np.intp)] >= FEWEST]
        if compared is not None:
            usable = usable[judging(usable, compared)]
        tested = usable["pair"].to_numpy(dtype=np.intp)
        if not tested.size:
            return NoiseFloor(MARGIN, 0)
        low, high = np.empty((2, self.processes.size))
        for which, samples in self.log_ratios:
            low[which], high[which] = samples.bounds(joint_level(tested.size))
        return NoiseFloor(max(MARGIN, float(bias(low, high)[tested].max())), int(tested.size))


def noise_floor(samples: pd.DataFrame, compared: pd.DataFrame | None = None) -> NoiseFloor:
    """Return the noise floor of a run: the preset margin, unless its A/A pairs show a larger bias.

    Both arms of an A/A pair (replica 0 and 1) run the same code in different processes, so the true ratio of their
    times is 1. A pair shows a bias if the interval of its ratio excludes 1, at a level that all pairs share
    (Bonferroni); the bias counts up to the farther end of this interval. The intervals of other ratios contain the
    differences between processes already, so the variance of the A/A ratios is not added to them.

    Parameters
    ----------
    samples : pandas.DataFrame
        Of one record.
    compared : pandas.DataFrame, optional
        The cases that are compared, with ``engine``, ``threads`` and ``bytes``: only pairs of the same driving class
        (engine, with one or with several threads) and length are tested; without a pair of this length those of the
        nearest one, at most `LENGTH_FACTOR` times as long or as short. With ``implementation`` baselines have pairs of
        baselines and the others those of others; without such a pair, as in older records, all pairs of the class
        judge them. None tests all pairs.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If a column is missing, or the time of a counted sample is not finite and positive.
    """
    return NoisePairs.of(samples).floor(compared)


def noise_widths(samples: pd.DataFrame, compared: pd.DataFrame, names: Collection[str] = ()) -> Floats:
    """Return the noise floor of each compared case, a half-width in log ratio, shape (rows,).

    It is that of the case's own driving class and length, so that a bias on short messages does not judge long ones.

    Parameters
    ----------
    samples : pandas.DataFrame
        Of one record.
    compared : pandas.DataFrame
        One row for each case, with ``engine``, ``threads`` and ``bytes``; with other columns of a record or without,
        such as ``implementation`` (see `noise_floor`).
    names
        The implementations that are compared in each of these cases, where it has several: the width is the largest of
        theirs.

    Errors are those of `noise_floor`.
    """
    pairs = NoisePairs.of(samples)
    # Of each kind one name is enough.
    of_each_kind = {name.startswith(BASELINE): name for name in names}.values()
    every = [compared.assign(implementation=name) for name in of_each_kind] or [compared]
    return np.asarray(np.max([_widths(pairs, cases) for cases in every], axis=0), dtype=np.float64)


def _widths(pairs: NoisePairs, compared: pd.DataFrame) -> Floats:
    classes = driving_class(compared)
    widths = {name: pairs.floor(compared[classes == name]).width for name in classes.unique()}
    return classes.map(widths).to_numpy(dtype=np.float64)


def bias(low: ArrayLike, high: ArrayLike) -> Floats:
    """Return the farther end, in size, of each interval of a log ratio that excludes 0; 0 for the others."""
    lower, upper = np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
    return np.where((lower > 0) | (upper < 0), np.maximum(np.abs(lower), np.abs(upper)), 0.0)


def driving_class(cases: pd.DataFrame) -> pd.Series[str]:
    """Return engine, one or several threads, the message length of each case, and whether it is a baseline, as text."""
    text = _engine_and_threads(cases) + ", " + cases["bytes"].astype(str) + " B"
    return text.where(~_is_baseline(cases), text + ", baseline")


def _engine_and_threads(cases: pd.DataFrame) -> pd.Series[str]:
    several = cases["threads"].gt(1).map({False: "one thread", True: "several threads"})
    return cases["engine"].astype(str) + ", " + several.astype(str)


def _is_baseline(cases: pd.DataFrame) -> NDArray[np.bool_]:
    """Return which cases are of a baseline, such as memcpy; none without the column ``implementation``."""
    if "implementation" not in cases:
        return np.zeros(len(cases), dtype=np.bool_)
    return cases["implementation"].astype(str).str.startswith(BASELINE).to_numpy(dtype=np.bool_)


def judging(rows: pd.DataFrame, compared: pd.DataFrame) -> NDArray[np.bool_]:
    """Return which rows have the driving classes and the nearest lengths of the compared cases, shape (rows,).

    A length is near if it is at most `LENGTH_FACTOR` times as long or as short. Baselines and others have rows of their
    own kind, where there are any.
    """
    classes, baselines = _engine_and_threads(rows).to_numpy(), _is_baseline(rows)
    lengths = np.log(np.maximum(rows["bytes"].to_numpy(dtype=np.float64), 1))
    wanted = compared.assign(name=_engine_and_threads(compared), baseline=_is_baseline(compared))
    wanted = wanted.drop_duplicates(["name", "bytes", "baseline"])
    judging = np.zeros(len(rows), dtype=np.bool_)
    # Logarithms of two lengths that are equally near differ by rounding.
    most, rounding = log(LENGTH_FACTOR), 1e-9
    for name, length, baseline in zip(wanted["name"], wanted["bytes"], wanted["baseline"], strict=True):
        every = np.where(classes == name, np.abs(lengths - log(max(length, 1))), np.inf)
        own = np.where(baselines == baseline, every, np.inf)
        factor = own if own.min(initial=np.inf) <= most + rounding else every
        judging |= factor <= min(factor.min(initial=np.inf), most) + rounding
    return judging


def _of_replicated_cases(samples: pd.DataFrame) -> pd.DataFrame:
    """Return the samples that can belong to an A/A pair; a record can hold a million other samples."""
    replicas = samples[samples["replica"] == 1]
    return samples[
        samples["implementation"].isin(replicas["implementation"]) & samples["bytes"].isin(replicas["bytes"])
    ]
