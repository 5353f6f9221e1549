"""pyca/cryptography, on the OpenSSL that its wheel bundles or that it is built with."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from typing import Any

from aeadlab.catalogue.adapters import base
from aeadlab.catalogue.adapters.base import (
    ANY_NONCE,
    HISTORICAL,
    MAX_CCM,
    MAX_CHACHA20,
    MAX_GCM,
    NO_FLAGS,
    ONCE,
    REUSED,
    Bind,
    Call,
    Into,
    Row,
    reused_memory,
)
from aeadlab.catalogue.implementation import Buffer, Implementation

LIBRARY = "pyca"
FEATURE_SWITCH = "OPENSSL_ia32cap:5"
TAG = 16
MAX_AEAD = 2**31 - 1
"""Longest message and associated data of the AEAD classes, which pass lengths to OpenSSL as int."""
_CONTEXTS = {"seal": "Encryptor", "open": "Decryptor"}
MAX_XTS = 2**24
"""Longest data unit that OpenSSL accepts (IEEE 1619)."""


def implementations() -> Sequence[Implementation]:
    """Return the implementations of this library."""
    import cryptography
    from cryptography.exceptions import InvalidTag, UnsupportedAlgorithm
    from cryptography.hazmat.backends.openssl import backend

    # Builds of OpenSSL may lack OCB, GCM-SIV, SM3, SM4 or MD5.
    rows = base.available((*_aeads(), *_ciphers(), *_hashes(), *_macs(), *_files()), UnsupportedAlgorithm)
    build = backend.openssl_version_text()
    return base.adapters(
        LIBRARY, cryptography.__version__, rows, build=build, rejections=(InvalidTag,), feature_switch=FEATURE_SWITCH
    )


def _decrepit(kind: str, name: str) -> Any:
    """Return an algorithm or a mode that newer versions moved to another module."""
    for package in ("decrepit", "primitives"):
        try:
            return getattr(import_module(f"cryptography.hazmat.{package}.ciphers.{kind}"), name)
        except (ImportError, AttributeError):
            continue
    raise ImportError(f"cryptography has no {name} in its {kind}")


def _aeads() -> Iterator[Row]:
    from cryptography.hazmat.primitives.ciphers import aead
    from cryptography.hazmat.primitives.ciphers.algorithms import SM4

    limited = partial(Row, tag=TAG, max_bytes=MAX_AEAD, max_aad=MAX_AEAD)
    for bits in (128, 192, 256):
        size = bits // 8
        yield limited(f"aes-{bits}-gcm", "aead", _aead(aead.AESGCM), size, 12, nonces=range(8, 129), flags=ANY_NONCE)
        ccm = _aead(aead.AESCCM)
        yield limited(f"aes-{bits}-ccm", "aead", ccm, size, 12, max_bytes=MAX_CCM)
        yield limited(f"aes-{bits}-ocb", "aead", _aead(aead.AESOCB3), size, 12)
        yield limited(f"aes-{bits}-gcm-siv", "aead", _aead(aead.AESGCMSIV), size, 12)
        yield limited(f"aes-{bits}-siv", "aead", _siv(aead.AESSIV), 2 * size, 16)
    for name, new, size in (
        ("aes-128-gcm", aead.AESGCM, 16),
        ("aes-256-gcm", aead.AESGCM, 32),
        ("chacha20-poly1305", aead.ChaCha20Poly1305, 32),
    ):
        # From version 47 on.
        if hasattr(new, "encrypt_into"):
            nonces, flags = (range(8, 129), ANY_NONCE) if new is aead.AESGCM else (None, NO_FLAGS)
            yield limited(f"{name}{REUSED}", "aead", _aead_into(new), size, 12, nonces=nonces, flags=flags)
    yield Row("sm4-gcm", "aead", _gcm(SM4), 16, 12, TAG, models=ONCE, max_bytes=MAX_GCM)
    yield limited("chacha20-poly1305", "aead", _aead(aead.ChaCha20Poly1305), 32, 12)


def _block_ciphers() -> Iterator[tuple[str, Any, int, int, frozenset[str]]]:
    """Iterate over names, classes, key and block lengths in bytes, and flags."""
    from cryptography.hazmat.primitives.ciphers.algorithms import AES, SM4

    for name, algorithm in (("aes", AES), ("camellia", _decrepit("algorithms", "Camellia"))):
        for bits in (128, 192, 256):
            yield f"{name}-{bits}", algorithm, bits // 8, 16, NO_FLAGS
    yield "sm4", SM4, 16, 16, NO_FLAGS
    yield "3des", _decrepit("algorithms", "TripleDES"), 24, 8, HISTORICAL


def _ciphers() -> Iterator[Row]:
    from cryptography.hazmat.primitives.ciphers.algorithms import AES, ChaCha20
    from cryptography.hazmat.primitives.ciphers.modes import CBC, CTR, ECB, XTS

    feedback = [(mode.lower(), _decrepit("modes", mode)) for mode in ("CFB", "OFB")]
    for name, algorithm, key, block, flags in _block_ciphers():
        yield Row(f"{name}-ctr", "cipher", _cipher(algorithm, CTR, "reset"), key, block, flags=flags)
        yield Row(f"{name}-cbc", "cipher", _cipher(algorithm, CBC), key, block, block=block, models=ONCE, flags=flags)
        codebook = _cipher(algorithm, lambda _: ECB(), "stateless")
        yield Row(f"{name}-ecb", "cipher", codebook, key, block=block, flags=flags)
        for mode, make in feedback:
            yield Row(f"{name}-{mode}", "cipher", _cipher(algorithm, make), key, block, models=ONCE, flags=flags)
    for bits in (128, 256):
        xts = partial(Row, min_bytes=16, max_bytes=MAX_XTS, models=ONCE)
        yield xts(f"aes-{bits}-xts", "cipher", _cipher(AES, XTS), bits // 4, 16)
    yield Row("chacha20", "cipher", _chacha20(ChaCha20), 32, 12, max_bytes=MAX_CHACHA20)
    rc4 = _cipher(_decrepit("algorithms", "ARC4"), lambda _: None)
    yield Row("rc4", "cipher", rc4, 16, models=ONCE, flags=HISTORICAL)


def _digests() -> tuple[tuple[str, Any], ...]:
    """Return the hashes of a fixed length, some of which HMAC uses."""
    from cryptography.hazmat.primitives import hashes

    return (
        ("md5", hashes.MD5()),
        ("sha-1", hashes.SHA1()),
        ("sha-224", hashes.SHA224()),
        ("sha-256", hashes.SHA256()),
        ("sha-384", hashes.SHA384()),
        ("sha-512", hashes.SHA512()),
        ("sha-512-224", hashes.SHA512_224()),
        ("sha-512-256", hashes.SHA512_256()),
        ("sha3-224", hashes.SHA3_224()),
        ("sha3-256", hashes.SHA3_256()),
        ("sha3-384", hashes.SHA3_384()),
        ("sha3-512", hashes.SHA3_512()),
        ("sm3", hashes.SM3()),
    )


def _hashes() -> Iterator[Row]:
    from cryptography.hazmat.primitives import hashes

    for name, algorithm in (
        *_digests(),
        ("shake-128", hashes.SHAKE128(32)),
        ("shake-256", hashes.SHAKE256(64)),
        ("blake2b-512", hashes.BLAKE2b(64)),
        ("blake2s-256", hashes.BLAKE2s(32)),
    ):
        flags = HISTORICAL if name in base.BROKEN_HASHES else NO_FLAGS
        yield Row(name, "hash", _hash(hashes.Hash, algorithm), tag=algorithm.digest_size, flags=flags)


def _macs() -> Iterator[Row]:
    from cryptography.hazmat.primitives.cmac import CMAC
    from cryptography.hazmat.primitives.hmac import HMAC
    from cryptography.hazmat.primitives.poly1305 import Poly1305

    in_hmac = {"md5", "sha-1", "sha-224", "sha-256", "sha-384", "sha-512", "sha3-256", "sha3-512", "sm3"}
    for name, algorithm in _digests():
        if name in in_hmac:
            size = algorithm.digest_size
            yield Row(f"hmac-{name}", "mac", _mac(partial(HMAC, algorithm=algorithm)), size, tag=size)
    for name, cipher, key, tag, flags in _block_ciphers():
        yield Row(f"{name}-cmac", "mac", _mac(partial(_cmac, CMAC, cipher)), key, tag=tag, flags=flags)
    yield Row("poly1305", "mac", _poly1305(Poly1305), 32, tag=16, models=ONCE, flags=frozenset({"universal-hash"}))


def _files() -> Iterator[Row]:
    try:
        from cryptography import cobblestone
    except ImportError:
        # Versions before 50 have no formats of files.
        return
    for bits in (128, 256):
        kinds = {op: getattr(cobblestone, f"Cobblestone{bits}{name}") for op, name in _CONTEXTS.items()}
        yield Row(f"cobblestone-{bits}", "file", _cobblestone(kinds), bits // 8, models=ONCE)


def _aead(new: Callable[[Buffer], Any]) -> Bind:
    def bind(op: str, model: str, key: Buffer, nonce: Buffer, data: Buffer, aad: Buffer) -> Call:
        if model == "keyed":
            aead = new(key)
            return partial(aead.encrypt if op == "seal" else aead.decrypt, nonce, data, aad)
        if op == "seal":
            return lambda: new(key).encrypt(nonce, data, aad)
        return lambda: new(key).decrypt(nonce, data, aad)

    return bind


def _aead_into(new: Callable[[Buffer], Any]) -> Bind:
    def bind(op: str, model: str, key: Buffer, nonce: Buffer, data: Buffer, aad: Buffer) -> Call:
        output = reused_memory(len(data) + (TAG if op == "seal" else -TAG))
        if model == "keyed":
            aead = new(key)
            return Into.of(output, aead.encrypt_into if op == "seal" else aead.decrypt_into, nonce, data, aad)
        if op == "seal":
            return Into.of(output, lambda *arguments: new(key).encrypt_into(*arguments), nonce, data, aad)
        return Into.of(output, lambda *arguments: new(key).decrypt_into(*arguments), nonce, data, aad)

    return bind


def _cobblestone(contexts: dict[str, Callable[[Buffer, Buffer], Any]]) -> Bind:
    def bind(op: str, model: str, key: Buffer, nonce: Buffer, data: Buffer, aad: Buffer) -> Call:
        def call() -> object:
            context = contexts[op](key, aad)
            return context.update(data), context.finalize()

        return call

    return bind


def _siv(new: Callable[[Buffer], Any]) -> Bind:
    """Bind SIV (RFC 5297), which takes the list of associated data and nonce, and returns the tag first."""

    def bind(op: str, model: str, key: Buffer, nonce: Buffer, data: Buffer, aad: Buffer) -> Call:
        strings = [aad, nonce]
        view = memoryview(data)
        sealed = b"".join((view[-TAG:], view[:-TAG])) if op == "open" else b""
        keyed = new(key) if model == "keyed" else None

        def seal() -> object:
            made = memoryview((keyed or new(key)).encrypt(data, strings))
            return made[TAG:], made[:TAG]

        def open_() -> object:
            return (keyed or new(key)).decrypt(sealed, strings)

        return seal if op == "seal" else open_

    return bind


def _gcm(algorithm: Callable[[Any], Any]) -> Bind:
    """Bind GCM of a cipher without an AEAD class."""
    from cryptography.hazmat.primitives.ciphers import Cipher
    from cryptography.hazmat.primitives.ciphers.modes import GCM

    def bind(op: str, model: str, key: Buffer, nonce: Buffer, data: Buffer, aad: Buffer) -> Call:
        view = memoryview(data)

        def seal() -> object:
            context = Cipher(algorithm(key), GCM(nonce)).encryptor()
            context.authenticate_additional_data(aad)
            return context.update(data) + context.finalize(), context.tag

        def open_() -> object:
            context = Cipher(algorithm(key), GCM(nonce, bytes(view[-TAG:]))).decryptor()
            context.authenticate_additional_data(aad)
            return context.update(view[:-TAG]) + context.finalize()

        return seal if op == "seal" else open_

    return bind


def _cipher(algorithm: Callable[[Buffer], Any], mode: Callable[[Buffer], Any], reuse: str = "") -> Bind:
    """Bind a block cipher in a mode.

    Parameters
    ----------
    reuse
        Reuse of a context for another message: ``reset`` of its nonce, ``stateless``, or ``""`` for none.
    """
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
        return (
            partial(context.update, data) if reuse == "stateless" else partial(_reset_and_update, context, nonce, data)
        )

    return bind


def _chacha20(algorithm: Callable[[Buffer, Buffer], Any]) -> Bind:
    """Bind ChaCha20; the library takes the little-endian block counter, here 0, and the nonce of RFC 8439."""
    from cryptography.hazmat.primitives.ciphers import Cipher

    def bind(op: str, model: str, key: Buffer, nonce: Buffer, data: Buffer, _: Buffer) -> Call:
        start = bytes(4) + nonce
        if model == "oneshot":
            return lambda: Cipher(algorithm(key, start), None).encryptor().update(data)
        return partial(_reset_and_update, Cipher(algorithm(key, start), None).encryptor(), start, data)

    return bind


def _reset_and_update(context: Any, nonce: Buffer, data: Buffer) -> object:
    context.reset_nonce(nonce)
    return context.update(data)


def _hash(new: Callable[[Any], Any], algorithm: Any) -> Bind:
    return lambda op, model, key, nonce, data, aad: _update_and_finalize(partial(new, algorithm), data)


def _mac(new: Callable[[Buffer], Any]) -> Bind:
    def bind(op: str, model: str, key: Buffer, nonce: Buffer, data: Buffer, aad: Buffer) -> Call:
        return _update_and_finalize(partial(new, key) if model == "oneshot" else new(key).copy, data)

    return bind


def _update_and_finalize(make: Callable[[], Any], data: Buffer) -> Call:
    def call() -> object:
        context = make()
        context.update(data)
        return context.finalize()

    return call


def _poly1305(algorithm: Any) -> Bind:
    return lambda op, model, key, nonce, data, aad: lambda: algorithm.generate_tag(key, data)


def _cmac(new: Callable[[Any], Any], algorithm: Callable[[Buffer], Any], key: Buffer) -> Any:
    return new(algorithm(key))
