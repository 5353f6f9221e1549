"""What *AES performance results* (Nick Mathewson, tor-dev, 2007) finds."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from aeadlab.judgement.cells import saved
from aeadlab.judgement.claim import Claim, Number
from aeadlab.judgement.expected import over, percent, percent_less, percent_more
from aeadlab.judgement.pairs import Pair, Whole, farthest_apart, greatest_ratio, least_ratio
from aeadlab.judgement.ranges import above, at_least, below, like_count, like_effect
from aeadlab.judgement.undecidable import undecidable
from aeadlab.workloads import CELLS

WAYS: Final = ("plain", "counter-optimization", "full-unroll")
EVP, LOW_LEVEL = "openssl/aes-128-ctr", "openssl/aes-128-ctr.aes-encrypt"
OLDER_EVP, OLDER_LOW_LEVEL = "openssl-system/aes-128-ctr", "openssl-system/aes-128-ctr.aes-encrypt"
"""The system's OpenSSL stands for the older of two versions."""

_OWN, _OPENSSL = "rijndael/aes-128-ctr", EVP
"""As the published numbers name them; what it is in particular is their variant."""

_SUMMARY, _CONCLUSIONS = "Summary", "Conclusions"
_CORE2, _ATHLON, _G4 = "Results, Catbus", "Results, Totoro", "Results, Kushana"
_TIME = "time for a million cells"
_AES_ENCRYPT, _NOW = "low-level -O2", "counter-optimization -O2"

_POWERPC = "takes a PowerPC G4, and versions 0.9.7 and 0.9.8 of OpenSSL"
_COMPILER = "gcc 4 and CPUs of 2001 to 2006: compilers have learned to unroll and schedule, CPUs to reorder."
_TABLES = (
    "OpenSSL's assembly for one block keeps to a table of 256 bytes, which it reads beforehand so that time tells less "
    "of the key, and computes what the large tables of Tor's code hold."
)

_claim = partial(Claim, "Tor")


def own(way: str, level: int) -> str:
    """The code that Tor had, in one of `WAYS`, at a level of optimisation."""
    return f"{_OWN}.{way}-o{level}"


def _cell(name: str) -> Whole:
    return Whole(name, "encrypt", CELLS[0])


def _pairs(pairs: Sequence[tuple[str, str]]) -> list[Pair]:
    return [(_cell(over), _cell(under)) for over, under in pairs]


def _published(place: str, implementation: str, variant: str, software: str = "") -> Number:
    return Number(place, _TIME, implementation, variant=variant, software=software)


_LEVELS = _pairs([(own(way, 2), own(way, 3)) for way in WAYS])
_GAIN = Number(_CONCLUSIONS, "gain of OpenSSL 0.9.8b or later over own code")
_SHARES = tuple(Number(_CONCLUSIONS, f"share of CPU time in AES, {end}") for end in ("lowest", "highest"))

CLAIMS: tuple[Claim, ...] = (
    _claim(
        "newer-openssl-faster", _SUMMARY,
        "AES of OpenSSL 0.9.8 is faster than that of 0.9.7 everywhere ({1} after {0} s on an Athlon XP, {3} after {2} "
        "s on a PowerPC G4). Neither is here: the system's OpenSSL stands for the older, the lab's own for the newer.",
        "older one's time over the newer one's, EVP and AES_encrypt, at least", "cells",
        least_ratio(_pairs([(OLDER_EVP, EVP), (OLDER_LOW_LEVEL, LOW_LEVEL)])), above(1),
        "0.9.8 brought AES in assembly; between the two that stand here AES has hardly changed.",
        numbers=(
            _published(_ATHLON, _OPENSSL, _AES_ENCRYPT, "OpenSSL 0.9.7f; gcc 4.0"),
            _published(_ATHLON, _OPENSSL, _AES_ENCRYPT, "OpenSSL 0.9.8e; gcc 4.0"),
            _published(_G4, _OPENSSL, _AES_ENCRYPT, "OpenSSL 0.9.7b; gcc 4.0"),
            _published(_G4, _OPENSSL, _AES_ENCRYPT, "OpenSSL 0.9.8e; gcc 4.0"),
        ),
        expected=lambda a, b, c, d: min(a / b, c / d),
    ),
    _claim(
        "o3-helps-everywhere", _SUMMARY,
        "-O3 helps a little everywhere. Its own numbers have places where it does not (counter optimisation on the "
        "Athlon XP: {0} and {1} s).",
        "time at -O2 over that at -O3, of the three ways of Tor's own code, at least", "cells",
        least_ratio(_LEVELS), above(1), _COMPILER,
        numbers=(_published(_ATHLON, _OWN, _NOW), _published(_ATHLON, _OWN, "counter-optimization -O3")),
        expected=over,
    ),
    _claim(
        "o3-helps-much-somewhere", _SUMMARY,
        "-O3 helps a lot in some places (unrolled code on the Core 2: {1} after {0} s); 5 % counts, with one of the "
        "three ways.",
        "time at -O2 over that at -O3, of the three ways of Tor's own code, at most", "cells",
        greatest_ratio(_LEVELS), above(1.05), _COMPILER,
        numbers=(_published(_CORE2, _OWN, "full-unroll -O2"), _published(_CORE2, _OWN, "full-unroll -O3")),
        expected=over,
    ),
    _claim(
        "o3-around-openssl", _CORE2,
        "-O3 also helps around OpenSSL's AES_encrypt ({1} after {0} s); half to twice of that gain counts.",
        "time at -O2 over that at -O3", "",
        undecidable("what calls AES_encrypt is compiled at one level of optimisation here"), like_effect, _COMPILER,
        numbers=(_published(_CORE2, _OPENSSL, _AES_ENCRYPT), _published(_CORE2, _OPENSSL, "low-level -O3")),
        expected=over,
    ),
    _claim(
        "counter-optimization-helps", _CORE2,
        "Making the counter's block without encoding it each time helps ({1} after {0} s, Athlon XP {3} after {2} s).",
        "time of the plain code over that with the counter optimisation, at -O2", "cells",
        least_ratio(_pairs([(own("plain", 2), own("counter-optimization", 2))])), above(1), _COMPILER,
        numbers=(
            _published(_CORE2, _OWN, "plain -O2"), _published(_CORE2, _OWN, _NOW),
            _published(_ATHLON, _OWN, "plain -O2"), _published(_ATHLON, _OWN, _NOW),
        ),
        expected=lambda a, b, c, d: min(a / b, c / d),
    ),
    _claim(
        "evp-slower", _CORE2,
        "OpenSSL's EVP takes longer than its AES_encrypt ({0} and {1} s), on all three computers.",
        "time of EVP over that of AES_encrypt", "cells",
        least_ratio(_pairs([(EVP, LOW_LEVEL)])), above(1),
        "EVP uses the CPU's AES instructions today, and counts by itself; AES_encrypt is as it was.",
        numbers=(_published(_CORE2, _OPENSSL, "evp -O2"), _published(_CORE2, _OPENSSL, _AES_ENCRYPT)),
        expected=over,
    ),
    _claim(
        "unrolling-changes-little", _CONCLUSIONS,
        "Unrolling all rounds helps in some places and not in others (Core 2 {1} after {0} s, Athlon XP {3} after {2} "
        "s); less than 10 % either way counts, at -O2 and -O3.",
        "largest factor between rounds unrolled and not", "cells",
        farthest_apart(_pairs([(own("full-unroll", n), own("counter-optimization", n)) for n in (2, 3)])), below(1.1),
        _COMPILER,
        numbers=(
            _published(_CORE2, _OWN, _NOW), _published(_CORE2, _OWN, "full-unroll -O2"),
            _published(_ATHLON, _OWN, _NOW), _published(_ATHLON, _OWN, "full-unroll -O2"),
        ),
        expected=lambda a, b, c, d: max(a / b, b / a, c / d, d / c),
    ),
    _claim(
        "own-before-old-openssl", _CONCLUSIONS,
        "Tor's own code is about {0} % better than the best of OpenSSL 0.9.7f or earlier; half to twice of that "
        "counts.",
        "OpenSSL's time over that of Tor's own code", "",
        undecidable("takes OpenSSL 0.9.7, which is not here"), like_effect, _TABLES, "percent more",
        numbers=(Number(_CONCLUSIONS, "gain of own code over OpenSSL 0.9.7f or earlier"),), expected=percent_more,
    ),
    _claim(
        "aes-encrypt-before-own", _CONCLUSIONS,
        "On x86 AES_encrypt of OpenSSL 0.9.8b or later takes about {0} % less time than Tor's own code ({2} against "
        "{1} s); half to twice of that counts.",
        "time of AES_encrypt over that of Tor's own code", "cells",
        least_ratio(_pairs([(LOW_LEVEL, own("counter-optimization", 2))])), like_effect, f"{_TABLES} {_COMPILER}",
        "percent more",
        numbers=(
            _GAIN, _published(_CORE2, _OWN, _NOW), _published(_CORE2, _OPENSSL, _AES_ENCRYPT),
        ),
        expected=percent_less,
    ),
    _claim(
        "own-before-openssl-on-powerpc", _CONCLUSIONS,
        "On a PowerPC G4 Tor's own code is faster than OpenSSL, by about {0} % against 0.9.8 and {1} % against 0.9.7; "
        "half to twice of the former counts.",
        "time of AES_encrypt over that of Tor's own code", "",
        undecidable(_POWERPC), like_effect, _TABLES, "percent more",
        numbers=(
            Number(_CONCLUSIONS, "gain of own code over OpenSSL 0.9.8"),
            Number(_CONCLUSIONS, "gain of own code over OpenSSL 0.9.7"),
        ),
        expected=percent_more,
    ),
    _claim(
        "unrolling-helps-on-powerpc", _CONCLUSIONS,
        "On a PowerPC G4 unrolling all rounds helps ({1} after {0} s).",
        "time of rounds in a loop over that of rounds unrolled", "",
        undecidable("takes a PowerPC G4"), above(1), _COMPILER,
        numbers=(_published(_G4, _OWN, _NOW), _published(_G4, _OWN, "full-unroll -O2")),
        expected=over,
    ),
    _claim(
        "share-of-time-in-aes", _CONCLUSIONS,
        "A relay of Tor spends {0} to {1} % of its CPU time in AES (elsewhere: most of it).",
        "share of CPU time", "",
        undecidable("takes a relay of Tor with much to relay"), at_least, "A relay does more than AES today.",
        "percent", numbers=_SHARES, expected=percent,
    ),
    _claim(
        "saves-at-least", _CONCLUSIONS,
        "Where {1} % of CPU time are in AES, calling AES_encrypt in place of Tor's own code saves {0} % of it; half to "
        "twice of that counts. Its own numbers give {2} % of the share, which is less.",
        "share of CPU time saved", "cells",
        saved(_cell(LOW_LEVEL), _cell(own("counter-optimization", 2))), like_count, _TABLES, "percent",
        numbers=(Number(_CONCLUSIONS, "CPU time saved, lowest"), _SHARES[0], _GAIN),
        expected=percent,
    ),
    _claim(
        "saves-at-most", _CONCLUSIONS,
        "Where {1} % of CPU time are in AES, calling AES_encrypt in place of Tor's own code saves {0} % of it; half to "
        "twice of that counts. Its own numbers give {2} % of the share, which is less.",
        "share of CPU time saved", "cells",
        saved(_cell(LOW_LEVEL), _cell(own("counter-optimization", 2))), like_count, _TABLES, "percent",
        numbers=(Number(_CONCLUSIONS, "CPU time saved, highest"), _SHARES[1], _GAIN),
        expected=percent,
    ),
)  # fmt: skip
