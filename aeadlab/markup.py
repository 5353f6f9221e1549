"""Writes HTML from Python values: text is escaped wherever it stands, so that a record's names stay names."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TypeAlias

_VOID = frozenset({"img", "meta"})
_KEPT = frozenset("\n\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}")


class Html(str):
    """Text that is HTML already. Only this module, and what calls it to write a page, makes it."""

    __slots__ = ()


Content: TypeAlias = "str | Html | int | None | Iterable[Content]"
"""What can stand inside an element: text, which is escaped; HTML, which is not; several of these; nothing."""


def escaped(text: str) -> Html:
    """Text as HTML, also inside quotes. What cannot be seen, or turns the direction of writing, becomes U+FFFD."""
    if not text.isprintable():
        text = "".join(c if c.isprintable() or c in _KEPT else "\N{REPLACEMENT CHARACTER}" for c in text)
    return Html(html.escape(text, quote=True))


def joined(content: Content) -> Html:
    """Content as one piece of HTML."""
    if content is None:
        return Html()
    if isinstance(content, Html):
        return content
    if isinstance(content, str | int):
        return escaped(str(content))
    return Html("".join(map(joined, content)))


def element(name: str, /, *content: Content, **attributes: str | bool | None) -> Html:
    """An element; attributes that are None or False are left out.

    ``class_`` stands for ``class``, and ``data_k`` for ``data-k``.
    """
    written = "".join(
        f" {key.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{escaped(value)}"')
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    return Html(f"<{name}{written}>" if name in _VOID else f"<{name}{written}>{joined(content)}</{name}>")


@dataclass(frozen=True)
class Cell:
    """A cell of a table.

    Attributes
    ----------
    note
        A second, smaller line.
    key
        What a numeric column is sorted by; NaN for an absent number, which comes last. None for text.
    """

    text: Content
    note: Content = None
    key: float | None = None


def texts(headings: Sequence[Content], rows: Iterable[Sequence[Content | Cell]]) -> Html:
    """A `table` of words, which are broken into lines."""
    return table(headings, rows, "sortable texts")


def table(
    headings: Sequence[Content], rows: Iterable[Sequence[Content | Cell]], class_: str = "sortable numbers"
) -> Html:
    """A table in a box that scrolls sideways where the window is narrow; its first column names the rows."""
    rows = list(rows)
    numeric = [isinstance(cell, Cell) and cell.key is not None for cell in rows[0]] if rows else [False] * len(headings)
    columns = zip(headings, numeric, strict=True)
    head = element("tr", [element("th", name, scope="col", class_="number" if n else None) for name, n in columns])
    body = [element("tr", [_cell(cell, i == 0) for i, cell in enumerate(row)]) for row in rows]
    parts = element("thead", head), element("tbody", Html("\n".join(body)))
    inner = element("table", *parts, class_=class_)
    # Reachable by keyboard, or who has no mouse could not scroll it.
    return element("div", inner, class_="scroll", tabindex="0")


def _cell(cell: Content | Cell, first: bool) -> Html:
    cell = cell if isinstance(cell, Cell) else Cell(cell)
    key = None if cell.key is None else f"{cell.key:.6g}" if isfinite(cell.key) else ""
    note = None if cell.note is None or cell.note == "" else element("small", cell.note)
    if first:
        return element("th", cell.text, note, scope="row", data_k=key)
    return element("td", cell.text, note, data_k=key)


def facts(pairs: Iterable[tuple[Content, Content]]) -> Html:
    """Names with what is known of each."""
    return element("dl", [[element("dt", name), element("dd", value)] for name, value in pairs])


def listed(items: Iterable[Content], class_: str | None = None) -> Html:
    """A list of points."""
    return element("ul", [element("li", item) for item in items], class_=class_)


def paragraph(*content: Content) -> Html:
    """A paragraph."""
    return element("p", *content)
