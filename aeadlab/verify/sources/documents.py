"""Vectors of RFCs, standards and authors, from the PyPI package cryptography-vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain

from aeadlab.verify.sources.files import field_bytes, fields_bytes, labelled_records, text, three_keys
from aeadlab.verify.vectors import Answer, Vector

_PACKAGE = "cryptography_vectors"
_AEAD_FIELDS = ("iv", "aad", "plaintext", "ciphertext")


def _aead(source: str, path: str, key_bytes: int, fields: tuple[str, ...] = _AEAD_FIELDS) -> Iterator[Vector]:
    """Read records with the fields nonce, aad, message and ciphertext; the tag is a field or ends the ciphertext."""
    for record, label in labelled_records(_PACKAGE, path):
        key, nonce, aad, message, ciphertext, tag = fields_bytes(record, "key", *fields, "tag")
        output = ciphertext + tag
        if len(key) == key_bytes:
            valid = "result" not in record
            yield Vector(source, label, key, nonce, aad, message, output, len(output) - len(message), valid)


def _cipher(source: str, path: str, key_bytes: int) -> Iterator[Vector]:
    """Read records, which may skip keystream: bytes of ``offset``, or 64-byte blocks of ``initial_block_counter``."""
    for record, label in labelled_records(_PACKAGE, path):
        key, nonce = field_bytes(record, "key"), field_bytes(record, "iv") or field_bytes(record, "nonce")
        message, output = fields_bytes(record, "plaintext", "ciphertext")
        offset = int(record.get("offset", "0")) + 64 * int(record.get("initial_block_counter", "0"))
        if len(key) == key_bytes:
            yield Vector(source, label, key, nonce, b"", message, output, offset=offset)


def _camellia(source: str, path: str) -> Iterator[Vector]:
    """Read the format of NTT: lines of ``K No.001 : 00 11 ...``, then P and C."""
    latest: dict[str, tuple[str, bytes]] = {}
    for line in text(_PACKAGE, path).splitlines():
        name, colon, value = line.partition(":")
        if colon and name[:1] in "KPC" and name[1:5] == " No.":
            latest[name[0]] = name.strip(), bytes.fromhex(value)
            if name[0] == "C":
                (key_name, key), (_, message), (output_name, output) = (latest[field] for field in "KPC")
                yield Vector(source, f"{key_name} {output_name}", key, b"", b"", message, output)


def _digest(source: str, path: str, block: int = 0) -> Iterator[Vector]:
    """Read hashes, or HMACs if the block length of the hash is given."""
    for record, label in labelled_records(_PACKAGE, path, "len"):
        message, digest = field_bytes(record, "msg")[: int(record["len"]) // 8], field_bytes(record, "md")
        key = field_bytes(record, "key")
        yield Vector(source, label, key, b"", b"", message, digest, len(digest), key_grows_to=block)


def _mac(source: str, path: str, message: str, tag: str) -> Iterator[Vector]:
    for record, label in labelled_records(_PACKAGE, path):
        key = three_keys(record)
        digest = field_bytes(record, tag)
        yield Vector(source, label, key, b"", b"", field_bytes(record, message), digest, len(digest))


def _rows() -> Iterator[tuple[str, Iterable[Callable[[], Iterator[Answer]]]]]:
    """Iterate over the algorithms with their readers, which open no file until they are called."""
    for bits, source, file in (
        (128, "RFC 8452", "openssl"),
        (192, "OpenSSL", "aes-192-gcm-siv"),
        (256, "RFC 8452", "openssl"),
    ):
        yield f"aes-{bits}-gcm-siv", [partial(_aead, source, f"ciphers/AES/GCM-SIV/{file}.txt", bits // 8)]
    names = ("nonce", *_AEAD_FIELDS[1:])
    ocb = [("RFC 7253", "rfc7253"), ("OpenSSL", "openssl")]
    ocb += [("RFC 7253 variants", f"test-vector-1-nonce{bits}") for bits in (104, 112, 120)]
    yield ("aes-128-ocb", [partial(_aead, source, f"ciphers/AES/OCB3/{file}.txt", 16, names) for source, file in ocb])
    yield "sm4-gcm", [partial(_aead, "RFC 8998", "ciphers/SM4/rfc8998.txt", 16)]
    fields = ("nonce", "ad", "in", "ct")
    yield (
        "chacha20-poly1305",
        [
            partial(_aead, "OpenSSL", "ciphers/ChaCha20Poly1305/openssl.txt", 32),
            partial(_aead, "BoringSSL", "ciphers/ChaCha20Poly1305/boringssl.txt", 32, fields),
        ],
    )
    for bits in (128, 192, 256):
        key_bytes = bits // 8
        yield f"aes-{bits}-ctr", [partial(_cipher, "RFC 3686", f"ciphers/AES/CTR/aes-{bits}-ctr.txt", key_bytes)]
        yield f"camellia-{bits}-ecb", [partial(_camellia, "NTT", f"ciphers/Camellia/camellia-{bits}-ecb.txt")]
        for mode in ("cbc", "cfb", "ofb"):
            camellia = partial(_cipher, "OpenSSL", f"ciphers/Camellia/camellia-{mode}.txt", key_bytes)
            yield f"camellia-{bits}-{mode}", [camellia]
        cmac = partial(_mac, "NIST SP 800-38B", f"CMAC/nist-800-38b-aes{bits}.txt", "message", "output")
        yield f"aes-{bits}-cmac", [cmac]
    for mode in ("ecb", "cbc", "cfb", "ctr", "ofb"):
        sm4 = partial(_cipher, "draft-ribose-cfrg-sm4-10", f"ciphers/SM4/draft-ribose-cfrg-sm4-10-{mode}.txt", 16)
        yield f"sm4-{mode}", [sm4]
    yield "chacha20", [partial(_cipher, "RFC 7539", "ciphers/ChaCha20/rfc7539.txt", 32)]
    yield "rc4", [partial(_cipher, "RFC 6229", "ciphers/ARC4/rfc-6229-128.txt", 16)]
    yield "poly1305", [partial(_mac, "RFC 7539", "poly1305/rfc7539.txt", "msg", "tag")]
    yield "3des-cmac", [partial(_mac, "NIST SP 800-38B", "CMAC/nist-800-38b-3des.txt", "message", "output")]
    for name, source, path in (
        ("md5", "RFC 1321", "hashes/MD5/rfc-1321.txt"),
        ("ripemd-160", "RIPEMD-160 authors", "hashes/ripemd160/ripevectors.txt"),
        ("sm3", "OSCCA", "hashes/SM3/oscca.txt"),
        ("blake2b-512", "pyca", "hashes/blake2/blake2b.txt"),
        ("blake2s-256", "pyca", "hashes/blake2/blake2s.txt"),
    ):
        yield name, [partial(_digest, source, path)]
    for name, source, file, block in (
        ("md5", "RFC 2202", "rfc-2202-md5", 64),
        ("sha-1", "RFC 2202", "rfc-2202-sha1", 64),
        ("ripemd-160", "RFC 2286", "rfc-2286-ripemd160", 64),
        ("sha-224", "RFC 4231", "rfc-4231-sha224", 64),
        ("sha-256", "RFC 4231", "rfc-4231-sha256", 64),
        ("sha-384", "RFC 4231", "rfc-4231-sha384", 128),
        ("sha-512", "RFC 4231", "rfc-4231-sha512", 128),
    ):
        yield f"hmac-{name}", [partial(_digest, source, f"HMAC/{file}.txt", block)]


def _read_all(readers: Iterable[Callable[[], Iterator[Answer]]]) -> Iterator[Answer]:
    return chain.from_iterable(reader() for reader in readers)


TABLE = {algorithm: partial(_read_all, readers) for algorithm, readers in _rows()}
