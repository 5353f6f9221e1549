"""A place in a text that a command fills: what stands between two marker lines."""

from __future__ import annotations

from typing import Final

from aeadlab.errors import ArgumentError

START: Final = "<!-- claims -->"
END: Final = "<!-- /claims -->"


def filled(text: str, content: str, name: str) -> str:
    """The text with this content between its markers; what stood there is gone.

    Parameters
    ----------
    name
        Of the text, for the message of an error.

    Raises
    ------
    aeadlab.errors.ArgumentError
        Unless each marker is there once, the end after the start.
    """
    for marker in (START, END):
        if (number := text.count(marker)) != 1:
            raise ArgumentError(
                f"{name} has the marker {marker} {number} times, once is wanted: put {START} and {END} where the "
                "table belongs"
            )
    before, _, rest = text.partition(START)
    _, end, after = rest.partition(END)
    if not end:
        raise ArgumentError(f"{name} has the marker {END} before {START}: exchange them")
    return f"{before}{START}\n\n{content.strip()}\n\n{END}{after}"
