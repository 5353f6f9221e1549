"""The results of a comparison and of a ranking, with their display in notebooks and terminals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import pandas as pd

from aeadlab.comparison.columns import label_columns
from aeadlab.display.conditions import case_name, shared
from aeadlab.display.markup import Cell, Content, Html, bullet_list, element, join, paragraph, table
from aeadlab.errors import ArgumentError

VERDICTS: Final = ("slower", "faster", "no credible difference")
"""The verdicts of a comparison, in the order in which they are listed."""

_MAX_ROWS: Final = 60
_COLOURS: Final = {"slower": "color:#b2182b", "faster": "color:#2166ac"}


@dataclass(frozen=True, eq=False, repr=False)
class Compared:
    """The result of `aeadlab.compare`.

    Attributes
    ----------
    table
        One row for each case that both sides have, slower cases first; see `aeadlab.compare` for its columns.
    a, b
        Descriptions of the two sides: the record and the reason for its selection.
    how
        The method of the comparison, and the noise floor.
    warnings
        Conditions that limit the conclusions.
    notes
        Other differences between the runs.
    unmatched
        Cases of one side only: their columns, ``only`` (the side) and ``why`` (the reason).
    machines
        Number of machines that the records come from, 1 or 2.
    reference_record
        A sentence if a side is a reference record, not measured here; otherwise ``""``.
    """

    table: pd.DataFrame
    a: str
    b: str
    how: str
    warnings: tuple[str, ...]
    notes: tuple[str, ...]
    unmatched: pd.DataFrame
    machines: int
    reference_record: str = ""

    def counts(self) -> dict[str, int]:
        """Return the number of rows with each verdict."""
        return {verdict: int(self.table["verdict"].eq(verdict).sum()) for verdict in VERDICTS}

    def is_slower(self) -> bool:
        """Return whether B is slower in any case.

        Raises
        ------
        aeadlab.errors.ArgumentError
            If the records come from different machines, where a slower case need not be due to the code.
        """
        if self.machines > 1:
            raise ArgumentError(
                "the records come from different machines, one of which can be slower: leave out --fail-if-worse, or "
                "compare records of one machine"
            )
        return bool(self.counts()["slower"])

    def __repr__(self) -> str:
        # Imported here because this module defines the types that the formats take.
        from aeadlab.comparison.text import COMPARED

        return COMPARED["text"](self)

    def _repr_html_(self) -> Html:
        columns = label_columns(self.table)
        rows: list[list[Content | Cell]] = [
            [
                case_name(row, columns),
                f"{row['ratio']:.3f}",
                f"{row['low']:.3f} to {row['high']:.3f}",
                f"{row['noise_low']:.3f} to {row['noise_high']:.3f}",
                f"{row['p_adjusted']:.2g}",
                element("span", row["verdict"], style=_COLOURS.get(row["verdict"])),
            ]
            for row in self.table.head(_MAX_ROWS).to_dict("records")
        ]
        headings = ("case", "time of B / time of A", "95 % interval", "noise band", "adjusted p", "verdict")
        only = self.unmatched["only"].value_counts(sort=False)
        return join(
            [
                paragraph(self.reference_record) if self.reference_record else None,
                paragraph("A: ", self.a, element("br"), "B: ", self.b, element("br"), self.how),
                paragraph(f"Conditions of all rows: {shared(self.table)}."),
                _warnings(self.warnings),
                table(headings, rows, "numbers"),
                paragraph(f"and {len(self.table) - len(rows)} more") if len(self.table) > len(rows) else None,
                [
                    paragraph(f"Only in {side}: {n} cases, listed in ", element("code", ".unmatched"))
                    for side, n in only.items()
                ],
                _notes(self.notes),
            ]
        )


@dataclass(frozen=True, eq=False, repr=False)
class Ranked:
    """The result of `aeadlab.rank`.

    Attributes
    ----------
    table
        One row for each group and implementation, the fastest first; see `aeadlab.rank` for its columns.
    by
        The columns whose values form the groups.
    record
        Description of the record.
    reference
        The implementation whose time is 1, or None if that is the fastest of each case.
    groups
        One row for each group: the columns `by`, ``implementations`` and ``failed`` (their names), ``cases`` and
        ``left_out`` (numbers of cases with and without a rank), ``rounds``, and ``why``, the reason for no ranking.
    warnings
        Limits of the ranking.
    notes
        The definition of the mean, and the rule for shared places.
    reference_record
        A sentence if the record is a reference record, not measured here; otherwise ``""``.
    """

    table: pd.DataFrame
    by: tuple[str, ...]
    record: str
    reference: str | None
    groups: pd.DataFrame
    warnings: tuple[str, ...]
    notes: tuple[str, ...]
    reference_record: str = ""

    def __repr__(self) -> str:
        # Imported here because this module defines the types that the formats take.
        from aeadlab.comparison.text import RANKED

        return RANKED["text"](self)

    def _repr_html_(self) -> Html:
        headings = ("place", "implementation", "geometric mean", "95 % interval", "best case", "worst case", "cases")
        rows: list[list[Content | Cell]] = [
            [
                *(str(row[column]) for column in self.by),
                str(row["place"]),
                row["implementation"],
                f"{row['ratio']:.3f}",
                f"{row['low']:.3f} to {row['high']:.3f}",
                *(f"{row[n]:.3f} ({row[f'{n}_low']:.3f} to {row[f'{n}_high']:.3f})" for n in ("best", "worst")),
                f"{row['cases']} of {row['cases_here']}",
            ]
            for row in self.table.to_dict("records")
        ]
        first = paragraph(self.reference_record) if self.reference_record else None
        parts = paragraph(self.record), _warnings(self.warnings), table((*self.by, *headings), rows, "numbers")
        return join([first, *parts, _notes(self.notes)])


def _warnings(warnings: Sequence[str]) -> list[Html]:
    label = element("b", "Warning:", style=_COLOURS["slower"])
    return [paragraph(label, f" {text}.") for text in warnings]


def _notes(notes: Sequence[str]) -> Html | None:
    return bullet_list(notes) if notes else None
