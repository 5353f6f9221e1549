"""Medians of cases for a reader: a table of HTML, and a few lines of text."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import TYPE_CHECKING, Any, Final

from aeadlab import conditions
from aeadlab.markup import Cell, Content, Html, element, joined, paragraph, table
from aeadlab.units import significant, size_name

if TYPE_CHECKING:
    # The measuring process loads the catalogue, and shall not load this.
    import pandas as pd

_DASH: Final = "\N{EN DASH}"


def as_html(medians: pd.DataFrame, most: int = 60) -> Html:
    """A table of what `aeadlab.stats.medians` gave, its first rows where there are more than `most`."""
    if medians.empty:
        return paragraph("No case has a sample that counts.")
    columns = conditions.varied(medians)
    headings = ["implementation", *(conditions.HEADINGS.get(column, column) for column in columns)]
    headings += ["GiB/s", "95 % interval", "% of memcpy", "samples"]
    rows = [_cells(row, columns) for row in medians.head(most).to_dict("records")]
    left_out = len(medians) - len(rows)
    parts: list[Content] = [paragraph(conditions.shared(medians), "."), table(headings, rows, "numbers")]
    return joined([*parts, paragraph(f"and {left_out} more") if left_out else None])


def _cells(row: Mapping[Any, Any], columns: list[str]) -> list[Content | Cell]:
    told: list[Content | Cell] = [row["implementation"]]
    for column in columns:
        value = row[column]
        told.append(Cell(size_name(value), key=value) if column in ("bytes", "block_size") else str(value))
    return [
        *told,
        _number(row["gib_per_s"]),
        Cell(_interval(row), key=row["gib_per_s"]),
        _number(100 * row["share"]),
        Cell(row["n"], key=row["n"]),
    ]


def _number(value: float) -> Cell:
    return Cell(significant(value) if isfinite(value) else _DASH, key=value)


def _interval(row: Mapping[Any, Any]) -> str:
    low, high = row["gib_per_s_low"], row["gib_per_s_high"]
    return f"{significant(low)} to {significant(high)}" if isfinite(low) and isfinite(high) else _DASH


def as_text(medians: pd.DataFrame, most: int = 8) -> list[str]:
    """The conditions that all cases share, then a line for each of the first `most` with its speed and interval."""
    if medians.empty:
        return ["no case has a sample that counts"]
    columns = conditions.varied(medians)
    rows = medians.head(most).to_dict("records")
    names = [f"{row['implementation']} {conditions.in_words(row, columns)}".rstrip() for row in rows]
    wide = max(map(len, names))
    lines = [conditions.shared(medians)]
    for name, row in zip(names, rows, strict=True):
        interval = _interval(row)
        lines.append(f"{name:<{wide}}  {significant(row['gib_per_s'])} GiB/s" + f" ({interval})" * (interval != _DASH))
    return lines + [f"and {len(medians) - most} more"] * (len(medians) > most)


def reasons_html(heading: str, reasons: Mapping[str, str]) -> Html:
    """A list of names, each with its reason; nothing where there are none."""
    if not reasons:
        return Html()
    return joined([paragraph(heading), element("ul", [element("li", said) for said in told(reasons)])])


def told(reasons: Mapping[str, str]) -> list[str]:
    """Each name with its reason, which may begin with the name."""
    return [why if why.startswith(name) else f"{name}: {why}" for name, why in reasons.items()]
