"""How even ``baseline/delay`` waits, and how many wake-ups in a second this machine can give it.

``python native/benches/waiting.py`` prints, for each thread count and block length, the time of a run over what it
would be with a core for each thread. Every thread has 32 blocks, so nothing but waiting and waking is in the ratio.
"""

from __future__ import annotations

import numpy as np
from bar import Bar

from aeadlab import _native, load
from aeadlab.stats import median_interval
from aeadlab.stats.interval import Interval

THREADS = (1, 2, 4, 8, 16, 32, 64)
BLOCK_NS = (50_000, 100_000, 200_000, 400_000, 1_600_000)
BLOCKS_EACH = 32
ROUNDS = 7


def rate() -> float:
    """Nanoseconds per byte of this process."""
    return float(_delay().kernel.split()[0])


def over_ideal(threads: int, block_ns: int, schedule: str = "static", rounds: int = ROUNDS) -> Interval:
    """Time of a run over that with a core for each thread."""
    block = round(block_ns / rate())
    total = block * BLOCKS_EACH * threads
    arena = _native.Arena(total, 16 * BLOCKS_EACH * threads, 1)
    case = _native.Case(
        _delay(),
        engine="parsplit",
        model="keyed",
        op="seal",
        bytes=total,
        block_size=block,
        threads=threads,
        schedule=schedule,
        placement="separate",
        serial_below=0,
        cold=False,
    )
    case.sample(arena, 1)
    times = np.array([case.sample(arena, 1)[0] for _ in range(rounds)], dtype=float)
    return median_interval(times / (block * rate() * BLOCKS_EACH))


def _delay() -> _native.Algorithm:
    return load().find("baseline/delay").native  # type: ignore[attr-defined,no-any-return]


def bars() -> list[Bar]:
    """At the default rate a block of 64 KiB takes 1.6 ms: 64 threads then wake 40,000 times in a second."""
    found = over_ideal(64, 1_600_000)
    note = "64 threads, 32 blocks of 1.6 ms each, schedule static"
    return [Bar("baseline/delay: time over ideal", found.estimate, found.low, found.high, 1.05, "<=", "", note)]


if __name__ == "__main__":
    print(f"{'threads':>8} {'block, us':>10} {'wakes/s':>9}  time over ideal")
    for threads in THREADS:
        for block_ns in BLOCK_NS:
            found = over_ideal(threads, block_ns)
            wakes = threads * 1e9 / (block_ns * found.estimate)
            print(
                f"{threads:8} {block_ns / 1000:10.0f} {wakes:9.0f}  "
                f"{found.estimate:.3f} [{found.low:.3f}, {found.high:.3f}]"
            )
