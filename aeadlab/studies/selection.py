"""What a user chooses of a study: some of its implementations, other thread counts, other block sizes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

from aeadlab.errors import ArgumentError

MOST_THREADS = 256
"""ParSplit has no more; see `aeadlab.bench.case.Case`."""


@dataclass(frozen=True)
class Selection:
    """A choice within a study; None leaves it to the study.

    Attributes
    ----------
    implementations
        Names, in the order given.
    threads
        Thread counts of ParSplit, 1 to 256.
    block_sizes
        Bytes of a block of ParSplit, 1 or more.
    """

    implementations: tuple[str, ...] | None = None
    threads: tuple[int, ...] | None = None
    block_sizes: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        if wrong := [count for count in self.threads or () if not 1 <= count <= MOST_THREADS]:
            raise ArgumentError(f"{_listed(wrong)} threads given, 1 to {MOST_THREADS} wanted")
        if wrong := [size for size in self.block_sizes or () if size < 1]:
            raise ArgumentError(f"block size {_listed(wrong)} given, at least 1 byte wanted")

    @classmethod
    def of(cls, implementations: object = None, threads: object = None, block_sizes: object = None) -> Self:
        """A choice as notebooks and command lines give it: one value, several, none, or these as text.

        ``papermill -p threads '[1,2,4]'`` hands over the text ``[1,2,4]``, not a list.

        Raises
        ------
        aeadlab.errors.ArgumentError
            If something is no name or no whole number, or is out of range.
        """
        return cls(
            _several("implementations", implementations, str),
            _several("threads", threads, int),
            _several("block_sizes", block_sizes, int),
        )

    def as_dict(self) -> dict[str, list[Any] | None]:
        """A form that can be stored."""
        return {name: None if value is None else list(value) for name, value in vars(self).items()}


def _several(what: str, given: object, kind: type[Any]) -> tuple[Any, ...] | None:
    values = _read(given) if isinstance(given, str) else given
    if values is None:
        return None
    several = values if isinstance(values, Sequence) and not isinstance(values, str) else (values,)
    # A truth value is an int to Python and a slip to everybody else.
    if wrong := [value for value in several if not isinstance(value, kind) or isinstance(value, bool)]:
        wanted = "names such as openssl/aes-256-gcm" if kind is str else "whole numbers such as [1, 2, 4]"
        raise ArgumentError(f"parameter {what} holds {wrong[0]!r}: wanted are {wanted}")
    return tuple(dict.fromkeys(several)) or None


def _read(text: str) -> object:
    """A list as JSON has it, or values with commas between them."""
    for form in (text, f"[{text}]"):
        try:
            return json.loads(form)
        except ValueError:
            continue
    return [part.strip() for part in text.split(",") if part.strip()]


def _listed(values: Sequence[int]) -> str:
    return ", ".join(map(str, values))
