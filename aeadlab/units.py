"""Numbers as text: sizes, times, significant digits, percentages."""

from __future__ import annotations

from math import isfinite

_MINUS = "\N{MINUS SIGN}"
_TIMES = ((1.0, "s"), (1e-3, "ms"), (1e-6, "\N{MICRO SIGN}s"), (1e-9, "ns"))


def size_name(size: int) -> str:
    """Return a size in bytes as people say it: ``1 GiB``, ``64 KiB``, ``100 MB``, ``100 B``.

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
    """Return the largest unit from seconds to nanoseconds of which there is at least one: its seconds and its name."""
    return next((unit for unit in _TIMES if seconds >= unit[0]), _TIMES[-1])


def significant(value: float, digits: int = 3) -> str:
    """Return a number with so many significant digits and no exponent; more digits before the point are kept."""
    if not isfinite(value):
        return "\N{EN DASH}"
    exponent = int(f"{value:.{digits - 1}e}".partition("e")[2])
    return f"{value:.{max(0, digits - 1 - exponent)}f}".replace("-", _MINUS)


def signed_percent(percent: float) -> str:
    """Return percent with one decimal and its sign: ``+28.8``."""
    return f"{percent:+.1f}".replace("-", _MINUS)
