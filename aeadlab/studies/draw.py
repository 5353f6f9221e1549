"""A study's figures, from a record to files; what draws is loaded when something is drawn."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from aeadlab import paths
from aeadlab.errors import ArgumentError, EmptyFigureError, UnknownNameError
from aeadlab.studies import Study, find_study

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

    from aeadlab.records import Record


def draw(
    study: Study, record: Record, venue: str = "lncs", folder: Path | None = None
) -> tuple[list[Path], dict[str, str]]:
    """Draw all figures of a study and write them; returns the files, and why a figure is absent, by its name.

    Parameters
    ----------
    venue
        ``lncs``, ``ieee``, ``acm`` or ``usenix``: sets the width.
    folder
        None means ``figures`` in the results folder.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If the record is of another study, the venue unknown, or the folder cannot be written.
    """
    from aeadlab.figures.export import export

    if record.study != study.name:
        raise ArgumentError(f"{record.path.name} is a record of study {record.study}, one of {study.name} is wanted")
    folder = paths.results() / "figures" if folder is None else folder
    written: list[Path] = []
    absent: dict[str, str] = {}
    for name, figure_of in study.figures.items():
        try:
            figure, table = figure_of(record.samples, venue)
        except EmptyFigureError as error:
            absent[name] = str(error)
        else:
            written += export(figure, table, name, folder, origin(record, name, venue))
    return written, absent


def show(record: Record, name: str, venue: str = "lncs", folder: Path | None = None) -> Figure:
    """Draw one figure of a record's study, write it, and return it for a notebook to display.

    Parameters
    ----------
    folder
        None means ``figures`` in the results folder.

    Raises
    ------
    aeadlab.errors.UnknownNameError
        If the study has no figure of this name.
    """
    from aeadlab.figures.export import export

    figure, table = _drawn(record, name, venue)
    folder = paths.results() / "figures" if folder is None else folder
    export(figure, table, name, folder, origin(record, name, venue))
    return figure


def table(record: Record, name: str, venue: str = "lncs") -> DataFrame:
    """What a figure shows, as numbers.

    Raises
    ------
    aeadlab.errors.UnknownNameError
        If the study has no figure of this name.
    """
    return _drawn(record, name, venue)[1]


def _drawn(record: Record, name: str, venue: str) -> tuple[Figure, DataFrame]:
    study = find_study(record.study)
    if name not in study.figures:
        raise UnknownNameError(f"study {study.name} has no figure {name!r}; it has {', '.join(study.figures)}")
    return study.figures[name](record.samples, venue)


def origin(record: Record, name: str, venue: str) -> dict[str, Any]:
    """Which record, commit and call made a figure."""
    return {
        "record": record.path.name,
        "study": record.study,
        "commit": record.provenance.get("commit"),
        "call": f"aeadlab figure {record.study} --venue {venue}",
        "figure": name,
    }
