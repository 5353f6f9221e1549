"""Claims of *Benchmarking symmetric encryption (AEAD) in Rust* (Sylvain Kerkour)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from itertools import pairwise, product
from typing import Final

from aeadlab.studies.rust.study import AS_LINKED, MASKED, MASKED_SIZE, NO_AES, OPENSSL_SPEED_SIZE, PUBLISHED
from aeadlab.verdicts.claim import Claim, Number
from aeadlab.verdicts.expected import factor_between, inverse_ratio, ratio
from aeadlab.verdicts.pairs import Operation, Pair, largest_factor, smallest_ratio
from aeadlab.verdicts.ranges import above, below, similar_effect, within

FIVE: Final = PUBLISHED
XCHACHA, CHACHA, RUST_GCM, RING_CHACHA, RING_GCM = FIVE

SYSTEMS_GCM, SYSTEMS_CHACHA = "openssl-system/aes-256-gcm", "openssl-system/chacha20-poly1305"
"""`openssl speed` measures the OpenSSL of the system."""

SPEED_SIZES: Final = (16, 64, 256, OPENSSL_SPEED_SIZE, 8192, 16384)
"""Message lengths of `openssl speed` in bytes."""

_SUMMARY, _TABLE, _ANNEX = "Results, summary", "Results, table", "Annex, openssl speed"

_time = partial(Number, _TABLE, "time", operation="seal")
_speed = partial(Number, _TABLE, "throughput", operation="seal")
_about = partial(Number, _SUMMARY, "throughput", operation="seal")
_annex = partial(Number, _ANNEX, "throughput", operation="seal")
_GCM, _CHACHA = "openssl/aes-256-gcm", "openssl/chacha20-poly1305"
"""Names of the implementations of `openssl speed` in the published numbers."""

_BUILD = "Other versions and another CPU; wide vectors (VAES, VPCLMULQDQ, AVX-512) help libraries that use them."
_CACHES = "The lengths at which messages exceed a cache depend on the CPU."
_SHORT = "The fixed cost of a call with a kept key depends on the version: checks, counter and tag."
_LATER = "RustCrypto's AES-256-GCM is of a later version, and may take less time than ring's ChaCha20-Poly1305."
_OPENSSL = "The system's OpenSSL is a later version than 1.1.1f, on another CPU."
_OPENSSL_AND_RING = "The system's OpenSSL and ring are later versions than 1.1.1f and 0.16.20, on another CPU."

_SPEED = (
    "The document's command sets no nonce and makes no tag for a message, and writes over its input; here each message "
    "has both, and a separate output."
)
_SPEED_ON_KB = (
    f"{_SPEED} The system's OpenSSL on 100 kB stands for 16 KiB; both seal without associated data to a "
    "separate output."
)

_KB = 1000 / 2**30
"""A thousand bytes per second in GiB/s."""

_LINKED = (
    f"Measured in place, with a kept key and {AS_LINKED['aad_bytes']} bytes of associated data, as in the program that "
    "the document links; the document itself does not state it."
)

_claim = partial(Claim, "Rust", substitute=_LINKED)
_annex_claim = partial(Claim, "Rust", substitute=_SPEED)


def _pair(over: tuple[str, int], under: tuple[str, int]) -> Pair:
    """Return a pair of AEADs with lengths, sealing as the document's program does if both are of its table.

    The program seals in place, with associated data; `openssl speed` has none.
    """
    given = AS_LINKED if over[0] in FIVE and under[0] in FIVE else {}
    first, second = (Operation(name, "seal", length, **given) for name, length in (over, under))
    return first, second


def _over(names: Iterable[str], others: Iterable[str], *lengths: int) -> list[Pair]:
    """Return the pairs of each of `names` and each of `others` at all of these lengths."""
    return [_pair((a, length), (b, length)) for a, b, length in product(names, others, lengths)]


def _lengths(names: Iterable[str], *lengths: int) -> list[Pair]:
    """Return the pairs of each length and the next for each of `names`."""
    return [_pair((name, a), (name, b)) for name, (a, b) in product(names, pairwise(lengths))]


CLAIMS: tuple[Claim, ...] = (
    _claim(
        "ring-gcm-fastest", _SUMMARY,
        "ring's AES-256-GCM is the fastest of the five AEADs (about {0} GiB/s, the next {1} GiB/s, of a message whose "
        "length is not stated); measured on 100 MB.",
        "time of the fastest other over ring's AES-256-GCM", "message-sizes",
        smallest_ratio(_over(FIVE[:4], (RING_GCM,), 10**8)), above(1), _BUILD,
        numbers=(_about(RING_GCM), _about(RING_CHACHA)), expected=ratio,
    ),
    _claim(
        "order-at-100-mb", _TABLE,
        "The order from fast to slow is ring's AES-256-GCM, ring's ChaCha20-Poly1305, RustCrypto's AES-256-GCM, "
        "RustCrypto's ChaCha20-Poly1305 ({0}, {1}, {2} and {3} ms for 100 MB). XChaCha20-Poly1305, as fast as the "
        "last, has its own claim.",
        "smallest ratio between adjacent run times", "message-sizes",
        smallest_ratio([pair for a, b in pairwise(FIVE[1:]) for pair in _over((a,), (b,), 10**8)]), above(1), _LATER,
        numbers=tuple(_time(name, bytes=10**8) for name in FIVE[:0:-1]),
        expected=lambda *times: min(b / a for a, b in pairwise(times)),
    ),
    _claim(
        "xchacha-like-chacha", _TABLE,
        "RustCrypto's XChaCha20-Poly1305 is as fast as its ChaCha20-Poly1305 ({0} and {1} ms for 100 MB); accepted: "
        "less than 10 % difference.",
        "time of XChaCha20 over time of ChaCha20", "message-sizes",
        smallest_ratio(_over((XCHACHA,), (CHACHA,), 10**8)), within(1.1),
        "Long messages differ by one block of ChaCha20; a larger difference comes from the build.",
        numbers=(_time(XCHACHA, bytes=10**8), _time(CHACHA, bytes=10**8)), expected=ratio,
    ),
    _claim(
        "xchacha-dearer-when-short", _TABLE,
        "On 100 bytes RustCrypto's XChaCha20-Poly1305 takes longer than its ChaCha20-Poly1305 ({0} and {1} ns).",
        "time of XChaCha20 over time of ChaCha20", "message-sizes",
        smallest_ratio(_over((XCHACHA,), (CHACHA,), 100)), above(1),
        "XChaCha20 derives a key with one more block of ChaCha20, which is little compared with the cost of a call.",
        numbers=(_time(XCHACHA, bytes=100), _time(CHACHA, bytes=100)), expected=ratio,
    ),
    _claim(
        "ring-chacha-over-rustcrypto", _TABLE,
        "At 100 MB ring's ChaCha20-Poly1305 is about 2.1 times as fast as RustCrypto's ({1} and {0} ms); accepted: 0.5 "
        "to 2 times this gain.",
        "RustCrypto's time over ring's", "message-sizes",
        smallest_ratio(_over((CHACHA,), (RING_CHACHA,), 10**8)), similar_effect, _BUILD,
        numbers=(_time(CHACHA, bytes=10**8), _time(RING_CHACHA, bytes=10**8)), expected=ratio,
    ),
    _claim(
        "ring-gcm-over-rustcrypto", _TABLE,
        "At 100 MB ring's AES-256-GCM is about three times as fast as RustCrypto's ({1} and {0} ms); accepted: 0.5 to "
        "2 times this gain.",
        "RustCrypto's time over ring's", "message-sizes",
        smallest_ratio(_over((RUST_GCM,), (RING_GCM,), 10**8)), similar_effect,
        f"RustCrypto encrypts, then hashes; ring does both in one pass of assembly. {_BUILD}",
        numbers=(_time(RUST_GCM, bytes=10**8), _time(RING_GCM, bytes=10**8)), expected=ratio,
    ),
    _claim(
        "rustcrypto-gcm-fastest-when-short", _TABLE,
        "On 100 bytes RustCrypto's AES-256-GCM is the fastest of the five ({0} ns, the next {1} ns).",
        "time of the fastest other over RustCrypto's AES-256-GCM", "message-sizes",
        smallest_ratio(_over((XCHACHA, CHACHA, RING_CHACHA, RING_GCM), (RUST_GCM,), 100)), above(1), _SHORT,
        numbers=(_time(RUST_GCM, bytes=100), _time(RING_CHACHA, bytes=100)), expected=inverse_ratio,
    ),
    _claim(
        "ring-chacha-first-when-short", _TABLE,
        "On 100 bytes ring's ChaCha20-Poly1305 is faster than its AES-256-GCM ({0} and {1} ns).",
        "time of ring's AES-256-GCM over its ChaCha20-Poly1305", "message-sizes",
        smallest_ratio(_over((RING_GCM,), (RING_CHACHA,), 100)), above(1), _SHORT,
        numbers=(_time(RING_CHACHA, bytes=100), _time(RING_GCM, bytes=100)), expected=inverse_ratio,
    ),
    _claim(
        "ring-gcm-fastest-from-1-kb", _TABLE,
        "From 1 kB ring's AES-256-GCM is the fastest of the five (at 1 kB {0} ns, the next {1} ns); measured at 1 kB, "
        "100 kB, 1, 10 and 100 MB.",
        "smallest ratio of the time of the fastest other to ring's AES-256-GCM", "message-sizes",
        smallest_ratio(_over(FIVE[:4], (RING_GCM,), 1000, 10**5, 10**6, 10**7, 10**8)), above(1), _BUILD,
        numbers=(_time(RING_GCM, bytes=1000), _time(RING_CHACHA, bytes=1000)), expected=inverse_ratio,
    ),
    _claim(
        "order-from-1-kb", _TABLE,
        "From 1 kB the order of ring's and RustCrypto's AES-256-GCM and ChaCha20-Poly1305 at each length is that of "
        "100 MB (smallest difference: ring's ChaCha20-Poly1305 and RustCrypto's AES-256-GCM at 1 kB, {0} and {1} ns); "
        "measured at 1 kB, 100 kB, 1, 10 and 100 MB.",
        "smallest ratio between adjacent run times", "message-sizes",
        smallest_ratio(
            [pair for a, b in pairwise(FIVE[1:]) for pair in _over((a,), (b,), 1000, 10**5, 10**6, 10**7, 10**8)]
        ),
        above(1), _LATER,
        numbers=(_time(RING_CHACHA, bytes=1000), _time(RUST_GCM, bytes=1000)), expected=inverse_ratio,
    ),
    _claim(
        "bytes-cheaper-in-longer", _TABLE,
        "A byte takes less time in 1 kB than in 100 bytes, and less in 100 kB than in 1 kB, with each of the five "
        "(smallest difference: RustCrypto's AES-256-GCM, {0} and {1} GiB/s).",
        "smallest ratio between the times per byte of adjacent lengths", "message-sizes",
        smallest_ratio(_lengths(FIVE, 100, 1000, 10**5), per_byte=True), above(1), _SHORT,
        numbers=(_speed(RUST_GCM, bytes=1000), _speed(RUST_GCM, bytes=10**5)), expected=inverse_ratio,
    ),
    _claim(
        "speed-ends-growing", _TABLE,
        "From 100 kB to 10 MB the speed of each of the five stays the same (largest difference: ring's "
        "ChaCha20-Poly1305, 100 kB and 1 MB, {0} and {1} GiB/s); accepted: less than 10 % difference between 100 kB, "
        "1 MB and 10 MB.",
        "largest factor between the times per byte", "message-sizes",
        largest_factor([*_lengths(FIVE, 10**5, 10**6, 10**7), *_lengths(FIVE, 10**5, 10**7)], per_byte=True),
        below(1.1), _CACHES,
        numbers=(_speed(RING_CHACHA, bytes=10**5), _speed(RING_CHACHA, bytes=10**6)), expected=factor_between,
    ),
    _claim(
        "slower-at-100-mb", _TABLE,
        "100 MB are slower than 10 MB with each of the five (smallest difference: RustCrypto's XChaCha20-Poly1305, {0} "
        "and {1} ms).",
        "smallest ratio of the time per byte to that of 10 MB", "message-sizes",
        smallest_ratio(_lengths(FIVE, 10**8, 10**7), per_byte=True), above(1), _CACHES,
        numbers=(_time(XCHACHA, bytes=10**8), _time(XCHACHA, bytes=10**7)), expected=lambda a, b: a / (10 * b),
    ),
    _claim(
        "gcm-by-instructions", "Closing thoughts",
        "AES-256-GCM is fast thanks to the AES instructions of the CPU; accepted: more than twice the time without "
        "them on 100 MB.",
        "time without AES instructions over time with them, OpenSSL's AES-256-GCM", "message-sizes",
        smallest_ratio([(Operation(MASKED, "seal", MASKED_SIZE, NO_AES), Operation(MASKED, "seal", MASKED_SIZE))]),
        above(2),
        "The substitute code uses other vector instructions, the wider the faster.",
        substitute=(
            "OpenSSL's AEAD in place of those of ring and RustCrypto, from which no CPU feature can be hidden at run "
            "time; without associated data."
        ),
    ),
    _annex_claim(
        "openssl-gcm-over-chacha", _ANNEX,
        "On 16 KiB OpenSSL's AES-256-GCM is faster than its ChaCha20-Poly1305 ({0} and {1} thousand bytes per second); "
        "accepted: 0.5 to 2 times this gain.",
        "time of ChaCha20-Poly1305 over time of AES-256-GCM", "message-sizes",
        smallest_ratio(_over((SYSTEMS_CHACHA,), (SYSTEMS_GCM,), 16384)), similar_effect, _OPENSSL,
        numbers=(_annex(_GCM, bytes=16384), _annex(_CHACHA, bytes=16384)), expected=ratio,
    ),
    _annex_claim(
        "openssl-gcm-first-at-every-size", _ANNEX,
        "OpenSSL's AES-256-GCM is faster than its ChaCha20-Poly1305 at all six lengths from 16 bytes to 16 KiB "
        "(smallest difference: 1 KiB, {0} and {1} thousand bytes per second).",
        "smallest ratio of the time of ChaCha20-Poly1305 to that of AES-256-GCM", "message-sizes",
        smallest_ratio(_over((SYSTEMS_CHACHA,), (SYSTEMS_GCM,), *SPEED_SIZES)), above(1), _OPENSSL,
        numbers=(_annex(_GCM, bytes=OPENSSL_SPEED_SIZE), _annex(_CHACHA, bytes=OPENSSL_SPEED_SIZE)), expected=ratio,
    ),
    _annex_claim(
        "openssl-grows", _ANNEX,
        "OpenSSL's AES-256-GCM and ChaCha20-Poly1305 are faster at each of the six lengths than at the one before "
        "(smallest difference: ChaCha20-Poly1305 from 8 to 16 KiB, {0} and {1} thousand bytes per second).",
        "smallest ratio between the times per byte of adjacent lengths", "message-sizes",
        smallest_ratio(_lengths((SYSTEMS_GCM, SYSTEMS_CHACHA), *SPEED_SIZES), per_byte=True), above(1),
        "A larger fixed cost of a message, such as nonce and tag, makes the growth larger.",
        numbers=(_annex(_CHACHA, bytes=8192), _annex(_CHACHA, bytes=16384)), expected=inverse_ratio,
    ),
    _annex_claim(
        "openssl-chacha-before-ring", _ANNEX,
        "In the printed numbers OpenSSL's ChaCha20-Poly1305 ({0} thousand bytes per second on 16 KiB) is faster than "
        "ring's ({1} GiB/s on 100 kB).",
        "ring's time over OpenSSL's", "message-sizes",
        smallest_ratio(_over((RING_CHACHA,), (SYSTEMS_CHACHA,), 10**5)), above(1), _OPENSSL_AND_RING,
        numbers=(_annex(_CHACHA, bytes=16384), _speed(RING_CHACHA, bytes=10**5)), expected=lambda a, b: a * _KB / b,
        substitute=_SPEED_ON_KB,
    ),
    _annex_claim(
        "openssl-gcm-like-ring", _ANNEX,
        "In the printed numbers OpenSSL's AES-256-GCM ({0} thousand bytes per second on 16 KiB) is as fast as ring's "
        "({1} GiB/s on 100 kB); accepted: less than 10 % difference on 100 kB.",
        "ring's time over OpenSSL's", "message-sizes",
        smallest_ratio(_over((RING_GCM,), (SYSTEMS_GCM,), 10**5)), within(1.1), _OPENSSL_AND_RING,
        numbers=(_annex(_GCM, bytes=16384), _speed(RING_GCM, bytes=10**5)), expected=lambda a, b: a * _KB / b,
        substitute=_SPEED_ON_KB,
    ),
)  # fmt: skip
