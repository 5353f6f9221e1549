"""PyCryptodome: portable C, with AES-NI and carry-less multiplication if the CPU has them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from typing import Any

from aeadlab.catalogue.adapters import base
from aeadlab.catalogue.adapters.base import (
    HISTORICAL,
    NO_FLAGS,
    ONCE,
    REUSED,
    Bind,
    Call,
    Row,
    copy_and_update,
    reused_memory,
)
from aeadlab.catalogue.implementation import Buffer, Implementation

LIBRARY = "pycryptodome"
FEATURE_SWITCH = "none: AES-NI is an argument of each call (use_aesni), which its users do not give"
TAG = 16

_DIGESTS = (
    ("md5", "MD5", 16),
    ("sha-1", "SHA1", 20),
    ("ripemd-160", "RIPEMD160", 20),
    ("sha-224", "SHA224", 28),
    ("sha-256", "SHA256", 32),
    ("sha-384", "SHA384", 48),
    ("sha-512", "SHA512", 64),
    ("sha-512-224", "SHA512/224", 28),
    ("sha-512-256", "SHA512/256", 32),
    ("sha3-224", "SHA3_224", 28),
    ("sha3-256", "SHA3_256", 32),
    ("sha3-384", "SHA3_384", 48),
    ("sha3-512", "SHA3_512", 64),
)
"""Algorithm, its module (with the length of a truncated digest in bits), and digest length in bytes."""
_NOT_IN_HMAC = ("sha-512-224", "sha-512-256", "sha3-224", "sha3-384")


def implementations() -> Sequence[Implementation]:
    """Return the implementations of this library."""
    import Crypto

    rows = (*_aeads(), *_ciphers(), *_hashes(), *_macs())
    return base.adapters(LIBRARY, Crypto.__version__, rows, rejections=(ValueError,), feature_switch=FEATURE_SWITCH)


def _aeads() -> Iterator[Row]:
    from Crypto.Cipher import AES, ChaCha20_Poly1305

    for bits in (128, 192, 256):
        for name, mode, nonce, nonces, flags, limit in (
            ("gcm", AES.MODE_GCM, 12, range(1, 1 << 20), base.ANY_NONCE, base.MAX_GCM),
            ("ccm", AES.MODE_CCM, 12, None, NO_FLAGS, base.MAX_CCM),
            ("eax", AES.MODE_EAX, 16, range(1, 1 << 20), base.ANY_NONCE, 0),
            ("ocb", AES.MODE_OCB, 12, None, NO_FLAGS, 0),
        ):
            bind = _aead(partial(AES.new, mode=mode))
            limited = partial(Row, nonces=nonces, flags=flags, models=ONCE, max_bytes=limit)
            yield limited(f"aes-{bits}-{name}", "aead", bind, bits // 8, nonce, TAG)
            if name == "gcm":
                into = _aead_into(partial(AES.new, mode=mode))
                yield limited(f"aes-{bits}-{name}{REUSED}", "aead", into, bits // 8, nonce, TAG)
        # SIV distinguishes an empty string of associated data from none (RFC 5297, section 2.4).
        siv = _aead(partial(AES.new, mode=AES.MODE_SIV), omits_empty_aad=False)
        yield Row(f"aes-{bits}-siv", "aead", siv, bits // 4, 16, TAG, models=ONCE)
    for name, nonce in (("chacha20-poly1305", 12), ("xchacha20-poly1305", 24)):
        limit = base.MAX_CHACHA20 - 64
        chacha = partial(Row, kind="aead", key=32, nonce=nonce, tag=TAG, models=ONCE, max_bytes=limit)
        yield chacha(name, bind=_aead(ChaCha20_Poly1305.new))
        yield chacha(f"{name}{REUSED}", bind=_aead_into(ChaCha20_Poly1305.new))


def _ciphers() -> Iterator[Row]:
    from Crypto.Cipher import AES, ARC4, DES, DES3, ChaCha20, Salsa20

    blocks: tuple[tuple[str, Callable[..., Any], int, int, frozenset[str]], ...] = (
        *((f"aes-{bits}", AES.new, bits // 8, 16, NO_FLAGS) for bits in (128, 192, 256)),
        ("3des", DES3.new, 24, 8, HISTORICAL),
        ("des", DES.new, 8, 8, HISTORICAL),
    )
    for name, new, key, block, flags in blocks:
        counter = partial(new, mode=AES.MODE_CTR, nonce=b"")
        yield Row(f"{name}-ctr", "cipher", _cipher(counter, "initial_value"), key, block, models=ONCE, flags=flags)
        chaining = _cipher(partial(new, mode=AES.MODE_CBC), "iv")
        yield Row(f"{name}-cbc", "cipher", chaining, key, block, block=block, models=ONCE, flags=flags)
        codebook = _cipher(partial(new, mode=AES.MODE_ECB))
        yield Row(f"{name}-ecb", "cipher", codebook, key, block=block, flags=flags)
        cfb = _cipher(partial(new, mode=AES.MODE_CFB, segment_size=8 * block), "iv")
        yield Row(f"{name}-cfb", "cipher", cfb, key, block, models=ONCE, flags=flags)
        ofb = _cipher(partial(new, mode=AES.MODE_OFB), "iv")
        yield Row(f"{name}-ofb", "cipher", ofb, key, block, models=ONCE, flags=flags)
    for name, new, nonce, limit in (
        ("chacha20", ChaCha20.new, 12, base.MAX_CHACHA20),
        ("xchacha20", ChaCha20.new, 24, base.MAX_CHACHA20),
        ("salsa20", Salsa20.new, 8, 0),
    ):
        yield Row(name, "cipher", _cipher(new, "nonce"), 32, nonce, models=ONCE, max_bytes=limit)
    yield Row("rc4", "cipher", _cipher(ARC4.new), 16, models=ONCE, flags=HISTORICAL)


def _new(module: str) -> Callable[..., Any]:
    name, _, truncate = module.partition("/")
    new: Callable[..., Any] = import_module(f"Crypto.Hash.{name}").new
    return partial(new, truncate=truncate) if truncate else new


def _hashes() -> Iterator[Row]:
    from Crypto.Hash import SHAKE128, SHAKE256, BLAKE2b, BLAKE2s, KangarooTwelve, keccak

    hashes: tuple[tuple[str, Callable[..., Any], int], ...] = (
        *((name, _new(module), size) for name, module, size in _DIGESTS),
        ("keccak-256", partial(keccak.new, digest_bits=256), 32),
        ("blake2b-256", partial(BLAKE2b.new, digest_bytes=32), 32),
        ("blake2b-512", partial(BLAKE2b.new, digest_bytes=64), 64),
        ("blake2s-256", partial(BLAKE2s.new, digest_bytes=32), 32),
    )
    for name, new, size in hashes:
        flags = HISTORICAL if name in base.BROKEN_HASHES else NO_FLAGS
        yield Row(name, "hash", _hash(new), tag=size, flags=flags)
    yield Row("shake-128", "hash", _xof(SHAKE128.new, 32), tag=32)
    yield Row("shake-256", "hash", _xof(SHAKE256.new, 64), tag=64)
    yield Row("k12", "hash", _xof(KangarooTwelve.new, 32), tag=32)


def _macs() -> Iterator[Row]:
    from Crypto.Cipher import AES, DES3
    from Crypto.Hash import CMAC, HMAC, KMAC128, KMAC256, BLAKE2b, BLAKE2s

    for name, module, size in _DIGESTS:
        if name not in _NOT_IN_HMAC:
            yield Row(
                f"hmac-{name}",
                "mac",
                _mac(partial(HMAC.new, digestmod=import_module(f"Crypto.Hash.{module}"))),
                size,
                tag=size,
            )
    for bits in (128, 192, 256):
        yield Row(f"aes-{bits}-cmac", "mac", _mac(partial(CMAC.new, ciphermod=AES)), bits // 8, tag=TAG)
    yield Row("3des-cmac", "mac", _mac(partial(CMAC.new, ciphermod=DES3)), 24, tag=8, flags=HISTORICAL)
    for name, keyed, size in (
        ("blake2b-keyed", partial(BLAKE2b.new, digest_bytes=64), 64),
        ("blake2s-keyed", partial(BLAKE2s.new, digest_bytes=32), 32),
        ("kmac-128", partial(KMAC128.new, mac_len=32), 32),
        ("kmac-256", partial(KMAC256.new, mac_len=64), 64),
    ):
        yield Row(name, "mac", _keyed_hash(keyed), 32, tag=size, models=ONCE)


def _aead(new: Callable[..., Any], omits_empty_aad: bool = True) -> Bind:
    def bind(op: str, model: str, key: Buffer, nonce: Buffer, data: Buffer, aad: Buffer) -> Call:
        if op == "open":
            view = memoryview(data)
            ciphertext, tag = view[:-TAG], view[-TAG:]

        def call() -> object:
            cipher = new(key=key, nonce=nonce)
            if aad or not omits_empty_aad:
                cipher.update(aad)
            return cipher.encrypt_and_digest(data) if op == "seal" else cipher.decrypt_and_verify(ciphertext, tag)

        return call

    return bind


def _aead_into(new: Callable[..., Any]) -> Bind:
    """Bind an AEAD whose methods write to reused memory; `encrypt_and_digest` does the same in some modes only."""

    def bind(op: str, model: str, key: Buffer, nonce: Buffer, data: Buffer, aad: Buffer) -> Call:
        view = memoryview(data)
        output = reused_memory(len(view) - TAG * (op == "open"))

        def seal() -> object:
            cipher = new(key=key, nonce=nonce)
            if aad:
                cipher.update(aad)
            cipher.encrypt(data, output=output)
            return output, cipher.digest()

        def open_() -> object:
            cipher = new(key=key, nonce=nonce)
            if aad:
                cipher.update(aad)
            cipher.decrypt(view[:-TAG], output=output)
            cipher.verify(view[-TAG:])
            return output

        return seal if op == "seal" else open_

    return bind


def _cipher(new: Callable[..., Any], nonce_argument: str = "") -> Bind:
    """Bind a cipher whose `new` accepts the nonce under this name; without a nonce its objects are reusable."""

    def bind(op: str, model: str, key: Buffer, nonce: Buffer, data: Buffer, aad: Buffer) -> Call:
        arguments = {"key": key, nonce_argument: nonce} if nonce_argument else {"key": key}
        if model == "keyed":
            cipher = new(**arguments)
            return partial(cipher.encrypt if op == "encrypt" else cipher.decrypt, data)
        if op == "encrypt":
            return lambda: new(**arguments).encrypt(data)
        return lambda: new(**arguments).decrypt(data)

    return bind


def _hash(new: Callable[..., Any]) -> Bind:
    return lambda op, model, key, nonce, data, aad: lambda: new(data=data).digest()


def _xof(new: Callable[..., Any], size: int) -> Bind:
    return lambda op, model, key, nonce, data, aad: lambda: new(data=data).read(size)


def _mac(new: Callable[..., Any]) -> Bind:
    def bind(op: str, model: str, key: Buffer, nonce: Buffer, data: Buffer, aad: Buffer) -> Call:
        if model == "oneshot":
            return lambda: new(key, msg=data).digest()
        return copy_and_update(new(key), data)

    return bind


def _keyed_hash(new: Callable[..., Any]) -> Bind:
    """Bind a MAC whose objects cannot be copied."""
    return lambda op, model, key, nonce, data, aad: lambda: new(key=key, data=data).digest()
