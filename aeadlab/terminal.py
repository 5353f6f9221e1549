"""Text in lines, for a terminal of 80 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

WIDTH = 80


def wrap(text: str, indent: str = "  ", width: int = WIDTH) -> list[str]:
    """Lines of at most `width` columns, those after the first indented; names with hyphens stay whole."""
    return textwrap.wrap(text, width, subsequent_indent=indent, break_on_hyphens=False)


def fill(text: str, indent: str = "  ") -> str:
    """What `wrap` gives, as one text."""
    return "\n".join(wrap(text, indent))


def paragraphs(blocks: Iterable[Sequence[str]]) -> str:
    """Blocks of lines as one text, with an empty line between them; empty blocks are left out."""
    return "\n\n".join("\n".join(lines) for lines in blocks if lines)
