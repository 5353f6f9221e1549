"""Random lengths of verification, drawn from a seed: one in each octave, so that no range of a factor of 4 is left."""

from __future__ import annotations

import random
from collections.abc import Iterator

from aeadlab.catalogue.implementation import Description
from aeadlab.verify.lengths.question import Question

SHORT = tuple((1 << exponent, 2 << exponent) for exponent in range(16, 20))
"""Octaves from 64 KiB, above which verification has few fixed lengths, to 1 MiB."""
LONG = ((1 << 20, 1 << 23), (1 << 23, 1 << 26))
"""Wider ranges up to 64 MiB; studies verify the longer messages that they measure."""


def questions(d: Description, seed: int, ranges: tuple[tuple[int, int], ...]) -> Iterator[Question]:
    """Iterate over the operations of an implementation at one random length of each range.

    The lengths depend only on the seed and the algorithm, so that libraries can be compared. They are multiples of the
    block length. Lengths above the limit of the implementation are left out.
    """
    for low, high in ranges:
        drawn = random.Random(f"{seed} {d.base_algorithm} {low}").randrange(low, high)
        length = drawn - drawn % d.block_bytes
        if not d.takes(length):
            continue
        match d.kind:
            case "aead":
                # It also seals.
                yield Question("open", length)
            case "cipher":
                yield Question("encrypt", length)
                yield Question("decrypt", length)
            case "hash" | "mac":
                yield Question("digest", length)
            case _:
                # Generators have no message; their agreement covers sequences of requests.
                return
