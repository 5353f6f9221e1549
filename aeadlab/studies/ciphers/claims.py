"""Claims of *Using & Benchmarking Block Ciphers with OpenSSL* (an assignment).

The document reports CPU times (getrusage). The times here are wall times of one thread that never waits, which exceed
its CPU time only by interruptions.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import product
from typing import Final

from aeadlab.studies.ciphers.study import ALGORITHMS, LIBRARY, MODES
from aeadlab.verdicts.claim import Claim, Number, Numbers, estimator
from aeadlab.verdicts.estimate import Quantity
from aeadlab.verdicts.evidence import Evidence, Inconclusive
from aeadlab.verdicts.expected import factor_between, first, inverse_ratio, ratio
from aeadlab.verdicts.pairs import Operation, Pair, largest_factor, largest_ratio, smallest_ratio, undecidable
from aeadlab.verdicts.ranges import above, at_least, at_most, below, similar_effect

AES, ARIA, CAMELLIA, TRIPLE_DES = "aes", "aria", "camellia", "3des"
BITS: Final = (128, 256)
BOTH: Final = ("encrypt", "decrypt")
NO_AES: Final = "no-aes"
"""The mask that hides the AES instructions of the CPU."""

_SIX: Final = tuple(f"{cipher}-{bits}" for cipher, bits in product((AES, ARIA, CAMELLIA), BITS))
_TRIPLE: Final = tuple(f"{LIBRARY}/{TRIPLE_DES}-{mode}" for mode in ("ecb", "cbc"))
"""Triple-DES in the modes of the document; OpenSSL has no counter mode of it."""

_MAIN: Final = tuple(f"{LIBRARY}/{name}" for name in ALGORITHMS if not name.startswith(TRIPLE_DES))

_ONE, _TWO = "Section 1", "Section 2"
_TIMES_TEN = "time for 1000 MB over time for 100 MB"
_NO_DES = "requires DES, which no library of the catalogue offers"
_BUILD = "Other versions, compilers and CPU."
_PIPELINE = "The CPU overlaps the AES instructions of several blocks, unless a block depends on the one before."
_LOOPS = "Software ciphers take nearly the same time in all modes; the rest is the loop of the mode."
_ROUNDS = "A key of 256 bits takes 14 rounds instead of 10 (AES), 16 instead of 12 (ARIA), 24 instead of 18 (Camellia)."
_SOFTWARE = "Without AES instructions OpenSSL still has vector code for AES, some of it for 8 blocks at once."

_claim = partial(Claim, "Ciphers")


def _time(cipher: str, op: str = "encrypt", size: int = 10**9) -> Number:
    """Return a number of the document's first table, or of the second, which is about Triple-DES."""
    table = "Table 2" if cipher.startswith(TRIPLE_DES) else "Table 1"
    return Number(table, "CPU time", f"{LIBRARY}/{cipher}", op, size)


def _operation(cipher: str, mode: str, op: str = "encrypt", mask: str = "") -> Operation:
    return Operation(f"{LIBRARY}/{cipher}-{mode}", op, mask=mask)


def _ops(names: tuple[str, ...], mask: str = "") -> list[Pair]:
    """Return the pairs of decryption and encryption."""
    return [(Operation(name, "decrypt", mask=mask), Operation(name, "encrypt", mask=mask)) for name in names]


def _modes(ciphers: tuple[str, ...], mode: str, other: str, ops: tuple[str, ...] = ("encrypt",)) -> list[Pair]:
    """Return the pairs of one mode and another."""
    return [(_operation(cipher, mode, op), _operation(cipher, other, op)) for cipher, op in product(ciphers, ops)]


def _ciphers(cipher: str, other: str, ops: tuple[str, ...] = ("encrypt",), mask: str = "") -> list[Pair]:
    """Return the pairs of one cipher, under a mask, and another with the same key length and mode."""
    return [
        (_operation(f"{cipher}-{bits}", mode, op, mask), _operation(f"{other}-{bits}", mode, op))
        for bits, mode, op in product(BITS, MODES, ops)
    ]


def _triple_des_over(ciphers: tuple[str, ...]) -> list[Pair]:
    """Return the pairs of Triple-DES and each of these ciphers in the same mode, for both ops."""
    return [
        (_operation(TRIPLE_DES, mode, op), _operation(cipher, mode, op))
        for cipher, mode, op in product(ciphers, ("ecb", "cbc"), BOTH)
    ]


def _variants(cipher: str) -> tuple[str, ...]:
    """Return the implementations of a cipher with every key length and mode."""
    return tuple(name for name in _MAIN if name.startswith(f"{LIBRARY}/{cipher}-"))


@estimator
def largest_nonlinearity(evidence: Evidence, numbers: Numbers, names: Sequence[str]) -> Quantity:
    """Return the largest factor between the times per byte of the shortest and the longest message, for both ops."""
    pairs = [_shortest_and_longest(evidence, name, op) for name, op in product(names, BOTH)]
    return largest_factor(pairs, per_byte=True)(evidence, numbers)


def _shortest_and_longest(evidence: Evidence, name: str, op: str) -> Pair:
    every = evidence.with_all_lengths
    lengths = every.cases.loc[every.find(name, engine="whole", op=op, threads=1), "bytes"]
    if lengths.nunique() < 2:
        raise Inconclusive(f"{name} was measured with one message length, two are required")
    return Operation(name, op, int(lengths.max())), Operation(name, op, int(lengths.min()))


_KEYS = [
    (_operation(f"{cipher}-256", mode, op), _operation(f"{cipher}-128", mode, op))
    for cipher, mode, op in product((AES, ARIA, CAMELLIA), MODES, BOTH)
]
_WITHOUT = _ciphers(AES, AES, mask=NO_AES)

CLAIMS: tuple[Claim, ...] = (
    _claim(
        "linear", _ONE,
        "Time is proportional to the data: {0} times the data takes {0} times as long (the largest deviation is that "
        "of AES-128 in ECB, decrypting: {1} and {2} s); accepted: less than 25 % deviation for all ciphers.",
        "largest factor between the times per byte of both sizes", "block-ciphers",
        largest_nonlinearity(_MAIN), below(1.25),
        "Shorter messages may stay in a cache that longer ones exceed.",
        numbers=(Number(_ONE, _TIMES_TEN), _time("aes-128-ecb", "decrypt"), _time("aes-128-ecb", "decrypt", 10**8)),
        expected=lambda times, large, small: factor_between(large / small, times),
    ),
    _claim(
        "decryption-like-encryption", _ONE,
        "ARIA and Camellia decrypt as fast as they encrypt (largest difference: Camellia-128 in CBC, {0} and {1} s); "
        "accepted: less than 10 % difference for all.",
        "largest factor between decryption and encryption", "block-ciphers",
        largest_factor(_ops((*_variants(ARIA), *_variants(CAMELLIA)))), below(1.1), _BUILD,
        numbers=(_time("camellia-128-cbc", "decrypt"), _time("camellia-128-cbc")), expected=factor_between,
    ),
    _claim(
        "aes-decrypts-slower", _ONE,
        "AES decrypts more slowly than it encrypts, with every key length and mode (AES-256 in CTR: {0} and {1} s).",
        "smallest ratio of the time of decryption to that of encryption", "block-ciphers",
        smallest_ratio(_ops(_variants(AES))), above(1),
        "In counter mode both are the same operation, and decryption in CBC does not wait for the block before.",
        numbers=(_time("aes-256-ctr", "decrypt"), _time("aes-256-ctr")), expected=ratio,
    ),
    _claim(
        "aes-decryption-by-instructions", _ONE,
        "The AES instructions of the CPU cause the slower decryption of AES; accepted: less than 10 % difference "
        "between decryption and encryption without these instructions, with every key length and mode.",
        "largest factor between decryption and encryption without AES instructions", "block-ciphers",
        largest_factor(_ops(_variants(AES), NO_AES)), below(1.1), _SOFTWARE,
    ),
    _claim(
        "aes-far-ahead", _ONE,
        "AES is much faster than ARIA and Camellia (smallest difference: 256 bits in CTR, {0} and {1} s); accepted: "
        "more than five times as fast with every key length and mode.",
        "smallest ratio of the time of ARIA or Camellia to that of AES", "block-ciphers",
        smallest_ratio([*_ciphers(ARIA, AES), *_ciphers(CAMELLIA, AES)]), above(5), _PIPELINE,
        numbers=(_time("aes-256-ctr"), _time("camellia-256-ctr")), expected=inverse_ratio,
    ),
    _claim(
        "aes-by-instructions", _ONE,
        "AES owes its speed to the AES instructions of the CPU, which OpenSSL detects; accepted: more than twice the "
        "time without them, with every key length and mode.",
        "smallest ratio of the time without AES instructions to that with them", "block-ciphers",
        smallest_ratio(_WITHOUT), above(2), _SOFTWARE,
    ),
    _claim(
        "aes-without-like-others", _ONE,
        "Without AES instructions AES would take about as long as ARIA or Camellia; accepted: less than a factor of 2 "
        "from both, with every key length and mode.",
        "largest factor between AES without AES instructions and ARIA or Camellia", "block-ciphers",
        largest_factor([*_ciphers(AES, ARIA, mask=NO_AES), *_ciphers(AES, CAMELLIA, mask=NO_AES)]), below(2), _SOFTWARE,
    ),
    _claim(
        "camellia-may-lead", _ONE,
        "Without AES instructions Camellia may be faster than AES; accepted: faster with at least one key length and "
        "mode.",
        "largest ratio of the time of AES without AES instructions to that of Camellia", "block-ciphers",
        largest_ratio(_ciphers(AES, CAMELLIA, mask=NO_AES)), above(1), _SOFTWARE,
    ),
    _claim(
        "aria-slower", _ONE,
        "ARIA is slower than Camellia with every key length and mode, for encryption and decryption (smallest "
        "difference: 256 bits in ECB, {0} and {1} s).",
        "smallest ratio of the time of ARIA to that of Camellia", "block-ciphers",
        smallest_ratio(_ciphers(ARIA, CAMELLIA, BOTH)), above(1), _BUILD,
        numbers=(_time("aria-256-ecb"), _time("camellia-256-ecb")), expected=ratio,
    ),
    _claim(
        "longer-keys-slower", _ONE,
        "Keys of 256 bits are slower than keys of 128 bits with every cipher and mode, for encryption and decryption. "
        "The document's own table has three exceptions of 18, all in CTR (AES, decrypting: {0} and {1} s).",
        "smallest ratio of the time with 256 bits to that with 128", "block-ciphers",
        smallest_ratio(_KEYS), above(1), _ROUNDS,
        numbers=(_time("aes-256-ctr", "decrypt"), _time("aes-128-ctr", "decrypt")), expected=ratio,
    ),
    _claim(
        "longer-keys-little-slower", _ONE,
        "Keys of 256 bits are only a little slower than keys of 128 bits (largest difference: AES in ECB, decrypting, "
        "{0} and {1} s); accepted: less than 10 % with every cipher and mode, for encryption and decryption.",
        "largest ratio of the time with 256 bits to that with 128", "block-ciphers",
        largest_ratio(_KEYS), below(1.1), _ROUNDS, "percent more",
        numbers=(_time("aes-256-ecb", "decrypt"), _time("aes-128-ecb", "decrypt")), expected=ratio,
    ),
    _claim(
        "ecb-fastest", _ONE,
        "ECB is the fastest mode; measured for encryption with every cipher and key length. The document's own "
        "table has exceptions (Camellia-256: CTR {0}, ECB {1} s).",
        "smallest ratio of the time of another mode to that of ECB", "block-ciphers",
        smallest_ratio([*_modes(_SIX, "ctr", "ecb"), *_modes(_SIX, "cbc", "ecb")]), above(1), _LOOPS,
        numbers=(_time("camellia-256-ctr"), _time("camellia-256-ecb")), expected=ratio,
    ),
    _claim(
        "cbc-slowest", _ONE,
        "CBC is the slowest mode, slower than CTR; measured for encryption with every cipher and key length. In the "
        "document's own table it is slower than CTR with Camellia-256 only (AES-128: CBC {0}, CTR {1} s).",
        "smallest ratio of the time of CBC to that of CTR", "block-ciphers",
        smallest_ratio(_modes(_SIX, "cbc", "ctr")), above(1), _LOOPS,
        numbers=(_time("aes-128-cbc"), _time("aes-128-ctr")), expected=ratio,
    ),
    _claim(
        "cbc-encrypts-much-slower", _ONE,
        "CBC encrypts much more slowly than ECB, since each block depends on the one before; accepted: more than twice "
        "the time with AES, whose blocks can overlap. The document's own table has similar times (AES-128: {0} and "
        "{1} s).",
        "smallest ratio of the time of CBC to that of ECB", "block-ciphers",
        smallest_ratio(_modes((f"{AES}-128", f"{AES}-256"), "cbc", "ecb")), above(2), _PIPELINE,
        numbers=(_time("aes-128-cbc"), _time("aes-128-ecb")), expected=ratio,
    ),
    _claim(
        "cbc-decryption-no-faster", _ONE,
        "The parallel decryption of several blocks in CBC has little effect (largest with Camellia-256: {0} s, {1} s "
        "for encryption); accepted: less than 10 % faster with every cipher and key length.",
        "largest ratio of the time of CBC encryption to that of decryption", "block-ciphers",
        largest_ratio([(_operation(name, "cbc"), _operation(name, "cbc", "decrypt")) for name in _SIX]), below(1.1),
        _PIPELINE,
        numbers=(_time("camellia-256-cbc", "decrypt"), _time("camellia-256-cbc")), expected=inverse_ratio,
    ),
    _claim(
        "3des-linear", _TWO,
        "The time of Triple-DES is proportional to the data, too: {0} times the data takes {0} times as long (ECB: {1} "
        "and {2} s); accepted: less than 25 % deviation.",
        "largest factor between the times per byte of both sizes", "block-ciphers",
        largest_nonlinearity(_TRIPLE), below(1.25), "Only a changing clock frequency should affect the ratio.",
        numbers=(Number(_TWO, _TIMES_TEN), _time("3des-ecb"), _time("3des-ecb", size=10**8)),
        expected=lambda times, large, small: factor_between(large / small, times),
    ),
    _claim(
        "3des-decrypts-faster", _TWO,
        "Triple-DES decrypts faster than it encrypts, in ECB ({1} and {0} s) and CBC.",
        "smallest ratio of the time of encryption to that of decryption", "block-ciphers",
        smallest_ratio([(under, over) for over, under in _ops(_TRIPLE)]), above(1),
        "Both consist of the same rounds with the keys in another order.",
        numbers=(_time("3des-ecb"), _time("3des-ecb", "decrypt")), expected=ratio,
    ),
    _claim(
        "3des-decryption-like-encryption", _TWO,
        "Triple-DES decrypts only a little faster than it encrypts (CBC: {1} and {0} s); accepted: less than 10 % "
        "difference.",
        "largest factor between decryption and encryption", "block-ciphers",
        largest_factor(_ops(_TRIPLE)), below(1.1), "The code of a mode around the cipher may differ between the ops.",
        numbers=(_time("3des-cbc"), _time("3des-cbc", "decrypt")), expected=factor_between,
    ),
    _claim(
        "3des-ecb-before-cbc", _TWO,
        "Triple-DES is faster in ECB than in CBC, for encryption and decryption (decryption: {0} and {1} s).",
        "smallest ratio of the time of CBC to that of ECB", "block-ciphers",
        smallest_ratio(_modes((TRIPLE_DES,), "cbc", "ecb", BOTH)), above(1), _LOOPS,
        numbers=(_time("3des-ecb", "decrypt"), _time("3des-cbc", "decrypt")), expected=inverse_ratio,
    ),
    _claim(
        "3des-at-least-five", _TWO,
        "Triple-DES takes at least {0} times as long as any other cipher in the same mode (ARIA-256 in ECB, "
        "decrypting: {1} and {2} s).",
        "smallest ratio of the time of Triple-DES to that of another cipher", "block-ciphers",
        smallest_ratio(_triple_des_over(_SIX)), at_least, _BUILD,
        numbers=(
            Number(_TWO, "slowdown of Triple-DES against any other cipher, lowest"),
            _time("3des-ecb", "decrypt"), _time("aria-256-ecb", "decrypt"),
        ),
        expected=first,
    ),
    _claim(
        "3des-at-most-ten", _TWO,
        "Triple-DES takes at most {0} times as long as any other cipher in the same mode; measured for ARIA and "
        "Camellia. The document's own table has a much larger factor for AES ({2} and {1} s in ECB).",
        "largest ratio of the time of Triple-DES to that of another cipher", "block-ciphers",
        largest_ratio(_triple_des_over(_SIX[2:])), at_most, _BUILD,
        numbers=(
            Number(_TWO, "slowdown of Triple-DES against any other cipher, highest"),
            _time("aes-128-ecb"), _time("3des-ecb"),
        ),
        expected=first,
    ),
    _claim(
        "3des-over-camellia", _TWO,
        "In ECB Triple-DES takes about {0} times as long as Camellia ({1} and {2} s with 128 bits); accepted: 0.5 to 2 "
        "times this excess.",
        "time of Triple-DES over time of Camellia-128", "block-ciphers",
        smallest_ratio([(_operation(TRIPLE_DES, "ecb"), _operation(f"{CAMELLIA}-128", "ecb"))]), similar_effect, _BUILD,
        numbers=(Number(_TWO, "slowdown of Triple-DES against Camellia"), _time("3des-ecb"), _time("camellia-128-ecb")),
        expected=first,
    ),
    _claim(
        "des-over-camellia", _TWO,
        "DES would take about {0} times as long as Camellia; accepted: 0.5 to 2 times this excess.",
        "time of DES over time of Camellia", "", undecidable(_NO_DES), similar_effect, _BUILD,
        numbers=(Number(_TWO, "slowdown of DES against Camellia"),), expected=float,
    ),
    _claim(
        "3des-over-des", _TWO,
        "Triple-DES takes {0} times as long as DES; accepted: 0.5 to 2 times this excess.",
        "time of Triple-DES over time of DES", "", undecidable(_NO_DES), similar_effect,
        "The permutations at both ends of DES are computed once instead of three times.",
        numbers=(Number(_TWO, "slowdown of Triple-DES against DES"),), expected=float,
    ),
)  # fmt: skip
