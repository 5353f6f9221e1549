"""Where two threads begin to win: what the engine's SERIAL_BELOW is taken from.

``python native/benches/crossover.py`` prints the table: for each message length the time of two threads over that of
one, for the fastest AEAD and a slower one, with blocks of an eighth of the message so that both threads have enough.
"""

from __future__ import annotations

import numpy as np
from bar import Bar

from aeadlab import _native, load
from aeadlab.stats import median_interval
from aeadlab.stats.interval import Interval

LENGTHS = tuple(1 << power for power in range(14, 22))
IMPLEMENTATIONS = ("openssl/aes-256-gcm", "openssl/chacha20-poly1305")
THRESHOLD = 512 << 10
"""The engine's SERIAL_BELOW."""
ROUNDS = 600


def two_over_one(implementation: str, length: int, schedule: str = "dynamic") -> Interval:
    """Median of the time of two threads over that of one, in alternating samples of one message."""
    arena = _native.Arena(length, 8 * 64, 1)
    native = load().find(implementation).native  # type: ignore[attr-defined]
    one, two = (
        _native.Case(
            native,
            engine="parsplit",
            model="keyed",
            op="seal",
            bytes=length,
            block_size=length // 8,
            threads=threads,
            schedule=schedule,
            placement="separate",
            serial_below=0,
            cold=False,
        )
        for threads in (1, 2)
    )
    pairs = [(one.sample(arena, 1)[0], two.sample(arena, 1)[0]) for _ in range(ROUNDS)]
    times = np.array(pairs[ROUNDS // 10 :], dtype=float)
    return median_interval(times[:, 1] / times[:, 0])


def bars() -> list[Bar]:
    """Two threads win from the engine's threshold on, and the fastest AEAD from four times as much on."""
    found = []
    for name, length in ((IMPLEMENTATIONS[1], THRESHOLD), (IMPLEMENTATIONS[0], 4 * THRESHOLD)):
        ratio = two_over_one(name, length)
        note = f"{name}, time, keyed, a message of {length >> 10} KiB in 8 blocks"
        what = f"2 threads over 1, {length >> 10} KiB"
        found.append(Bar(what, ratio.estimate, ratio.low, ratio.high, 1.0, "<=", "", note))
    return found


if __name__ == "__main__":
    for name in IMPLEMENTATIONS:
        for length in LENGTHS:
            found = two_over_one(name, length)
            print(f"{name:28} {length >> 10:5} KiB  {found.estimate:6.3f}  [{found.low:.3f}, {found.high:.3f}]")
