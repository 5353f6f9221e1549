"""References of Salsa20 with a reduced number of rounds."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from aeadlab.verify.reference.implementation import Reference


def references() -> Iterator[Reference]:
    """Iterate over the references of this family."""
    for rounds in (8, 12):
        stream = partial(_salsa20, rounds)
        yield Reference(f"salsa20-{rounds}", "cipher", 32, 8, 0, stream, stream)


def salsa20(key: bytes, nonce: bytes, data: bytes, rounds: int = 20) -> bytes:
    """Return `data` XOR the Salsa20 keystream (Bernstein, "Salsa20 specification", sections 3 to 10).

    All blocks are computed in parallel, with integers of NumPy, which overflow like the words of Salsa20.
    """
    import numpy as np

    blocks = np.arange(-(-len(data) // 64), dtype="<u8")
    words = np.frombuffer(key, "<u4"), np.frombuffer(nonce, "<u4"), np.frombuffer(b"expand 32-byte k", "<u4")
    secret, start, constants = (np.repeat(part[:, None], len(blocks), axis=1) for part in words)
    counter = np.stack([blocks & 0xFFFFFFFF, blocks >> 32]).astype("<u4")
    rows = (constants[:1], secret[:4], constants[1:2], start, counter, constants[2:3], secret[4:], constants[3:])
    initial = np.concatenate(rows)
    x = initial.copy()
    for _ in range(rounds // 2):
        for lines in (range(16)[i::4] for i in range(4)), (range(4 * i, 4 * i + 4) for i in range(4)):
            for i, line in enumerate(lines):
                a, b, c, d = (line[(i + step) % 4] for step in range(4))
                for target, left, right, bits in ((b, a, d, 7), (c, b, a, 9), (d, c, b, 13), (a, d, c, 18)):
                    sum_ = x[left] + x[right]
                    x[target] ^= sum_ << np.uint32(bits) | sum_ >> np.uint32(32 - bits)
    stream = (x + initial).T.tobytes()[: len(data)]
    return (np.frombuffer(data, np.uint8) ^ np.frombuffer(stream, np.uint8)).tobytes()


def _salsa20(rounds: int, key: bytes, nonce: bytes, data: bytes, _aad: bytes) -> bytes:
    return salsa20(key, nonce, data, rounds)
