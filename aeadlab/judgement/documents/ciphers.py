"""What *Using & Benchmarking Block Ciphers with OpenSSL* (an assignment) finds.

Its times are CPU times (getrusage). Here they are wall times of one thread that never waits, which come to the same.
"""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import Final

from aeadlab.judgement.claim import Claim, Number
from aeadlab.judgement.expected import apart, first, over, under
from aeadlab.judgement.lengths import disproportion
from aeadlab.judgement.pairs import Pair, Whole, farthest_apart, greatest_ratio, least_ratio
from aeadlab.judgement.ranges import above, at_least, at_most, below, like_effect
from aeadlab.judgement.undecidable import undecidable
from aeadlab.studies.block_ciphers import ALGORITHMS, PAPERS
from aeadlab.workloads import MODES

AES, ARIA, CAMELLIA, TRIPLE_DES = "aes", "aria", "camellia", "3des"
BITS: Final = (128, 256)
BOTH: Final = ("encrypt", "decrypt")
NO_AES: Final = "no-aes"
"""The mask under which libraries do not see the CPU's AES instructions."""

_SIX: Final = tuple(f"{cipher}-{bits}" for cipher, bits in product((AES, ARIA, CAMELLIA), BITS))
_TRIPLE: Final = tuple(f"{PAPERS}/{TRIPLE_DES}-{mode}" for mode in ("ecb", "cbc"))
"""Triple-DES in the modes that the document has; OpenSSL has no counter mode of it."""

_MAIN: Final = tuple(f"{PAPERS}/{name}" for name in ALGORITHMS if not name.startswith(TRIPLE_DES))

_ONE, _TWO = "Section 1", "Section 2"
_first = partial(Number, "Table 1", "CPU time")
_second = partial(Number, "Table 2", "CPU time")
_LARGE, _SMALL = 10**9, 10**8
"""Bytes of the document's two messages."""

_TIMES_TEN = "time for 1000 MB over time for 100 MB"
_NO_DES = "takes DES by itself, which no library of the lab hands out"
_BUILD = "Other versions, compilers and CPU."
_PIPELINE = "AES instructions of several blocks overlap, as wide as the CPU has them, except where a block waits."
_NOISE = "Software ciphers take nearly as long in all modes: what is left is how a mode's loop is written."
_ROUNDS = "256 bits of key are 14 rounds in place of 10 (AES), 16 of 12 (ARIA), 24 of 18 (Camellia)."
_SOFTWARE = "Without AES instructions OpenSSL still has vector code for AES, some of it of 8 blocks at once."

_claim = partial(Claim, "Ciphers")


def _of(cipher: str, mode: str, op: str = "encrypt", mask: str = "") -> Whole:
    return Whole(f"{PAPERS}/{cipher}-{mode}", op, mask=mask)


def _ops(names: tuple[str, ...], mask: str = "") -> list[Pair]:
    """Decrypting with encrypting."""
    return [(Whole(name, "decrypt", mask=mask), Whole(name, "encrypt", mask=mask)) for name in names]


def _modes(ciphers: tuple[str, ...], mode: str, other: str, ops: tuple[str, ...] = ("encrypt",)) -> list[Pair]:
    """One mode with another."""
    return [(_of(cipher, mode, op), _of(cipher, other, op)) for cipher, op in product(ciphers, ops)]


def _ciphers(cipher: str, other: str, ops: tuple[str, ...] = ("encrypt",), mask: str = "") -> list[Pair]:
    """One cipher, under a mask, with another, with the same length of key in the same mode."""
    return [
        (_of(f"{cipher}-{bits}", mode, op, mask), _of(f"{other}-{bits}", mode, op))
        for bits, mode, op in product(BITS, MODES, ops)
    ]


def _with_all(names: tuple[str, ...]) -> list[Pair]:
    """Triple-DES with each of these in the same mode, both ways."""
    return [(_of(TRIPLE_DES, mode, op), _of(name, mode, op)) for name, mode, op in product(names, ("ecb", "cbc"), BOTH)]


def _only(cipher: str) -> tuple[str, ...]:
    return tuple(name for name in _MAIN if name.startswith(f"{PAPERS}/{cipher}-"))


_KEYS = [
    (_of(f"{cipher}-256", mode, op), _of(f"{cipher}-128", mode, op))
    for cipher, mode, op in product((AES, ARIA, CAMELLIA), MODES, BOTH)
]
_WITHOUT = _ciphers(AES, AES, mask=NO_AES)

CLAIMS: tuple[Claim, ...] = (
    _claim(
        "linear", _ONE,
        "Time grows with the data: {0} times as much takes {0} times as long, of which AES-128 in ECB, decrypting, is "
        "farthest ({1} after {2} s); less than 25 % away counts, for all.",
        "largest factor between times per byte of both sizes", "block-ciphers",
        disproportion(_MAIN, BOTH), below(1.25), "Shorter messages may stay in a cache that longer ones leave.",
        numbers=(
            Number(_ONE, _TIMES_TEN), _first(f"{PAPERS}/aes-128-ecb", "decrypt", _LARGE),
            _first(f"{PAPERS}/aes-128-ecb", "decrypt", _SMALL),
        ),
        expected=lambda times, large, small: apart(large / small, times),
    ),
    _claim(
        "decryption-like-encryption", _ONE,
        "ARIA and Camellia decrypt as fast as they encrypt (farthest apart is Camellia-128 in CBC, {0} and {1} s); "
        "less than 10 % apart counts, for all.",
        "largest factor between decryption and encryption", "block-ciphers",
        farthest_apart(_ops((*_only(ARIA), *_only(CAMELLIA)))), below(1.1), _BUILD,
        numbers=tuple(_first(f"{PAPERS}/camellia-128-cbc", op, _LARGE) for op in ("decrypt", "encrypt")),
        expected=apart,
    ),
    _claim(
        "aes-decrypts-slower", _ONE,
        "AES decrypts more slowly than it encrypts, with every key and mode (AES-256 in CTR {0} and {1} s).",
        "time of decryption over that of encryption, at least", "block-ciphers",
        least_ratio(_ops(_only(AES))), above(1),
        "In counter mode both are one operation, and decryption in CBC need not wait for the block before.",
        numbers=tuple(_first(f"{PAPERS}/aes-256-ctr", op, _LARGE) for op in ("decrypt", "encrypt")),
        expected=over,
    ),
    _claim(
        "aes-decryption-by-instructions", _ONE,
        "That AES decrypts more slowly is by the CPU's AES instructions: with these hidden, less than 10 % between "
        "both counts, with every key and mode.",
        "largest factor between decryption and encryption without them", "block-ciphers",
        farthest_apart(_ops(_only(AES), NO_AES)), below(1.1), _SOFTWARE,
    ),
    _claim(
        "aes-far-ahead", _ONE,
        "AES is much faster than ARIA and Camellia (nearest with 256 bits in CTR, {0} against {1} s); five times "
        "counts, with every key and mode.",
        "time of ARIA or Camellia over that of AES, at least", "block-ciphers",
        least_ratio([*_ciphers(ARIA, AES), *_ciphers(CAMELLIA, AES)]), above(5), _PIPELINE,
        numbers=(_first(f"{PAPERS}/aes-256-ctr", "encrypt", _LARGE),
                 _first(f"{PAPERS}/camellia-256-ctr", "encrypt", _LARGE)),
        expected=under,
    ),
    _claim(
        "aes-by-instructions", _ONE,
        "AES is so fast by the CPU's AES instructions, which OpenSSL finds by itself; twice the time without them "
        "counts, with every key and mode.",
        "time without AES instructions over time with them, at least", "block-ciphers",
        least_ratio(_WITHOUT), above(2), _SOFTWARE,
    ),
    _claim(
        "aes-without-like-others", _ONE,
        "Without AES instructions AES would take about as long as ARIA or Camellia; less than a factor of 2 from both "
        "counts, with every key and mode.",
        "largest factor between AES without them and ARIA or Camellia", "block-ciphers",
        farthest_apart([*_ciphers(AES, ARIA, mask=NO_AES), *_ciphers(AES, CAMELLIA, mask=NO_AES)]), below(2), _SOFTWARE,
    ),
    _claim(
        "camellia-may-lead", _ONE,
        "Without AES instructions Camellia may be faster than AES; with one key and mode at least counts.",
        "time of AES without them over that of Camellia, at most", "block-ciphers",
        greatest_ratio(_ciphers(AES, CAMELLIA, mask=NO_AES)), above(1), _SOFTWARE,
    ),
    _claim(
        "aria-slower", _ONE,
        "ARIA is slower than Camellia, with every key and mode, both ways (nearest with 256 bits in ECB, {0} and {1} "
        "s).",
        "time of ARIA over that of Camellia, at least", "block-ciphers",
        least_ratio(_ciphers(ARIA, CAMELLIA, BOTH)), above(1), _BUILD,
        numbers=(_first(f"{PAPERS}/aria-256-ecb", "encrypt", _LARGE),
                 _first(f"{PAPERS}/camellia-256-ecb", "encrypt", _LARGE)),
        expected=over,
    ),
    _claim(
        "longer-keys-slower", _ONE,
        "Keys of 256 bits are slower than those of 128, with every cipher and mode, both ways. Its own table has three "
        "exceptions of 18, all in CTR (AES, decrypting: {0} and {1} s).",
        "time with 256 bits over that with 128, at least", "block-ciphers",
        least_ratio(_KEYS), above(1), _ROUNDS,
        numbers=(_first(f"{PAPERS}/aes-256-ctr", "decrypt", _LARGE),
                 _first(f"{PAPERS}/aes-128-ctr", "decrypt", _LARGE)),
        expected=over,
    ),
    _claim(
        "longer-keys-little-slower", _ONE,
        "Keys of 256 bits are little slower than those of 128 (most of all AES in ECB, decrypting: {0} and {1} s); "
        "less than 10 % counts, with every cipher and mode, both ways.",
        "time with 256 bits over that with 128, at most", "block-ciphers",
        greatest_ratio(_KEYS), below(1.1), _ROUNDS, "percent more",
        numbers=(_first(f"{PAPERS}/aes-256-ecb", "decrypt", _LARGE),
                 _first(f"{PAPERS}/aes-128-ecb", "decrypt", _LARGE)),
        expected=over,
    ),
    _claim(
        "ecb-fastest", _ONE,
        "ECB is the fastest mode, here of encryption with every cipher and key. Its own table has exceptions "
        "(Camellia-256: CTR {0}, ECB {1} s).",
        "time of the fastest other mode over that of ECB, at least", "block-ciphers",
        least_ratio([*_modes(_SIX, "ctr", "ecb"), *_modes(_SIX, "cbc", "ecb")]), above(1), _NOISE,
        numbers=tuple(_first(f"{PAPERS}/camellia-256-{mode}", "encrypt", _LARGE) for mode in ("ctr", "ecb")),
        expected=over,
    ),
    _claim(
        "cbc-slowest", _ONE,
        "CBC is the slowest mode, behind CTR, here of encryption with every cipher and key. Its own table has it "
        "behind CTR with Camellia-256 only (AES-128: CBC {0}, CTR {1} s).",
        "time of CBC over that of CTR, at least", "block-ciphers",
        least_ratio(_modes(_SIX, "cbc", "ctr")), above(1), _NOISE,
        numbers=tuple(_first(f"{PAPERS}/aes-128-{mode}", "encrypt", _LARGE) for mode in ("cbc", "ctr")),
        expected=over,
    ),
    _claim(
        "cbc-encrypts-much-slower", _ONE,
        "CBC encrypts much more slowly than ECB, since each block waits for the one before; twice the time counts, for "
        "AES, whose blocks can overlap. Its own table has them alike (AES-128: {0} and {1} s).",
        "time of CBC over that of ECB, at least", "block-ciphers",
        least_ratio(_modes((f"{AES}-128", f"{AES}-256"), "cbc", "ecb")), above(2), _PIPELINE,
        numbers=tuple(_first(f"{PAPERS}/aes-128-{mode}", "encrypt", _LARGE) for mode in ("cbc", "ecb")),
        expected=over,
    ),
    _claim(
        "cbc-decryption-no-faster", _ONE,
        "That CBC can decrypt several blocks at once had little impact (most with Camellia-256, {0} s after {1} s of "
        "encryption); less than 10 % faster counts, with every cipher and key.",
        "time of CBC encryption over that of decryption, at most", "block-ciphers",
        greatest_ratio([(_of(name, "cbc"), _of(name, "cbc", "decrypt")) for name in _SIX]), below(1.1), _PIPELINE,
        numbers=tuple(_first(f"{PAPERS}/camellia-256-cbc", op, _LARGE) for op in ("decrypt", "encrypt")),
        expected=under,
    ),
    _claim(
        "3des-linear", _TWO,
        "Triple-DES, too, takes {0} times as long for {0} times as much data ({1} after {2} s in ECB); less than 25 % "
        "away counts.",
        "largest factor between times per byte of both sizes", "block-ciphers",
        disproportion(_TRIPLE, BOTH), below(1.25), "Nothing but the clock of the CPU should change it.",
        numbers=(
            Number(_TWO, _TIMES_TEN), _second(_TRIPLE[0], "encrypt", _LARGE), _second(_TRIPLE[0], "encrypt", _SMALL),
        ),
        expected=lambda times, large, small: apart(large / small, times),
    ),
    _claim(
        "3des-decrypts-faster", _TWO,
        "Triple-DES decrypts faster than it encrypts, in ECB ({1} and {0} s) and CBC.",
        "time of encryption over that of decryption, at least", "block-ciphers",
        least_ratio([(under, over) for over, under in _ops(_TRIPLE)]), above(1),
        "Both are the same rounds with the keys in another order.",
        numbers=tuple(_second(_TRIPLE[0], op, _LARGE) for op in BOTH), expected=over,
    ),
    _claim(
        "3des-decryption-like-encryption", _TWO,
        "Triple-DES decrypts only a little faster than it encrypts (in CBC {1} and {0} s); less than 10 % apart "
        "counts.",
        "largest factor between decryption and encryption", "block-ciphers",
        farthest_apart(_ops(_TRIPLE)), below(1.1), "What a mode does beside the cipher may differ for both directions.",
        numbers=tuple(_second(_TRIPLE[1], op, _LARGE) for op in BOTH), expected=apart,
    ),
    _claim(
        "3des-ecb-before-cbc", _TWO,
        "Triple-DES is faster in ECB than in CBC, both ways ({0} and {1} s of decryption).",
        "time of CBC over that of ECB, at least", "block-ciphers",
        least_ratio(_modes((TRIPLE_DES,), "cbc", "ecb", BOTH)), above(1), _NOISE,
        numbers=tuple(_second(name, "decrypt", _LARGE) for name in _TRIPLE), expected=under,
    ),
    _claim(
        "3des-at-least-five", _TWO,
        "Triple-DES takes {0} times as long as any other cipher, or more, in the same mode (ARIA-256 in ECB, "
        "decrypting: {1} against {2} s).",
        "time of Triple-DES over that of another, at least", "block-ciphers",
        least_ratio(_with_all(_SIX)), at_least, _BUILD,
        numbers=(
            Number(_TWO, "slowdown of Triple-DES against any other cipher, lowest"),
            _second(_TRIPLE[0], "decrypt", _LARGE), _first(f"{PAPERS}/aria-256-ecb", "decrypt", _LARGE),
        ),
        expected=first,
    ),
    _claim(
        "3des-at-most-ten", _TWO,
        "Triple-DES takes {0} times as long as any other cipher, or less, in the same mode. Its own table has AES far "
        "beyond that ({2} against {1} s in ECB), so that only ARIA and Camellia are asked.",
        "time of Triple-DES over that of another, at most", "block-ciphers",
        greatest_ratio(_with_all(_SIX[2:])), at_most, _BUILD,
        numbers=(
            Number(_TWO, "slowdown of Triple-DES against any other cipher, highest"),
            _first(f"{PAPERS}/aes-128-ecb", "encrypt", _LARGE), _second(_TRIPLE[0], "encrypt", _LARGE),
        ),
        expected=first,
    ),
    _claim(
        "3des-over-camellia", _TWO,
        "In ECB Triple-DES takes about {0} times as long as Camellia ({1} against {2} s, with 128 bits); half to twice "
        "of that excess counts.",
        "time of Triple-DES over that of Camellia-128", "block-ciphers",
        least_ratio([(_of(TRIPLE_DES, "ecb"), _of(f"{CAMELLIA}-128", "ecb"))]), like_effect, _BUILD,
        numbers=(
            Number(_TWO, "slowdown of Triple-DES against Camellia"), _second(_TRIPLE[0], "encrypt", _LARGE),
            _first(f"{PAPERS}/camellia-128-ecb", "encrypt", _LARGE),
        ),
        expected=first,
    ),
    _claim(
        "des-over-camellia", _TWO,
        "DES would take about {0} times as long as Camellia; half to twice of that excess counts.",
        "time of DES over that of Camellia", "", undecidable(_NO_DES), like_effect, _BUILD,
        numbers=(Number(_TWO, "slowdown of DES against Camellia"),), expected=float,
    ),
    _claim(
        "3des-over-des", _TWO,
        "Triple-DES takes {0} times as long as DES; half to twice of that excess counts.",
        "time of Triple-DES over that of DES", "", undecidable(_NO_DES), like_effect,
        "The permutations at both ends of DES are done once and not three times.",
        numbers=(Number(_TWO, "slowdown of Triple-DES against DES"),), expected=float,
    ),
)  # fmt: skip
