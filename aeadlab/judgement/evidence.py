"""A record as claims ask it: its plain cases, ratios of their times, its noise, and what it cannot tell."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import exp, inf, nan
from typing import Any, Final

import numpy as np
import pandas as pd

from aeadlab import stats
from aeadlab.bench.masks import CONTROL
from aeadlab.comparison.circumstances import verified
from aeadlab.errors import ArgumentError
from aeadlab.judgement.estimate import Estimate, Quantity
from aeadlab.records import Record
from aeadlab.stats.interval import Floats, median_bounds
from aeadlab.stats.pairing import round_times
from aeadlab.stats.selection import usable
from aeadlab.units import size_name

LEAST_BYTES: Final = 64 << 20
"""Bytes of a run's large message below which nothing is concluded: shorter ones live in caches."""

_CASE: Final = list(stats.CASE_COLUMNS)
_NO_RIVAL: Final = frozenset({"baseline", "not-cryptographic", "parallel"})


class Undecided(Exception):
    """The record cannot decide; the message says why. It ends as a verdict and never reaches the user as an error."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """What a run says.

    Attributes
    ----------
    samples
        Of verified implementations, as a record gives them when it is loaded.
    size
        Bytes of the run's large message.
    cores
        Logical cores that the run could use; None where the record does not say.
    flags
        Flags of each implementation, as the catalogue had them.
    refused
        Why an implementation was not timed.
    all_lengths
        Whether cases of all lengths are asked, and not only those of the longest message: see `every_length`.
    all_masks
        Whether masked cases are asked as well: see `masked`.
    """

    samples: pd.DataFrame
    study: str
    profile: str = "quick"
    size: int = 1 << 30
    cores: int | None = None
    flags: Mapping[str, Collection[str]] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)
    all_lengths: bool = False
    all_masks: bool = False

    @classmethod
    def of(cls, record: Record) -> Evidence:
        """What a record says."""
        profile = record.provenance["plan"].get("profile") or {}
        known = record.provenance.get("implementations") or {}
        return cls(
            record.samples[record.samples["implementation"].isin(verified(record))],
            record.study,
            str(profile.get("name", "unknown")),
            int(profile.get("bytes", 0)),
            logical_cores(record.provenance.get("machine") or {}),
            {name: facts.get("flags", ()) for name, facts in known.items()},
            record.provenance.get("refused") or {},
        )

    @classmethod
    def nothing(cls) -> Evidence:
        """For claims that need no record."""
        return cls(pd.DataFrame(), "")

    @property
    def unfit(self) -> str:
        """Why nothing can be concluded from this run, ``""`` if something can."""
        if self.profile.startswith("smoke"):
            return "measured with profile smoke, which proves nothing"
        if self.size < LEAST_BYTES:
            return f"measured on messages of {self.size} bytes, {LEAST_BYTES} or more are wanted"
        return ""

    @cached_property
    def every_length(self) -> Evidence:
        """The same run, asked about messages of every length; its cases have numbers of their own."""
        return replace(self, all_lengths=True)

    @cached_property
    def masked(self) -> Evidence:
        """The same run, asked about masked cases beside those without; its cases have numbers of their own.

        Masked cases run in another process, so that their noise is that of the control too, the case which runs in
        another process with nothing hidden (`aeadlab.bench.masks.with_masks`).
        """
        return replace(self, all_masks=True)

    @cached_property
    def cases(self) -> pd.DataFrame:
        """The plain cases that have samples: the columns of a case, indexed by the number that `select` gives.

        Plain are those of the longest message with separate output, warm caches, no masks, in the first arm of an A/A
        pair; of two models the keyed one, which has no key set-up in each block. `every_length` and `masked` have more.
        """
        cases = self._plain.drop_duplicates("case").set_index("case").sort_index()
        keyed_first = cases.sort_values("model", key=lambda model: model != "keyed", kind="stable")
        kept = keyed_first.drop_duplicates([name for name in _CASE if name != "model"]).index
        plain: pd.DataFrame = cases.loc[sorted(kept), _CASE]
        return plain

    @cached_property
    def _plain(self) -> pd.DataFrame:
        rows = usable(self.samples, [*_CASE, "round", "seconds"])
        rows = rows[_is_plain(rows, self.all_masks)]
        if not self.all_lengths:
            rows = rows[rows["bytes"] == rows["bytes"].max()]
        # Records may hold categories, which keep values that are gone.
        rows = rows.astype({"implementation": str, "model": str})
        return pd.DataFrame(rows).assign(case=rows.groupby(_CASE, observed=True).ngroup())

    @cached_property
    def _logs(self) -> dict[int, Floats]:
        """Logarithm of each case's time, shape (rounds,), the same rounds for all; NaN where it was not measured."""
        times = round_times(self._plain, ["case"])
        times["seconds"] = np.log(times["seconds"].to_numpy(dtype=np.float64))
        table = times.pivot(index="case", columns="round", values="seconds")
        return dict(zip(map(int, table.index), table.to_numpy(dtype=np.float64), strict=True))

    @cached_property
    def _medians(self) -> dict[int, float]:
        return {case: float(np.nanmedian(logs)) for case, logs in self._logs.items()}

    def select(self, names: Iterable[str] | None = None, **wanted: Any) -> list[int]:
        """The cases of these implementations (None: of all) whose columns have these values; possibly none.

        A value may be a collection of values, of which any will do.
        """
        chosen = np.full(len(self.cases), True)
        for column, value in {"implementation": names, **wanted}.items():
            if value is not None:
                several = isinstance(value, Iterable) and not isinstance(value, str)
                # A comparison takes a tenth of the time, and claims ask thousands of times.
                chosen &= np.isin(self._columns[column], list(value)) if several else self._columns[column] == value
        return [int(case) for case in self.cases.index[chosen]]

    @cached_property
    def _columns(self) -> dict[str, np.ndarray[Any, Any]]:
        return {str(name): column.to_numpy() for name, column in self.cases.items()}

    def find(self, name: str, **wanted: Any) -> list[int]:
        """As `select`, for one implementation.

        Raises
        ------
        Undecided
            If there is no such case.
        """
        if found := self.select([name], **wanted):
            return found
        raise Undecided(self.missing(name, **wanted))

    def times(self, name: str, **wanted: Any) -> tuple[Floats, Floats]:
        """Seconds of a plain case of any length, and the place of each sample in the run; disturbed ones are set aside.

        Raises
        ------
        Undecided
            If there is no such case.
        """
        rows = self._undisturbed
        rows = rows[rows["implementation"].eq(name) & _is_plain(rows)]
        for column, value in wanted.items():
            rows = rows[rows[column] == value]
        if rows.empty:
            raise Undecided(self.missing(name, **wanted))
        return rows["seconds"].to_numpy(np.float64), rows["order"].to_numpy(np.float64)

    @cached_property
    def _undisturbed(self) -> pd.DataFrame:
        rows = usable(self.samples, [*_CASE, "order", "seconds"])
        kept: pd.DataFrame = rows[~stats.disturbed(self.samples)]
        return kept

    def missing(self, name: str, **wanted: Any) -> str:
        """Why there is no such case, as far as the record says."""
        if name in self.refused:
            return f"{name} was refused: {self.refused[name]}"
        failed = self.samples[(self.samples["implementation"] == name) & (self.samples["status"] != "ok")]
        for key in ("engine", "op", "bytes", "mask"):
            failed = failed[failed[key] == wanted.get(key, failed[key])]
        if len(failed):
            return f"{name} {failed['status'].iloc[-1]}"
        told = [str(value) for key in ("engine", "op", "mask") if (value := wanted.get(key))]
        how = " ".join((*told, *([size_name(wanted["bytes"])] if "bytes" in wanted else [])))
        return f"{name}{f' ({how})' if how else ''} was not measured as wanted"

    def rivals(self, **wanted: Any) -> list[int]:
        """Single-threaded cases over the whole message of everything that protects something, as `select`."""
        found = self.select(engine="whole", threads=1, **wanted)
        names = self.cases["implementation"]
        return [case for case in found if not _NO_RIVAL & set(self.flags.get(names[case], ()))]

    def ratio(self, over: Sequence[int], under: Sequence[int]) -> Quantity:
        """The least time among some cases over the least time among others, paired by round.

        Parameters
        ----------
        over, under
            Numbers of cases, one or more each.

        Raises
        ------
        Undecided
            When the quantity is asked for, if the fastest of both share no round.

        Notes
        -----
        With T for median times, the quantity is R = min T(over) / min T(under). For any u of `under`, R is at least
        the least T(o) / T(u) over o; the lower end is that of the u that looks fastest. Since the same samples choose
        u, its intervals are at the error divided by how many it was chosen from (Bonferroni). The upper end is made
        alike, from the o that looks fastest. With one case on each side it is the interval of their ratio.
        """
        fast_over, fast_under = (min(cases, key=self._medians.__getitem__) for cases in (over, under))
        noise = self.noise([*over, *under])

        def quantity(confidence: float) -> Estimate:
            error = 1 - confidence
            both = self._paired(fast_over, fast_under)
            if not both.size:
                raise Undecided("the cases were measured in no common round")
            lows, _ = _bounds([self._paired(each, fast_under) for each in over], 1 - error / len(under))
            _, highs = _bounds([self._paired(fast_over, each) for each in under], 1 - error / len(over))
            return Estimate(exp(np.median(both)), exp(lows.min()), exp(highs.max()), noise)

        return quantity

    def spread(self, case: int) -> Quantity:
        """The median distance of a case's samples from their median, as a share of it."""
        seconds = self._plain.loc[self._plain["case"] == case, "seconds"].to_numpy(dtype=np.float64)
        away = np.abs(seconds / np.median(seconds) - 1)

        def quantity(confidence: float) -> Estimate:
            low, high = _bounds([away], confidence)
            return Estimate(float(np.median(away)), max(0.0, float(low[0])), float(high[0]))

        return quantity

    def noise(self, cases: Iterable[int]) -> float:
        """Half-width in log ratio of the noise of cases that are driven like these; NaN where the run cannot tell."""
        asked = set(cases)
        widths = [self._noise_by_driving.get(way, nan) for way in {self._driven[case] for case in asked}]
        if asked & self._elsewhere:
            widths.append(self._noise_of_processes)
        # np.max hands on NaN.
        return float(np.max(widths))

    @cached_property
    def _elsewhere(self) -> frozenset[int]:
        """Cases that ran in another process."""
        return frozenset(map(int, self.cases.index[self.cases["mask"] != ""]))

    @cached_property
    def _noise_of_processes(self) -> float:
        """That of a case and its control, which are an A/A pair whose second arm is in another process."""
        control = self.samples[self.samples["mask"] == CONTROL]
        rows = self.samples[self.samples["mask"].isin(["", CONTROL]) & self.samples["replica"].eq(0)]
        rows = rows[rows["implementation"].isin(control["implementation"]) & rows["bytes"].isin(control["bytes"])]
        return _floor(rows.assign(mask="", replica=rows["mask"].eq(CONTROL).astype(int)))

    @cached_property
    def _driven(self) -> dict[int, str]:
        return dict(zip(self.cases.index.tolist(), map(str, _driving(self.cases)), strict=True))

    @cached_property
    def _noise_by_driving(self) -> dict[str, float]:
        again = self.samples[self.samples["replica"] == 1]
        # Only these can be pairs, and a record may hold a million other samples.
        pairs = self.samples[self.samples["implementation"].isin(again["implementation"])]
        pairs = pairs[pairs["bytes"].isin(again["bytes"])]
        ways = _driving(pairs)
        return {str(way): _floor(pairs[ways == way]) for way in np.unique(ways)}

    def _paired(self, over: int, under: int) -> Floats:
        """Log ratios of two cases' times, one for each round that has both."""
        both = self._logs[over] - self._logs[under]
        return both[~np.isnan(both)]


def logical_cores(machine: Mapping[str, Any]) -> int | None:
    """Logical cores that a process on this machine could use, from its facts; None where they do not say."""
    usable_cores = machine.get("cpu_affinity_count") or machine.get("cpu_count")
    quota = machine.get("cgroup_cpu_quota")
    if usable_cores and isinstance(quota, int | float):
        return max(1, min(int(usable_cores), int(quota)))
    return int(usable_cores) if usable_cores else None


def _driving(cases: pd.DataFrame) -> np.ndarray[Any, Any]:
    """How cases are driven, as far as their noise goes: from Python, by one thread or by several that wait."""
    several = np.where(cases["threads"].to_numpy() > 1, "several threads", "one thread")
    return np.where((cases["engine"] == "python").to_numpy(), "python", several)


def _floor(pairs: pd.DataFrame) -> float:
    try:
        return stats.noise_floor(pairs).width
    except ArgumentError:
        return nan


def _bounds(samples: Sequence[Floats], confidence: float) -> tuple[Floats, Floats]:
    """Ends of the intervals of several medians; infinite where they are unknown."""
    low, high = np.full(len(samples), -inf), np.full(len(samples), inf)
    sizes = np.array([sample.size for sample in samples])
    # Those of one size together: one by one takes a minute for the thread counts of a large machine.
    for size in np.unique(sizes[sizes > 0]):
        which = np.flatnonzero(sizes == size)
        rows = np.array([sample for sample in samples if sample.size == size])
        low[which], high[which] = median_bounds(np.sort(rows, axis=1), confidence)
    return np.nan_to_num(low, nan=-inf, neginf=-inf), np.nan_to_num(high, nan=inf, posinf=inf)


def _is_plain(rows: pd.DataFrame, masked: bool = False) -> pd.Series:
    """Separate output, warm caches, no masks unless masked ones are wanted too, and of an A/A pair the first arm."""
    plain: pd.Series = rows["placement"].eq("separate") & rows["cache"].eq("warm") & rows["replica"].eq(0)
    return plain if masked else plain & rows["mask"].eq("")
