"""Medians of cases, and reasons for missing ones, as HTML and as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from aeadlab.display import conditions
from aeadlab.display.markup import Cell, Content, Html, bullet_list, join, paragraph, table
from aeadlab.display.units import interval, significant, size_name

if TYPE_CHECKING:
    # The measuring process imports this module through the catalogue, and does not load pandas.
    import pandas as pd


def as_html(medians: pd.DataFrame, most: int = 60) -> Html:
    """Return a table with the first `most` rows of `aeadlab.stats.medians`."""
    if medians.empty:
        return paragraph("No case has a counted sample.")
    columns = conditions.varied(medians)
    headings = ["implementation", *(conditions.HEADINGS.get(column, column) for column in columns)]
    headings += ["GiB/s", "95 % interval", "% of memcpy", "samples"]
    rows = [_cells(row, columns) for row in medians.head(most).to_dict("records")]
    left_out = len(medians) - len(rows)
    parts: list[Content] = [paragraph(conditions.shared(medians), "."), table(headings, rows, "numbers")]
    return join([*parts, paragraph(f"and {left_out} more") if left_out else None])


def _cells(row: Mapping[Any, Any], columns: list[str]) -> list[Content | Cell]:
    cells: list[Content | Cell] = [row["implementation"]]
    for column in columns:
        value = row[column]
        cells.append(Cell(size_name(value), key=value) if column in ("bytes", "block_size") else str(value))
    return [
        *cells,
        _number(row["gib_per_s"]),
        Cell(interval(row["gib_per_s_low"], row["gib_per_s_high"]), key=row["gib_per_s"]),
        _number(100 * row["share"]),
        Cell(row["n"], key=row["n"]),
    ]


def _number(value: float) -> Cell:
    return Cell(significant(value), key=value)


def as_text(medians: pd.DataFrame, most: int = 8) -> list[str]:
    """Return the shared conditions, then a line with speed and interval for each of the first `most` cases."""
    if medians.empty:
        return ["no case has a counted sample"]
    columns = conditions.varied(medians)
    rows = medians.head(most).to_dict("records")
    names = [conditions.case_name(row, columns) for row in rows]
    wide = max(map(len, names))
    lines = [conditions.shared(medians)]
    for name, row in zip(names, rows, strict=True):
        ends = interval(row["gib_per_s_low"], row["gib_per_s_high"])
        lines.append(f"{name:<{wide}}  {significant(row['gib_per_s'])} GiB/s" + f" ({ends})" * bool(ends))
    return lines + [f"and {len(medians) - most} more"] * (len(medians) > most)


def reasons_html(heading: str, reasons: Mapping[str, str]) -> Html:
    """Return a list of names with their reasons, or nothing if there is none."""
    if not reasons:
        return Html()
    return join([paragraph(heading), bullet_list(named_reasons(reasons))])


def first_of(texts: Sequence[str], most: int, separator: str = ", ") -> str:
    """Return the first `most` texts in one line, and the number of further ones."""
    more = f" and {len(texts) - most} more" if len(texts) > most else ""
    return separator.join(texts[:most]) + more


def named_reasons(reasons: Mapping[str, str]) -> list[str]:
    """Return each name with its reason, without repeating a name with which the reason begins."""
    return [why if why.startswith(name) else f"{name}: {why}" for name, why in reasons.items()]
