"""What ``ParSplit("auto")`` asks. Measuring comes after ParSplit in the flow, so the package says here who answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias


class Settings(NamedTuple):
    """What a ParSplit is made of; lengths in bytes."""

    implementation: str
    block_size: int
    threads: int


Chooser: TypeAlias = Callable[[Sequence[str] | None, int | None, int | None, int | None], Settings]
"""From the AEADs allowed, message length, block size and most threads, None where the caller leaves it open."""

chooser: Chooser | None = None
"""Set by the package itself when it is imported."""
