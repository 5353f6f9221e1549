"""A study with the parameters of a notebook: what it will measure and what is missing, said before it measures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from aeadlab import paths
from aeadlab.bench.case import Case
from aeadlab.bench.profile import Profile, find_profile
from aeadlab.catalogue import load
from aeadlab.errors import ArgumentError, EmptyFigureError, UnknownNameError
from aeadlab.figures.style import venue as find_venue
from aeadlab.measurement import measure
from aeadlab.provenance import commit
from aeadlab.records import Record, check_folder
from aeadlab.studies import Selection, Study, find_study
from aeadlab.studies.draw import show, table
from aeadlab.units import size_name

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame


@dataclass(frozen=True)
class Absent:
    """What a notebook shows in place of a figure for which nothing was measured; the rest of it goes on."""

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
        What will be measured, as far as it is here.
    absent
        Why an implementation is not here, by its name.
    folder
        Where records and figures go.
    record
        What `measure` gave; None before.
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
        """Verify, time and store; a run that was cut short is carried on with. Errors as `aeadlab.measure`."""
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
        """Draw a figure of the study and write it to the output folder; where it has nothing to show, say so.

        Raises
        ------
        aeadlab.errors.UnknownNameError
            If the study has no figure of this name.
        aeadlab.errors.ArgumentError
            If nothing has been measured yet.
        """
        try:
            return show(self._measured(), name, self.venue, self.folder / "figures")
        except EmptyFigureError as error:
            return Absent(name, str(error))

    def table(self, name: str) -> DataFrame | Absent:
        """What a figure shows, as numbers; otherwise as `show`."""
        try:
            return table(self._measured(), name, self.venue)
        except EmptyFigureError as error:
            return Absent(name, str(error))

    def keep(self, name: str, drawn: tuple[Figure, DataFrame]) -> Figure:
        """Write a figure that was drawn from something else than the record, such as a trace, to the output folder.

        Parameters
        ----------
        name
            Of the files.
        drawn
            The figure, and what it shows.

        Returns
        -------
        Figure
            The same, for a notebook to display.
        """
        from aeadlab.figures.export import export

        made_of = {"study": self.study.name, "figure": name, "commit": commit(), "call": "its notebook"}
        export(*drawn, name, self.folder / "figures", made_of)
        return drawn[0]

    def _measured(self) -> Record:
        if self.record is None:
            raise ArgumentError(f"study {self.study.name} has no record yet: call measure() first")
        return self.record

    def _lines(self) -> Iterator[str]:
        names = list(dict.fromkeys(case.implementation for case in self.cases))
        effort = self.profile
        time = "" if effort.budget_seconds is None else f", for {effort.budget_seconds:g} s"
        several = "implementation" if len(names) == 1 else "implementations"
        # A generator has no message, but output.
        largest = size_name(max(case.message_bytes or case.bytes for case in self.cases))
        yield (
            f"Study {self.study.name}, profile {effort.name}: {len(self.cases)} cases of {len(names)} {several}, "
            f"messages of up to {largest}, at most {effort.rounds} samples each{time}. "
            f"Records and figures go to {self.folder}."
        )
        yield from (f"Absent: {why if name in why else f'{name}: {why}'}" for name, why in self.absent.items())

    def __repr__(self) -> str:
        return "\n".join(self._lines())

    def _repr_html_(self) -> str:
        first, *rest = self._lines()
        listed = "".join(f"<li>{escape(line)}</li>" for line in rest)
        return f"<p>{escape(first)}</p>" + (f"<ul>{listed}</ul>" if listed else "")


def prepare(
    study: str | Study,
    profile: str = "quick",
    *,
    size: int = 0,
    samples: int = 0,
    threads: Sequence[int] | str = (),
    block_sizes: Sequence[int] | str = (),
    implementations: Sequence[str] | str = (),
    venue: str = "lncs",
    output: str | Path = "",
) -> Prepared:
    """Check a notebook's parameters, and see what of a study is here. Nothing is measured yet.

    An implementation that is absent is left out and told; with none left there is nothing to do.

    Parameters
    ----------
    size
        Bytes of a large message; 0 is the profile's.
    samples
        Of each case; 0 is the profile's.
    threads, block_sizes, implementations
        Instead of the study's; empty for the study's own. Text such as ``"[1, 2, 4]"`` is read as a list.
    venue
        ``lncs``, ``ieee``, ``acm`` or ``usenix``, or one of these with ``-double``: width of the figures.
    output
        Folder for records and figures; ``""`` is the results folder.

    Raises
    ------
    aeadlab.errors.UnknownNameError
        If the study, the profile or the venue does not exist, or no implementation is left.
    aeadlab.errors.ArgumentError
        If a parameter is out of range, or the folder cannot be written.
    """
    study = find_study(study) if isinstance(study, str) else study
    effort = find_profile(profile).with_changes(size or None, samples or None)
    find_venue(venue)
    selection = Selection.of(implementations, threads, block_sizes)
    folder = Path(output).expanduser().absolute() if str(output) else paths.results()
    check_folder(folder / "records")
    catalogue = load()
    absent: dict[str, str] = {}
    cases = study.cases(catalogue, effort, selection)
    for name in dict.fromkeys(case.implementation for case in cases):
        try:
            catalogue.find(name)
        except UnknownNameError as error:
            absent[name] = str(error)
    here = [case for case in cases if case.implementation not in absent]
    if not here or (selection.implementations and absent.keys() >= {*selection.implementations}):
        raise UnknownNameError(f"nothing of study {study.name} is here: {'; '.join(absent.values()) or 'no case'}")
    return Prepared(study, effort, selection, venue, folder, here, absent)
