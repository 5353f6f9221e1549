"""Tables and results in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from aeadlab.display.units import significant


def cell(text: str) -> str:
    """Return text without line breaks and with escaped vertical bars, which would end a cell."""
    return text.replace("|", "\\|").replace("\n", " ")


def table(names: Sequence[str], rows: Iterable[Sequence[str]], text_columns: int | None = None) -> list[str]:
    """Return the lines of a table.

    Parameters
    ----------
    text_columns
        Number of columns that are aligned to the left; the others, with numbers, are aligned to the right. None means
        all columns.
    """
    aligned = ["---" if text_columns is None or i < text_columns else "---:" for i in range(len(names))]
    return [f"| {' | '.join(map(cell, cells))} |" for cells in (names, aligned, *rows)]


def document(content: Any) -> str:
    """Return the content of JSON as Markdown: a table for each list of objects, a list for everything else.

    Columns without any value are left out, and numbers have four significant digits.
    """
    if not isinstance(content, Mapping):
        return "\n".join(_block(content))
    plain = {name: value for name, value in content.items() if not isinstance(value, Mapping | list | tuple)}
    blocks = [[f"- {name}: {_text(value)}" for name, value in plain.items()]] if plain else []
    for name, value in content.items():
        if name not in plain and value:
            blocks += [[f"## {name}"], _block(value)]
    return "\n\n".join("\n".join(lines) for lines in blocks)


def _block(value: Any) -> list[str]:
    if isinstance(value, Mapping):
        return [f"- {name}: {_text(part)}" for name, part in value.items()]
    if not value or not all(isinstance(row, Mapping) for row in value):
        return [f"- {_text(part)}" for part in value]
    every = dict.fromkeys(name for row in value for name in row)
    names = [name for name in every if any(row.get(name) not in ("", None, [], {}) for row in value)]
    return table(names, [[_text(row.get(name)) for name in names] for row in value])


def _text(value: Any) -> str:
    if isinstance(value, float):
        return significant(value, 4)
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_text(part)}" for name, part in value.items())
    if isinstance(value, list | tuple):
        return "; ".join(map(_text, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "-" if value in (None, "") else str(value).replace("\n", " ")
