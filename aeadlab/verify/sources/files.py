"""Readers of the files of test vectors: records as NIST and others publish them, and CSV tables of this folder."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from importlib import resources
from typing import TypeAlias

from aeadlab.catalogue.weak_keys import OUTER, equal_parts
from aeadlab.verify.vectors import Table, Vector

Record: TypeAlias = Mapping[str, str]

CAVP_AES = ("GFSbox", "KeySbox", "MMT", "VarKey", "VarTxt")
CAVP_3DES = ("MMT2", "MMT3", "invperm", "permop", "subtab", "varkey", "vartext")
CAVP_DES = ("MMT1", "invperm", "permop", "subtab", "varkey", "vartext")
"""Names of the CAVP tests of a block cipher, which are part of the names of their files."""


def text(package: str, path: str) -> str:
    """Return the content of a file in a package.

    Raises
    ------
    ImportError
        If the package is not installed.
    """
    return resources.files(package).joinpath(path).read_text(encoding="utf-8")


@cache
def table(name: str) -> tuple[Record, ...]:
    """Return the rows of a CSV file of this folder, whose comments begin with ``#``."""
    lines = (line for line in text(__package__, name).splitlines() if not line.startswith("#"))
    return tuple(csv.DictReader(lines))


def records(content: str, start: str = "count") -> Iterator[Record]:
    """Iterate over the records of a file, each with all of its fields; names are in lower case.

    A record begins with the field `start`. Fields before the first record, and between a heading in brackets and the
    next record, apply to all later records until they are redefined. A heading without a value, such as ``[ENCRYPT]``,
    is the value of the field ``section``; a line without a value, such as ``FAIL``, is a field with an empty value.
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
                name, separated, value = part.partition("=")
                shared[name.strip().lower() if separated else "section"] = value.strip() if separated else name.strip()
            continue
        name, _, value = (part.strip() for part in line.partition("="))
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


def labelled_records(package: str, path: str, start: str = "count") -> Iterator[tuple[Record, str]]:
    """Iterate over the records of a file in a package, each with a label of file name and record number."""
    name = path.rpartition("/")[2].rpartition(".")[0]
    for number, record in enumerate(records(text(package, path), start)):
        yield record, f"{name} record {number}"


def vectors_by_algorithm(name: str, vector: Callable[[Record], Vector]) -> Table:
    """Return the vectors of a CSV file of this folder by its column ``algorithm``."""

    def read(algorithm: str) -> Iterator[Vector]:
        return (vector(row) for row in table(name) if row["algorithm"] == algorithm)

    return {algorithm: partial(read, algorithm) for algorithm in dict.fromkeys(row["algorithm"] for row in table(name))}


def field_bytes(record: Record, name: str) -> bytes:
    """Return a field given in hexadecimal, or as text in quotation marks; empty if the record lacks it."""
    value = record.get(name, "")
    return value.strip('"').encode() if value.startswith('"') else bytes.fromhex(value)


def fields_bytes(record: Record, *names: str) -> tuple[bytes, ...]:
    """Return the fields of these names as `field_bytes` does."""
    return tuple(field_bytes(record, name) for name in names)


def degenerate(key: bytes) -> bool:
    """Return whether a key reduces 3DES to single DES: two consecutive parts are equal, except for parity bits."""
    return bool({*equal_parts(key)} - {OUTER})


def three_keys(record: Record) -> bytes:
    """Return the field ``key``; for 3DES the fields ``key1`` to ``key3``, or three times the field ``keys``."""
    if "keys" in record:
        return field_bytes(record, "keys") * 3
    return field_bytes(record, "key") or b"".join(fields_bytes(record, "key1", "key2", "key3"))
