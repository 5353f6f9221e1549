"""Reads structs of Thrift's compact protocol, in which Parquet stores its footer and the headers of its pages.

pyarrow ends the process at some damaged footers, and allocates what a page header states. Both are therefore read here
first, in memory that their own length limits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

_MAX_NESTING: Final = 10
_MAX_DIGITS: Final = 10
_STOP: Final = 0


class Reader:
    """Reads from ``content[place:end]``; all methods raise ValueError for damaged or incomplete content."""

    def __init__(self, content: bytes, place: int, end: int) -> None:
        self.content, self.place, self.end = content, place, end
        self._values: dict[int, Callable[[int], Any]] = {
            1: lambda _: True,
            2: lambda _: False,
            3: lambda _: self._octet(),
            4: lambda _: self._integer(),
            5: lambda _: self._integer(),
            6: lambda _: self._integer(),
            7: lambda _: self._octets(8),
            8: lambda _: self._octets(self._unsigned()),
            9: self._list,
            12: self.struct,
        }

    def struct(self, nesting: int = 0) -> dict[int, Any]:
        """Return the fields of a struct by their numbers: bool, int, bytes, list or dict."""
        if nesting > _MAX_NESTING:
            raise ValueError("a struct is nested too deeply")
        fields: dict[int, Any] = {}
        number = 0
        while (head := self._octet()) != _STOP:
            step = head >> 4
            number = number + step if step else self._integer()
            if number in fields:
                raise ValueError(f"field {number} of a struct occurs twice")
            fields[number] = self._value(head & 15, nesting)
        return fields

    def _value(self, kind: int, nesting: int) -> Any:
        if kind not in self._values:
            raise ValueError(f"a struct has a field of type {kind}")
        return self._values[kind](nesting + 1)

    def _list(self, nesting: int) -> list[Any]:
        if nesting > _MAX_NESTING:
            raise ValueError("a list is nested too deeply")
        head = self._octet()
        count, kind = head >> 4, head & 15
        count = self._unsigned() if count == 15 else count
        if count > self.end - self.place:
            raise ValueError("a list does not end within its struct")
        # The elements of a list of bool take an octet each.
        return [self._octet() if kind in (1, 2) else self._value(kind, nesting) for _ in range(count)]

    def _octet(self) -> int:
        if self.place >= self.end:
            raise ValueError("a struct does not end where it should")
        self.place += 1
        return self.content[self.place - 1]

    def _octets(self, count: int) -> bytes:
        if count > self.end - self.place:
            raise ValueError("a text does not end within its struct")
        self.place += count
        return self.content[self.place - count : self.place]

    def _unsigned(self) -> int:
        value = 0
        for digit in range(_MAX_DIGITS):
            octet = self._octet()
            value |= (octet & 127) << 7 * digit
            if octet < 128:
                return value
        raise ValueError("an integer has more than 64 bits")

    def _integer(self) -> int:
        value = self._unsigned()
        return value >> 1 ^ -(value & 1)
