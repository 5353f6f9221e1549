"""The loops that Numba compiles, apart from their adapter, which must not import NumPy only to be listed.

ChaCha20 follows RFC 8439 section 2.4, RC4 draft-kaukonen-cipher-arcfour-03.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

XOR_KEY = 32
BLOCK = 64
# Blocks of ChaCha20 computed side by side: a row of so many words fills the widest vector registers.
LANES = 16
CONSTANTS = tuple(b"expand 32-byte k")
Octets = NDArray[np.uint8]
Words = NDArray[np.uint32]


def xor(key: Octets, data: Octets) -> Octets:
    """XOR with the key of 32 bytes, repeated."""
    out = np.empty_like(data)
    whole = data.size - data.size % XOR_KEY
    # Rows as long as the key let LLVM keep the key in one vector register.
    for start in range(0, whole, XOR_KEY):
        for i in range(XOR_KEY):
            out[start + i] = data[start + i] ^ key[i]
    for i in range(whole, data.size):
        out[i] = data[i] ^ key[i - whole]
    return out


def chacha20(key: Octets, nonce: Octets, data: Octets) -> Octets:
    """`data` XOR the keystream of a key of 32 and a nonce of 12 bytes, from block 0."""
    out = np.empty_like(data)
    start = np.empty((16, LANES), np.uint32)
    state = np.empty_like(start)
    stream = np.empty(BLOCK * LANES, np.uint8)
    words = stream.view(np.uint32)
    for word in range(16):
        value = np.uint32(0)
        for i in range(3, -1, -1):
            at = 4 * word + i
            if word < 4:
                octet = np.uint32(CONSTANTS[at])
            elif word < 12:
                octet = np.uint32(key[at - 16])
            elif word == 12:
                octet = np.uint32(0)
            else:
                octet = np.uint32(nonce[at - 52])
            value = np.uint32(value << np.uint32(8)) | octet
        for lane in range(LANES):
            start[word, lane] = lane if word == 12 else value
    for position in range(0, data.size, BLOCK * LANES):
        for word in range(16):
            for lane in range(LANES):
                state[word, lane] = start[word, lane]
        for _ in range(10):
            # Numbers and not a loop over columns: only then does LLVM see that the rows are apart, and vectorise.
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
        for i in range(min(BLOCK * LANES, data.size - position)):
            out[position + i] = data[position + i] ^ stream[i]
    return out


def quarter_rounds(state: Words, a: int, b: int, c: int, d: int) -> None:
    """The quarter round of RFC 8439 section 2.1 in every lane; NumPy's casts keep numba from widening to 64 bits."""
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
    """The permutation of 256 bytes that a key makes."""
    state = np.empty(256, np.uint8)
    for i in range(256):
        state[i] = i
    j = 0
    for i in range(256):
        j = (j + state[i] + key[i % key.size]) & 255
        state[i], state[j] = state[j], state[i]
    return state


def rc4(schedule: Octets, data: Octets) -> Octets:
    """`data` XOR the keystream that begins with this permutation."""
    state = schedule.copy()
    out = np.empty_like(data)
    i = j = 0
    for n in range(data.size):
        i = (i + 1) & 255
        j = (j + state[i]) & 255
        state[i], state[j] = state[j], state[i]
        out[n] = data[n] ^ state[(state[i] + state[j]) & 255]
    return out
