"""Claims of *Using & Benchmarking Block Ciphers with OpenSSL* (an assignment).

Times are CPU times (getrusage) of 100 and 1000 MB, as in the document. A quantity of several ciphers, key lengths and
modes includes both lengths, and both directions unless it compares them or the document names one.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from itertools import product
from typing import Final

from aeadlab.studies.ciphers.study import LIBRARY, MODES, PUBLISHED, SIZES
from aeadlab.verdicts.claim import Claim, Estimator, Number, Numbers, estimator
from aeadlab.verdicts.estimate import CONFIDENCE, Quantity, quotient, smallest
from aeadlab.verdicts.evidence import Evidence, Inconclusive
from aeadlab.verdicts.expected import factor_between, first, inverse_ratio, ratio
from aeadlab.verdicts.pairs import (
    Operation,
    Pair,
    in_cpu_time,
    largest_factor,
    largest_ratio,
    median_ratio,
    smallest_ratio,
)
from aeadlab.verdicts.ranges import above, at_least, at_most, below, similar_effect

AES, ARIA, CAMELLIA, TRIPLE_DES, DES = "aes", "aria", "camellia", "3des", "des"
BITS: Final = (128, 256)
BOTH: Final = ("encrypt", "decrypt")
NO_AES: Final = "no-aes"
"""The mask that hides the AES instructions of the CPU."""

_SIX: Final = tuple(f"{cipher}-{bits}" for cipher, bits in product((AES, ARIA, CAMELLIA), BITS))
_TRIPLE: Final = tuple(name for name in PUBLISHED if TRIPLE_DES in name)
"""Triple-DES in the modes of the document; OpenSSL has no counter mode of it."""

_MAIN: Final = tuple(name for name in PUBLISHED if name not in _TRIPLE)

_CAMELLIAS: Final = tuple(f"{CAMELLIA}-{bits}" for bits in BITS)

QUITE_A_BIT: Final = 1.08
"""Smallest ratio of decryption to encryption of AES in the document's table, which calls them quite a bit higher."""

_ONE, _TWO = "Section 1", "Section 2"
_TIMES_TEN = "time for 1000 MB over time for 100 MB"
_BUILD = "Other versions, compilers and CPU."
_PIPELINE = "The CPU overlaps the AES instructions of several blocks, unless a block depends on the one before."
_LOOPS = "Software ciphers take nearly the same time in ECB and CBC; the rest is the loop of the mode."
_ROUNDS = "A key of 256 bits takes 14 rounds instead of 10 (AES), 16 instead of 12 (ARIA), 24 instead of 18 (Camellia)."
_SOFTWARE = "Without AES instructions OpenSSL still has vector code for AES, some of it for 8 blocks at once."
_MASKED = (
    "The instructions are hidden from OpenSSL, which then has vector code instead of the lookup tables that the "
    "document describes."
)
_EXPECTED = "The document expects this and did not measure it."

_claim = partial(Claim, "Ciphers")


def _time(cipher: str, op: str = "encrypt", size: int = 10**9) -> Number:
    """Return a number of the document's first table, or of the second, which is about Triple-DES."""
    table = "Table 2" if cipher.startswith(TRIPLE_DES) else "Table 1"
    return Number(table, "CPU time", f"{LIBRARY}/{cipher}", op, size)


_small_time = partial(_time, size=10**8)


def _operation(cipher: str, mode: str, op: str = "encrypt", mask: str = "") -> Operation:
    return Operation(f"{LIBRARY}/{cipher}-{mode}", op, mask=mask)


def _ops(names: Iterable[str], mask: str = "") -> list[Pair]:
    """Return the pairs of decryption and encryption."""
    return [(Operation(name, "decrypt", mask=mask), Operation(name, "encrypt", mask=mask)) for name in names]


def _modes(ciphers: tuple[str, ...], mode: str, other: str, ops: tuple[str, ...] = BOTH) -> list[Pair]:
    """Return the pairs of one mode and another."""
    return [(_operation(cipher, mode, op), _operation(cipher, other, op)) for cipher, op in product(ciphers, ops)]


def _ciphers(cipher: str, other: str, mask: str = "") -> list[Pair]:
    """Return the pairs of one cipher, under a mask, and another with the same key length, mode and direction."""
    return [
        (_operation(f"{cipher}-{bits}", mode, op, mask), _operation(f"{other}-{bits}", mode, op))
        for bits, mode, op in product(BITS, MODES, BOTH)
    ]


def _variants(cipher: str) -> tuple[str, ...]:
    """Return the implementations of a cipher with every key length and mode."""
    return tuple(name for name in _MAIN if name.startswith(f"{LIBRARY}/{cipher}-"))


def _reversed(pairs: list[Pair]) -> list[Pair]:
    return [(under, over) for over, under in pairs]


def _at_both_sizes(pairs: Iterable[Pair]) -> list[Pair]:
    """Return the pairs at both message lengths of the document."""
    return [(a._replace(length=size), b._replace(length=size)) for (a, b), size in product(pairs, SIZES)]


def _smallest(pairs: Iterable[Pair]) -> Estimator:
    return in_cpu_time(smallest_ratio(_at_both_sizes(pairs)))


def _largest(pairs: Iterable[Pair]) -> Estimator:
    return in_cpu_time(largest_ratio(_at_both_sizes(pairs)))


def _median(pairs: Iterable[Pair]) -> Estimator:
    return in_cpu_time(median_ratio(_at_both_sizes(pairs)))


def _factor(pairs: Iterable[Pair]) -> Estimator:
    return in_cpu_time(largest_factor(_at_both_sizes(pairs)))


def _nonlinearity(names: Iterable[str]) -> Estimator:
    """Return the largest factor between the times per byte of 1000 and 100 MB, for both directions."""
    small, large = SIZES
    pairs = [(Operation(name, op, large), Operation(name, op, small)) for name, op in product(names, BOTH)]
    return in_cpu_time(largest_factor(pairs, per_byte=True))


def _in_ecb(cipher: str, others: Iterable[str], sizes: Iterable[int] = SIZES) -> Estimator:
    """Return the median ratio over other ciphers, directions and lengths in ECB, the mode of the example."""
    pairs = [
        (Operation(f"{LIBRARY}/{cipher}-ecb", op, size), Operation(f"{LIBRARY}/{other}-ecb", op, size))
        for other, op, size in product(others, BOTH, sizes)
    ]
    return in_cpu_time(median_ratio(pairs))


@estimator
def smallest_slowing_of_decryption(evidence: Evidence, numbers: Numbers, names: tuple[str, ...]) -> Quantity:
    """Return the smallest factor by which AES instructions slow decryption down relative to encryption.

    `Inconclusive` is raised where decryption with these instructions is faster than encryption in a mode.
    """
    with_instructions, without = (_at_both_sizes(_ops(names, mask)) for mask in ("", NO_AES))
    if smallest_ratio(with_instructions)(evidence, numbers)(CONFIDENCE).widened[1] < 1:
        raise Inconclusive(
            "decryption is faster than encryption in a mode or more, which leaves nothing to explain there"
        )
    return smallest(
        [
            quotient(smallest_ratio([one])(evidence, numbers), smallest_ratio([other])(evidence, numbers))
            for one, other in zip(with_instructions, without, strict=True)
        ]
    )


_KEYS = [
    (_operation(f"{cipher}-256", mode, op), _operation(f"{cipher}-128", mode, op))
    for cipher, mode, op in product((AES, ARIA, CAMELLIA), MODES, BOTH)
]
_SLOWDOWNS = [
    (_operation(TRIPLE_DES, mode, op), _operation(cipher, mode, op))
    for cipher, mode, op in product(_SIX, ("ecb", "cbc"), BOTH)
]
"""The pairs of Triple-DES and each other cipher of the document in the same mode and direction."""

CLAIMS: tuple[Claim, ...] = (
    _claim(
        "linear", _ONE,
        "{0} times the data takes about {0} times as long (largest deviation: AES-128 in ECB, decrypting, {2} and {1} "
        "s for 100 and 1000 MB); accepted: less than 25 % deviation with every cipher, key length and mode, for "
        "encryption and decryption.",
        "largest factor between the CPU times per byte of 100 and 1000 MB", "block-ciphers",
        _nonlinearity(_MAIN), below(1.25),
        "100 MB exceed every cache; page faults and the clock frequency remain.",
        numbers=(Number(_ONE, _TIMES_TEN), _time("aes-128-ecb", "decrypt"), _small_time("aes-128-ecb", "decrypt")),
        expected=lambda times, large, small: factor_between(large / small, times),
    ),
    _claim(
        "decryption-like-encryption", _ONE,
        "ARIA and Camellia decrypt about as fast as they encrypt (largest difference: Camellia-256 in CTR, 100 MB, {0} "
        "and {1} s); accepted: less than 10 % difference with every key length and mode, at 100 and 1000 MB.",
        "largest factor between the CPU times of decryption and encryption", "block-ciphers",
        _factor(_ops((*_variants(ARIA), *_variants(CAMELLIA)))), below(1.1), _BUILD,
        numbers=(_small_time("camellia-256-ctr", "decrypt"), _small_time("camellia-256-ctr")), expected=factor_between,
    ),
    _claim(
        "aes-decrypts-slower", _ONE,
        "AES consistently decrypts more slowly than it encrypts, with every key length and mode at 100 and 1000 MB "
        "(smallest difference: AES-128 in CTR, 100 MB, {0} and {1} s).",
        "smallest ratio of the CPU time of decryption to that of encryption", "block-ciphers",
        _smallest(_ops(_variants(AES))), above(1),
        "In counter mode both are the same operation, and decryption in CBC does not wait for the block before.",
        numbers=(_small_time("aes-128-ctr", "decrypt"), _small_time("aes-128-ctr")), expected=ratio,
    ),
    _claim(
        "aes-decrypts-quite-a-bit-slower", _ONE,
        "Relative to encryption, decryption takes AES quite a bit longer (AES-128 in CBC, 1000 MB, {0} and {1} s), "
        "which a later paragraph calls slightly slower; accepted: more than 8 % longer, the smallest difference in the "
        "document's table, with most key lengths and modes at 100 and 1000 MB.",
        "lower median of the ratios of the CPU time of decryption to that of encryption", "block-ciphers",
        _median(_ops(_variants(AES))), above(QUITE_A_BIT),
        "In counter mode both are the same operation, and decryption in CBC does not wait for the block before.",
        numbers=(_time("aes-128-cbc", "decrypt"), _time("aes-128-cbc")), expected=ratio,
    ),
    _claim(
        "aes-decryption-by-instructions", _ONE,
        "The AES instructions of the CPU cause the slower decryption of AES; accepted: without them decryption takes "
        "less time relative to encryption than with them, with every key length and mode at 100 and 1000 MB.",
        "smallest quotient of decryption over encryption with AES instructions by the same without them",
        "block-ciphers",
        in_cpu_time(smallest_slowing_of_decryption(_variants(AES))), above(1), _SOFTWARE, substitute=_MASKED,
    ),
    _claim(
        "aes-far-ahead", _ONE,
        "AES is so much faster than ARIA and Camellia (smallest difference: 128 bits in ECB, decrypting 100 MB, {0} "
        "and {1} s); accepted: more than five times as fast with every key length and mode, for encryption and "
        "decryption of 100 and 1000 MB.",
        "smallest ratio of the CPU time of ARIA or Camellia to that of AES", "block-ciphers",
        _smallest([*_ciphers(ARIA, AES), *_ciphers(CAMELLIA, AES)]), above(5),
        f"In CBC encryption each block waits for the one before, which the document's times do not show. {_PIPELINE}",
        numbers=(_small_time("aes-128-ecb", "decrypt"), _small_time("camellia-128-ecb", "decrypt")),
        expected=inverse_ratio,
    ),
    _claim(
        "aes-by-instructions", _ONE,
        "AES owes its speed to the AES instructions of the CPU, which OpenSSL detects; accepted: more than twice the "
        "time without them, with every key length and mode, for encryption and decryption of 100 and 1000 MB.",
        "smallest ratio of the CPU time without AES instructions to that with them", "block-ciphers",
        _smallest(_ciphers(AES, AES, NO_AES)), above(2), _SOFTWARE, substitute=_MASKED,
    ),
    _claim(
        "aes-without-like-others", _ONE,
        "Without AES instructions AES would take roughly as long as ARIA or Camellia, read as both; accepted: less "
        "than a factor of 2 from each, with every key length and mode, for encryption and decryption of 100 and 1000 "
        "MB.",
        "largest factor between the CPU times of AES without AES instructions and of ARIA or Camellia",
        "block-ciphers",
        _factor([*_ciphers(AES, ARIA, NO_AES), *_ciphers(AES, CAMELLIA, NO_AES)]), below(2), _SOFTWARE,
        substitute=_MASKED,
    ),
    _claim(
        "camellia-may-lead", _ONE,
        "Without AES instructions Camellia may be faster than AES; accepted: faster with at least one key length and "
        "mode, for encryption or decryption of 100 or 1000 MB.",
        "largest ratio of the CPU time of AES without AES instructions to that of Camellia", "block-ciphers",
        _largest(_ciphers(AES, CAMELLIA, NO_AES)), above(1), _SOFTWARE, substitute=_MASKED,
    ),
    _claim(
        "aria-slower", _ONE,
        "ARIA is consistently slower than Camellia, with every key length and mode, for encryption and decryption of "
        "100 and 1000 MB (smallest difference: 256 bits in ECB, encrypting 100 MB, {0} and {1} s).",
        "smallest ratio of the CPU time of ARIA to that of Camellia", "block-ciphers",
        _smallest(_ciphers(ARIA, CAMELLIA)), above(1), _BUILD,
        numbers=(_small_time("aria-256-ecb"), _small_time("camellia-256-ecb")), expected=ratio,
    ),
    _claim(
        "longer-keys-slower", _ONE,
        "Keys of 256 bits are slower than keys of 128 bits; accepted: with every cipher and mode, for encryption and "
        "decryption of 100 and 1000 MB. The document's own table has 12 exceptions of 36, 9 of them at 100 MB "
        "(largest: AES in CTR, encrypting 100 MB, {0} and {1} s).",
        "smallest ratio of the CPU time with 256 bits to that with 128", "block-ciphers",
        _smallest(_KEYS), above(1), _ROUNDS,
        numbers=(_small_time("aes-256-ctr"), _small_time("aes-128-ctr")), expected=ratio,
    ),
    _claim(
        "longer-keys-little-slower", _ONE,
        "Keys of 256 bits are just slightly slower than keys of 128 bits (largest difference: AES in ECB, decrypting "
        "1000 MB, {0} and {1} s); accepted: less than 10 % more time with every cipher and mode, for encryption and "
        "decryption of 100 and 1000 MB.",
        "largest ratio of the CPU time with 256 bits to that with 128", "block-ciphers",
        _largest(_KEYS), below(1.1), _ROUNDS, "percent more",
        numbers=(_time("aes-256-ecb", "decrypt"), _time("aes-128-ecb", "decrypt")), expected=ratio,
    ),
    _claim(
        "ecb-fastest", _ONE,
        "ECB is the fastest of the three modes; accepted: with every cipher and key length, for encryption and "
        "decryption of 100 and 1000 MB. The document's own table has 10 exceptions of 24 (largest: AES-128, decrypting "
        "100 MB, CTR {0}, ECB {1} s).",
        "smallest ratio of the CPU time of another mode to that of ECB", "block-ciphers",
        _smallest([*_modes(_SIX, "ctr", "ecb"), *_modes(_SIX, "cbc", "ecb")]), above(1),
        f"{_LOOPS} Decryption in CBC and all of CTR can compute several blocks at once, as ECB.",
        numbers=(_small_time("aes-128-ctr", "decrypt"), _small_time("aes-128-ecb", "decrypt")), expected=ratio,
    ),
    _claim(
        "cbc-slowest", _ONE,
        "CBC is the slowest of the three modes; accepted: slower than ECB and CTR with every cipher and key length, "
        "for encryption and decryption of 100 and 1000 MB. In the document's own table it is the slowest in 4 of 24 "
        "(farthest from it: AES-256, decrypting 100 MB, CBC {0}, ECB {1} s).",
        "smallest ratio of the CPU time of CBC to that of another mode", "block-ciphers",
        _smallest([*_modes(_SIX, "cbc", "ctr"), *_modes(_SIX, "cbc", "ecb")]), above(1), f"{_LOOPS} {_PIPELINE}",
        numbers=(_small_time("aes-256-cbc", "decrypt"), _small_time("aes-256-ecb", "decrypt")), expected=ratio,
    ),
    _claim(
        "cbc-encrypts-much-slower", _ONE,
        "CBC makes encryption much slower, since each block depends on the one before, read as slower than in ECB; "
        "accepted: more than twice the time with every cipher and key length, at 100 and 1000 MB. The document's own "
        "table has similar times (Camellia-256, 1000 MB: {0} and {1} s).",
        "smallest ratio of the CPU time of CBC to that of ECB, encrypting", "block-ciphers",
        _smallest(_modes(_SIX, "cbc", "ecb", ("encrypt",))), above(2), f"{_LOOPS} {_PIPELINE}",
        numbers=(_time("camellia-256-cbc"), _time("camellia-256-ecb")), expected=ratio,
    ),
    _claim(
        "cbc-decryption-no-faster", _ONE,
        "If the decryption of several blocks at once in CBC was used, it had little effect (largest: ARIA-256, 100 MB, "
        "{0} s, {1} s for encryption); accepted: less than 10 % faster with every cipher and key length, at 100 and "
        "1000 MB.",
        "largest ratio of the CPU time of CBC encryption to that of decryption", "block-ciphers",
        _largest(_reversed(_ops(f"{LIBRARY}/{name}-cbc" for name in _SIX))), below(1.1), _PIPELINE,
        numbers=(_small_time("aria-256-cbc", "decrypt"), _small_time("aria-256-cbc")), expected=inverse_ratio,
    ),
    _claim(
        "3des-linear", _TWO,
        "With Triple-DES {0} times the data takes pretty much exactly {0} times as long (largest deviation: ECB, "
        "encrypting, {2} and {1} s for 100 and 1000 MB); accepted: less than 5 % deviation in ECB and CBC, for "
        "encryption and decryption.",
        "largest factor between the CPU times per byte of 100 and 1000 MB", "block-ciphers",
        _nonlinearity(_TRIPLE), below(1.05), "Only a changing clock frequency should affect the ratio.",
        numbers=(Number(_TWO, _TIMES_TEN), _time("3des-ecb"), _small_time("3des-ecb")),
        expected=lambda times, large, small: factor_between(large / small, times),
    ),
    _claim(
        "3des-decrypts-faster", _TWO,
        "Triple-DES generally decrypts a little faster than it encrypts (ECB, 1000 MB, {1} and {0} s); accepted: "
        "faster in at least three of four cases, ECB and CBC at 100 and 1000 MB.",
        "lower median of the four ratios of the CPU time of encryption to that of decryption", "block-ciphers",
        _median(_reversed(_ops(_TRIPLE))), above(1),
        "Both consist of the same rounds with the keys in another order.",
        numbers=(_time("3des-ecb"), _time("3des-ecb", "decrypt")), expected=ratio,
    ),
    _claim(
        "3des-decryption-like-encryption", _TWO,
        "Triple-DES decrypts at more or less the same speed as it encrypts (largest difference: ECB, 100 MB, {1} and "
        "{0} s); accepted: less than 10 % difference in ECB and CBC, at 100 and 1000 MB.",
        "largest factor between the CPU times of decryption and encryption", "block-ciphers",
        _factor(_ops(_TRIPLE)), below(1.1), "The code of a mode around the cipher may differ between the directions.",
        numbers=(_small_time("3des-ecb"), _small_time("3des-ecb", "decrypt")), expected=factor_between,
    ),
    _claim(
        "3des-ecb-before-cbc", _TWO,
        "Triple-DES is faster in ECB than in CBC, for encryption and decryption of 100 and 1000 MB (smallest "
        "difference: encrypting 100 MB, {0} and {1} s).",
        "smallest ratio of the CPU time of CBC to that of ECB", "block-ciphers",
        _smallest(_modes((TRIPLE_DES,), "cbc", "ecb")), above(1), _LOOPS,
        numbers=(_small_time("3des-ecb"), _small_time("3des-cbc")), expected=inverse_ratio,
    ),
    _claim(
        "3des-at-least-five", _TWO,
        "Triple-DES takes {0} to 10 times more time than any other cipher, read as at least {0} times as long in the "
        "same mode (smallest: ARIA-256 in ECB, decrypting 100 MB, {1} and {2} s).",
        "smallest ratio of the CPU time of Triple-DES to that of another cipher in the same mode", "block-ciphers",
        _smallest(_SLOWDOWNS), at_least, _BUILD,
        numbers=(
            Number(_TWO, "slowdown of Triple-DES against any other cipher, lowest"),
            _small_time("3des-ecb", "decrypt"), _small_time("aria-256-ecb", "decrypt"),
        ),
        expected=first,
    ),
    _claim(
        "3des-at-most-ten", _TWO,
        "Triple-DES takes 5 to {0} times more time than any other cipher, read as at most {0} times as long in the "
        "same mode. The document's own table contradicts this for AES (largest: AES-256 in ECB, encrypting 100 MB, "
        "{2} and {1} s).",
        "largest ratio of the CPU time of Triple-DES to that of another cipher in the same mode", "block-ciphers",
        _largest(_SLOWDOWNS), at_most, "The CPU has instructions for AES and none for DES.",
        numbers=(
            Number(_TWO, "slowdown of Triple-DES against any other cipher, highest"),
            _small_time("aes-256-ecb"), _small_time("3des-ecb"),
        ),
        expected=first,
    ),
    _claim(
        "3des-over-camellia", _TWO,
        "In ECB on 1000 MB Triple-DES takes about {0} times as long as Camellia (encrypting, 128 bits: {1} and {2} s); "
        "key length and direction are not stated; accepted: 0.5 to 2 times this excess in the median of both.",
        "lower median, over key lengths and directions, of the ratio of Triple-DES's CPU time to Camellia's",
        "block-ciphers",
        _in_ecb(TRIPLE_DES, _CAMELLIAS, SIZES[1:]), similar_effect, _BUILD,
        numbers=(Number(_TWO, "slowdown of Triple-DES against Camellia"), _time("3des-ecb"), _time("camellia-128-ecb")),
        expected=first,
    ),
    _claim(
        "des-over-camellia", _TWO,
        "DES would take about {0} times as long as Camellia, whose key length is not stated; accepted: 0.5 to 2 times "
        "this excess in the median of key lengths, directions, and 100 and 1000 MB, in ECB.",
        "lower median, over key lengths, directions and lengths, of the ratio of DES's CPU time to Camellia's",
        "block-ciphers",
        _in_ecb(DES, _CAMELLIAS), similar_effect, f"{_EXPECTED} {_BUILD}",
        numbers=(Number(_TWO, "slowdown of DES against Camellia"),), expected=float,
    ),
    _claim(
        "3des-over-des", _TWO,
        "Triple-DES takes {0} times as long as DES; accepted: 0.5 to 2 times this excess in the median of encryption "
        "and decryption of 100 and 1000 MB in ECB.",
        "lower median, over directions and lengths, of the ratio of Triple-DES's CPU time to that of DES",
        "block-ciphers",
        _in_ecb(TRIPLE_DES, (DES,)), similar_effect,
        f"{_EXPECTED} The permutations at both ends of DES are computed once instead of three times.",
        numbers=(Number(_TWO, "slowdown of Triple-DES against DES"),), expected=float,
    ),
)  # fmt: skip
