"""The evidence of a record: its plain cases, ratios of their times, and its noise floor."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache, cached_property
from math import inf
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from aeadlab.bench.masks.masks import CONTROL
from aeadlab.catalogue.kinds import UNPROTECTED
from aeadlab.display.names import in_words
from aeadlab.display.units import size_name
from aeadlab.host.cores import recorded_cores_within_quota
from aeadlab.records.provenance_diff import verified
from aeadlab.records.record import Record, message_lengths
from aeadlab.stats.processes import FEWEST, Floats, Samples
from aeadlab.stats.selection import default_conditions, in_cpu_time
from aeadlab.verdicts.estimate import Estimate, Quantity
from aeadlab.verdicts.missing import case_in_words
from aeadlab.verdicts.run import CASE, Run

MIN_BYTES: Final = 64 << 20
"""Least bytes of a run's large message that support a conclusion: shorter messages stay in caches."""


class Inconclusive(Exception):
    """Raised where a record cannot decide a claim; the message is the reason, which `evaluate` puts in the finding."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """The samples of a run and the facts that limit conclusions from them.

    Attributes
    ----------
    samples
        Samples of verified implementations, as in a loaded record.
    cores
        Logical cores available to the run; None where the record does not contain them.
    flags
        Flags of each implementation, as in the catalogue.
    refused
        Reason for each implementation that was not timed, by name.
    taken
        Time at which its first process started, or else at which the record was stored; None where it does not say.
    all_lengths
        Whether `cases` holds messages of every length, not only the longest; see `with_all_lengths`.
    conditions
        Conditions of which `cases` holds every value and not only the default; see `with_conditions`.
    """

    samples: pd.DataFrame
    study: str
    profile: str = "quick"
    cores: int | None = None
    flags: Mapping[str, Collection[str]] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)
    taken: datetime | None = None
    all_lengths: bool = False
    conditions: frozenset[str] = frozenset()

    @classmethod
    def from_record(cls, record: Record) -> Evidence:
        """Return the evidence of a record."""
        profile = record.provenance["plan"].get("profile") or {}
        implementations = record.provenance.get("implementations") or {}
        return cls(
            record.samples[record.samples["implementation"].isin(verified(record))],
            record.study,
            str(profile.get("name", "unknown")),
            recorded_cores_within_quota(record.provenance.get("machine") or {}),
            {name: facts.get("flags", ()) for name, facts in implementations.items()},
            record.provenance.get("refused") or {},
            _begun(record.provenance),
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
        return ""

    @property
    def lengths(self) -> list[int]:
        """Bytes of the messages of all samples in ascending order: of cells each, of generators the whole output."""
        return message_lengths(self.samples)

    def limitation(self, cases: Iterable[int]) -> str:
        """Return why cases support no verdict although nobody chose their length, or ``""``.

        A claim without a length takes the longest message of the run, which must not fit into caches.
        """
        lengths = [self._run.message_bytes[case] for case in self._run.message_bytes.keys() & set(cases)]
        if self.all_lengths or not lengths or (longest := max(lengths)) >= MIN_BYTES:
            return ""
        return f"measured on messages of {size_name(longest)}, at least {size_name(MIN_BYTES)} are required"

    def unpaired(self, cases: Iterable[int]) -> str:
        """Return which driving class of the cases has no A/A pair, without which there is no verdict; or ``""``.

        A pair judges cases of its own class, of at most `LENGTH_FACTOR` times its length or as short.
        """
        noise = self._run.noise
        missing = {noise.classes[case] for case in cases if not noise.floor(case).pairs}
        return f"the record has no A/A pair in {FEWEST} processes for {min(missing)}" if missing else ""

    @cached_property
    def with_all_lengths(self) -> Evidence:
        """The same run with messages of every length; numbers of cases are valid for one `Evidence` only."""
        return self._view(all_lengths=True)

    def with_conditions(self, *names: str) -> Evidence:
        """Return the same run with every value of these conditions, columns such as ``placement`` or ``aad_bytes``.

        Cases are then selected with a value of each of these columns; numbers as in `with_all_lengths`.
        """
        conditions = self.conditions.union(names)
        if conditions not in self._views:
            self._views[conditions] = self._view(conditions=conditions)
        return self._views[conditions]

    def _view(self, **changes: Any) -> Evidence:
        """Return the same run with other cases."""
        view = replace(self, **changes)
        view.__dict__["_run"] = self._run
        return view

    @cached_property
    def _run(self) -> Run:
        return Run(self.samples)

    @cached_property
    def _views(self) -> dict[frozenset[str], Evidence]:
        return {self.conditions: self}

    @cached_property
    def with_cpu_time(self) -> Evidence:
        """The same run with CPU times in place of wall times, see `aeadlab.stats.selection.in_cpu_time`."""
        return replace(self, samples=in_cpu_time(self.samples))

    @cached_property
    def cases(self) -> pd.DataFrame:
        """The plain cases that have samples: the columns of a case, indexed by the numbers that `select` returns.

        Plain cases have the longest message, separate output, no associated data, warm caches, no mask, and are the
        first arm of an A/A pair; of two models the keyed one is taken, which has no key set-up in each block.
        `with_all_lengths` and `with_conditions` have more.
        """
        plain = self._plain
        keyed_first = plain.sort_values("model", key=lambda model: model != "keyed", kind="stable")
        kept = keyed_first.drop_duplicates([name for name in CASE if name != "model"]).index
        return plain.loc[sorted(kept)]

    @cached_property
    def _plain(self) -> pd.DataFrame:
        """The cases of every model, by their numbers in the run."""
        cases = self._run.cases[default_conditions(self._run.cases, ignore=self.conditions)]
        return cases if self.all_lengths else cases[cases["bytes"] == cases["bytes"].max()]

    @cached_property
    def _logs(self) -> dict[int, Floats]:
        """Logarithms of the times of each case, in the rounds of `_process`; NaN where not measured."""
        return dict(zip(map(int, self._times.index), self._times.to_numpy(dtype=np.float64), strict=True))

    @cached_property
    def _times(self) -> pd.DataFrame:
        return self._run.log_times.loc[self._plain.index].dropna(axis="columns", how="all")

    @cached_property
    def _process(self) -> NDArray[np.int64]:
        return self._times.columns.get_level_values("process").to_numpy(dtype=np.int64)

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
        """Return the reason why there is no such case, as far as the record contains it, with its name in words."""
        words = in_words(name)
        if name in self.refused:
            return f"{words} was not timed: {self.refused[name]}"
        failed = self.samples[(self.samples["implementation"] == name) & (self.samples["status"] != "ok")]
        for key in ("engine", "op", "bytes", "placement", "aad_bytes", "mask"):
            failed = failed[failed[key] == values.get(key, failed[key])]
        if len(failed):
            return f"{words} {failed['status'].iloc[-1]}"
        case = case_in_words(values)
        return f"{words} has no matching case{f' ({case})' if case else ''}"

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

        `Inconclusive` is raised if the fastest cases of both sides share no round.

        Notes
        -----
        With T for median times, the quantity is R = min T(over) / min T(under). For any u of `under`, R is at least
        the least T(o) / T(u) over o; the lower end is that for the u with the least measured median. Since the same
        samples select u, the error of its intervals is divided by the size of `under` (Bonferroni). The upper end
        follows likewise from the o with the least median. With one case on each side it is the interval of their ratio.
        """
        key = tuple(over), tuple(under)
        if key not in self._ratios:
            self._ratios[key] = self._ratio(*key)
        return self._ratios[key]

    @cached_property
    def _ratios(self) -> dict[tuple[tuple[int, ...], tuple[int, ...]], Quantity]:
        return {}

    def _ratio(self, over: Sequence[int], under: Sequence[int]) -> Quantity:
        fast_over, fast_under = (min(cases, key=self._medians.__getitem__) for cases in (over, under))
        fastest = self._paired(fast_over, fast_under)
        if np.isnan(fastest).all():
            raise Inconclusive("the cases were measured in no common round")
        noise = self.noise_floor([*over, *under])
        below = self._samples([self._paired(each, fast_under) for each in over])
        is_one_pair = len(over) == len(under) == 1
        above = below if is_one_pair else self._samples([self._paired(fast_over, each) for each in under])
        value, counts = self._median(fastest), self._counts(fastest)
        compared = [*over, *under]
        unsuitable = "; ".join(filter(None, (self.limitation(compared), self.unpaired(compared))))

        @cache
        def quantity(confidence: float) -> Estimate:
            error = 1 - confidence
            lows, highs = _bounds(below, len(over), 1 - error / len(under))
            if not is_one_pair:
                _, highs = _bounds(above, len(under), 1 - error / len(over))
            with np.errstate(over="ignore"):
                low, middle, high = np.exp([lows.min(), value, highs.max()])
            return Estimate(
                float(middle), float(low), float(high), noise, *counts, unsuitable, unsuitable,
                detail="all samples are equal, so that the interval has no width" if low == high else "",
            )  # fmt: skip

        return quantity

    def fastest(self, cases: Iterable[int]) -> str:
        """Return the implementation of the case with the least median time, in words."""
        return in_words(str(self.cases["implementation"][min(cases, key=self._medians.__getitem__)]))

    def spread(self, case: int) -> Quantity:
        """Return the median absolute deviation of a case's samples from their median, relative to the median."""
        seconds = np.exp(self._logs[case])
        deviations = np.abs(seconds / np.nanmedian(seconds) - 1)
        samples, counts = self._samples([deviations]), self._counts(deviations)
        short = self.limitation([case])

        def quantity(confidence: float) -> Estimate:
            low, high = _bounds(samples, 1, confidence)
            value = self._median(deviations)
            return Estimate(value, max(0.0, float(low[0])), float(high[0]), 0.0, *counts, short, short)

        return quantity

    def sample_times(self, name: str, **values: Any) -> tuple[Floats, Floats, Floats]:
        """Return the seconds of a plain case of any length, and the position in the run and process of each sample.

        Disturbed samples are excluded. Without such a case `Inconclusive` is raised.
        """
        cases = self._run.cases
        cases = cases[cases["implementation"].eq(name) & default_conditions(cases)]
        for column, value in values.items():
            cases = cases[cases[column] == value]
        rows = self._run.undisturbed
        rows = rows[rows["case"].isin(cases.index)]
        if rows.empty:
            raise Inconclusive(self.missing_reason(name, **values))
        seconds, order, process = (rows[name].to_numpy(np.float64) for name in ("seconds", "order", "process"))
        return seconds, order, process

    def noise_floor(self, cases: Iterable[int]) -> float:
        """Return the noise floor of these cases, a half-width in log ratio.

        It is that of the A/A pairs of their driving classes and lengths (`aeadlab.stats.noise_floor`) and, for those
        that are masked, of their controls, cases that run in another process with nothing masked
        (`aeadlab.bench.masks.switches.with_masks`).
        """
        noise, numbers = self._run.noise, set(cases)
        masked = self._masked_cases & numbers
        if missing := {noise.classes[case] for case in masked if not noise.floor(case, of_controls=True).pairs}:
            raise Inconclusive(f"the record has no control (mask {CONTROL}) in {FEWEST} processes for {min(missing)}")
        floors = [*map(noise.floor, numbers), *(noise.floor(case, of_controls=True) for case in masked)]
        return max(floor.width for floor in floors)

    @cached_property
    def _masked_cases(self) -> frozenset[int]:
        return frozenset(map(int, self.cases.index[self.cases["mask"] != ""]))

    def _paired(self, over: int, under: int) -> Floats:
        """Return the log ratios of two cases' times, in the rounds of `_process`; NaN without either."""
        return self._logs[over] - self._logs[under]

    def _median(self, values: Floats) -> float:
        return float(self._samples([values])[0][1].median[0])

    def _counts(self, values: Floats) -> tuple[int, int]:
        """Return the numbers of processes and rounds that have a value."""
        present = ~np.isnan(values)
        return np.unique(self._process[present]).size, int(present.sum())

    def _samples(self, rows: Sequence[Floats]) -> list[tuple[NDArray[np.intp], Samples]]:
        """Return rows of values in the rounds of `_process` as groups of samples, without those that are empty."""
        values = np.asarray(rows)
        masks, pattern = np.unique(~np.isnan(values), axis=0, return_inverse=True)
        grouped = []
        for number, mask in enumerate(masks):
            if mask.any():
                which = np.flatnonzero(pattern.ravel() == number)
                process = np.unique(self._process[mask], return_inverse=True)[1].ravel()
                of_rows = values[np.ix_(which, mask)]
                grouped.append((which, Samples.of(of_rows, np.broadcast_to(process, of_rows.shape))))
        return grouped


def _begun(provenance: Mapping[str, Any]) -> datetime | None:
    """Return the time from which on samples could be seen; a resumed run begins with its first process."""
    starts = [note["start"] for note in provenance.get("notes") or () if "start" in note]
    try:
        return datetime.fromtimestamp(min(starts), UTC) if starts else datetime.fromisoformat(str(provenance["date"]))
    except (LookupError, ValueError, OverflowError):
        return None


def _bounds(
    grouped: Iterable[tuple[NDArray[np.intp], Samples]], number: int, confidence: float
) -> tuple[Floats, Floats]:
    """Return the ends of the intervals of `number` medians; infinite where they are unknown."""
    low, high = np.full(number, -inf), np.full(number, inf)
    for which, samples in grouped:
        low[which], high[which] = samples.bounds(confidence)
    return np.where(np.isnan(low), -inf, low), np.where(np.isnan(high), inf, high)
