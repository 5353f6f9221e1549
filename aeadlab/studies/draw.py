"""Drawing of a study's figures from a record to files; the drawing libraries are imported at the first use."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aeadlab import paths
from aeadlab.display.nearest import hint
from aeadlab.errors import ArgumentError, EmptyFigureError, RecordError, UnknownNameError
from aeadlab.host.cpu_name import cpu_name
from aeadlab.records.lookup import latest
from aeadlab.records.reading import load_record
from aeadlab.studies import Study, all_studies, find_study

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

    from aeadlab.records.record import Record


def draw(
    study: Study, record: Record, venue: str = "lncs", folder: Path | None = None, formats: Collection[str] = ()
) -> tuple[list[Path], dict[str, str]]:
    """Draw all figures of a study and write them; return the files, and the reason for each figure without data.

    Parameters
    ----------
    venue
        One of `aeadlab.figures.style.VENUES`: sets the width.
    folder
        None means ``figures`` in the results folder.
    formats
        Further ones of `aeadlab.figures.export.LATEX`.

    Raises
    ------
    aeadlab.errors.ArgumentError, aeadlab.errors.UnknownNameError
        If the record is of another study or the folder cannot be written; if there is no such venue.
    """
    from aeadlab.figures.export import export

    if record.study != study.name:
        raise ArgumentError(f"{record.name} is a record of study {record.study}; choose a record of {study.name}")
    folder = folder or paths.results() / "figures"
    written: list[Path] = []
    absent: dict[str, str] = {}
    for name in study.figures:
        try:
            figure, table = study.draw(name, record, venue)
        except EmptyFigureError as error:
            absent[name] = str(error)
        else:
            written += export(figure, table, name, folder, figure_provenance(record, name, venue), formats)
    return written, absent


def draw_studies(
    name: str,
    path: Path | None = None,
    venue: str = "lncs",
    folder: Path | None = None,
    formats: Collection[str] = (),
) -> Iterator[tuple[Record | None, list[Path], dict[str, str]]]:
    """Draw the newest record of a study, or of each study if the name is ``all``; yield it with the result of `draw`.

    A study without a record is among the absent figures. The parameters `venue`, `folder` and `formats` are those of
    `draw`.

    Parameters
    ----------
    path
        The record to draw from, instead of the newest.

    Raises
    ------
    aeadlab.errors.RecordError
        If the record cannot be read, or no study has a record.
    aeadlab.errors.UnknownNameError
        If there is no such study.
    """
    if name != "all" or path is not None:
        record = load_record(path) if path is not None else latest(find_study(name).name)
        yield record, *draw(find_study(record.study if name == "all" else name), record, venue, folder, formats)
        return
    without_record = 0
    for study in all_studies():
        try:
            record = latest(study)
        except RecordError as error:
            without_record += 1
            yield None, [], {f"study {study}": str(error)}
        else:
            yield record, *draw(find_study(study), record, venue, folder, formats)
    if without_record == len(all_studies()):
        raise RecordError("no study has a record: run `aeadlab measure STUDY`")


def show(record: Record, name: str, venue: str = "lncs", folder: Path | None = None) -> Figure:
    """Draw one figure of a record's study, write it as `draw` does, and return it for a notebook to display.

    Raises
    ------
    aeadlab.errors.UnknownNameError
        If the study has no figure of this name, or there is no such venue.
    aeadlab.errors.ArgumentError
        If the record has no case of the figure, or the folder cannot be written.
    """
    from aeadlab.figures.export import export

    figure, table = drawn(record, name, venue)
    export(figure, table, name, folder or paths.results() / "figures", figure_provenance(record, name, venue))
    return figure


def table(record: Record, name: str, venue: str = "lncs") -> DataFrame:
    """Return the table that a figure shows; errors as `show`."""
    return drawn(record, name, venue)[1]


def drawn(record: Record, name: str, venue: str) -> tuple[Figure, DataFrame]:
    """Return a figure of a record's study with the table that it shows; errors as `show`."""
    study = find_study(record.study)
    if name not in study.figures:
        listed = f"it has {', '.join(study.figures)}"
        raise UnknownNameError(f"study {study.name} has no figure {name!r}; {hint(name, study.figures, listed)}")
    return study.draw(name, record, venue)


def figure_provenance(record: Record, name: str, venue: str) -> dict[str, Any]:
    """Return the record, commit and call that a figure results from."""
    return {
        "record": record.name,
        "study": record.study,
        "cpu": cpu_name(record.machine) or None,
        "commit": record.provenance.get("commit"),
        "call": f"aeadlab figure {record.study} --venue {venue}",
        "figure": name,
    }
