"""Text of others made safe to print: without control characters, which can move a cursor or hide other text."""

from __future__ import annotations

import re
from typing import Final

UNPRINTABLE: Final = "\N{REPLACEMENT CHARACTER}"
"""Stands for each character that is removed, as in the HTML of `aeadlab.display.markup`."""

_MAX_SHOWN: Final = 60
_SPACES: Final = re.compile(r"[\t\n\v\f\r\x1c-\x1f\x85\u2028\u2029]+")


def printable(text: str, limit: int | None = None) -> str:
    """Return text in one line without control characters, changes of the writing direction and lone surrogates.

    Line breaks and tabs become a space, each other unprintable character becomes `UNPRINTABLE`. Printable text is
    returned unchanged.

    Parameters
    ----------
    limit
        Number of characters of the result at most, the last of which is an ellipsis where text is left out; None for
        no limit.
    """
    if limit is not None and len(text) > limit:
        text = f"{text[: limit - 1]}\N{HORIZONTAL ELLIPSIS}"
    if text.isprintable():
        return text
    text = _SPACES.sub(" ", text)
    return "".join(c if c.isprintable() or c.isspace() else UNPRINTABLE for c in text)


def shown(value: object) -> str:
    """Return a value of unknown origin for an error message, in at most 60 characters."""
    try:
        return printable(repr(value), _MAX_SHOWN)
    except ValueError:
        # Python writes no number of more than 4,300 decimal digits, but TOML has longer ones in hexadecimal.
        return "a number of thousands of digits"
