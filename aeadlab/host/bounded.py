"""Files and JSON text of unknown origin, read within limits that are checked before memory is used."""

from __future__ import annotations

import json
import math
import os
import stat
from pathlib import Path
from typing import Any, Final, NoReturn

from aeadlab.errors import RecordError

MAX_DEPTH: Final = 32
"""Largest nesting depth of JSON text."""
MAX_TEXT: Final = 1 << 16
"""Largest number of characters of a string in JSON text."""
_INTEGERS: Final = range(-(1 << 63), 1 << 64)


def read_file(path: Path, limit: int, noun: str = "record") -> bytes:
    """Return the content of a regular file of at most `limit` bytes.

    A FIFO or a device is an error and is not waited for.

    Raises
    ------
    aeadlab.errors.RecordError
        If there is no such file, it is no regular file, it is larger, or it cannot be read. `noun` names it.
    """
    try:
        with open(path, "rb", opener=_open) as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise RecordError(f"there is no {noun} {path}: give a regular file, this is a folder, pipe or device")
            if status.st_size > limit:
                raise RecordError(f"{noun} {path} has {status.st_size} bytes, at most {limit} expected")
            # The file may grow after its size was read.
            content = file.read(limit + 1)
    except IsADirectoryError:
        raise RecordError(f"there is no {noun} {path}: give a regular file, this is a folder") from None
    except (FileNotFoundError, NotADirectoryError) as error:
        raise RecordError(f"there is no {noun} {path}: give the path of an existing file") from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise RecordError(f"{noun} {path} cannot be read ({reason})") from error
    if len(content) > limit:
        raise RecordError(f"{noun} {path} has more than {limit} bytes, at most {limit} expected")
    return content


def _open(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC)


def parse_json(octets: bytes, limit: int) -> Any:
    """Return the value of JSON text in UTF-8.

    Raises
    ------
    ValueError
        If it is no JSON, longer than `limit` bytes, nested deeper than `MAX_DEPTH`, or has a string of more than
        `MAX_TEXT` characters, a number that is not finite, or an integer that 64 bits cannot hold.
    """
    if len(octets) > limit:
        raise ValueError(f"{len(octets)} bytes of JSON given, at most {limit} expected")
    try:
        value = json.loads(octets.decode("utf-8"), parse_constant=_reject)
    except RecursionError:
        raise ValueError(f"JSON is nested deeper than {MAX_DEPTH}") from None
    level: list[Any] = [value]
    for _ in range(MAX_DEPTH):
        inner: list[Any] = []
        for part in level:
            if isinstance(part, dict):
                inner += part
                inner += part.values()
            elif isinstance(part, list):
                inner += part
            else:
                _check_scalar(part)
        if not inner:
            return value
        level = inner
    raise ValueError(f"JSON is nested deeper than {MAX_DEPTH}")


def _check_scalar(value: Any) -> None:
    if isinstance(value, str):
        if len(value) > MAX_TEXT:
            raise ValueError(f"a string of {len(value)} characters given, at most {MAX_TEXT} expected")
    elif isinstance(value, int):
        if value not in _INTEGERS:
            raise ValueError(f"an integer of {value.bit_length()} bits given, at most 64 expected")
    elif isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"number {value} given, a finite number expected")


def _reject(constant: str) -> NoReturn:
    raise ValueError(f"number {constant} given, a finite number expected")
