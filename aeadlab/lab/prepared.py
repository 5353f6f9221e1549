"""A study with the parameters of a notebook: its cases are known before they are measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from aeadlab import paths
from aeadlab.bench.announcement import effort, expected
from aeadlab.bench.case import Case
from aeadlab.bench.profile import REFERENCE, Profile, check_notebook_profile, find_profile
from aeadlab.catalogue import load
from aeadlab.display import listing
from aeadlab.display.front_end import shows_widgets
from aeadlab.display.markup import bullet_list, join, paragraph
from aeadlab.display.short_table import ShortTable
from aeadlab.display.units import in_bytes, size_name
from aeadlab.errors import ArgumentError, EmptyFigureError, UnknownNameError
from aeadlab.figures.style import venue as find_venue
from aeadlab.lab.measurement import measure
from aeadlab.lab.measurement.select import find_implementations
from aeadlab.lab.stored import reference_record
from aeadlab.records.provenance import commit
from aeadlab.records.record import Record
from aeadlab.records.reference import origin, reference_cpu
from aeadlab.stats.resolution import NOISE
from aeadlab.studies import Selection, Study, find_study
from aeadlab.studies.draw import drawn, figure_provenance

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

    from aeadlab.lab.illustrated import Illustrated

_T = TypeVar("_T")


@dataclass(frozen=True)
class Absent:
    """Stands for a result that is not available, so that the other cells of a notebook still run."""

    name: str
    reason: str

    def __repr__(self) -> str:
        return f"{self.name} is absent: {self.reason}"


@dataclass
class Prepared:
    """A study that is ready to be measured and drawn; a notebook shows it as its first output.

    Attributes
    ----------
    cases
        The cases whose implementations are available.
    absent
        Reasons why other implementations are not available, by name.
    folder
        Folder for records and figures.
    record
        The result of `measure`; None before. In profile ``reference`` it is the stored record from the start.
    stored
        Whether the record is shown and nothing is measured.
    """

    study: Study
    profile: Profile
    selection: Selection
    venue: str
    folder: Path
    cases: list[Case]
    absent: dict[str, str]
    record: Record | None = None
    stored: bool = False
    _pairs: dict[tuple[Path, str], tuple[Figure, DataFrame]] = field(default_factory=dict, repr=False)

    def measure(self) -> Record:
        """Verify, time and store the study; an interrupted run resumes. Errors are those of `aeadlab.measure`.

        In profile ``reference`` the stored record is returned.
        """
        if self.stored and self.record is not None:
            return self.record
        self.record = measure(
            self.study,
            self.profile,
            implementations=self.selection.implementations,
            threads=self.selection.threads,
            block_sizes=self.selection.block_sizes,
            missing="skip",
            folder=self.folder / "records",
        )
        return self.record

    def measure_here(self, profile: str = "quick") -> Record:
        """Measure on this computer in place of a reference record, with the same selection."""
        chosen = self.selection
        other = prepare(
            self.study,
            profile,
            threads=chosen.threads or (),
            block_sizes=chosen.block_sizes or (),
            implementations=chosen.implementations or (),
            venue=self.venue,
            output=self.folder,
        )
        record = other.measure()
        self.profile, self.cases, self.absent, self.stored = other.profile, other.cases, other.absent, False
        self.record = record
        return record

    def live(
        self, function: Callable[..., _T], *arguments: Any, smoke: Mapping[str, Any] | None = None, **settings: Any
    ) -> _T | Absent:
        """Return the result of a function that takes samples itself; return `Absent` in profile ``reference``.

        In profile ``smoke`` the function is called with the settings `smoke` if they are given.
        """
        if self.stored:
            return Absent(function.__name__, f"it measures, and profile {REFERENCE} does not; choose another profile")
        return function(*arguments, **(smoke if smoke is not None and self.profile.effort == "smoke" else settings))

    def show(self, name: str) -> Figure | Absent:
        """Draw a figure of the study and write it to the output folder; return `Absent` if it would have no samples.

        Raises
        ------
        aeadlab.errors.UnknownNameError
            If the study has no figure of this name.
        aeadlab.errors.ArgumentError
            If the study has not been measured.
        """
        pair = self._drawn(name)
        if isinstance(pair, Absent):
            return pair
        return self._export(name, pair, figure_provenance(self._measured(), name, self.venue))

    def table(self, name: str, columns: Literal["short", "all"] = "short") -> DataFrame | Absent:
        """Return the numbers that a figure shows; otherwise as `show`.

        The table has all columns. A notebook shows at most ten of them, formatted, or with ``columns="all"`` all.
        """
        pair = self._drawn(name)
        if isinstance(pair, Absent):
            return pair
        return ShortTable(pair[1]) if columns == "short" else pair[1]

    def answer(self, figure: str) -> Illustrated:
        """Return the answer of the study in sentences that are computed from the record, with its main figure.

        Raises
        ------
        aeadlab.errors.ArgumentError
            If the study has not been measured.
        """
        from aeadlab.lab.illustrated import Illustrated

        picture = self.show(figure)
        sentences = self.study.answer(self._measured())
        source = origin(reference_cpu(self._measured()))
        return Illustrated([*sentences, *([f"{source[:1].upper()}{source[1:]}."] if source else [])], picture)

    def keep(self, name: str, pair: tuple[Figure, DataFrame] | Absent) -> Figure | Absent:
        """Write a figure that does not show the record, such as a trace, to the output folder, and return it.

        `name` is the file name without suffix, `pair` the figure and the numbers that it shows, or their absence.
        """
        if isinstance(pair, Absent):
            return pair
        about = {"study": self.study.name, "figure": name, "commit": commit(), "call": "its notebook"}
        return self._export(name, pair, about)

    def _export(self, name: str, pair: tuple[Figure, DataFrame], about: dict[str, Any]) -> Figure:
        from aeadlab.figures.export import export

        export(*pair, name, self.folder / "figures", about)
        return pair[0]

    def _drawn(self, name: str) -> tuple[Figure, DataFrame] | Absent:
        record = self._measured()
        key = (record.path, name)
        try:
            # The table of a figure is computed with it, and a notebook shows both.
            if key not in self._pairs:
                self._pairs[key] = drawn(record, name, self.venue)
            return self._pairs[key]
        except EmptyFigureError as error:
            return Absent(name, f"{error}; `aeadlab measure {self.study.name}` measures all cases of the study")

    def _measured(self) -> Record:
        if self.record is None:
            raise ArgumentError(f"study {self.study.name} has no record yet: call measure() first")
        return self.record

    def _lines(self) -> Iterator[str]:
        implementations = len({case.implementation for case in self.cases})
        profile = self.profile
        if self.stored and self.record is not None:
            yield (
                f"Study {self.study.name}: {len(self.cases)} cases of {implementations} implementations "
                f"{origin(reference_cpu(self.record))}. Record {self.record.name} was measured with profile "
                f"{profile.name}. Figures go to {self.folder}."
            )
            return
        budget = "" if profile.budget_seconds is None else f", for about {profile.budget_seconds:g} s"
        # Cases of generators have no message, only an output.
        largest = size_name(max(case.message_bytes or case.bytes for case in self.cases))
        yield (
            f"Study {self.study.name}, profile {profile.name}: {len(self.cases)} cases of {implementations} "
            f"implementation{'s' * (implementations > 1)}, messages of up to {largest}, in {effort(profile)}{budget}. "
            f"Expected, if {NOISE}: {expected(profile)}. Records and figures go to {self.folder}."
        )
        yield from (f"Absent: {reason}" for reason in listing.named_reasons(self.absent))

    def __repr__(self) -> str:
        return "\n".join(self._lines())

    def _repr_html_(self) -> str:
        first, *absent = self._lines()
        return join([paragraph(first), bullet_list(absent) if absent else None])

    def _repr_mimebundle_(self, **_: Any) -> Any:
        if self.stored and shows_widgets():
            from aeadlab.lab.interactive.measure_button import measure_button

            return measure_button(self)._repr_mimebundle_()
        return {"text/plain": repr(self), "text/html": self._repr_html_()}


def prepare(
    study: str | Study,
    profile: str = "quick",
    *,
    size: int | str = 0,
    samples: int = 0,
    threads: Sequence[int] | str = (),
    block_sizes: Sequence[int] | str = (),
    implementations: Sequence[str] | str = (),
    venue: str = "lncs",
    output: str | Path = "",
) -> Prepared:
    """Check the parameters of a notebook, and select the cases of a study, without measuring.

    Implementations that are not available are skipped and listed.

    Parameters
    ----------
    profile
        ``smoke``, ``quick`` or ``paper``; or ``reference``, which shows the stored reference record and measures
        nothing. Implementations, thread counts and block sizes then select within the record.
    size, samples, threads, block_sizes, implementations
        As in `aeadlab.measure`; 0 or empty means the profile's or the study's. Text such as ``"[1, 2, 4]"`` is read as
        a list. In a study with fixed lengths, `size` is the limit of the longest message.
    venue
        ``lncs``, ``ieee``, ``acm`` or ``usenix``, all but the first also with ``-double``: width of the figures.
    output
        Folder for records and figures; ``""`` means the results folder.

    Raises
    ------
    aeadlab.errors.UnknownNameError
        If there is no such study, profile or venue, or no implementation is available.
    aeadlab.errors.ArgumentError
        If a parameter is out of range, or the folder cannot be written.
    aeadlab.errors.RecordError
        In profile ``reference``, if there is no record, or it lacks a selected case.
    """
    study = find_study(study) if isinstance(study, str) else study
    check_notebook_profile(profile)
    if profile == REFERENCE:
        find_venue(venue)
        selection = Selection.of(implementations, threads, block_sizes)
        folder = paths.output_folder(output)
        paths.check_folder(folder)
        record = reference_record(study.name, selection, size=size, samples=samples)
        return Prepared(study, record.profile, selection, venue, folder, record.cases, {}, record, stored=True)
    changed = find_profile(profile).with_changes(in_bytes(size) or None, samples or None)
    find_venue(venue)
    selection = Selection.of(implementations, threads, block_sizes)
    folder = paths.output_folder(output)
    paths.check_folder(folder / "records")
    catalogue = load()
    selection = selection.expanded(catalogue)
    cases = study.cases(catalogue, changed, selection)
    absent = find_implementations(cases, catalogue)[1]
    present = [case for case in cases if case.implementation not in absent]
    if not present or (selection.implementations and absent.keys() >= {*selection.implementations}):
        reasons = "; ".join(absent.values()) or "it has no case for this selection"
        raise UnknownNameError(f"no implementation of study {study.name} is available: {reasons}")
    return Prepared(study, changed, selection, venue, folder, present, absent)
