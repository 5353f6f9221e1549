"""Tables in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


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
