"""Numbers of a report as text."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

from aeadlab.units import significant, size_name, time_unit

DASH = "\N{EN DASH}"
# What belongs together stays on one line.
_JOIN = "\N{NO-BREAK SPACE}"


def duration(seconds: float, low: float, high: float) -> tuple[str, str]:
    """A time, and its interval in the same unit, ``""`` where there is none: ``("81.2 ms", "80.9 – 81.6")``."""
    scale, unit = time_unit(seconds)
    return f"{significant(seconds / scale, 4)}{_JOIN}{unit}", interval(low / scale, high / scale)


def interval(low: float, high: float, digits: int = 4) -> str:
    """Two ends with a dash between, ``""`` where they are not known."""
    if not (isfinite(low) and isfinite(high)):
        return ""
    return f"{significant(low, digits)}{_JOIN}{DASH}{_JOIN}{significant(high, digits)}"


def share(value: float) -> str:
    """A share as percent."""
    return f"{significant(100 * value)}{_JOIN}%" if isfinite(value) else DASH


def counted(number: int, one: str, many: str = "") -> str:
    """A number with its noun: ``1 case``, ``12,000 cases``."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def clipped(text: str, longest: int = 400) -> str:
    """A text that is not longer than this; what was left out is counted."""
    return text if len(text) <= longest else f"{text[:longest]}… ({len(text) - longest:,} characters more)"


def how(case: Mapping[Any, Any]) -> str:
    """What a speed was measured with, in words: ``seal, 1 GiB, parsplit in 16 KiB blocks by 2 threads, in place``."""
    words = [str(case["op"]), size_name(int(case["bytes"]))]
    blocks = f" in {size_name(int(case['block_size']))} blocks" if case["block_size"] else ""
    words.append(f"{case['engine']}{blocks} by {counted(int(case['threads']), 'thread')}")
    words += [str(case["schedule"])] * bool(case["schedule"])
    words += ["in place"] * (case["placement"] == "in-place") + ["cold cache"] * (case["cache"] == "cold")
    words += [f"without {case['mask']}"] * bool(case["mask"])
    return ", ".join(words)
