"""Numbers as text: sizes, times, significant digits, percentages."""

from __future__ import annotations

import re
from math import isfinite, nan

from aeadlab.errors import ArgumentError

DASH = "\N{EN DASH}"
"""The text of a missing number."""

_MINUS = "\N{MINUS SIGN}"
# A number and its unit stay on one line of a page.
_NO_BREAK = "\N{NO-BREAK SPACE}"
_TIMES = ((1.0, "s"), (1e-3, "ms"), (1e-6, "\N{MICRO SIGN}s"), (1e-9, "ns"))


_SIZE = re.compile(r"(?P<number>\d+(?:\.\d+)?)\s*(?P<prefix>[kKMGT]?)(?P<binary>i?)(?P<byte>B?)", re.ASCII)
_POWERS = {"": 0, "k": 1, "K": 1, "M": 2, "G": 3, "T": 4}


def parse_size(text: str) -> int:
    """Return the bytes of a size: ``1400``, ``16K`` and ``16KiB`` (16384), ``1MiB``, ``100MB`` (100,000,000).

    A prefix alone is binary, as in `openssl speed` and `dd`; with ``B`` it is decimal, and with ``iB`` binary.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If the text is no size, or not a positive whole number of bytes.
    """
    found = _SIZE.fullmatch(text.strip())
    if found and (found["prefix"] or not found["binary"]) and bool(found["binary"]) <= bool(found["byte"]):
        base = 1000 if found["prefix"] and found["byte"] and not found["binary"] else 1024
        whole, _, fraction = found["number"].partition(".")
        size: int
        size, rest = divmod(int(whole + fraction) * base ** _POWERS[found["prefix"]], int(10 ** len(fraction)))
        if size > 0 and not rest:
            return size
    raise ArgumentError(f"size {text!r} given, a positive number of bytes expected: 1400, 16K, 1MiB or 100MB")


def in_bytes(size: int | str) -> int:
    """Return a size that is a number of bytes, or text as `parse_size` takes."""
    return parse_size(size) if isinstance(size, str) else size


def size_name(size: int) -> str:
    """Return a size in bytes with its unit: ``1 GiB``, ``64 KiB``, ``100 MB``, ``100 B``.

    Binary units where they divide the size, else decimal ones where they do.
    """
    for base, units in ((1024, ("GiB", "MiB", "KiB")), (1000, ("GB", "MB", "kB"))):
        for power, unit in zip((3, 2, 1), units, strict=True):
            if size and size % base**power == 0:
                return f"{size // base**power} {unit}"
    return f"{size} B"


def short_size(size: int) -> str:
    """Return a size as on an axis, where room is short: ``64K``, ``1G``, ``100``."""
    return size_name(size).replace(" ", "").removesuffix("B").removesuffix("i")


def time_unit(seconds: float) -> tuple[float, str]:
    """Return the largest unit that does not exceed a time (nanoseconds for shorter times): its seconds and its name."""
    return next((unit for unit in _TIMES if seconds >= unit[0]), _TIMES[-1])


def significant(value: float, digits: int = 3) -> str:
    """Return a number with at least `digits` significant digits and no exponent."""
    if not isfinite(value):
        return DASH
    exponent = int(f"{value:.{digits - 1}e}".partition("e")[2])
    return f"{value:.{max(0, digits - 1 - exponent)}f}".replace("-", _MINUS)


def signed_percent(percent: float) -> str:
    """Return percent with one decimal and its sign: ``+28.8``."""
    return f"{percent:+.1f}".replace("-", _MINUS)


def interval(low: float, high: float, digits: int = 3) -> str:
    """Return both ends of an interval, ``80.9 to 81.6``; ``""`` if one of them is unknown.

    Equal ends are stated in words, ``80.9, equal samples``: such an interval shows the resolution of the clock only.
    """
    if low == high:
        return f"{significant(low, digits)}, equal samples"
    return f"{significant(low, digits)} to {significant(high, digits)}" if isfinite(low) and isfinite(high) else ""


def duration(seconds: float, low: float = nan, high: float = nan) -> tuple[str, str]:
    """Return a time with its unit, and its interval in the same unit: ``("81.20 ms", "80.90 to 81.60")``."""
    scale, unit = time_unit(seconds)
    return f"{significant(seconds / scale, 4)}{_NO_BREAK}{unit}", interval(low / scale, high / scale, 4)


def percent(share: float) -> str:
    """Return a share as percent: ``85.1 %`` for 0.851."""
    return f"{significant(100 * share)}{_NO_BREAK}%" if isfinite(share) else significant(share)


def count_noun(number: int, singular: str, plural: str = "") -> str:
    """Return a number with its noun: ``1 case``, ``12,000 cases``."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"
