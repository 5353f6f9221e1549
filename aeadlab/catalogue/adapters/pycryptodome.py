"""PyCryptodome: portable C with AES-NI and carry-less multiplication where the CPU has them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from aeadlab.catalogue.adapters.base import Bind, Call, Model, Row, adapters
from aeadlab.catalogue.implementation import Buffer, Implementation

LIBRARY = "pycryptodome"
ANY_NONCE = frozenset({"any-nonce-length"})
TAG = 16
# A cipher object of this library takes one message, so no key set-up outlives it.
ONCE: tuple[Model, ...] = ("oneshot",)


def implementations() -> Sequence[Implementation]:
    """Everything measured from this library.

    Raises
    ------
    ImportError
        If pycryptodome is not installed.
    """
    import Crypto

    rows = (*_aeads(), *_ciphers(), *_hashes(), *_macs())
    return adapters(LIBRARY, Crypto.__version__, rows, rejections=(ValueError,))


def _aeads() -> Iterator[Row]:
    from Crypto.Cipher import AES, ChaCha20_Poly1305

    for bits in (128, 192, 256):
        for name, mode, nonce, nonces, flags in (
            ("gcm", AES.MODE_GCM, 12, range(1, 1 << 20), ANY_NONCE),
            ("ccm", AES.MODE_CCM, 12, range(7, 14), frozenset[str]()),
            ("eax", AES.MODE_EAX, 16, range(1, 1 << 20), ANY_NONCE),
            ("ocb", AES.MODE_OCB, 12, range(1, 16), frozenset[str]()),
        ):
            bind = _aead(partial(AES.new, mode=mode))
            lengths = (bits // 8, nonce, TAG)
            yield Row(f"aes-{bits}-{name}", "aead", bind, *lengths, nonces=nonces, flags=flags, models=ONCE)
    for name, nonce in (("chacha20-poly1305", 12), ("xchacha20-poly1305", 24)):
        yield Row(name, "aead", _aead(ChaCha20_Poly1305.new), 32, nonce, TAG, models=ONCE)


def _ciphers() -> Iterator[Row]:
    from Crypto.Cipher import AES, ChaCha20

    counter = partial(AES.new, mode=AES.MODE_CTR, nonce=b"")
    chaining = partial(AES.new, mode=AES.MODE_CBC)
    codebook = partial(AES.new, mode=AES.MODE_ECB)
    for bits in (128, 192, 256):
        yield Row(f"aes-{bits}-ctr", "cipher", _cipher(counter, "initial_value"), bits // 8, 16, models=ONCE)
        yield Row(f"aes-{bits}-cbc", "cipher", _cipher(chaining, "iv"), bits // 8, 16, block=16, models=ONCE)
        yield Row(f"aes-{bits}-ecb", "cipher", _cipher(codebook), bits // 8, block=16)
    yield Row("chacha20", "cipher", _cipher(ChaCha20.new, "nonce"), 32, 12, models=ONCE)


def _hashes() -> Iterator[Row]:
    from Crypto.Hash import MD5, RIPEMD160, SHA1, SHA3_256, SHA3_512, SHA224, SHA256, SHA384, SHA512, BLAKE2b, BLAKE2s

    for name, new, size in (
        ("md5", MD5.new, 16),
        ("ripemd-160", RIPEMD160.new, 20),
        ("sha-1", SHA1.new, 20),
        ("sha-224", SHA224.new, 28),
        ("sha-256", SHA256.new, 32),
        ("sha-384", SHA384.new, 48),
        ("sha-512", SHA512.new, 64),
        ("sha3-256", SHA3_256.new, 32),
        ("sha3-512", SHA3_512.new, 64),
        ("blake2b-512", partial(BLAKE2b.new, digest_bytes=64), 64),
        ("blake2s-256", partial(BLAKE2s.new, digest_bytes=32), 32),
    ):
        yield Row(name, "hash", _hash(new), tag=size)


def _macs() -> Iterator[Row]:
    from Crypto.Cipher import AES
    from Crypto.Hash import CMAC, HMAC, SHA256, SHA512

    for name, module, size in (("sha-256", SHA256, 32), ("sha-512", SHA512, 64)):
        yield Row(f"hmac-{name}", "mac", _mac(partial(HMAC.new, digestmod=module)), size, tag=size)
    for bits in (128, 256):
        yield Row(f"aes-{bits}-cmac", "mac", _mac(partial(CMAC.new, ciphermod=AES)), bits // 8, tag=TAG)


def _aead(new: Callable[..., Any]) -> Bind:
    def bind(op: str, model: str, key: Buffer, nonce: Buffer, data: Buffer, aad: Buffer) -> Call:
        if op == "open":
            view = memoryview(data)
            ciphertext, tag = view[:-TAG], view[-TAG:]

        def seal() -> object:
            cipher = new(key=key, nonce=nonce)
            if aad:
                cipher.update(aad)
            return cipher.encrypt_and_digest(data)

        def open_() -> object:
            cipher = new(key=key, nonce=nonce)
            if aad:
                cipher.update(aad)
            return cipher.decrypt_and_verify(ciphertext, tag)

        return seal if op == "seal" else open_

    return bind


def _cipher(new: Callable[..., Any], nonce_argument: str = "") -> Bind:
    """A cipher whose `new` takes the nonce by this name; without one, its objects take any number of messages."""

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


def _mac(new: Callable[..., Any]) -> Bind:
    def bind(op: str, model: str, key: Buffer, nonce: Buffer, data: Buffer, aad: Buffer) -> Call:
        if model == "oneshot":
            return lambda: new(key, msg=data).digest()
        keyed = new(key)

        def call() -> object:
            mac = keyed.copy()
            mac.update(data)
            return mac.digest()

        return call

    return bind
