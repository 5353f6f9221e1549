"""A study with the parameters of a notebook: its cases are known before they are measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from aeadlab import paths
from aeadlab.bench.announcement import effort, expected
from aeadlab.bench.case import Case
from aeadlab.bench.profile import Profile, find_profile
from aeadlab.catalogue import load
from aeadlab.display import listing
from aeadlab.display.markup import bullet_list, join, paragraph
from aeadlab.display.units import in_bytes, size_name
from aeadlab.errors import ArgumentError, EmptyFigureError, UnknownNameError
from aeadlab.figures.style import venue as find_venue
from aeadlab.lab.measurement import measure
from aeadlab.lab.measurement.select import find_implementations
from aeadlab.records.provenance import commit
from aeadlab.records.record import Record
from aeadlab.stats.resolution import NOISE
from aeadlab.studies import Selection, Study, find_study
from aeadlab.studies.draw import show, table

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

_T = TypeVar("_T")


@dataclass(frozen=True)
class Absent:
    """Stands for a figure that the record has no samples for, so that the other cells of a notebook still run."""

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
        The result of `measure`; None before.
    """

    study: Study
    profile: Profile
    selection: Selection
    venue: str
    folder: Path
    cases: list[Case]
    absent: dict[str, str]
    record: Record | None = None

    def measure(self) -> Record:
        """Verify, time and store the study; an interrupted run resumes. Errors are those of `aeadlab.measure`."""
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

    def show(self, name: str) -> Figure | Absent:
        """Draw a figure of the study and write it to the output folder; return `Absent` if it would have no samples.

        Raises
        ------
        aeadlab.errors.UnknownNameError
            If the study has no figure of this name.
        aeadlab.errors.ArgumentError
            If the study has not been measured.
        """
        return self._drawn(show, name, self.venue, self.folder / "figures")

    def table(self, name: str) -> DataFrame | Absent:
        """Return the numbers that a figure shows; otherwise as `show`."""
        return self._drawn(table, name, self.venue)

    def keep(self, name: str, drawn: tuple[Figure, DataFrame]) -> Figure:
        """Write a figure that does not show the record, such as a trace, to the output folder, and return it.

        `name` is the file name without suffix, `drawn` the figure and the numbers that it shows.
        """
        from aeadlab.figures.export import export

        origin = {"study": self.study.name, "figure": name, "commit": commit(), "call": "its notebook"}
        export(*drawn, name, self.folder / "figures", origin)
        return drawn[0]

    def _drawn(self, draw: Callable[..., _T], name: str, *options: Any) -> _T | Absent:
        if self.record is None:
            raise ArgumentError(f"study {self.study.name} has no record yet: call measure() first")
        try:
            return draw(self.record, name, *options)
        except EmptyFigureError as error:
            return Absent(name, str(error))

    def _lines(self) -> Iterator[str]:
        implementations = len({case.implementation for case in self.cases})
        profile = self.profile
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
    """
    study = find_study(study) if isinstance(study, str) else study
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
