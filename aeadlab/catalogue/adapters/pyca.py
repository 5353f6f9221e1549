"""pyca/cryptography, on the OpenSSL that it was built with; a wheel bundles one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from aeadlab.catalogue.adapters.base import Bind, Call, Row, adapters
from aeadlab.catalogue.implementation import Buffer, Implementation

LIBRARY = "pyca"
ANY_NONCE = frozenset({"any-nonce-length"})


def implementations() -> Sequence[Implementation]:
    """Everything measured from this library.

    Raises
    ------
    ImportError
        If cryptography is not installed.
    """
    import cryptography
    from cryptography.exceptions import InvalidTag, UnsupportedAlgorithm
    from cryptography.hazmat.backends.openssl import backend

    def supported(row: Row) -> bool:
        # What is there depends on how OpenSSL was built: OCB, GCM-SIV, SM3, SM4 and MD5 may be missing.
        op = {"aead": "seal", "cipher": "encrypt"}.get(row.kind, "digest")
        # XTS refuses a key with two equal halves.
        key = bytes(range(row.key))
        try:
            row.bind(op, row.models[0], key, bytes(row.nonce), bytes(row.block * max(1, row.least)), b"")()
        except UnsupportedAlgorithm:
            return False
        return True

    rows = [row for row in (*_aeads(), *_ciphers(), *_hashes(), *_macs()) if supported(row)]
    build = backend.openssl_version_text()
    return adapters(LIBRARY, cryptography.__version__, rows, build=build, rejections=(InvalidTag,))


def _aeads() -> Iterator[Row]:
    from cryptography.hazmat.primitives.ciphers.aead import AESCCM, AESGCM, AESGCMSIV, AESOCB3, ChaCha20Poly1305

    for bits in (128, 192, 256):
        yield Row(f"aes-{bits}-gcm", "aead", _aead(AESGCM), bits // 8, 12, 16, nonces=range(8, 129), flags=ANY_NONCE)
        yield Row(f"aes-{bits}-ccm", "aead", _aead(AESCCM), bits // 8, 12, 16, nonces=range(7, 14))
        yield Row(f"aes-{bits}-ocb", "aead", _aead(AESOCB3), bits // 8, 12, 16, nonces=range(12, 16))
        yield Row(f"aes-{bits}-gcm-siv", "aead", _aead(AESGCMSIV), bits // 8, 12, 16)
    yield Row("chacha20-poly1305", "aead", _aead(ChaCha20Poly1305), 32, 12, 16)


def _ciphers() -> Iterator[Row]:
    from cryptography.hazmat.primitives.ciphers.algorithms import AES, SM4, ChaCha20
    from cryptography.hazmat.primitives.ciphers.modes import CBC, CTR, ECB, XTS

    blocks: tuple[tuple[str, Any, int], ...] = (
        ("aes-128", AES, 128),
        ("aes-192", AES, 192),
        ("aes-256", AES, 256),
        ("sm4", SM4, 128),
    )
    for name, algorithm, bits in blocks:
        yield Row(f"{name}-ctr", "cipher", _cipher(algorithm, CTR, "reset"), bits // 8, 16)
        yield Row(f"{name}-cbc", "cipher", _cipher(algorithm, CBC), bits // 8, 16, block=16, models=("oneshot",))
        yield Row(f"{name}-ecb", "cipher", _cipher(algorithm, lambda _: ECB(), "stateless"), bits // 8, block=16)
    for bits in (128, 256):
        yield Row(f"aes-{bits}-xts", "cipher", _cipher(AES, XTS), bits // 4, 16, least=16, models=("oneshot",))
    yield Row("chacha20", "cipher", _chacha20(ChaCha20), 32, 12)


def _hashes() -> Iterator[Row]:
    from cryptography.hazmat.primitives import hashes

    for name, algorithm in (
        ("md5", hashes.MD5()),
        ("sha-1", hashes.SHA1()),
        ("sha-224", hashes.SHA224()),
        ("sha-256", hashes.SHA256()),
        ("sha-384", hashes.SHA384()),
        ("sha-512", hashes.SHA512()),
        ("sha-512-256", hashes.SHA512_256()),
        ("sha3-256", hashes.SHA3_256()),
        ("sha3-384", hashes.SHA3_384()),
        ("sha3-512", hashes.SHA3_512()),
        ("shake-128", hashes.SHAKE128(32)),
        ("shake-256", hashes.SHAKE256(64)),
        ("blake2b-512", hashes.BLAKE2b(64)),
        ("blake2s-256", hashes.BLAKE2s(32)),
        ("sm3", hashes.SM3()),
    ):
        yield Row(name, "hash", _hash(hashes.Hash, algorithm), tag=algorithm.digest_size)


def _macs() -> Iterator[Row]:
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.ciphers.algorithms import AES
    from cryptography.hazmat.primitives.cmac import CMAC
    from cryptography.hazmat.primitives.hmac import HMAC
    from cryptography.hazmat.primitives.poly1305 import Poly1305

    for name, algorithm in (("sha-256", hashes.SHA256()), ("sha-512", hashes.SHA512())):
        size = algorithm.digest_size
        yield Row(f"hmac-{name}", "mac", _mac(partial(_swapped, HMAC, algorithm)), size, tag=size)
    for bits in (128, 256):
        yield Row(f"aes-{bits}-cmac", "mac", _mac(lambda key: CMAC(AES(key))), bits // 8, tag=16)
    yield Row("poly1305", "mac", _poly1305(Poly1305), 32, tag=16, models=("oneshot",))


def _aead(new: Callable[[Buffer], Any]) -> Bind:
    def bind(op: str, model: str, key: Buffer, nonce: Buffer, data: Buffer, aad: Buffer) -> Call:
        if model == "keyed":
            aead = new(key)
            return partial(aead.encrypt if op == "seal" else aead.decrypt, nonce, data, aad)
        if op == "seal":
            return lambda: new(key).encrypt(nonce, data, aad)
        return lambda: new(key).decrypt(nonce, data, aad)

    return bind


def _cipher(algorithm: Callable[[Buffer], Any], mode: Callable[[Buffer], Any], reuse: str = "") -> Bind:
    """A block cipher in a mode; `reuse` says how a context takes another message: ``reset``, ``stateless``, or not."""
    from cryptography.hazmat.primitives.ciphers import Cipher

    def bind(op: str, model: str, key: Buffer, nonce: Buffer, data: Buffer, _: Buffer) -> Call:
        def oneshot() -> bytes:
            cipher = Cipher(algorithm(key), mode(nonce))
            context = cipher.encryptor() if op == "encrypt" else cipher.decryptor()
            return context.update(data) + context.finalize()

        if model == "oneshot":
            return oneshot
        cipher = Cipher(algorithm(key), mode(nonce))
        context: Any = cipher.encryptor() if op == "encrypt" else cipher.decryptor()
        return partial(context.update, data) if reuse == "stateless" else partial(_again, context, nonce, data)

    return bind


def _chacha20(algorithm: Callable[[Buffer, Buffer], Any]) -> Bind:
    """The library's 16-byte nonce is the little-endian block counter, here 0, and the 12 bytes of RFC 8439."""
    from cryptography.hazmat.primitives.ciphers import Cipher

    def bind(op: str, model: str, key: Buffer, nonce: Buffer, data: Buffer, _: Buffer) -> Call:
        start = bytes(4) + nonce
        if model == "oneshot":
            return lambda: Cipher(algorithm(key, start), None).encryptor().update(data)
        return partial(_again, Cipher(algorithm(key, start), None).encryptor(), start, data)

    return bind


def _again(context: Any, nonce: Buffer, data: Buffer) -> object:
    context.reset_nonce(nonce)
    return context.update(data)


def _hash(new: Callable[[Any], Any], algorithm: Any) -> Bind:
    def bind(op: str, model: str, key: Buffer, nonce: Buffer, data: Buffer, aad: Buffer) -> Call:
        def call() -> object:
            context = new(algorithm)
            context.update(data)
            return context.finalize()

        return call

    return bind


def _mac(new: Callable[[Buffer], Any]) -> Bind:
    def bind(op: str, model: str, key: Buffer, nonce: Buffer, data: Buffer, aad: Buffer) -> Call:
        make = partial(new, key) if model == "oneshot" else new(key).copy

        def call() -> object:
            context = make()
            context.update(data)
            return context.finalize()

        return call

    return bind


def _poly1305(algorithm: Any) -> Bind:
    return lambda op, model, key, nonce, data, aad: lambda: algorithm.generate_tag(key, data)


def _swapped(new: Callable[[Any, Any], Any], second: Any, first: Any) -> Any:
    return new(first, second)
