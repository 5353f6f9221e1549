"""Checks of the numbers passed to ParSplit."""

from __future__ import annotations

import sys
from operator import index

from aeadlab._native import MAX_THREADS
from aeadlab.errors import ArgumentError, ArgumentTypeError
from aeadlab.host.cores import process_cores


def integer(name: str, value: int, minimum: int) -> int:
    """Return `value` as an int.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If it is not an integer from `minimum` to `sys.maxsize`, an ArgumentTypeError if it is no integer at all; the
        message begins with `name`.
    """
    try:
        number = index(value)
    except TypeError:
        raise ArgumentTypeError(f"{name} {value!r} given, an integer expected") from None
    if number < minimum:
        raise ArgumentError(f"{name} {number} given, at least {minimum} expected")
    if number > sys.maxsize:
        raise ArgumentError(f"{name} {number} given, at most {sys.maxsize} expected")
    return number


def memory_limit(max_memory: int | None) -> int | None:
    """Return the given limit of memory in bytes, at least 1; None selects the default."""
    return None if max_memory is None else integer("max_memory", max_memory, 1)


def thread_count(threads: int | None) -> int:
    """Return the given thread count, by default the number of cores of this process, at most `MAX_THREADS`."""
    if threads is None:
        return min(process_cores(), MAX_THREADS)
    if (count := integer("threads", threads, 1)) > MAX_THREADS:
        raise ArgumentError(f"threads {count} given, at most {MAX_THREADS} expected")
    return count
