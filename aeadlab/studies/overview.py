"""The studies with their questions, notebooks, and the effort of each profile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from fnmatch import fnmatchcase
from math import isnan
from pathlib import Path
from typing import Any, Self

from aeadlab.bench.announcement import effort, expected
from aeadlab.bench.plan import Plan, with_noise_pairs
from aeadlab.bench.profile import PROFILES, Profile
from aeadlab.catalogue import Catalogue, load
from aeadlab.display.terminal import wrap
from aeadlab.display.units import count_noun
from aeadlab.host.cpu_name import cpu_name
from aeadlab.paths import is_reference
from aeadlab.records.lookup import stored_records
from aeadlab.records.reading import provenance_of
from aeadlab.stats.resolution import NOISE
from aeadlab.studies import Selection, Study, all_studies, find_study
from aeadlab.studies.duration import expected_seconds


@dataclass(frozen=True)
class Effort:
    """The effort of a study in one profile.

    Attributes
    ----------
    profile
        Name of the profile.
    cases
        Number of cases on this computer, without A/A pairs.
    seconds
        Time after which no process is started, without start and verification; None for no limit.
    processes, rounds
        Number of processes, and of rounds in all of them together.
    expected_seconds
        Expected time where there is no limit, see `aeadlab.studies.duration`; None with a limit or without a record.
    width, difference
        What comparisons are expected to show, see `aeadlab.stats.resolution.Resolution`; None for no verdicts.
    """

    profile: str
    cases: int
    seconds: float | None
    processes: int
    rounds: int
    expected_seconds: float | None
    width: float | None
    difference: float | None

    @classmethod
    def of(cls, study: Study, profile: Profile, catalogue: Catalogue, record: Mapping[str, Any] | None) -> Self:
        """Return the effort of a study in a profile, with the provenance of its newest record."""
        cases = study.cases(catalogue, profile, Selection())
        seconds = None
        if profile.budget_seconds is None and record is not None and cases:
            plan = Plan(study.name, profile, with_noise_pairs(cases), named=tuple(study.named))
            seconds = expected_seconds(plan, record)
        shown = [None if isnan(number) else number for number in expected(profile)]
        processes = len(profile.shares)
        return cls(profile.name, len(cases), profile.budget_seconds, processes, profile.rounds, seconds, *shown)

    def __str__(self) -> str:
        limit = "no time limit" if self.seconds is None else f"at most {_minutes(self.seconds)}"
        if self.expected_seconds is not None:
            limit = f"about {_minutes(self.expected_seconds)} at the speed of the last record"
        return f"{self.profile}: {count_noun(self.cases, 'case')} in {effort(PROFILES[self.profile])}, {limit}"


@dataclass(frozen=True)
class Overview:
    """A study with the effort of each profile, and the time that its newest record took.

    Attributes
    ----------
    name, question, notebook
        Those of the study; `notebook` is ``""`` if it has none.
    lengths
        `Study.fixed_lengths`.
    efforts
        One for each profile.
    measured
        The newest record in words, with its time, profile and CPU; ``""`` if there is none.
    """

    name: str
    question: str
    notebook: str
    lengths: str
    efforts: tuple[Effort, ...]
    measured: str

    def as_dict(self) -> dict[str, Any]:
        """Return the overview for JSON."""
        return asdict(self)

    def as_text(self) -> str:
        """Return the overview in 80 columns."""
        shown = "; ".join(f"{one.profile}: {expected(PROFILES[one.profile])}" for one in self.efforts)
        lines = [self.question, "; ".join(map(str, self.efforts)), f"expected if {NOISE}: {shown}"]
        lines += [f"message lengths: {self.lengths}"] * bool(self.lengths)
        lines += [f"last record: {self.measured}"] * bool(self.measured)
        lines += [f"notebook: {Path(self.notebook).stem}"] * bool(self.notebook)
        return "\n".join([self.name, *(line for text in lines for line in wrap(f"  {text}", "    "))])


def overviews(names: Sequence[str] = ()) -> list[Overview]:
    """Return an overview of each study on this computer, by name.

    Parameters
    ----------
    names
        Names of studies, or globs; an empty sequence selects all.

    Raises
    ------
    aeadlab.errors.UnknownNameError
        If a name or glob matches no study.
    """
    selected: dict[str, Study] = {}
    for pattern in names or ("*",):
        matching = {name: study for name, study in all_studies().items() if fnmatchcase(name, pattern)}
        selected |= matching or {pattern: find_study(pattern)}
    catalogue = load()
    return [_overview(study, catalogue) for study in selected.values()]


def _overview(study: Study, catalogue: Catalogue) -> Overview:
    newest = next(iter(stored_records(study.name)[-1:]), None)
    provenance = None if newest is None else provenance_of(newest)
    efforts = tuple(Effort.of(study, profile, catalogue, provenance) for profile in PROFILES.values())
    measured = "" if newest is None or provenance is None else _measured(newest, provenance)
    return Overview(study.name, study.question, study.notebook, study.fixed_lengths, efforts, measured)


def _measured(path: Path, provenance: Mapping[str, Any]) -> str:
    kind = ", a reference record, not measured here" if is_reference(path) else ""
    # The time of a process that was killed is not noted.
    seconds = sum(note.get("spent", 0.0) for note in provenance["notes"])
    cpu = cpu_name(provenance.get("machine") or {}) or "an unknown CPU"
    return f"{_minutes(seconds)} with profile {provenance['plan']['profile']['name']} on {cpu}{kind}"


def _minutes(seconds: float) -> str:
    """Return a time in the largest unit of which it has at least one and a half."""
    units = ((86400, "days"), (3600, "h"), (60, "min"), (1, "s"))
    size, unit = next((one for one in units if seconds >= 1.5 * one[0]), units[-1])
    return f"{seconds / size:.0f} {unit}"
