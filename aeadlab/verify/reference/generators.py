"""References of generators: HC-128, AEGIS-128L as a stream, and the extendable output of BLAKE3."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.util import find_spec

from aeadlab.verify.reference.implementation import Reference


def references() -> Iterator[Reference]:
    """Iterate over the references of this family."""
    yield _generator("hc-128", hc_128)
    if find_spec("nacl"):
        yield _generator("aegis-128l-stream", aegis_128l_stream)
    if find_spec("blake3"):
        yield _generator("blake3-xof", blake3_xof)


def _generator(algorithm: str, keystream: Callable[[bytes, int], bytes]) -> Reference:
    def output(seed: bytes, _nonce: bytes, zeros: bytes, _aad: bytes) -> bytes:
        return keystream(seed, len(zeros))

    return Reference(algorithm, "generator", 32, 0, 0, output)


def hc_128(seed: bytes, length: int) -> bytes:
    """Return the keystream of HC-128 for a key and a nonce of 16 bytes each (Wu, LNCS 4986, section 2).

    The list `w` contains both tables of the paper; its indices modulo 512 are offsets in one of them.
    """

    def rotated(x: int, right: int) -> int:
        right %= 32
        return (x >> right | x << (32 - right)) & 0xFFFFFFFF

    parts = [int.from_bytes(seed[i : i + 4], "little") for i in range(0, 32, 4)]
    w = [*parts[:4], *parts[:4], *parts[4:], *parts[4:]]
    for i in range(16, 1280):
        a, b = w[i - 2], w[i - 15]
        low = rotated(b, 7) ^ rotated(b, 18) ^ b >> 3
        high = rotated(a, 17) ^ rotated(a, 19) ^ a >> 10
        w.append((high + w[i - 7] + low + w[i - 16] + i) & 0xFFFFFFFF)
    w = w[256:]

    def step(i: int) -> int:
        """Update word `i` and return the output function of the other table for an earlier word."""
        own, other, sign = (0, 512, 1) if i < 512 else (512, 0, -1)
        j = i % 512
        x, y, z, chosen = (w[own + (j - back) % 512] for back in (3, 10, 511, 12))
        added = (rotated(x, 10 * sign) ^ rotated(z, 23 * sign)) + rotated(y, 8 * sign)
        w[i] = (w[i] + added) & 0xFFFFFFFF
        return (w[other + (chosen & 255)] + w[other + 256 + (chosen >> 16 & 255)]) & 0xFFFFFFFF

    for i in range(1024):
        mask = step(i)
        w[i] ^= mask
    words = bytearray()
    for i in range(-(-length // 4)):
        mask = step(i % 1024)
        words += (w[i % 1024] ^ mask).to_bytes(4, "little")
    return bytes(words[:length])


def aegis_128l_stream(seed: bytes, length: int) -> bytes:
    """Return 1024 bytes of the encryption of zeros by AEGIS-128L of libsodium for each consecutive nonce."""
    from nacl.bindings import crypto_aead_aegis128l_encrypt

    key, first = seed[:16], int.from_bytes(seed[16:], "little")
    nonces = (((first + i) % (1 << 128)).to_bytes(16, "little") for i in range(-(-length // 1024)))
    pieces = (crypto_aead_aegis128l_encrypt(bytes(1024), b"", nonce, key)[:1024] for nonce in nonces)
    return b"".join(pieces)[:length]


def blake3_xof(seed: bytes, length: int) -> bytes:
    """Return the extendable output of keyed BLAKE3 of blake3-py for an empty message."""
    from blake3 import blake3

    return blake3(b"", key=seed).digest(length=length)
