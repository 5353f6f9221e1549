"""Kernels that Numba compiles, separate from their adapter, which must be imported without NumPy.

ChaCha20 follows RFC 8439 section 2.4, RC4 draft-kaukonen-cipher-arcfour-03.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

XOR_KEY_BYTES = 32
BLOCK_BYTES = 64
LANES = 16
"""Blocks of ChaCha20 computed in parallel; 16 words fill the widest vector registers."""
CONSTANTS = tuple(b"expand 32-byte k")
Octets = NDArray[np.uint8]
Words = NDArray[np.uint32]


def xor(key: Octets, data: Octets) -> Octets:
    """Return `data` XOR the repeated key of 32 bytes."""
    out = np.empty_like(data)
    whole = data.size - data.size % XOR_KEY_BYTES
    # An inner loop of the key length lets LLVM keep the key in one vector register.
    for start in range(0, whole, XOR_KEY_BYTES):
        for i in range(XOR_KEY_BYTES):
            out[start + i] = data[start + i] ^ key[i]
    for i in range(whole, data.size):
        out[i] = data[i] ^ key[i - whole]
    return out


def chacha20(key: Octets, nonce: Octets, data: Octets) -> Octets:
    """Return `data` XOR the keystream of a key of 32 and a nonce of 12 bytes, from block 0."""
    out = np.empty_like(data)
    start = np.empty((16, LANES), np.uint32)
    state = np.empty_like(start)
    stream = np.empty(BLOCK_BYTES * LANES, np.uint8)
    words = stream.view(np.uint32)
    for word in range(16):
        value = np.uint32(0)
        for i in range(3, -1, -1):
            offset = 4 * word + i
            if word < 4:
                octet = np.uint32(CONSTANTS[offset])
            elif word < 12:
                octet = np.uint32(key[offset - 16])
            elif word == 12:
                octet = np.uint32(0)
            else:
                octet = np.uint32(nonce[offset - 52])
            value = np.uint32(value << np.uint32(8)) | octet
        for lane in range(LANES):
            start[word, lane] = lane if word == 12 else value
    for position in range(0, data.size, BLOCK_BYTES * LANES):
        for word in range(16):
            for lane in range(LANES):
                state[word, lane] = start[word, lane]
        for _ in range(10):
            # Constant indices, because LLVM vectorises only if it can prove that the rows do not overlap.
            quarter_rounds(state, 0, 4, 8, 12)
            quarter_rounds(state, 1, 5, 9, 13)
            quarter_rounds(state, 2, 6, 10, 14)
            quarter_rounds(state, 3, 7, 11, 15)
            quarter_rounds(state, 0, 5, 10, 15)
            quarter_rounds(state, 1, 6, 11, 12)
            quarter_rounds(state, 2, 7, 8, 13)
            quarter_rounds(state, 3, 4, 9, 14)
        for lane in range(LANES):
            for word in range(16):
                words[16 * lane + word] = state[word, lane] + start[word, lane]
        for lane in range(LANES):
            start[12, lane] += np.uint32(LANES)
        for i in range(min(BLOCK_BYTES * LANES, data.size - position)):
            out[position + i] = data[position + i] ^ stream[i]
    return out


def quarter_rounds(state: Words, a: int, b: int, c: int, d: int) -> None:
    """Apply the quarter round of RFC 8439 section 2.1 in every lane; the casts keep Numba from widening to 64 bits."""
    for i in range(LANES):
        w, x, y, z = state[a, i], state[b, i], state[c, i], state[d, i]
        w = np.uint32(w + x)
        z ^= w
        z = np.uint32(z << np.uint32(16)) | np.uint32(z >> np.uint32(16))
        y = np.uint32(y + z)
        x ^= y
        x = np.uint32(x << np.uint32(12)) | np.uint32(x >> np.uint32(20))
        w = np.uint32(w + x)
        z ^= w
        z = np.uint32(z << np.uint32(8)) | np.uint32(z >> np.uint32(24))
        y = np.uint32(y + z)
        x ^= y
        x = np.uint32(x << np.uint32(7)) | np.uint32(x >> np.uint32(25))
        state[a, i], state[b, i], state[c, i], state[d, i] = w, x, y, z


def rc4_schedule(key: Octets) -> Octets:
    """Return the permutation of 256 bytes that the key schedule produces."""
    state = np.empty(256, np.uint8)
    for i in range(256):
        state[i] = i
    j = 0
    for i in range(256):
        j = (j + state[i] + key[i % key.size]) & 255
        state[i], state[j] = state[j], state[i]
    return state


def rc4(schedule: Octets, data: Octets) -> Octets:
    """Return `data` XOR the keystream that begins with the permutation of `rc4_schedule`."""
    state = schedule.copy()
    out = np.empty_like(data)
    i = j = 0
    for n in range(data.size):
        i = (i + 1) & 255
        j = (j + state[i]) & 255
        state[i], state[j] = state[j], state[i]
        out[n] = data[n] ^ state[(state[i] + state[j]) & 255]
    return out
