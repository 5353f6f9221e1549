"""The shortest message for which two threads are faster than one; it determines the engine's SERIAL_BELOW.

``python native/benches/crossover.py`` prints the table: for each message length the time of two threads over the time
of one, for the fastest AEAD and a slower one, with eight blocks per message.
"""

from __future__ import annotations

import numpy as np
from benchmark import FULL, Benchmark, Effort, native_case, within_one_process

from aeadlab import _native
from aeadlab._native import SERIAL_BELOW
from aeadlab.stats.interval import Interval

LENGTHS = tuple(1 << power for power in range(14, 22))
IMPLEMENTATIONS = ("openssl/aes-256-gcm", "openssl/chacha20-poly1305")
ROUNDS = 600


def two_over_one(implementation: str, length: int, effort: Effort) -> Interval:
    """Return the median time of two threads over one, in alternating samples of one message."""
    rounds = effort.rounds(ROUNDS)
    arena = _native.Arena(length, 8 * 64, 1)
    fixed = {"block_size": length // 8, "serial_below": 0}
    one, two = (native_case(implementation, "seal", length, threads=threads, **fixed) for threads in (1, 2))
    pairs = [(one.sample(arena, 1)[0], two.sample(arena, 1)[0]) for _ in range(rounds)]
    times = np.array(pairs[rounds // 10 :], dtype=float)
    return within_one_process(times[:, 1] / times[:, 0])


def benchmarks(effort: Effort) -> list[Benchmark]:
    """Return benchmarks at the threshold, and with the fastest AEAD at four times the threshold."""
    return [
        Benchmark.of(
            f"2 threads over 1, {length >> 10} KiB", two_over_one(name, length, effort), 1.0, "<=", "",
            f"{name}, time, keyed, a message of {length >> 10} KiB in 8 blocks",
        )
        for name, length in ((IMPLEMENTATIONS[1], SERIAL_BELOW), (IMPLEMENTATIONS[0], 4 * SERIAL_BELOW))
    ]  # fmt: skip


if __name__ == "__main__":
    for name in IMPLEMENTATIONS:
        for length in LENGTHS:
            found = two_over_one(name, length, FULL)
            print(f"{name:28} {length >> 10:5} KiB  {found.estimate:6.3f}  [{found.low:.3f}, {found.high:.3f}]")
