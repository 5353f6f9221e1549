"""Rows of ``computed.csv`` from the definitions of the modes, over ciphers with published vectors."""

from __future__ import annotations

import hashlib
import hmac
import struct
from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import pytest

from aeadlab.catalogue import native
from aeadlab.catalogue.implementation import Implementation
from aeadlab.verify.cases import Case
from aeadlab.verify.sources import computed

Block: TypeAlias = Callable[[bytes], bytes]
Mode: TypeAlias = Callable[[Block, int, Case], bytes]


def xor(left: bytes, right: bytes) -> bytes:
    """Return the XOR of both, in the length of the shorter one."""
    return bytes(a ^ b for a, b in zip(left, right, strict=False))


def split(data: bytes, size: int) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]


def doubled(block: bytes) -> bytes:
    """Return the product with x in GF(2^64) or GF(2^128)."""
    bits, polynomial = 8 * len(block), {8: 0x1B, 16: 0x87}[len(block)]
    number = int.from_bytes(block, "big") << 1
    reduced = number ^ (1 << bits | polynomial) if number >> bits else number
    return reduced.to_bytes(len(block), "big")


def added(block: bytes, number: int) -> bytes:
    modulus: int = 256 ** len(block)
    return ((int.from_bytes(block, "big") + number) % modulus).to_bytes(len(block), "big")


def cbc(encrypt: Block, size: int, case: Case) -> bytes:
    chain, output = case.nonce, b""
    for block in split(case.data, size):
        chain = encrypt(xor(block, chain))
        output += chain
    return output


def ctr(encrypt: Block, size: int, case: Case) -> bytes:
    parts = split(case.data, size)
    return b"".join(xor(part, encrypt(added(case.nonce, number))) for number, part in enumerate(parts))


def cfb(encrypt: Block, size: int, case: Case) -> bytes:
    chain, output = case.nonce, b""
    for part in split(case.data, size):
        chain = xor(part, encrypt(chain))
        output += chain
    return output


def ofb(encrypt: Block, size: int, case: Case) -> bytes:
    stream, output = case.nonce, b""
    for part in split(case.data, size):
        stream = encrypt(stream)
        output += xor(part, stream)
    return output


def omac(encrypt: Block, size: int, data: bytes) -> bytes:
    """CMAC, NIST SP 800-38B section 6.2."""
    key = doubled(encrypt(bytes(size)))
    *blocks, last = split(data, size) or [b""]
    if len(last) < size:
        key, last = doubled(key), last + b"\x80" + bytes(size - len(last) - 1)
    chain = bytes(size)
    for block in blocks:
        chain = encrypt(xor(chain, block))
    return encrypt(xor(xor(chain, last), key))


def cmac(encrypt: Block, size: int, case: Case) -> bytes:
    return omac(encrypt, size, case.data)


def ccm(encrypt: Block, size: int, case: Case) -> bytes:
    """NIST SP 800-38C appendix A, with tags of 16 bytes and lengths in 3."""
    flags = 64 * bool(case.aad) + 8 * 7 + 2
    text = bytes([flags]) + case.nonce + len(case.data).to_bytes(3, "big")
    for part in ((len(case.aad).to_bytes(2, "big") if case.aad else b"") + case.aad, case.data):
        text += part + bytes(-len(part) % size)
    chain = bytes(size)
    for block in split(text, size):
        chain = encrypt(xor(chain, block))
    start = b"\x02" + case.nonce + bytes(3)
    body = ctr(encrypt, size, Case(b"", added(start, 1), b"", case.data))
    return body + xor(chain, encrypt(start))


def eax(encrypt: Block, size: int, case: Case) -> bytes:
    """Bellare, Rogaway, Wagner, "The EAX Mode of Operation", figure 3."""
    nonce, header = (
        omac(encrypt, size, bytes(size - 1) + bytes([number]) + part)
        for number, part in enumerate((case.nonce, case.aad))
    )
    body = ctr(encrypt, size, Case(b"", nonce, b"", case.data))
    return body + xor(xor(nonce, header), omac(encrypt, size, bytes(size - 1) + b"\x02" + body))


def ocb(encrypt: Block, size: int, case: Case) -> bytes:
    """RFC 7253 section 4, with tags of 16 bytes."""
    star = encrypt(bytes(size))
    dollar = doubled(star)
    multiples = [doubled(dollar)]
    while len(multiples) < 12:
        multiples.append(doubled(multiples[-1]))

    def step(number: int) -> bytes:
        return multiples[(number & -number).bit_length() - 1]

    def padded(part: bytes) -> bytes:
        return part + b"\x80" + bytes(size - len(part) - 1)

    total, offset = bytes(size), bytes(size)
    for number, part in enumerate(split(case.aad, size), 1):
        whole = len(part) == size
        offset = xor(offset, step(number) if whole else star)
        total = xor(total, encrypt(xor(part if whole else padded(part), offset)))

    block = bytes(size - len(case.nonce) - 1) + b"\x01" + case.nonce
    bottom = block[-1] & 63
    top = encrypt(block[:-1] + bytes([block[-1] & 192]))
    stretch = int.from_bytes(top + xor(top[:8], top[1:9]), "big")
    offset = (stretch >> 64 - bottom & (1 << 128) - 1).to_bytes(size, "big")
    checksum, output = bytes(size), b""
    for number, part in enumerate(split(case.data, size), 1):
        if len(part) == size:
            offset = xor(offset, step(number))
            checksum = xor(checksum, part)
            output += xor(encrypt(xor(part, offset)), offset)
        else:
            offset = xor(offset, star)
            checksum = xor(checksum, padded(part))
            output += xor(part, encrypt(offset))
    return output + xor(encrypt(xor(xor(checksum, offset), dollar)), total)


MODES: dict[str, Mode] = {
    "cbc": cbc,
    "ctr": ctr,
    "cfb": cfb,
    "ofb": ofb,
    "cmac": cmac,
    "ccm": ccm,
    "eax": eax,
    "ocb": ocb,
}


def rotated_left(word: int, bits: int) -> int:
    return (word << bits | word >> 32 - bits) & 0xFFFFFFFF


def chacha_rounds(state: list[int], rounds: int) -> list[int]:
    x = list(state)
    columns = [[i, i + 4, i + 8, i + 12] for i in range(4)]
    diagonals = [[i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4] for i in range(4)]
    for _ in range(rounds // 2):
        for a, b, c, d in columns + diagonals:
            for target, other, changed, bits in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
                x[target] = (x[target] + x[other]) & 0xFFFFFFFF
                x[changed] = rotated_left(x[changed] ^ x[target], bits)
    return x


def salsa_rounds(state: list[int], rounds: int) -> list[int]:
    x = list(state)
    columns = [[(4 * j + 5 * i) % 16 for j in range(4)] for i in range(4)]
    rows = [[4 * i + (i + j) % 4 for j in range(4)] for i in range(4)]
    for _ in range(rounds // 2):
        for a, b, c, d in columns + rows:
            for target, left, right, bits in ((b, a, d, 7), (c, b, a, 9), (d, c, b, 13), (a, d, c, 18)):
                x[target] ^= rotated_left((x[left] + x[right]) & 0xFFFFFFFF, bits)
    return x


def words(data: bytes) -> list[int]:
    return list(struct.unpack(f"<{len(data) // 4}I", data))


CONSTANTS = words(b"expand 32-byte k")


def chacha(rounds: int, key: bytes, nonce: bytes, length: int) -> bytes:
    """RFC 8439 section 2.4, and draft-irtf-cfrg-xchacha-03 section 2.3 for long nonces."""
    if len(nonce) == 24:
        x = chacha_rounds(CONSTANTS + words(key) + words(nonce[:16]), rounds)
        key, nonce = struct.pack("<8I", *x[:4], *x[12:]), bytes(4) + nonce[16:]
    stream = b""
    for number in range(-(-length // 64)):
        state = CONSTANTS + words(key) + [number] + words(nonce)
        mixed = zip(state, chacha_rounds(state, rounds), strict=True)
        stream += struct.pack("<16I", *((a + b) & 0xFFFFFFFF for a, b in mixed))
    return stream[:length]


def salsa(rounds: int, case: Case) -> bytes:
    """Bernstein, "Salsa20 specification", sections 8 to 10."""
    stream = b""
    for number in range(-(-len(case.data) // 64)):
        key, position = words(case.key), words(case.nonce) + [number, 0]
        state = [*CONSTANTS[:1], *key[:4], *CONSTANTS[1:2], *position, *CONSTANTS[2:3], *key[4:], *CONSTANTS[3:]]
        mixed = zip(state, salsa_rounds(state, rounds), strict=True)
        stream += struct.pack("<16I", *((a + b) & 0xFFFFFFFF for a, b in mixed))
    return xor(case.data, stream)


def hc256(case: Case) -> bytes:
    """Wu, "A New Stream Cipher HC-256", sections 2.2 and 2.3."""
    w = words(case.key + case.nonce)
    for i in range(16, 2560):
        f1 = rotated_left(w[i - 15], 25) ^ rotated_left(w[i - 15], 14) ^ w[i - 15] >> 3
        f2 = rotated_left(w[i - 2], 15) ^ rotated_left(w[i - 2], 13) ^ w[i - 2] >> 10
        w.append((f2 + w[i - 7] + f1 + w[i - 16] + i) & 0xFFFFFFFF)
    tables = w[512:1536], w[1536:]
    stream = b""
    for i in range(4096 + -(-len(case.data) // 4)):
        own, other = tables if i % 2048 < 1024 else tables[::-1]
        j, x, y = i % 1024, own[(i - 3) % 1024], own[(i - 1023) % 1024]
        g = (rotated_left(x, 22) ^ rotated_left(y, 9)) + other[(x ^ y) % 1024]
        own[j] = (own[j] + own[(i - 10) % 1024] + g) & 0xFFFFFFFF
        if i >= 4096:
            parts = struct.pack("<I", own[(i - 12) % 1024])
            h = sum(other[256 * number + part] for number, part in enumerate(parts)) & 0xFFFFFFFF
            stream += struct.pack("<I", h ^ own[j])
    return xor(case.data, stream)


def chacha_poly1305(rounds: int, case: Case) -> bytes:
    """RFC 8439 section 2.8."""
    stream = chacha(rounds, case.key, case.nonce, 64 + len(case.data))
    body = xor(case.data, stream[64:])
    text = b"".join(part + bytes(-len(part) % 16) for part in (case.aad, body))
    text += struct.pack("<QQ", len(case.aad), len(body))
    r = int.from_bytes(stream[:16], "little") & 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF
    state = 0
    for block in split(text, 16):
        state = (state + int.from_bytes(block + b"\x01", "little")) * r % (2**130 - 5)
    return body + ((state + int.from_bytes(stream[16:32], "little")) % 2**128).to_bytes(16, "little")


def _hmac(name: str, case: Case) -> bytes:
    return hmac.digest(case.key, case.data, name)


def _blake2(name: str, size: int, case: Case) -> bytes:
    return getattr(hashlib, name)(case.data, digest_size=size, key=case.key).digest()  # type: ignore[no-any-return]


OTHERS: dict[str, Callable[[Case], bytes]] = {
    **{f"{x}chacha{n}-poly1305": partial(chacha_poly1305, n) for x in ("", "x") for n in (8, 12)},
    **{f"salsa20-{n}": partial(salsa, n) for n in (8, 12)},
    **{f"hmac-sha3-{n}": partial(_hmac, f"sha3_{n}") for n in (224, 256, 384, 512)},
    **{f"hmac-sha-512-{n}": partial(_hmac, f"sha512_{n}") for n in (224, 256)},
    "hc-256": hc256,
    "hmac-sm3": partial(_hmac, "sm3"),
    "blake2b-256": partial(_blake2, "blake2b", 32),
    "blake2b-keyed": partial(_blake2, "blake2b", 64),
    "blake2s-keyed": partial(_blake2, "blake2s", 32),
}


@pytest.fixture(scope="module")
def linked() -> dict[str, Implementation]:
    return {i.description.algorithm: i for i in native.linked() if i.description.library == "rustcrypto"}


@pytest.mark.parametrize("row", computed.rows(), ids=lambda row: row["algorithm"])
def test_digest_equals_that_of_the_definition(row: dict[str, str], linked: dict[str, Implementation]) -> None:
    algorithm = row["algorithm"]
    digest = hashlib.sha256()
    for case in computed.cases(linked[algorithm].description):
        if algorithm in OTHERS:
            answer = OTHERS[algorithm](case)
        else:
            cipher, _, mode = algorithm.rpartition("-")
            codebook = linked[f"{cipher}-ecb"]
            encrypt = partial(codebook.encrypt, case.key, b"")
            answer = MODES[mode](encrypt, codebook.description.block_bytes, case)
        digest.update(answer)
    assert digest.hexdigest() == row["sha_256"]
