"""The evidence of a record: its plain cases, ratios of their times, and its noise floor."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import exp, inf, nan
from typing import Any, Final

import numpy as np
import pandas as pd

from aeadlab import stats
from aeadlab.bench.masks.masks import CONTROL
from aeadlab.catalogue.kinds import UNPROTECTED
from aeadlab.display.units import size_name
from aeadlab.errors import ArgumentError
from aeadlab.host.cores import recorded_cores_within_quota
from aeadlab.records.provenance_diff import verified
from aeadlab.records.record import Record
from aeadlab.stats.interval import Floats, median_bounds
from aeadlab.stats.pairing import round_times
from aeadlab.stats.selection import default_conditions, usable
from aeadlab.verdicts.estimate import Estimate, Quantity

MIN_BYTES: Final = 64 << 20
"""Least bytes of a run's large message that support a conclusion: shorter messages stay in caches."""

_CASE: Final = list(stats.CASE_COLUMNS)


class Inconclusive(Exception):
    """Raised where a record cannot decide a claim; the message is the reason, which `evaluate` puts in the finding."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """The samples of a run and the facts that limit conclusions from them.

    Attributes
    ----------
    samples
        Samples of verified implementations, as in a loaded record.
    size
        Bytes of the run's large message.
    cores
        Logical cores available to the run; None where the record does not contain them.
    flags
        Flags of each implementation, as in the catalogue.
    refused
        Reason for each implementation that was not timed, by name.
    all_lengths
        Whether `cases` holds messages of every length, not only the longest; see `with_all_lengths`.
    all_masks
        Whether `cases` holds masked cases as well; see `with_masked`.
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
    def from_record(cls, record: Record) -> Evidence:
        """Return the evidence of a record."""
        profile = record.provenance["plan"].get("profile") or {}
        implementations = record.provenance.get("implementations") or {}
        return cls(
            record.samples[record.samples["implementation"].isin(verified(record))],
            record.study,
            str(profile.get("name", "unknown")),
            int(profile.get("bytes", 0)),
            recorded_cores_within_quota(record.provenance.get("machine") or {}),
            {name: facts.get("flags", ()) for name, facts in implementations.items()},
            record.provenance.get("refused") or {},
        )

    @classmethod
    def empty(cls) -> Evidence:
        """Return evidence without samples, for claims that require no record."""
        return cls(pd.DataFrame(), "")

    @property
    def unsuitable(self) -> str:
        """Reason why the run supports no verdict but ``inconclusive``, or ``""``."""
        if self.profile.startswith("smoke"):
            return "measured with profile smoke, which supports no conclusion"
        if self.size < MIN_BYTES:
            return f"measured on messages of {self.size} bytes, at least {MIN_BYTES} bytes are required"
        return ""

    @cached_property
    def with_all_lengths(self) -> Evidence:
        """The same run with messages of every length; numbers of cases are valid for one `Evidence` only."""
        return replace(self, all_lengths=True)

    @cached_property
    def with_masked(self) -> Evidence:
        """The same run with masked cases beside those without mask; numbers as in `with_all_lengths`.

        Masked cases run in another process. Their noise floor therefore includes that of the control, a case that runs
        in another process with nothing masked (`aeadlab.bench.masks.switches.with_masks`).
        """
        return replace(self, all_masks=True)

    @cached_property
    def cases(self) -> pd.DataFrame:
        """The plain cases that have samples: the columns of a case, indexed by the numbers that `select` returns.

        Plain cases have the longest message, separate output, warm caches, no mask, and are the first arm of an A/A
        pair; of two models the keyed one is taken, which has no key set-up in each block. `with_all_lengths` and
        `with_masked` have more.
        """
        cases = self._plain.drop_duplicates("case").set_index("case").sort_index()
        keyed_first = cases.sort_values("model", key=lambda model: model != "keyed", kind="stable")
        kept = keyed_first.drop_duplicates([name for name in _CASE if name != "model"]).index
        plain: pd.DataFrame = cases.loc[sorted(kept), _CASE]
        return plain

    @cached_property
    def _plain(self) -> pd.DataFrame:
        rows = usable(self.samples, [*_CASE, "round", "seconds"])
        rows = rows[default_conditions(rows, ignore=("mask",) if self.all_masks else ())]
        if not self.all_lengths:
            rows = rows[rows["bytes"] == rows["bytes"].max()]
        # Records may contain categories, which keep the values of rows that are no longer there.
        rows = rows.astype({"implementation": str, "model": str})
        return pd.DataFrame(rows).assign(case=rows.groupby(_CASE, observed=True).ngroup())

    @cached_property
    def _logs(self) -> dict[int, Floats]:
        """Logarithms of the times of each case, shape (rounds,), the same rounds for all; NaN where not measured."""
        times = round_times(self._plain, ["case"])
        times["seconds"] = np.log(times["seconds"].to_numpy(dtype=np.float64))
        table = times.pivot(index="case", columns="round", values="seconds")
        return dict(zip(map(int, table.index), table.to_numpy(dtype=np.float64), strict=True))

    @cached_property
    def _medians(self) -> dict[int, float]:
        return {case: float(np.nanmedian(logs)) for case, logs in self._logs.items()}

    def select(self, names: Iterable[str] | None = None, **values: Any) -> list[int]:
        """Return the cases of these implementations (None: of all) with these values of the columns; possibly none.

        A value may be a collection, any element of which matches.
        """
        chosen = np.full(len(self.cases), True)
        for column, value in {"implementation": names, **values}.items():
            if value is not None:
                several = isinstance(value, Iterable) and not isinstance(value, str)
                # A comparison takes a tenth of the time of isin, and claims select thousands of times.
                chosen &= np.isin(self._columns[column], list(value)) if several else self._columns[column] == value
        return [int(case) for case in self.cases.index[chosen]]

    @cached_property
    def _columns(self) -> dict[str, np.ndarray[Any, Any]]:
        return {str(name): column.to_numpy() for name, column in self.cases.items()}

    def find(self, name: str, **values: Any) -> list[int]:
        """Return the cases of one implementation, as `select`; raise `Inconclusive` if there is none."""
        if cases := self.select([name], **values):
            return cases
        raise Inconclusive(self.missing_reason(name, **values))

    def competitors(self, **values: Any) -> list[int]:
        """Return the single-threaded cases over whole messages of implementations that protect data, as `select`.

        Implementations with threads of their own are excluded, since their cases do not show the speed of one thread.
        """
        excluded = UNPROTECTED | {"parallel"}
        names = self.cases["implementation"]
        cases = self.select(engine="whole", threads=1, **values)
        return [case for case in cases if not excluded & set(self.flags.get(names[case], ()))]

    def missing_reason(self, name: str, **values: Any) -> str:
        """Return the reason why there is no such case, as far as the record contains it."""
        if name in self.refused:
            return f"{name} was not timed: {self.refused[name]}"
        failed = self.samples[(self.samples["implementation"] == name) & (self.samples["status"] != "ok")]
        for key in ("engine", "op", "bytes", "mask"):
            failed = failed[failed[key] == values.get(key, failed[key])]
        if len(failed):
            return f"{name} {failed['status'].iloc[-1]}"
        shown = [str(value) for key in ("engine", "op", "mask") if (value := values.get(key))]
        case = " ".join((*shown, *([size_name(values["bytes"])] if "bytes" in values else [])))
        return f"{name} has no matching case{f' ({case})' if case else ''}"

    @property
    def thread_counts(self) -> list[int]:
        """Thread counts of the run up to the number of logical cores in ascending order; errors as `require_cores`."""
        if self.cores is None:
            raise Inconclusive("the record does not contain the number of logical cores")
        return sorted(int(count) for count in self.cases["threads"].unique() if count <= self.cores)

    def require_cores(self, cores: int) -> None:
        """Raise `Inconclusive` unless the record shows this many logical cores and a run with as many threads."""
        if self.cores is not None and self.cores < cores:
            raise Inconclusive(f"requires {cores} or more logical cores, this machine has {self.cores}")
        if (most := max(self.thread_counts, default=0)) < cores:
            raise Inconclusive(f"requires a run with {cores} or more threads, this one has at most {most}")

    def ratio(self, over: Sequence[int], under: Sequence[int]) -> Quantity:
        """Return the least median time of the cases `over` relative to that of the cases `under`, paired by round.

        When the quantity is computed, `Inconclusive` is raised if the fastest cases of both sides share no round.

        Notes
        -----
        With T for median times, the quantity is R = min T(over) / min T(under). For any u of `under`, R is at least
        the least T(o) / T(u) over o; the lower end is that for the u with the least measured median. Since the same
        samples select u, the error of its intervals is divided by the size of `under` (Bonferroni). The upper end
        follows likewise from the o with the least median. With one case on each side it is the interval of their ratio.
        """
        fast_over, fast_under = (min(cases, key=self._medians.__getitem__) for cases in (over, under))
        noise = self.noise_floor([*over, *under])

        def quantity(confidence: float) -> Estimate:
            error = 1 - confidence
            fastest = self._paired(fast_over, fast_under)
            if not fastest.size:
                raise Inconclusive("the cases were measured in no common round")
            lows, _ = _bounds([self._paired(each, fast_under) for each in over], 1 - error / len(under))
            _, highs = _bounds([self._paired(fast_over, each) for each in under], 1 - error / len(over))
            return Estimate(exp(np.median(fastest)), exp(lows.min()), exp(highs.max()), noise)

        return quantity

    def spread(self, case: int) -> Quantity:
        """Return the median absolute deviation of a case's samples from their median, relative to the median."""
        seconds = self._plain.loc[self._plain["case"] == case, "seconds"].to_numpy(dtype=np.float64)
        deviations = np.abs(seconds / np.median(seconds) - 1)

        def quantity(confidence: float) -> Estimate:
            low, high = _bounds([deviations], confidence)
            return Estimate(float(np.median(deviations)), max(0.0, float(low[0])), float(high[0]))

        return quantity

    def sample_times(self, name: str, **values: Any) -> tuple[Floats, Floats]:
        """Return the seconds of a plain case of any length and the position of each sample in the run.

        Disturbed samples are excluded. Without such a case `Inconclusive` is raised.
        """
        rows = self._undisturbed
        rows = rows[rows["implementation"].eq(name) & default_conditions(rows)]
        for column, value in values.items():
            rows = rows[rows[column] == value]
        if rows.empty:
            raise Inconclusive(self.missing_reason(name, **values))
        return rows["seconds"].to_numpy(np.float64), rows["order"].to_numpy(np.float64)

    @cached_property
    def _undisturbed(self) -> pd.DataFrame:
        rows = usable(self.samples, [*_CASE, "order", "seconds"])
        kept: pd.DataFrame = rows[~stats.disturbed(self.samples)]
        return kept

    def noise_floor(self, cases: Iterable[int]) -> float:
        """Return the noise floor of these cases, a half-width in log ratio; NaN where the run has no A/A pair for it.

        It is the largest noise floor of the groups that the cases belong to (see `_noise_group`) and, if one of them is
        masked, of the control.
        """
        numbers = set(cases)
        widths = [self._noise_by_group.get(group, nan) for group in {self._groups[case] for case in numbers}]
        if numbers & self._masked_cases:
            widths.append(self._noise_between_processes)
        # np.max propagates NaN.
        return float(np.max(widths))

    @cached_property
    def _masked_cases(self) -> frozenset[int]:
        return frozenset(map(int, self.cases.index[self.cases["mask"] != ""]))

    @cached_property
    def _noise_between_processes(self) -> float:
        """The noise floor of a case and its control, an A/A pair whose second arm runs in another process."""
        control = self.samples[self.samples["mask"] == CONTROL]
        rows = self.samples[self.samples["mask"].isin(["", CONTROL]) & self.samples["replica"].eq(0)]
        rows = rows[rows["implementation"].isin(control["implementation"]) & rows["bytes"].isin(control["bytes"])]
        return _noise_floor(rows.assign(mask="", replica=rows["mask"].eq(CONTROL).astype(int)))

    @cached_property
    def _groups(self) -> dict[int, str]:
        return dict(zip(self.cases.index.tolist(), map(str, _noise_group(self.cases)), strict=True))

    @cached_property
    def _noise_by_group(self) -> dict[str, float]:
        groups = _noise_group(self.samples)
        return {str(group): _noise_floor(self.samples[groups == group]) for group in np.unique(groups)}

    def _paired(self, over: int, under: int) -> Floats:
        """Return the log ratios of two cases' times, one for each round that has both."""
        ratios = self._logs[over] - self._logs[under]
        return ratios[~np.isnan(ratios)]


def _noise_group(cases: pd.DataFrame) -> np.ndarray[Any, Any]:
    """Return the group of cases with a common noise floor: called from Python, with one thread or with several."""
    native = np.where(cases["threads"].to_numpy() > 1, "several threads", "one thread")
    return np.where((cases["engine"] == "python").to_numpy(), "python", native)


def _noise_floor(pairs: pd.DataFrame) -> float:
    try:
        return stats.noise_floor(pairs).width
    except ArgumentError:
        return nan


def _bounds(samples: Sequence[Floats], confidence: float) -> tuple[Floats, Floats]:
    """Return the ends of the intervals of several medians; infinite where they are unknown."""
    low, high = np.full(len(samples), -inf), np.full(len(samples), inf)
    sizes = np.array([sample.size for sample in samples])
    # Samples of one size are computed together; one by one they take a minute for all thread counts of a large machine.
    for size in np.unique(sizes[sizes > 0]):
        which = np.flatnonzero(sizes == size)
        rows = np.array([sample for sample in samples if sample.size == size])
        low[which], high[which] = median_bounds(np.sort(rows, axis=1), confidence)
    return np.nan_to_num(low, nan=-inf, neginf=-inf), np.nan_to_num(high, nan=inf, posinf=inf)
