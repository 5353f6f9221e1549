"""Two records of different computers side by side: figure, table, and comparison of times where cases are equal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from aeadlab import paths
from aeadlab.comparison.compared import compare
from aeadlab.comparison.results import Compared
from aeadlab.comparison.sides import Side, find_side, find_sides
from aeadlab.display.markup import Html, join, paragraph
from aeadlab.display.names import in_words
from aeadlab.display.short_table import ShortTable
from aeadlab.display.units import count_noun, significant
from aeadlab.errors import ArgumentError, RecordError
from aeadlab.host.cpu_name import cpu_name
from aeadlab.records import provenance_diff
from aeadlab.records.lookup import records_of
from aeadlab.records.record import Record
from aeadlab.records.reference import own_records
from aeadlab.verdicts import published

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

STUDY: Final = "baselines"
"""The study whose reference record is the default."""

REPEATED: Final = "speedup"
"""A study whose reference record repeats cases of `STUDY`: the same computer at another time."""

FIGURE: Final = "figure-two-computers"


@dataclass(frozen=True)
class TwoComputers:
    """Two records side by side.

    Attributes
    ----------
    figure
        Each case relative to OpenSSL on the same computer.
    table
        All cases of the figure.
    compared
        The comparison of times, see `aeadlab.compare`; None if it raises ArgumentError, as without a common case.
    uncompared
        The reason if there is no comparison, or ``""``.
    warnings
        Conditions that limit the conclusions.
    files
        The files of the figure and its table.
    """

    left: Side
    right: Side
    figure: Figure
    table: DataFrame
    compared: Compared | None
    uncompared: str
    warnings: tuple[str, ...]
    files: tuple[Path, ...]

    @property
    def answer(self) -> list[str]:
        """Sentences: the number of common cases, the largest change of a relative time, and the order of the AEADs."""
        both: Any = self.table.dropna(subset=["left_relative_time", "right_relative_time"])
        changes = both.assign(change=both["right_relative_time"] / both["left_relative_time"])
        changes = changes[(changes["change"] - 1).abs() > 0]
        if changes.empty:
            return ["The records have no common case besides the reference, OpenSSL."]
        row = changes.loc[changes["change"].map(lambda change: max(change, 1 / change)).idxmax()]
        times = [f"{significant(row[f'{side}_relative_time'])} on {side}" for side in ("left", "right")]
        whole = both[both["engine"].eq("whole") & both["op"].eq("seal")]
        orders = [[*whole.sort_values(f"{side}_seconds")["implementation"]] for side in ("left", "right")]
        same = "the same" if orders[0] == orders[1] else "not the same"
        return [
            f"{count_noun(len(changes), 'case')} besides OpenSSL are in both records, relative to OpenSSL in each.",
            f"The largest change is that of {in_words(row['implementation'])} ({row['op']}, {row['engine']}): "
            f"{' and '.join(times)}.",
            f"The order of the {len(whole)} AEADs that seal a whole message is {same} in both.",
        ]

    def _lines(self) -> list[str]:
        lines = [f"A, left: {self.left.about}", f"B, right: {self.right.about}"]
        lines += [f"Warning: {text}." for text in self.warnings]
        if self.uncompared:
            lines.append(f"Only relative times are compared, not the times themselves: {self.uncompared}.")
        return lines

    def __repr__(self) -> str:
        return "\n".join(self._lines())

    def _repr_html_(self) -> Html:
        return join(map(paragraph, self._lines()))


def two_computers(
    left: str | Path | Record,
    right: str | Path | Record | Callable[[], Record],
    venue: str = "lncs",
    output: str | Path = "",
) -> TwoComputers:
    """Draw two records side by side and write the figure.

    Times of different machines are shown relative to OpenSSL AES-256-GCM of the same run, and never averaged. Cases of
    both records match if they are equal except for the message length; with different lengths, only relative times are
    compared.

    Parameters
    ----------
    left, right
        Records: paths, ``latest``, ``previous``, git revisions as for `aeadlab.compare`, or loaded records. An empty
        `left` means the newest reference record of study baselines. An empty `right` means the user's newest record of
        that study, or without one the reference record of study speedup, which repeats its cases. `right` can be a
        function that measures a record; it is called after the left record has been read.
    venue
        ``lncs``, ``ieee``, ``acm`` or ``usenix``, all but the first also with ``-double``: the width of the figure.
    output
        Folder for the figure; ``""`` means the results folder.

    Raises
    ------
    aeadlab.errors.RecordError
        If a record does not exist or cannot be read; the message names the argument.
    aeadlab.errors.UnknownNameError
        If a word is no record, or the venue is unknown.
    aeadlab.errors.ArgumentError
        If both are the same run, have no common case, or one has no verified implementation or no OpenSSL reference;
        or if the folder cannot be written.
    """
    from aeadlab.comparison.computers_figure import two_computers as draw
    from aeadlab.figures.export import export
    from aeadlab.figures.style import venue as find_venue

    find_venue(venue)
    first = _reference("left", STUDY) if left == "" else _find("left", left)
    own = own_records(STUDY)
    if callable(right):
        second = Side(right(), "measured now")
    elif right == "":
        second = _find("right", own[-1]) if own else _reference("right", REPEATED)
    else:
        second = _find("right", right)
    # Raises if both are the same run.
    find_sides(first.record, second.record)
    names = _names(first.record, second.record)
    samples = [_verified(side.record, name) for side, name in zip((first, second), names, strict=True)]
    figure, table = draw(samples[0], samples[1], names, published.load("ETH"), venue)
    compared, uncompared = _compare(first.record, second.record)
    folder = Path(output).expanduser().absolute() if str(output) else paths.results()
    files = export(figure, table, FIGURE, folder / "figures", _provenance(first.record, second.record, venue))
    warnings = compared.warnings if compared is not None else provenance_diff.warnings(first.record, second.record)
    return TwoComputers(first, second, figure, ShortTable(table), compared, uncompared, tuple(warnings), tuple(files))


def _reference(argument: str, study: str) -> Side:
    folder = paths.reference_records()
    records = records_of(study, folder)
    if not records:
        raise RecordError(
            f"{argument}: there is no record of study {study} in {folder}: give the path of a record as {argument}"
        )
    return Side(find_side(records[-1]).record, f"the newest reference record of study {study}")


def _find(argument: str, word: str | Path | Record) -> Side:
    try:
        return find_side(word)
    except RecordError as error:
        raise RecordError(
            f"{argument}: {error}. Give the path of a record, a .parquet file such as `aeadlab measure {STUDY}` writes "
            f"to {paths.results() / 'records'}"
        ) from error


def _names(left: Record, right: Record) -> tuple[str, str]:
    """Return the names of the processors, with the dates and then the file names as far as needed to differ."""
    records = (left, right)
    names = [cpu_name(record.machine) or record.path.stem for record in records]
    dates = [str(record.provenance.get("date", "")).replace("T", " ").removesuffix("Z") for record in records]
    for suffixes in (dates, [record.path.stem for record in records]):
        if names[0] == names[1]:
            names = [f"{name}, {suffix}" for name, suffix in zip(names, suffixes, strict=True)]
    return names[0], names[1]


def _verified(record: Record, name: str) -> DataFrame:
    """Return the samples of verified implementations."""
    samples = record.samples[record.samples["implementation"].isin(provenance_diff.verified(record))]
    if samples.empty:
        raise ArgumentError(f"{name}: {record.name} has no verified implementation; measure it with `aeadlab measure`")
    return samples


def _compare(left: Record, right: Record) -> tuple[Compared | None, str]:
    """Return the comparison of times, or the reason why there is none."""
    try:
        return compare(left, right), ""
    except ArgumentError as error:
        return None, str(error).rstrip(".")


def _provenance(left: Record, right: Record, venue: str) -> dict[str, Any]:
    """Return the records, commits and call that made the figure."""
    records = {"left": left, "right": right}
    return {
        "records": {side: record.name for side, record in records.items()},
        "commits": {side: record.provenance.get("commit") for side, record in records.items()},
        "call": f"aeadlab.two_computers({left.name!r}, {right.name!r}, {venue!r})",
        "figure": FIGURE,
    }
