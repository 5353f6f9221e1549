"""Text for a terminal of 80 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

WIDTH = 80


def wrap(text: str, indent: str = "  ", width: int = WIDTH) -> list[str]:
    """Break text into lines of at most `width` columns, indented after the first, without breaks at hyphens."""
    return textwrap.wrap(text, width, subsequent_indent=indent, break_on_hyphens=False)


def fill(text: str, indent: str = "  ") -> str:
    """Return the lines of `wrap` as one text."""
    return "\n".join(wrap(text, indent))


def paragraphs(blocks: Iterable[Sequence[str]]) -> str:
    """Join blocks of lines with an empty line between them, without empty blocks."""
    return "\n\n".join("\n".join(lines) for lines in blocks if lines)
