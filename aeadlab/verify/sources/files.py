"""Reads the record files in which NIST and others publish test vectors, and the tables beside this file."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from typing import TypeAlias

from aeadlab.catalogue.weak_keys import OUTER, equal_parts

Record: TypeAlias = Mapping[str, str]

CAVP_AES = ("GFSbox", "KeySbox", "MMT", "VarKey", "VarTxt")
CAVP_3DES = ("MMT2", "MMT3", "invperm", "permop", "subtab", "varkey", "vartext")
"""What NIST calls the tests of a block cipher, in the names of their files."""


def text(package: str, path: str) -> str:
    """Content of a file in a package.

    Raises
    ------
    ImportError
        If the package is not installed.
    """
    return resources.files(package).joinpath(path).read_text(encoding="utf-8")


@cache
def table(name: str) -> tuple[Record, ...]:
    """The rows of a CSV file beside this one, whose comments begin with a sharp."""
    lines = (line for line in text(__package__, name).splitlines() if not line.startswith("#"))
    return tuple(csv.DictReader(lines))


def records(content: str, start: str = "count", separator: str = "=") -> Iterator[Record]:
    """The records of a file, each with all fields that hold for it; names in lower case.

    A record begins at the field `start`. What stands between a heading in brackets and the first `start` holds for
    every record after it, until it is stated anew. A heading without a value, like ``[ENCRYPT]``, is the field
    ``section``; a line without a value, like ``FAIL``, is a field with an empty value.
    """
    shared: dict[str, str] = {}
    record: dict[str, str] | None = None
    for line in content.splitlines():
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        if line.startswith("["):
            if record is not None:
                yield record
                record = None
            for part in line.strip("[]").split(","):
                name, found, value = part.partition("=")
                shared[name.strip().lower() if found else "section"] = value.strip() if found else name.strip()
            continue
        name, _, value = (part.strip() for part in line.partition(separator))
        name = name.lower()
        if name == start:
            if record is not None:
                yield record
            record = dict(shared)
        if record is None:
            shared[name] = value
        else:
            record[name] = value
    if record is not None:
        yield record


def octets(record: Record, name: str) -> bytes:
    """A field in hexadecimal, or in quotation marks as text; empty where the record does not have it."""
    value = record.get(name, "")
    return value.strip('"').encode() if value.startswith('"') else bytes.fromhex(value)


def degenerate(key: bytes) -> bool:
    """Whether a key of 3DES makes it single DES: two parts alike that follow each other, but for the parity bits."""
    return bool({*equal_parts(key)} - {OUTER})
