"""Claims of *AES performance results* (Nick Mathewson, tor-dev, 2007)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from math import isnan

from aeadlab.studies.tor.study import CELLS, VARIANTS
from aeadlab.verdicts.claim import Claim, Number, Numbers, estimator
from aeadlab.verdicts.estimate import Estimate, Quantity
from aeadlab.verdicts.evidence import Evidence
from aeadlab.verdicts.expected import percent, percent_less, percent_more, ratio
from aeadlab.verdicts.pairs import Operation, Pair, largest_factor, largest_ratio, smallest_ratio, undecidable
from aeadlab.verdicts.ranges import above, at_least, below, similar_count, similar_effect

EVP, LOW_LEVEL = "openssl/aes-128-ctr", "openssl/aes-128-ctr.aes-encrypt"
OLDER_EVP, OLDER_LOW_LEVEL = "openssl-system/aes-128-ctr", "openssl-system/aes-128-ctr.aes-encrypt"
"""The system's OpenSSL is the substitute for the older of two versions."""

_OWN, _OPENSSL = "rijndael/aes-128-ctr", EVP
"""Names in the published numbers, which distinguish the variants in a column of their own."""

_SUMMARY, _CONCLUSIONS = "Summary", "Conclusions"
_CORE2, _ATHLON, _G4 = "Results, Catbus", "Results, Totoro", "Results, Kushana"
_TIME = "time for a million cells"
_AES_ENCRYPT, _CURRENT = "low-level -O2", "counter-optimization -O2"

_POWERPC = "requires a PowerPC G4, and versions 0.9.7 and 0.9.8 of OpenSSL"
_COMPILER = "gcc 4 and CPUs of 2001 to 2006; newer compilers unroll and schedule loops, and newer CPUs reorder code."
_TABLES = (
    "AES_encrypt in OpenSSL's assembly uses a table of 256 bytes, which it reads in advance against timing attacks, "
    "and computes what Tor's code looks up in large tables."
)

_claim = partial(Claim, "Tor")


def own(variant: str, level: int) -> str:
    """Return the name of Tor's own code, in one of `VARIANTS`, at an optimization level."""
    return f"{_OWN}.{variant}-o{level}"


def _cell(name: str) -> Operation:
    return Operation(name, "encrypt", CELLS[0])


def _pairs(pairs: Sequence[tuple[str, str]]) -> list[Pair]:
    return [(_cell(over), _cell(under)) for over, under in pairs]


def _published(place: str, implementation: str, variant: str, software: str = "") -> Number:
    return Number(place, _TIME, implementation, variant=variant, software=software)


@estimator
def time_saved(evidence: Evidence, numbers: Numbers, replacement: Operation, current: Operation) -> Quantity:
    """Return the share of a program's time that `replacement` saves it in place of `current`.

    The second number of the claim is the share of its time, in percent, that the program spends in `current`.
    """
    relative_time, share = smallest_ratio([(replacement, current)])(evidence, numbers), numbers[1] / 100

    def quantity(confidence: float) -> Estimate:
        time = relative_time(confidence)
        low, high = time.widened
        # A difference of times is no ratio: the noise floor has widened the ratio already, unless it is unknown.
        noise = time.noise if isnan(time.noise) else 0.0
        return replace(
            time, value=share * (1 - time.value), low=share * (1 - high), high=share * (1 - low), noise=noise
        )

    return quantity


_LEVELS = _pairs([(own(variant, 2), own(variant, 3)) for variant in VARIANTS])
_GAIN = Number(_CONCLUSIONS, "gain of OpenSSL 0.9.8b or later over own code")
_SHARES = tuple(Number(_CONCLUSIONS, f"share of CPU time in AES, {end}") for end in ("lowest", "highest"))


def _saving(end: str, bound: str, share: Number) -> Claim:
    """Return the claim about the least or largest saving of CPU time."""
    return _claim(
        f"saves-{end}", _CONCLUSIONS,
        "Where {1} % of the CPU time is in AES, AES_encrypt instead of Tor's own code saves {0} % of the CPU time; "
        "accepted: 0.5 to 2 times as much. The document's own numbers give less: {2} % of the share.",
        "share of CPU time saved", "cells",
        time_saved(_cell(LOW_LEVEL), _cell(own("counter-optimization", 2))), similar_count, _TABLES, "percent",
        numbers=(Number(_CONCLUSIONS, f"CPU time saved, {bound}"), share, _GAIN), expected=percent,
    )  # fmt: skip


CLAIMS: tuple[Claim, ...] = (
    _claim(
        "newer-openssl-faster", _SUMMARY,
        "AES of OpenSSL 0.9.8 is faster than that of 0.9.7 on all computers (Athlon XP: {1} instead of {0} s, PowerPC "
        "G4: {3} instead of {2} s). Neither version is available; the system's OpenSSL replaces the older one.",
        "smallest ratio of the older version's time to the newer's, for EVP and AES_encrypt", "cells",
        smallest_ratio(_pairs([(OLDER_EVP, EVP), (OLDER_LOW_LEVEL, LOW_LEVEL)])), above(1),
        "Version 0.9.8 added AES in assembly; between the two versions measured here AES has hardly changed.",
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
        "-O3 helps a little everywhere. The document's own numbers have exceptions (counter optimization on the Athlon "
        "XP: {0} s at -O2, {1} s at -O3).",
        "smallest ratio of the time at -O2 to that at -O3, for the three variants of Tor's own code", "cells",
        smallest_ratio(_LEVELS), above(1), _COMPILER,
        numbers=(_published(_ATHLON, _OWN, _CURRENT), _published(_ATHLON, _OWN, "counter-optimization -O3")),
        expected=ratio,
    ),
    _claim(
        "o3-helps-much-somewhere", _SUMMARY,
        "-O3 helps a lot in some places (unrolled code on the Core 2: {1} instead of {0} s); accepted: a gain above "
        "5 % for one of the three variants.",
        "largest ratio of the time at -O2 to that at -O3, for the three variants of Tor's own code", "cells",
        largest_ratio(_LEVELS), above(1.05), _COMPILER,
        numbers=(_published(_CORE2, _OWN, "full-unroll -O2"), _published(_CORE2, _OWN, "full-unroll -O3")),
        expected=ratio,
    ),
    _claim(
        "o3-around-openssl", _CORE2,
        "-O3 also helps code that calls OpenSSL's AES_encrypt ({1} instead of {0} s); accepted: 0.5 to 2 times this "
        "gain.",
        "time at -O2 over time at -O3", "",
        undecidable("the caller of AES_encrypt is compiled at one optimization level here"), similar_effect, _COMPILER,
        numbers=(_published(_CORE2, _OPENSSL, _AES_ENCRYPT), _published(_CORE2, _OPENSSL, "low-level -O3")),
        expected=ratio,
    ),
    _claim(
        "counter-optimization-helps", _CORE2,
        "Incrementing the counter block without encoding it each time helps ({1} instead of {0} s, Athlon XP: {3} "
        "instead of {2} s).",
        "time of the plain code over that with the counter optimization, at -O2", "cells",
        smallest_ratio(_pairs([(own("plain", 2), own("counter-optimization", 2))])), above(1), _COMPILER,
        numbers=(
            _published(_CORE2, _OWN, "plain -O2"), _published(_CORE2, _OWN, _CURRENT),
            _published(_ATHLON, _OWN, "plain -O2"), _published(_ATHLON, _OWN, _CURRENT),
        ),
        expected=lambda a, b, c, d: min(a / b, c / d),
    ),
    _claim(
        "evp-slower", _CORE2,
        "OpenSSL's EVP takes longer than its AES_encrypt ({0} and {1} s) on all three computers.",
        "time of EVP over that of AES_encrypt", "cells",
        smallest_ratio(_pairs([(EVP, LOW_LEVEL)])), above(1),
        "EVP now uses the AES instructions of the CPU and increments the counter itself; AES_encrypt has not changed.",
        numbers=(_published(_CORE2, _OPENSSL, "evp -O2"), _published(_CORE2, _OPENSSL, _AES_ENCRYPT)), expected=ratio,
    ),
    _claim(
        "unrolling-changes-little", _CONCLUSIONS,
        "Unrolling all rounds helps in some places and not in others (Core 2: {1} instead of {0} s, Athlon XP: {3} "
        "instead of {2} s); accepted: less than 10 % difference at -O2 and -O3.",
        "largest factor between code with and without unrolled rounds", "cells",
        largest_factor(_pairs([(own("full-unroll", n), own("counter-optimization", n)) for n in (2, 3)])), below(1.1),
        _COMPILER,
        numbers=(
            _published(_CORE2, _OWN, _CURRENT), _published(_CORE2, _OWN, "full-unroll -O2"),
            _published(_ATHLON, _OWN, _CURRENT), _published(_ATHLON, _OWN, "full-unroll -O2"),
        ),
        expected=lambda a, b, c, d: max(a / b, b / a, c / d, d / c),
    ),
    _claim(
        "own-before-old-openssl", _CONCLUSIONS,
        "Tor's own code is about {0} % faster than the best of OpenSSL 0.9.7f or earlier; accepted: 0.5 to 2 times "
        "this gain.",
        "OpenSSL's time over that of Tor's own code", "",
        undecidable("requires OpenSSL 0.9.7, which is not available"), similar_effect, _TABLES, "percent more",
        numbers=(Number(_CONCLUSIONS, "gain of own code over OpenSSL 0.9.7f or earlier"),), expected=percent_more,
    ),
    _claim(
        "aes-encrypt-before-own", _CONCLUSIONS,
        "On x86 AES_encrypt of OpenSSL 0.9.8b or later takes about {0} % less time than Tor's own code ({2} instead of "
        "{1} s); accepted: 0.5 to 2 times this gain.",
        "time of AES_encrypt over that of Tor's own code", "cells",
        smallest_ratio(_pairs([(LOW_LEVEL, own("counter-optimization", 2))])), similar_effect,
        f"{_TABLES} {_COMPILER}", "percent more",
        numbers=(_GAIN, _published(_CORE2, _OWN, _CURRENT), _published(_CORE2, _OPENSSL, _AES_ENCRYPT)),
        expected=percent_less,
    ),
    _claim(
        "own-before-openssl-on-powerpc", _CONCLUSIONS,
        "On a PowerPC G4 Tor's own code is about {0} % faster than OpenSSL 0.9.8 and {1} % faster than 0.9.7; "
        "accepted: 0.5 to 2 times the gain over 0.9.8.",
        "time of AES_encrypt over that of Tor's own code", "",
        undecidable(_POWERPC), similar_effect, _TABLES, "percent more",
        numbers=(
            Number(_CONCLUSIONS, "gain of own code over OpenSSL 0.9.8"),
            Number(_CONCLUSIONS, "gain of own code over OpenSSL 0.9.7"),
        ),
        expected=percent_more,
    ),
    _claim(
        "unrolling-helps-on-powerpc", _CONCLUSIONS,
        "On a PowerPC G4 unrolling all rounds helps ({1} instead of {0} s).",
        "time with rounds in a loop over time with unrolled rounds", "",
        undecidable("requires a PowerPC G4"), above(1), _COMPILER,
        numbers=(_published(_G4, _OWN, _CURRENT), _published(_G4, _OWN, "full-unroll -O2")), expected=ratio,
    ),
    _claim(
        "share-of-time-in-aes", _CONCLUSIONS,
        "A relay of Tor spends {0} to {1} % of its CPU time in AES; elsewhere the document states that it is "
        "most of the time.",
        "share of CPU time", "",
        undecidable("requires a busy relay of Tor"), at_least, "A relay does more besides AES today.",
        "percent", numbers=_SHARES, expected=percent,
    ),
    _saving("at-least", "lowest", _SHARES[0]),
    _saving("at-most", "highest", _SHARES[1]),
)  # fmt: skip
