"""A fuzz target: valid inputs, and a check of any input."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Target:
    """A fuzz target.

    Attributes
    ----------
    seeds
        Valid inputs, which are changed.
    words
        Pieces that changes insert.
    check
        Returns if an input gives the typed error or its true content, and raises otherwise.
    """

    name: str
    seeds: tuple[bytes, ...]
    words: tuple[bytes, ...]
    check: Callable[[bytes], None]
