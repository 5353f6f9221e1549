"""What *Benchmarking symmetric encryption (AEAD) in Rust* (Sylvain Kerkour) finds."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from itertools import pairwise, product
from typing import Final

from aeadlab.judgement.claim import Claim, Number
from aeadlab.judgement.expected import apart, over, under
from aeadlab.judgement.pairs import Pair, Whole, farthest_apart, least_ratio
from aeadlab.judgement.ranges import above, below, like_effect, within
from aeadlab.studies.message_sizes import OF_SPEED

XCHACHA, CHACHA = "rustcrypto/xchacha20-poly1305", "rustcrypto/chacha20-poly1305"
RUST_GCM: Final = "rustcrypto/aes-256-gcm"
RING_CHACHA, RING_GCM = "ring/chacha20-poly1305", "ring/aes-256-gcm"
FIVE: Final = (XCHACHA, CHACHA, RUST_GCM, RING_CHACHA, RING_GCM)
"""The document's table, from slow to fast."""

SYSTEMS_GCM, SYSTEMS_CHACHA = "openssl-system/aes-256-gcm", "openssl-system/chacha20-poly1305"
"""What `openssl speed` measures is the OpenSSL of the system."""

SPEED_SIZES: Final = (16, 64, 256, OF_SPEED, 8192, 16384)
"""Bytes: those of `openssl speed`."""

_SUMMARY, _TABLE, _ANNEX = "Results, summary", "Results, table", "Annex, openssl speed"

_time = partial(Number, _TABLE, "time", operation="seal")
_speed = partial(Number, _TABLE, "throughput", operation="seal")
_about = partial(Number, _SUMMARY, "throughput", operation="seal")
_annex = partial(Number, _ANNEX, "throughput", operation="seal")
_CTR: Final = "openssl/aes-256-ctr"
_GCM, _CHACHA = "openssl/aes-256-gcm", "openssl/chacha20-poly1305"
"""As the published numbers name what `openssl speed` measured."""

_BUILD = "Other versions and another CPU: wide vectors (VAES, VPCLMULQDQ, AVX-512) help those that have code for them."
_CACHES = "Where each length leaves which cache depends on the CPU."
_SHORT = "What a call costs beside its bytes depends on the version: allocation, checks, powers of the key for GHASH."
_OPENSSL = f"The system's OpenSSL is a later one than 1.1.1f. {_BUILD}"

_KB = 1000 / 2**30
"""Thousands of bytes a second in GiB a second."""

_claim = partial(Claim, "Rust")


def _sealing(name: str, length: int) -> Whole:
    return Whole(name, "seal", length)


def _over(names: Iterable[str], others: Iterable[str], *lengths: int) -> list[Pair]:
    """Each of some with each of the others, at all of these lengths."""
    return [(_sealing(a, length), _sealing(b, length)) for a, b, length in product(names, others, lengths)]


def _lengths(names: Iterable[str], *lengths: int) -> list[Pair]:
    """Each length with the next, of each of these."""
    return [(_sealing(name, a), _sealing(name, b)) for name, (a, b) in product(names, pairwise(lengths))]


CLAIMS: tuple[Claim, ...] = (
    _claim(
        "ring-gcm-fastest", _SUMMARY,
        "ring's AES-256-GCM is the fastest of the five AEADs (about {0} GiB/s, the next {1} GiB/s), here on 100 MB.",
        "time of the fastest other over ring's AES-256-GCM", "message-sizes",
        least_ratio(_over(FIVE[:4], (RING_GCM,), 10**8)), above(1), _BUILD,
        numbers=(_about(RING_GCM), _about(RING_CHACHA)), expected=over,
    ),
    _claim(
        "order-at-100-mb", _SUMMARY,
        "From fast to slow: ring's AES-256-GCM, ring's ChaCha20-Poly1305, RustCrypto's AES-256-GCM, RustCrypto's "
        "ChaCha20-Poly1305 ({0}, {1}, {2} and {3} ms for 100 MB).",
        "least ratio of neighbours' times", "message-sizes",
        least_ratio([pair for a, b in pairwise(FIVE[1:]) for pair in _over((a,), (b,), 10**8)]), above(1), _BUILD,
        numbers=tuple(_time(name, bytes=10**8) for name in FIVE[:0:-1]),
        expected=lambda *times: min(b / a for a, b in pairwise(times)),
    ),
    _claim(
        "xchacha-like-chacha", _SUMMARY,
        "RustCrypto's XChaCha20-Poly1305 is as fast as its ChaCha20-Poly1305 ({0} and {1} ms for 100 MB); less than "
        "10 % apart counts.",
        "time of XChaCha20 over that of ChaCha20", "message-sizes",
        least_ratio(_over((XCHACHA,), (CHACHA,), 10**8)), within(1.1),
        "Their long messages differ by one block of ChaCha20, so that more is the build.",
        numbers=(_time(XCHACHA, bytes=10**8), _time(CHACHA, bytes=10**8)), expected=over,
    ),
    _claim(
        "xchacha-dearer-when-short", _TABLE,
        "On 100 bytes XChaCha20-Poly1305 costs more than ChaCha20-Poly1305, both RustCrypto's ({0} and {1} ns).",
        "time of XChaCha20 over that of ChaCha20", "message-sizes",
        least_ratio(_over((XCHACHA,), (CHACHA,), 100)), above(1),
        "It derives a key first, by one more block of ChaCha20, which is next to nothing beside what else a call "
        "costs.",
        numbers=(_time(XCHACHA, bytes=100), _time(CHACHA, bytes=100)), expected=over,
    ),
    _claim(
        "ring-chacha-over-rustcrypto", _TABLE,
        "ring's ChaCha20-Poly1305 is about twice as fast as RustCrypto's ({1} against {0} ms for 100 MB); half to "
        "twice of that gain counts.",
        "RustCrypto's time over ring's", "message-sizes",
        least_ratio(_over((CHACHA,), (RING_CHACHA,), 10**8)), like_effect,
        _BUILD,
        numbers=(_time(CHACHA, bytes=10**8), _time(RING_CHACHA, bytes=10**8)), expected=over,
    ),
    _claim(
        "ring-gcm-over-rustcrypto", _TABLE,
        "ring's AES-256-GCM is about three times as fast as RustCrypto's ({1} against {0} ms for 100 MB); half to "
        "twice of that gain counts.",
        "RustCrypto's time over ring's", "message-sizes",
        least_ratio(_over((RUST_GCM,), (RING_GCM,), 10**8)), like_effect,
        f"RustCrypto encrypts, then hashes; ring does both in one pass of assembly. {_BUILD}",
        numbers=(_time(RUST_GCM, bytes=10**8), _time(RING_GCM, bytes=10**8)), expected=over,
    ),
    _claim(
        "rustcrypto-gcm-fastest-when-short", _TABLE,
        "On 100 bytes RustCrypto's AES-256-GCM is the fastest of the five ({0} ns, the next {1} ns).",
        "time of the fastest other over RustCrypto's AES-256-GCM", "message-sizes",
        least_ratio(_over((XCHACHA, CHACHA, RING_CHACHA, RING_GCM), (RUST_GCM,), 100)), above(1), _SHORT,
        numbers=(_time(RUST_GCM, bytes=100), _time(RING_CHACHA, bytes=100)), expected=under,
    ),
    _claim(
        "ring-chacha-first-when-short", _TABLE,
        "On 100 bytes ring's ChaCha20-Poly1305 is faster than its AES-256-GCM ({0} and {1} ns).",
        "time of ring's AES-256-GCM over that of its ChaCha20-Poly1305", "message-sizes",
        least_ratio(_over((RING_GCM,), (RING_CHACHA,), 100)), above(1), _SHORT,
        numbers=(_time(RING_CHACHA, bytes=100), _time(RING_GCM, bytes=100)), expected=under,
    ),
    _claim(
        "ring-gcm-fastest-from-1-kb", _TABLE,
        "From 1 kB on ring's AES-256-GCM is the fastest of the five (there {0} ns, the next {1} ns), at 1 kB, 100 kB, "
        "1, 10 and 100 MB.",
        "time of the fastest other over ring's AES-256-GCM, at least", "message-sizes",
        least_ratio(_over(FIVE[:4], (RING_GCM,), 1000, 10**5, 10**6, 10**7, 10**8)), above(1), _BUILD,
        numbers=(_time(RING_GCM, bytes=1000), _time(RING_CHACHA, bytes=1000)), expected=under,
    ),
    _claim(
        "bytes-cheaper-in-longer", _TABLE,
        "A byte costs less in 1 kB than in 100 bytes, and less in 100 kB than in 1 kB, with each of the five (least of "
        "all with RustCrypto's AES-256-GCM, {1} after {0} GiB/s).",
        "least ratio of a length's time per byte to that of the next", "message-sizes",
        least_ratio(_lengths(FIVE, 100, 1000, 10**5), per_byte=True), above(1), _SHORT,
        numbers=(_speed(RUST_GCM, bytes=1000), _speed(RUST_GCM, bytes=10**5)), expected=under,
    ),
    _claim(
        "speed-ends-growing", _TABLE,
        "Beyond 100 kB speed does not grow: 10 MB have the same, with each of the five (ring's ChaCha20-Poly1305 {0} "
        "and {1} GiB/s); less than 10 % apart counts.",
        "largest factor between times per byte", "message-sizes",
        farthest_apart(_lengths(FIVE, 10**5, 10**7), per_byte=True), below(1.1), _CACHES,
        numbers=(_speed(RING_CHACHA, bytes=10**5), _speed(RING_CHACHA, bytes=10**7)),
        expected=apart,
    ),
    _claim(
        "slower-at-100-mb", _TABLE,
        "100 MB are slower than 10 MB, with each of the five (RustCrypto's XChaCha20-Poly1305 least, {0} after {1} "
        "ms).",
        "time per byte over that of 10 MB, at least", "message-sizes",
        least_ratio(_lengths(FIVE, 10**8, 10**7), per_byte=True), above(1), _CACHES,
        numbers=(_time(XCHACHA, bytes=10**8), _time(XCHACHA, bytes=10**7)), expected=lambda a, b: a / (10 * b),
    ),
    _claim(
        "gcm-by-instructions", "Closing thoughts",
        "AES-256-GCM is fast by the CPU's AES instructions. Here they are hidden from OpenSSL's AES-256 in counter "
        "mode, which is what GCM encrypts with; twice the time counts.",
        "time without AES instructions over time with them", "block-ciphers",
        least_ratio([(Whole(_CTR, "encrypt", mask="no-aes"), Whole(_CTR, "encrypt"))]), above(2),
        "What takes their place uses other vector instructions, the wider the faster.",
    ),
    _claim(
        "openssl-gcm-over-chacha", _ANNEX,
        "On 16 KiB OpenSSL's AES-256-GCM is faster than its ChaCha20-Poly1305 ({0} and {1} thousand bytes a second); "
        "half to twice of that gain counts.",
        "time of ChaCha20-Poly1305 over that of AES-256-GCM", "message-sizes",
        least_ratio(_over((SYSTEMS_CHACHA,), (SYSTEMS_GCM,), 16384)), like_effect, _OPENSSL,
        numbers=(_annex(_GCM, bytes=16384), _annex(_CHACHA, bytes=16384)), expected=over,
    ),
    _claim(
        "openssl-gcm-first-at-every-size", _ANNEX,
        "OpenSSL's AES-256-GCM is faster than its ChaCha20-Poly1305 at all six lengths from 16 bytes to 16 KiB "
        "(nearest at 1 KiB, {0} and {1} thousand bytes a second).",
        "time of ChaCha20-Poly1305 over that of AES-256-GCM, at least", "message-sizes",
        least_ratio(_over((SYSTEMS_CHACHA,), (SYSTEMS_GCM,), *SPEED_SIZES)), above(1), _OPENSSL,
        numbers=(_annex(_GCM, bytes=OF_SPEED), _annex(_CHACHA, bytes=OF_SPEED)), expected=over,
    ),
    _claim(
        "openssl-grows", _ANNEX,
        "OpenSSL's AES-256-GCM and ChaCha20-Poly1305 are faster at each of the six lengths than at the one before "
        "(ChaCha20-Poly1305 least from 8 to 16 KiB, {1} after {0} thousand bytes a second).",
        "least ratio of a length's time per byte to that of the next", "message-sizes",
        least_ratio(_lengths((SYSTEMS_GCM, SYSTEMS_CHACHA), *SPEED_SIZES), per_byte=True), above(1),
        "A call that costs less beside its bytes comes to its full speed before 8 KiB.",
        numbers=(_annex(_CHACHA, bytes=8192), _annex(_CHACHA, bytes=16384)), expected=under,
    ),
    _claim(
        "openssl-chacha-before-ring", _ANNEX,
        "OpenSSL's ChaCha20-Poly1305 ({0} thousand bytes a second on 16 KiB) is faster than ring's ({1} GiB/s on 100 "
        "kB); here both on 100 kB.",
        "ring's time over OpenSSL's", "message-sizes",
        least_ratio(_over((RING_CHACHA,), (SYSTEMS_CHACHA,), 10**5)), above(1), _OPENSSL,
        numbers=(_annex(_CHACHA, bytes=16384), _speed(RING_CHACHA, bytes=10**5)), expected=lambda a, b: a * _KB / b,
    ),
    _claim(
        "openssl-gcm-like-ring", _ANNEX,
        "OpenSSL's AES-256-GCM ({0} thousand bytes a second on 16 KiB) is as fast as ring's ({1} GiB/s on 100 kB); "
        "here both on 100 kB, and less than 10 % apart counts.",
        "ring's time over OpenSSL's", "message-sizes",
        least_ratio(_over((RING_GCM,), (SYSTEMS_GCM,), 10**5)), within(1.1), _OPENSSL,
        numbers=(_annex(_GCM, bytes=16384), _speed(RING_GCM, bytes=10**5)), expected=lambda a, b: a * _KB / b,
    ),
)  # fmt: skip
