"""Slow implementations written for comparison, for algorithms that one library alone has."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Sequence
from functools import cache, lru_cache, partial
from importlib.util import find_spec
from io import BytesIO
from typing import TypeAlias

from aeadlab.catalogue.implementation import Buffer, Description, Implementation
from aeadlab.errors import ArgumentError, AuthenticationError
from aeadlab.kinds import Kind

LIBRARY = "reference"
_REDUCTION = 0xE1 << 120
_ENCRYPTION_CONTEXT = "aeadlab 2026-11-20 aes-256-ctr+blake3 encryption key"
_MAC_CONTEXT = "aeadlab 2026-11-20 aes-256-ctr+blake3 authentication key"
_TAG = 32
_Compute: TypeAlias = Callable[[bytes, bytes, bytes, bytes], bytes]


def ghash(key: bytes, data: bytes) -> bytes:
    """GHASH of `data` under the hash key `key`, 16 bytes (NIST SP 800-38D section 6.4).

    `data` is padded to whole blocks with zero bytes; no length block is added.
    """
    table = _multiples(int.from_bytes(key, "big"))
    state = 0
    for start in range(0, len(data), 16):
        state ^= int.from_bytes(data[start : start + 16].ljust(16, b"\0"), "big")
        product = 0
        for row, octet in zip(table, state.to_bytes(16, "big"), strict=True):
            product ^= row[octet]
        state = product
    return state.to_bytes(16, "big")


@lru_cache(maxsize=64)
def _multiples(key: int) -> list[list[int]]:
    """For each of 16 byte positions, the product of `key` with each of 256 bytes there.

    The field is GF(2^128) modulo x^128 + x^7 + x^2 + x + 1, the most significant bit being the coefficient of x^0.
    """
    table = []
    power = key
    for _ in range(16):
        row = [0] * 256
        for bit in (0x80 >> i for i in range(8)):
            for value in range(0, 256, 2 * bit):
                row[value + bit] = row[value] ^ power
            power = power >> 1 ^ (_REDUCTION if power & 1 else 0)
        table.append(row)
    return table


def xor(key: bytes, data: bytes) -> bytes:
    """Byte i of the result is byte i of `data` XOR byte i mod 32 of `key`."""
    repeated = (key * (len(data) // len(key) + 1))[: len(data)]
    return (int.from_bytes(data, "big") ^ int.from_bytes(repeated, "big")).to_bytes(len(data), "big")


@cache
def _crc_table() -> list[int]:
    """The CRC of each byte; the polynomial 1EDC6F41 of RFC 3720 section 12.1, its bits reversed."""
    table = []
    for octet in range(256):
        for _ in range(8):
            octet = octet >> 1 ^ (0x82F63B78 if octet & 1 else 0)
        table.append(octet)
    return table


def crc_32c(data: bytes) -> bytes:
    """CRC-32C (Castagnoli) of `data`, its most significant byte first."""
    table = _crc_table()
    crc = 0xFFFFFFFF
    for octet in data:
        crc = crc >> 8 ^ table[(crc ^ octet) & 0xFF]
    return (crc ^ 0xFFFFFFFF).to_bytes(4, "big")


def salsa20(key: bytes, nonce: bytes, data: bytes, rounds: int = 20) -> bytes:
    """`data` XOR the Salsa20 keystream of a number of rounds (Bernstein, "Salsa20 specification", sections 3 to 10).

    All blocks are computed side by side, in NumPy's integers, which overflow as the words of Salsa20 do.
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


def aes_256_ctr_blake3(key: bytes, nonce: bytes, data: bytes, aad: bytes) -> bytes:
    """Ciphertext and tag of ``aes-256-ctr+blake3``, made of pyca's AES-CTR and blake3-py.

    Encrypt-then-MAC with two keys that BLAKE3 derives from `key`. The counter block starts as ``nonce || be32(0)``;
    the tag is keyed BLAKE3 of ``ciphertext || aad || nonce || le64(len(aad)) || le64(len(ciphertext))``. Its last 28
    bytes have fixed lengths, so no two inputs give the same string.

    Raises
    ------
    ImportError
        If cryptography or blake3 is not installed.
    """
    ciphertext = _aes_256_ctr(key, nonce, data)
    return ciphertext + _blake3_tag(key, nonce, ciphertext, aad)


def _open_aes_256_ctr_blake3(key: bytes, nonce: bytes, sealed: bytes, aad: bytes) -> bytes:
    ciphertext, tag = sealed[:-_TAG], sealed[-_TAG:]
    if not hmac.compare_digest(tag, _blake3_tag(key, nonce, ciphertext, aad)):
        raise AuthenticationError("reference/aes-256-ctr+blake3: the tag does not match")
    return _aes_256_ctr(key, nonce, ciphertext)


def _aes_256_ctr(key: bytes, nonce: bytes, data: bytes) -> bytes:
    from blake3 import blake3
    from cryptography.hazmat.primitives.ciphers import Cipher
    from cryptography.hazmat.primitives.ciphers.algorithms import AES
    from cryptography.hazmat.primitives.ciphers.modes import CTR

    derived = blake3(key, derive_key_context=_ENCRYPTION_CONTEXT).digest()
    return Cipher(AES(derived), CTR(nonce + bytes(4))).encryptor().update(data)


def _blake3_tag(key: bytes, nonce: bytes, ciphertext: bytes, aad: bytes) -> bytes:
    from blake3 import blake3

    derived = blake3(key, derive_key_context=_MAC_CONTEXT).digest()
    lengths = len(aad).to_bytes(8, "little") + len(ciphertext).to_bytes(8, "little")
    return blake3(ciphertext + aad + nonce + lengths, key=derived).digest()


def hc_128(seed: bytes, length: int) -> bytes:
    """Keystream of HC-128 under a key and a nonce of 16 bytes each (Wu, "The Stream Cipher HC-128", section 2).

    The two tables lie behind each other in `w`, and what the paper writes modulo 512 is an offset within one of them.
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
        """Change a word of the table whose turn it is; what the other one makes of an earlier word."""
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
    """A kilobyte of AEGIS-128L's encryption of zeros for each nonce from that of the seed on, by libsodium."""
    from nacl.bindings import crypto_aead_aegis128l_encrypt

    key, first = seed[:16], int.from_bytes(seed[16:], "little")
    nonces = (((first + i) % (1 << 128)).to_bytes(16, "little") for i in range(-(-length // 1024)))
    pieces = (crypto_aead_aegis128l_encrypt(bytes(1024), b"", nonce, key)[:1024] for nonce in nonces)
    return b"".join(pieces)[:length]


def blake3_xof(seed: bytes, length: int) -> bytes:
    """BLAKE3's output for an empty message under a key, as long as it is wanted, by blake3-py."""
    from blake3 import blake3

    return blake3(b"", key=seed).digest(length=length)


def composition(made: Implementation) -> Implementation:
    """What an encrypt-then-MAC composition should compute, from one call to each of its parts.

    native/libraries/src/compose.rs states the construction; this is written from its text.

    Raises
    ------
    ImportError
        If blake3 is not installed.
    """
    from blake3 import blake3

    d = made.description
    cipher, mac = made.parts
    c, m = cipher.description, mac.description
    context = f"aeadlab 2026-11-20 encrypt-then-MAC of {d.algorithm}, all keys"

    def keys(key: bytes) -> tuple[bytes, bytes, bytes, bytes]:
        lengths = (c.key_bytes, m.key_bytes, m.key_bytes, 32)
        derived = BytesIO(blake3(key, derive_key_context=context).digest(sum(lengths)))
        encryption, first, second, iv = (derived.read(length) for length in lengths)
        return encryption, first, second, iv

    def iv(key: bytes, nonce: bytes) -> bytes:
        return blake3(nonce, key=key).digest(c.nonce_bytes)

    def tag(first: bytes, second: bytes, nonce: bytes, ciphertext: bytes, aad: bytes) -> bytes:
        mac_nonce = nonce if m.nonce_bytes else b""
        lengths = len(aad).to_bytes(8, "little") + len(ciphertext).to_bytes(8, "little")
        inner = mac.digest(first, mac_nonce, ciphertext)
        return mac.digest(second, mac_nonce, inner + aad + nonce + lengths)

    def seal(key: bytes, nonce: bytes, data: bytes, aad: bytes) -> bytes:
        encryption, first, second, iv_key = keys(key)
        ciphertext = cipher.encrypt(encryption, iv(iv_key, nonce), data)
        return ciphertext + tag(first, second, nonce, ciphertext, aad)

    def open_(key: bytes, nonce: bytes, sealed: bytes, aad: bytes) -> bytes:
        encryption, first, second, iv_key = keys(key)
        ciphertext = sealed[: len(sealed) - d.tag_bytes]
        if not hmac.compare_digest(sealed[len(ciphertext) :], tag(first, second, nonce, ciphertext, aad)):
            raise AuthenticationError(f"{LIBRARY}/{d.algorithm}: the tag does not match")
        return cipher.decrypt(encryption, iv(iv_key, nonce), ciphertext)

    lengths = d.key_bytes, d.nonce_bytes, d.tag_bytes
    return Reference(d.algorithm, "aead", *lengths, seal, open_, block_bytes=d.block_bytes)


def _open_delay(_key: bytes, _nonce: bytes, sealed: bytes, _aad: bytes) -> bytes:
    if any(sealed[-16:]):
        raise AuthenticationError("reference/delay: the tag is not zero")
    return sealed[:-16]


def _gmac(key: bytes, nonce: bytes, data: bytes, _aad: bytes) -> bytes:
    """GCM's tag of an empty message with `data` as associated data, by PyCryptodome (NIST SP 800-38D section 3)."""
    from Crypto.Cipher import AES

    return AES.new(key, AES.MODE_GCM, nonce=nonce).update(data).digest()


def _reduced_salsa20(rounds: int, key: bytes, nonce: bytes, data: bytes, _aad: bytes) -> bytes:
    return salsa20(key, nonce, data, rounds)


class Reference(Implementation):
    """A reference as the other checks see implementations.

    Parameters
    ----------
    algorithm, kind, key, nonce, tag, block_bytes
        What it computes, and its lengths in bytes.
    forward
        ``forward(key, nonce, data, aad)`` seals, encrypts or digests.
    backward
        ``backward(key, nonce, data, aad)`` opens or decrypts.
    """

    def __init__(
        self,
        algorithm: str,
        kind: Kind,
        key: int,
        nonce: int,
        tag: int,
        forward: _Compute,
        backward: _Compute | None = None,
        block_bytes: int = 1,
    ) -> None:
        description = Description(
            LIBRARY,
            algorithm,
            kind,
            "1",
            key_bytes=key,
            nonce_bytes=nonce,
            tag_bytes=tag,
            block_bytes=block_bytes,
            origin="python",
        )
        super().__init__(description)
        self._forward = forward
        self._backward = backward

    def seal(self, key: Buffer, nonce: Buffer, data: Buffer, aad: Buffer = b"") -> bytes:
        """Encrypt and authenticate."""
        return self._call(self._forward, key, nonce, data, aad)

    def open(self, key: Buffer, nonce: Buffer, sealed: Buffer, aad: Buffer = b"") -> bytes:
        """Verify and decrypt."""
        return self._call(self._backward, key, nonce, sealed, aad)

    def encrypt(self, key: Buffer, nonce: Buffer, data: Buffer) -> bytes:
        """Encrypt without authentication."""
        return self._call(self._forward, key, nonce, data)

    def decrypt(self, key: Buffer, nonce: Buffer, data: Buffer) -> bytes:
        """Undo `encrypt`."""
        return self._call(self._backward, key, nonce, data)

    def digest(self, key: Buffer, nonce: Buffer, data: Buffer) -> bytes:
        """Hash or MAC of `data`."""
        return self._call(self._forward, key, nonce, data)

    def generate(self, key: Buffer, requests: Sequence[int]) -> bytes:
        """As many zeros encrypted."""
        return self._call(self._forward, key, b"", bytes(sum(requests)))

    def _call(self, compute: _Compute | None, key: Buffer, nonce: Buffer, data: Buffer, aad: Buffer = b"") -> bytes:
        d = self.description
        if compute is None:
            raise ArgumentError(f"{self.name} is of kind {d.kind}, which has no way back")
        for what, given, wanted in (("key", key, d.key_bytes), ("nonce", nonce, d.nonce_bytes)):
            if len(given) != wanted:
                raise ArgumentError(f"{self.name}: a {what} of {len(given)} bytes was given, {wanted} are wanted")
        return compute(bytes(key), bytes(nonce), bytes(data), bytes(aad))


def _generator(algorithm: str, keystream: Callable[[bytes, int], bytes]) -> Reference:
    return Reference(algorithm, "generator", 32, 0, 0, lambda seed, _n, zeros, _a: keystream(seed, len(zeros)))


def references(algorithm: str) -> list[Implementation]:
    """The references for an algorithm; none for most, since most are in several libraries."""
    return [reference for reference in _references() if reference.description.algorithm == algorithm]


@cache
def _references() -> tuple[Implementation, ...]:
    rows: list[Implementation] = [
        Reference("ghash", "mac", 16, 0, 16, lambda k, _n, d, _a: ghash(k, d)),
        Reference("xor", "cipher", 32, 0, 0, lambda k, _n, d, _a: xor(k, d), lambda k, _n, d, _a: xor(k, d)),
        Reference("crc-32c", "hash", 0, 0, 4, lambda _k, _n, d, _a: crc_32c(d)),
        Reference("delay", "aead", 0, 12, 16, lambda _k, _n, d, _a: d + bytes(16), _open_delay),
        Reference("memcpy", "cipher", 0, 0, 0, lambda _k, _n, d, _a: d, lambda _k, _n, d, _a: d),
    ]
    for rounds in (8, 12):
        stream = partial(_reduced_salsa20, rounds)
        rows.append(Reference(f"salsa20-{rounds}", "cipher", 32, 8, 0, stream, stream))
    rows.append(_generator("hc-128", hc_128))
    if find_spec("nacl"):
        rows.append(_generator("aegis-128l-stream", aegis_128l_stream))
    if find_spec("blake3"):
        rows.append(_generator("blake3-xof", blake3_xof))
    if all(find_spec(package) for package in ("blake3", "cryptography")):
        rows.append(Reference("aes-256-ctr+blake3", "aead", 32, 12, _TAG, aes_256_ctr_blake3, _open_aes_256_ctr_blake3))
    if find_spec("Crypto"):
        rows += [Reference(f"aes-{bits}-gmac", "mac", bits // 8, 12, 16, _gmac) for bits in (128, 192, 256)]
    return tuple(rows)
