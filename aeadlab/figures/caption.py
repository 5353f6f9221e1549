"""Captions: the result first, then how to read the figure, then its conditions; at most four lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from aeadlab.figures import style
from aeadlab.figures.rows import wrap, write_notes

MOST_LINES: Final = 4

_SECOND: ContextVar[str] = ContextVar("second", default="")


@contextmanager
def second_sentence(sentence: str) -> Iterator[None]:
    """Add a sentence on intervals after the first one of the captions in this context that mention intervals."""
    token = _SECOND.set(sentence)
    try:
        yield
    finally:
        _SECOND.reset(token)


class Caption:
    """Sentences at the foot of a figure.

    Parameters
    ----------
    sentences
        The most important first; empty ones are left out. One that would exceed `MOST_LINES` is omitted from the
        picture; `text`, which is exported beside it, has all.
    width
        Of the figure, in inches.
    """

    def __init__(self, sentences: Iterable[str], width: float) -> None:
        first, *others = [*sentences] or [""]
        second = _SECOND.get() if any("interval" in sentence for sentence in (first, *others)) else ""
        every = [sentence for sentence in (first, second, *others) if sentence]
        self.text = " ".join(every)
        self.lines: list[str] = []
        kept = ""
        for sentence in every:
            lines = wrap(f"{kept} {sentence}", width - 0.04)
            if len(lines) <= MOST_LINES:
                kept, self.lines = f"{kept} {sentence}", lines

    @property
    def height(self) -> float:
        """Height in inches."""
        return style.LINE * len(self.lines) + 0.06

    def write(self, figure: style.VenueFigure) -> None:
        """Write the caption at the foot of a figure."""
        figure.caption = self.text
        write_notes(figure, self.lines)
