"""Tables and lists in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def cell(text: str) -> str:
    """Text that neither ends its cell nor its line."""
    return text.replace("|", "\\|").replace("\n", " ")


def table(names: Sequence[str], rows: Iterable[Sequence[str]], text_columns: int | None = None) -> list[str]:
    """Lines of a table; columns after the first `text_columns` hold numbers, none where it is None."""
    aligned = ["---" if text_columns is None or i < text_columns else "---:" for i in range(len(names))]
    return [f"| {' | '.join(map(cell, cells))} |" for cells in (names, aligned, *rows)]
