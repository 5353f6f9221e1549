"""A user's selection within a study: implementations, thread counts and block sizes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from aeadlab._native import MAX_THREADS
from aeadlab.catalogue import Catalogue, patterns
from aeadlab.display.units import in_bytes
from aeadlab.errors import ArgumentError


@dataclass(frozen=True)
class Selection:
    """A selection within a study; None stands for the default of the study.

    Attributes
    ----------
    implementations
        Implementation names in the given order.
    threads
        Thread counts of ParSplit, 1 to `MAX_THREADS`.
    block_sizes
        Block sizes of ParSplit in bytes, at least 1.
    """

    implementations: tuple[str, ...] | None = None
    threads: tuple[int, ...] | None = None
    block_sizes: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        if wrong := [count for count in self.threads or () if not 1 <= count <= MAX_THREADS]:
            raise ArgumentError(f"threads {_joined(wrong)}: expected 1 to {MAX_THREADS}")
        if wrong := [size for size in self.block_sizes or () if size < 1]:
            raise ArgumentError(f"block size {_joined(wrong)}: expected at least 1 byte")

    @classmethod
    def of(cls, implementations: object = None, threads: object = None, block_sizes: object = None) -> Self:
        """Return a selection from the arguments of notebooks and command lines: a value, a sequence, None, or text.

        ``papermill -p threads '[1,2,4]'`` passes the text ``[1,2,4]``, not a list. Block sizes may have units: ``64K``.

        Raises
        ------
        aeadlab.errors.ArgumentError
            If a value is not a name or a whole number, or is out of range.
        """
        return cls(
            _values("implementations", implementations, str),
            _values("threads", threads, int),
            _values("block_sizes", _in_bytes(block_sizes), int),
        )

    def expanded(self, catalogue: Catalogue) -> Self:
        """Return the selection with the implementations that its algorithms and globs match.

        Raises
        ------
        aeadlab.errors.UnknownNameError
            If one matches nothing; an unknown name remains.
        """
        names = self.implementations
        return self if names is None else replace(self, implementations=patterns.expand(catalogue, names))

    def as_dict(self) -> dict[str, list[Any] | None]:
        """Return the selection as JSON values."""
        return {name: None if value is None else list(value) for name, value in vars(self).items()}


def _values(parameter: str, given: object, kind: type[Any]) -> tuple[Any, ...] | None:
    values = _parse(given) if isinstance(given, str) else given
    if values is None:
        return None
    several = values if isinstance(values, Sequence) and not isinstance(values, str) else (values,)
    # A bool is an int in Python, but no count.
    if wrong := [value for value in several if not isinstance(value, kind) or isinstance(value, bool)]:
        expected = "names such as openssl/aes-256-gcm" if kind is str else "whole numbers such as [1, 2, 4]"
        raise ArgumentError(f"parameter {parameter} contains {wrong[0]!r}: expected {expected}")
    return tuple(dict.fromkeys(several)) or None


def _in_bytes(sizes: object) -> object:
    """Return block sizes with texts such as ``64K`` as bytes; text with a whole list is parsed first."""
    values = _parse(sizes) if isinstance(sizes, str) else sizes
    if not isinstance(values, Sequence):
        return values
    several = [values] if isinstance(values, str) else values
    return [in_bytes(one) if isinstance(one, str) else one for one in several]


def _parse(text: str) -> object:
    """Return the values of a JSON list, or of a list without brackets and quotes."""
    for form in (text, f"[{text}]"):
        try:
            return json.loads(form)
        except ValueError:
            continue
    return [part.strip() for part in text.split(",") if part.strip()]


def _joined(values: Sequence[int]) -> str:
    return ", ".join(map(str, values))
