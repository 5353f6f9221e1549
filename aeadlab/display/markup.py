"""HTML built from Python values, with all text escaped."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TypeAlias

_VOID = frozenset({"br", "img", "meta"})
_UNPRINTABLE_KEPT = frozenset("\n\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}")


class Html(str):
    """Text that is already HTML and is not escaped again."""

    __slots__ = ()


Content: TypeAlias = "str | Html | int | None | Iterable[Content]"
"""The content of an element: text, which is escaped; HTML, which is not; a sequence of these; or nothing."""


def escape(text: str) -> Html:
    """Return text as HTML that is also valid in a quoted attribute.

    Control characters and characters that change the writing direction become U+FFFD.
    """
    if not text.isprintable():
        text = "".join(c if c.isprintable() or c in _UNPRINTABLE_KEPT else "\N{REPLACEMENT CHARACTER}" for c in text)
    return Html(html.escape(text, quote=True))


def join(content: Content) -> Html:
    """Return content as one piece of HTML."""
    if content is None:
        return Html()
    if isinstance(content, Html):
        return content
    if isinstance(content, str | int):
        return escape(str(content))
    return Html("".join(map(join, content)))


def plain(content: Content) -> str:
    """Return the text of content, without elements."""
    return html.unescape(re.sub("<[^>]*>", "", join(content)))


def element(name: str, /, *content: Content, **attributes: str | bool | None) -> Html:
    """Return an element; attributes that are None or False are omitted.

    The keyword ``class_`` is the attribute ``class``, and ``data_k`` is ``data-k``.
    """
    written = "".join(
        f" {key.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{escape(value)}"')
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    return Html(f"<{name}{written}>" if name in _VOID else f"<{name}{written}>{join(content)}</{name}>")


@dataclass(frozen=True)
class Cell:
    """A cell of a table.

    Attributes
    ----------
    note
        A second line in smaller type.
    key
        The number to sort by, or NaN for a missing number, which is sorted last; None for text.
    """

    text: Content
    note: Content = None
    key: float | None = None


def text_table(headings: Sequence[Content], rows: Iterable[Sequence[Content | Cell]]) -> Html:
    """Return a `table` of text whose lines may be wrapped."""
    return table(headings, rows, "sortable texts")


def table(
    headings: Sequence[Content], rows: Iterable[Sequence[Content | Cell]], class_: str = "sortable numbers"
) -> Html:
    """Return a table, which scrolls horizontally in a narrow window; its first column has the names of the rows."""
    rows = list(rows)
    numeric = [isinstance(cell, Cell) and cell.key is not None for cell in rows[0]] if rows else [False] * len(headings)
    columns = zip(headings, numeric, strict=True)
    head = element("tr", [element("th", name, scope="col", class_="number" if n else None) for name, n in columns])
    body = [element("tr", [_cell(cell, i == 0) for i, cell in enumerate(row)]) for row in rows]
    parts = element("thead", head), element("tbody", Html("\n".join(body)))
    inner = element("table", *parts, class_=class_)
    # The box can get the focus, so that the table can be scrolled with the keyboard.
    return element("div", inner, class_="scroll", tabindex="0")


def _cell(cell: Content | Cell, first: bool) -> Html:
    cell = cell if isinstance(cell, Cell) else Cell(cell)
    key = None if cell.key is None else f"{cell.key:.6g}" if isfinite(cell.key) else ""
    note = None if cell.note is None or cell.note == "" else element("small", cell.note)
    if first:
        return element("th", cell.text, note, scope="row", data_k=key)
    return element("td", cell.text, note, data_k=key)


def definition_list(pairs: Iterable[tuple[Content, Content]]) -> Html:
    """Return a list of terms, each with its description."""
    return element("dl", [[element("dt", name), element("dd", value)] for name, value in pairs])


def bullet_list(items: Iterable[Content], class_: str | None = None) -> Html:
    """Return an unordered list."""
    return element("ul", [element("li", item) for item in items], class_=class_)


def paragraph(*content: Content) -> Html:
    """Return a paragraph."""
    return element("p", *content)


def truncate(text: str, length: int = 400) -> str:
    """Return at most the first `length` characters of a text, and the number of the others."""
    return text if len(text) <= length else f"{text[:length]}… ({len(text) - length:,} characters more)"
