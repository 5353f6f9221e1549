"""Two computers: any two records beside each other, drawn, written, and compared as far as they allow it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from aeadlab import paths, published
from aeadlab.comparison import circumstances
from aeadlab.comparison.compared import compare
from aeadlab.comparison.frames import Compared
from aeadlab.comparison.sides import Side, find_side, find_sides
from aeadlab.errors import ArgumentError, RecordError
from aeadlab.records import Record, records_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

STUDY: Final = "baselines"
"""Whose reference record is taken where none is named."""

FIGURE: Final = "figure-two-computers"


@dataclass(frozen=True)
class TwoComputers:
    """Two records side by side; a notebook shows what they are and what speaks against comparing them.

    Attributes
    ----------
    figure
        Each case relative to its own computer's OpenSSL.
    table
        What the figure shows, all cases.
    compared
        Both computers' times of the same cases, as `aeadlab.compare` has them; None where no case is the same.
    uncompared
        Why there is no such comparison, or ``""``.
    cautions
        What speaks against a conclusion.
    files
        Where figure and table were written.
    """

    left: Side
    right: Side
    figure: Figure
    table: DataFrame
    compared: Compared | None
    uncompared: str
    cautions: tuple[str, ...]
    files: tuple[Path, ...]

    def _lines(self) -> list[str]:
        lines = [f"A, left: {self.left.about}", f"B, right: {self.right.about}"]
        lines += [f"Caution: {text}." for text in self.cautions]
        if self.uncompared:
            lines.append(f"Times themselves are not compared, only relations: {self.uncompared}.")
        return lines

    def __repr__(self) -> str:
        return "\n".join(self._lines())

    def _repr_html_(self) -> str:
        return "".join(f"<p>{escape(line)}</p>" for line in self._lines())


def two_computers(
    left: str | Path | Record,
    right: str | Path | Record | Callable[[], Record],
    venue: str = "lncs",
    output: str | Path = "",
) -> TwoComputers:
    """Set two records beside each other, draw them, and write the figure.

    Times of different machines are put in relation to the same run's OpenSSL AES-256-GCM, never averaged. Cases are the
    same where all but the length of the message is; relations are comparable across lengths, times are not.

    Parameters
    ----------
    left, right
        Records: paths, ``latest``, ``previous``, git revisions as `aeadlab.compare` takes them, or loaded ones. An
        empty `left` is the newest reference record of study baselines; as `right` a function may be given that measures
        one, which is called once the left one is found to be readable.
    venue
        ``lncs``, ``ieee``, ``acm`` or ``usenix``, or one of these with ``-double``: width of the figure.
    output
        Folder for the figure; ``""`` is the results folder.

    Raises
    ------
    aeadlab.errors.RecordError
        If a record does not exist or is none; the message says which and what to give.
    aeadlab.errors.UnknownNameError
        If a word means no record, or there is no such venue.
    aeadlab.errors.ArgumentError
        If both are one and the same run, have no case in common, or one has no such OpenSSL; or the folder cannot be
        written.
    """
    from aeadlab.figures.export import export
    from aeadlab.figures.style import venue as find_venue
    from aeadlab.figures.two_computers import two_computers as draw

    find_venue(venue)
    first = _reference() if isinstance(left, str) and not left else _found("left", left)
    second = Side(right(), "measured now") if callable(right) else _found("right", right)
    # Refuses a record beside itself.
    find_sides(first.record, second.record)
    names = _names(first.record, second.record)
    samples = [_verified(side.record, name) for side, name in zip((first, second), names, strict=True)]
    figure, table = draw(samples[0], samples[1], names, published.load("ETH"), venue)
    compared, uncompared = _compared(first.record, second.record)
    folder = Path(output).expanduser().absolute() if str(output) else paths.results()
    files = export(figure, table, FIGURE, folder / "figures", _origin(first.record, second.record, venue))
    cautions = compared.cautions if compared is not None else circumstances.cautions(first.record, second.record)
    return TwoComputers(first, second, figure, table, compared, uncompared, tuple(cautions), tuple(files))


def _reference() -> Side:
    folder = paths.reference_records()
    found = records_of(STUDY, folder)
    if not found:
        raise RecordError(f"left: there is no record of study {STUDY} in {folder}: give the path of a record as left")
    return Side(find_side(found[-1]).record, f"the newest reference record of study {STUDY}")


def _found(which: str, word: str | Path | Record) -> Side:
    try:
        return find_side(word)
    except RecordError as error:
        raise RecordError(
            f"{which}: {error}. Give the path of a record, a .parquet file such as `aeadlab measure {STUDY}` writes to "
            f"{paths.results() / 'records'}"
        ) from error


def _names(left: Record, right: Record) -> tuple[str, str]:
    """The processors; of two equal ones also when the run was, and where that is the same too, the files."""
    found = [(record.provenance.get("machine") or {}).get("cpu_model_name") for record in (left, right)]
    names = [str(name or record.path.stem) for name, record in zip(found, (left, right), strict=True)]
    dates = [str(record.provenance.get("date", "")).replace("T", " ").removesuffix("Z") for record in (left, right)]
    for more in (dates, [left.path.stem, right.path.stem]):
        if names[0] == names[1]:
            names = [f"{name}, {text}" for name, text in zip(names, more, strict=True)]
    return names[0], names[1]


def _verified(record: Record, name: str) -> DataFrame:
    """Samples of what passed its verification: what may compute anything is not drawn."""
    good = record.samples["implementation"].isin(circumstances.verified(record))
    if not good.any():
        raise ArgumentError(
            f"{name}: nothing in {record.path.name} was verified before it was timed; measure it with `aeadlab measure`"
        )
    return record.samples[good]


def _compared(left: Record, right: Record) -> tuple[Compared | None, str]:
    """The comparison of times, or why there is none."""
    try:
        return compare(left, right), ""
    except ArgumentError as error:
        return None, str(error).rstrip(".")


def _origin(left: Record, right: Record, venue: str) -> dict[str, Any]:
    """Which records, commits and call made the figure."""
    records = {"left": left, "right": right}
    return {
        "records": {side: record.path.name for side, record in records.items()},
        "commits": {side: record.provenance.get("commit") for side, record in records.items()},
        "call": f"aeadlab.two_computers({left.path.name!r}, {right.path.name!r}, {venue!r})",
        "figure": FIGURE,
    }
