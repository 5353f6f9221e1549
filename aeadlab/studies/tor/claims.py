"""Claims of *AES performance results* (Nick Mathewson, tor-dev, 2007)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from operator import gt

from aeadlab.studies.tor.study import A_MILLION, CELLS, EVP_BLOCK, LOW_LEVEL_O2, LOW_LEVEL_O3, OWN
from aeadlab.verdicts.claim import Claim, Number
from aeadlab.verdicts.expected import inverse_ratio, percent, percent_less, percent_more, ratio
from aeadlab.verdicts.pairs import Operation, Pair, largest_ratio, smallest_ratio, undecidable
from aeadlab.verdicts.ranges import Range, above, at_least, similar_count, similar_effect

_OWN, _OPENSSL = "rijndael/aes-128-ctr", "openssl/aes-128-ctr"
"""Names in the published numbers, which distinguish the variants in a column of their own."""

_SUMMARY, _RESULTS, _CONCLUSIONS = "Summary", "Results", "Conclusions"
_CORE2, _ATHLON, _G4 = "Results, Catbus", "Results, Totoro", "Results, Kushana"
_TIME = "time for a million cells"
_AES_ENCRYPT, _CURRENT = "low-level -O2", "counter-optimization -O2"
_NEWER_ON_ATHLON = "OpenSSL 0.9.8e; gcc 4.0"

_POWERPC = "requires a PowerPC G4, and versions 0.9.7 and 0.9.8 of OpenSSL"
_COMPILER = "Another compiler than the document's gcc 4, and another CPU."
_LEVELS = f"{_COMPILER} Of AES_encrypt only the caller is compiled at both levels."
_TABLES = (
    "On x86-64 AES_encrypt in OpenSSL's assembly now uses a table of 256 bytes, which it reads in advance against "
    "timing attacks, and computes what Tor's code looks up in large tables."
)
_OTHER_CODE = "Other versions of OpenSSL have other code, and other CPUs run it at other speeds."

_CELLS = (
    "Cells of 509 bytes, the length in Tor's source of that day (commit 230fbd95c0), since the document states none; "
    "each is a message of its own. Compiled with this lab's compiler at the levels of the document, for any CPU of the "
    "architecture."
)
_OWN_CODE = "Tor's own code is this project's table code, not rijndael-alg-fst.c."
_LINKED = "OpenSSL is of the version that the record names."
_PERCENT = "Read as if the document's percentages are relative to the time of Tor's own code."
"""Only so do its tables give the 37 % on both x86 computers (4.6 of 7.3 s, 10.9 of 17.3 s: the share of time saved) and
the 8 and 16 % on the G4 (12.0 and 12.9 of 11.1 s: the time that OpenSSL takes more). The 15 % on the Athlon XP (20.2 of
17.3 s) are 17 % so, and 14 % relative to OpenSSL's time."""

_claim = partial(Claim, "Tor")


def own(variant: str, level: int) -> str:
    """Return the name of Tor's own code, in one of `aeadlab.studies.tor.study.VARIANTS`, at an optimization level."""
    return f"{_OWN}.{variant}-o{level}"


def _run(name: str) -> Operation:
    """Return the document's measurement: a million cells under one key, one after the other."""
    return Operation(name, "encrypt", CELLS[0] * A_MILLION, engine="cells")


def _runs(pairs: Sequence[tuple[str, str]]) -> list[Pair]:
    return [(_run(over), _run(under)) for over, under in pairs]


def _published(place: str, implementation: str, variant: str, software: str = "") -> Number:
    return Number(place, _TIME, implementation, variant=variant, software=software)


_AT_BOTH_LEVELS = _runs(
    [
        *((own(variant, 2), own(variant, 3)) for variant in ("counter-optimization", "full-unroll")),
        (LOW_LEVEL_O2, LOW_LEVEL_O3),
    ]
)
"""The codes that the document compiles at -O2 and at -O3."""


def _of_computers(*times: float) -> list[float]:
    """Return the ratio of two times for each computer."""
    return [over / under for over, under in zip(times[::2], times[1::2], strict=True)]


def _smallest_of_computers(*times: float) -> float:
    """Return the smallest ratio of two times for each computer."""
    return min(_of_computers(*times))


_GAIN = Number(_CONCLUSIONS, "gain of OpenSSL 0.9.8b or later over own code")
_SHARES = tuple(Number(_CONCLUSIONS, f"share of CPU time in AES, {end}") for end in ("lowest", "highest"))


def _saving(end: str, bound: str, share: Number) -> Claim:
    """Return the claim about the least or largest saving of CPU time."""
    return _claim(
        f"saves-{end}", _CONCLUSIONS,
        "Where {1} % of the CPU time is in AES, read as the same end of a range, AES_encrypt instead of Tor's own "
        "code would save {0} % of the CPU time; accepted: 0.5 to 2 times as much. The document's own gain of {2} % "
        "gives less; its estimate agrees with the gain in speed, 59 %.",
        "share of CPU time saved", "",
        undecidable("requires a busy relay of Tor; the ratio of the two codes is a claim of its own"),
        similar_count, _OTHER_CODE, "percent",
        numbers=(Number(_CONCLUSIONS, f"CPU time saved, {bound}"), share, _GAIN), expected=percent,
    )  # fmt: skip


CLAIMS: tuple[Claim, ...] = (
    _claim(
        "newer-openssl-faster", _SUMMARY,
        "AES of OpenSSL 0.9.8b and 0.9.8e is uniformly faster than that of 0.9.7b and 0.9.7f (AES_encrypt, Athlon XP: "
        "{1} instead of {0} s, at -O3 {3} instead of {2} s, PowerPC G4: {5} instead of {4} s, at -O3 {7} instead of "
        "{6} s). No computer has both 0.9.8b and an older version, and none has EVP of two versions.",
        "smallest ratio of the time of AES_encrypt of 0.9.7 to that of 0.9.8", "",
        undecidable("requires the AES code of OpenSSL 0.9.7 and 0.9.8"), above(1),
        "The document thanks the author of OpenSSL's AES in assembly, but names neither versions nor processors of it.",
        numbers=tuple(
            _published(place, _OPENSSL, f"low-level -O{level}", f"OpenSSL {version}; gcc 4.0")
            for place, older in ((_ATHLON, "0.9.7f"), (_G4, "0.9.7b"))
            for level in (2, 3)
            for version in (older, "0.9.8e")
        ),
        expected=_smallest_of_computers,
    ),
    _claim(
        "o3-helps-everywhere", _SUMMARY,
        "-O3 helps a little everywhere. The document's own numbers have two exceptions (counter optimization on the "
        "Athlon XP: {0} s at -O2, {1} s at -O3, unrolled code on the PowerPC G4: {2} and {3} s); accepted: faster for "
        "each code that the document compiles at both levels.",
        "smallest ratio of the time at -O2 to that at -O3: counter optimization, unrolled code, caller of AES_encrypt",
        "cells", smallest_ratio(_AT_BOTH_LEVELS), above(1), _LEVELS,
        numbers=(
            _published(_ATHLON, _OWN, _CURRENT), _published(_ATHLON, _OWN, "counter-optimization -O3"),
            _published(_G4, _OWN, "full-unroll -O2"), _published(_G4, _OWN, "full-unroll -O3"),
        ),
        expected=lambda a, b, c, d: min(a / b, c / d), substitute=f"{_OWN_CODE} {_LINKED} {_CELLS}",
    ),
    _claim(
        "o3-helps-much-somewhere", _SUMMARY,
        "-O3 helps a lot in some places (unrolled code on the Core 2: {1} instead of {0} s, caller of AES_encrypt of "
        "0.9.8e on the Athlon XP: {3} instead of {2} s; every other gain is 5 % or less); accepted: at least the "
        "smaller of these two gains, which is the published value here, for one code that the document compiles at "
        "both levels.",
        "largest ratio of the time at -O2 to that at -O3: counter optimization, unrolled code, caller of AES_encrypt",
        "cells", largest_ratio(_AT_BOTH_LEVELS), at_least, _LEVELS,
        numbers=(
            _published(_CORE2, _OWN, "full-unroll -O2"), _published(_CORE2, _OWN, "full-unroll -O3"),
            _published(_ATHLON, _OPENSSL, _AES_ENCRYPT, _NEWER_ON_ATHLON),
            _published(_ATHLON, _OPENSSL, "low-level -O3", _NEWER_ON_ATHLON),
        ),
        expected=lambda a, b, c, d: min(a / b, c / d), substitute=f"{_OWN_CODE} {_LINKED} {_CELLS}",
    ),
    _claim(
        "o3-around-openssl", _CONCLUSIONS,
        "With OpenSSL 0.9.8 on x86 -O3 helps code that calls AES_encrypt a little (Core 2: {1} instead of {0} s, "
        "Athlon XP: {3} instead of {2} s); accepted: from half of the smaller gain to twice the larger.",
        "time at -O2 over time at -O3, caller of AES_encrypt", "cells",
        smallest_ratio(_runs([(LOW_LEVEL_O2, LOW_LEVEL_O3)])), similar_effect, _LEVELS,
        numbers=(
            _published(_CORE2, _OPENSSL, _AES_ENCRYPT), _published(_CORE2, _OPENSSL, "low-level -O3"),
            _published(_ATHLON, _OPENSSL, _AES_ENCRYPT, _NEWER_ON_ATHLON),
            _published(_ATHLON, _OPENSSL, "low-level -O3", _NEWER_ON_ATHLON),
        ),
        expected=_smallest_of_computers, sizes=_of_computers, substitute=f"{_LINKED} {_CELLS}",
    ),
    _claim(
        "counter-optimization-helps", _RESULTS,
        "Leaving out the step that encodes and decodes the counter for each block takes less time on all three "
        "computers (Core 2: {1} instead of {0} s, Athlon XP: {3} instead of {2} s, PowerPC G4: {5} instead of {4} s).",
        "time of the plain code over that with the counter optimization, at -O2", "cells",
        smallest_ratio(_runs([(own("plain", 2), own("counter-optimization", 2))])), above(1), _COMPILER,
        numbers=tuple(
            _published(place, _OWN, code) for place in (_CORE2, _ATHLON, _G4) for code in ("plain -O2", _CURRENT)
        ),
        expected=_smallest_of_computers, sizes=_of_computers,
        substitute=f"{_OWN_CODE} {_CELLS}",
    ),
    _claim(
        "evp-slower", _RESULTS,
        "OpenSSL's EVP takes longer than its AES_encrypt on all three computers (Core 2: {0} and {1} s, Athlon XP: {2} "
        "and {3} s, PowerPC G4: {4} and {5} s).",
        "time of EVP, a block at a time, over that of AES_encrypt, at -O2", "cells",
        smallest_ratio(_runs([(EVP_BLOCK, LOW_LEVEL_O2)])), above(1),
        "EVP now uses the AES instructions of the CPU; AES_encrypt does not.",
        numbers=tuple(
            _published(place, _OPENSSL, code, software)
            for place, software in (
                (_CORE2, ""), (_ATHLON, "OpenSSL 0.9.7f; gcc 4.0"), (_G4, "OpenSSL 0.9.7b; gcc 4.0"),
            )
            for code in ("evp -O2", _AES_ENCRYPT)
        ),
        expected=_smallest_of_computers, sizes=_of_computers,
        substitute=f"EVP is called for each block, as in Tor's source of that day. {_LINKED} {_CELLS}",
    ),
    _claim(
        "evp-before-own", _CORE2,
        "In the printed numbers of the Core 2 OpenSSL's EVP ({0} s) is faster than each form of Tor's own code (the "
        "fastest {1} s); the plain form and that with counter optimization are compared at -O3, too.",
        "smallest ratio of the time of Tor's own code, at -O2 or -O3, to that of EVP, a block at a time, at -O2",
        "cells",
        smallest_ratio(_runs([(name, EVP_BLOCK) for name in OWN])), above(1),
        "EVP now uses the AES instructions of the CPU; each call for a block has a fixed cost.",
        numbers=(_published(_CORE2, _OPENSSL, "evp -O2"), _published(_CORE2, _OWN, "full-unroll -O3")),
        expected=inverse_ratio,
        substitute=f"{_OWN_CODE} EVP is called for each block, as in Tor's source of that day. {_LINKED} {_CELLS}",
    ),
    _claim(
        "unrolling-helps-in-places", _CONCLUSIONS,
        "FULL_UNROLL helps in some places and not in others (at -O2 on the Core 2 {1} instead of {0} s, on the PowerPC "
        "G4 {3} instead of {2} s, but on the Athlon XP {5} instead of {4} s).",
        "share of computers on which code with unrolled rounds takes less time", "",
        undecidable("requires several computers: on one, unrolling helps or does not"), lambda _: Range(0, 1),
        _COMPILER, "percent",
        numbers=tuple(
            _published(place, _OWN, code) for place in (_CORE2, _G4, _ATHLON) for code in (_CURRENT, "full-unroll -O2")
        ),
        expected=lambda *times: sum(map(gt, times[::2], times[1::2])) / len(times[::2]),
    ),
    _claim(
        "own-before-old-openssl", _CONCLUSIONS,
        "On the Athlon XP Tor's own code is around {0} % faster than the best with OpenSSL 0.9.7f ({1} s, with "
        f"AES_encrypt at -O3 {{2}} s); accepted: 0.5 to 2 times this gain. {_PERCENT} Then the table has 17 %, and "
        "14 % relative to the time of OpenSSL.",
        "OpenSSL's time over that of Tor's own code", "",
        undecidable("requires the AES code of OpenSSL 0.9.7f"), similar_effect, _OTHER_CODE, "percent more",
        numbers=(
            Number(_CONCLUSIONS, "gain of own code over OpenSSL 0.9.7f or earlier"),
            _published(_ATHLON, _OWN, _CURRENT),
            _published(_ATHLON, _OPENSSL, "low-level -O3", "OpenSSL 0.9.7f; gcc 4.0"),
        ),
        expected=percent_more,
    ),
    _claim(
        "aes-encrypt-before-own", _CONCLUSIONS,
        "On x86 AES_encrypt of OpenSSL 0.9.8b or later is about {0} % faster than Tor's own code (Core 2: {2} instead "
        f"of {{1}} s, Athlon XP: {{4}} instead of {{3}} s); accepted: 0.5 to 2 times this gain. {_PERCENT}",
        "time of AES_encrypt over that of Tor's own code, both at -O2", "cells",
        smallest_ratio(_runs([(LOW_LEVEL_O2, own("counter-optimization", 2))])), similar_effect,
        f"{_TABLES} {_COMPILER}", "percent more",
        numbers=(
            _GAIN, _published(_CORE2, _OWN, _CURRENT), _published(_CORE2, _OPENSSL, _AES_ENCRYPT),
            _published(_ATHLON, _OWN, _CURRENT), _published(_ATHLON, _OPENSSL, _AES_ENCRYPT, _NEWER_ON_ATHLON),
        ),
        expected=percent_less, substitute=f"{_OWN_CODE} {_LINKED} {_CELLS}",
    ),
    _claim(
        "own-before-openssl-on-powerpc", _CONCLUSIONS,
        "On a PowerPC G4 Tor's own code is about {0} % faster than OpenSSL 0.9.8 and {1} % faster than 0.9.7 (at -O2 "
        f"{{3}} s and with 0.9.8 {{2}} s, with 0.9.7 at -O3 {{4}} s); accepted: 0.5 to 2 times the gain over 0.9.8. "
        f"{_PERCENT}",
        "time of AES_encrypt over that of Tor's own code", "",
        undecidable(_POWERPC), similar_effect, _OTHER_CODE, "percent more",
        numbers=(
            Number(_CONCLUSIONS, "gain of own code over OpenSSL 0.9.8"),
            Number(_CONCLUSIONS, "gain of own code over OpenSSL 0.9.7"),
            _published(_G4, _OPENSSL, _AES_ENCRYPT, "OpenSSL 0.9.8e; gcc 4.0"), _published(_G4, _OWN, _CURRENT),
            _published(_G4, _OPENSSL, "low-level -O3", "OpenSSL 0.9.7b; gcc 4.0"),
        ),
        expected=percent_more,
    ),
    _claim(
        "unrolling-helps-on-powerpc", _CONCLUSIONS,
        "On a PowerPC G4 FULL_UNROLL is a good idea ({1} instead of {0} s); the document's rule says maybe.",
        "time with rounds in a loop over time with unrolled rounds", "",
        undecidable("requires a PowerPC G4"), above(1), _COMPILER,
        numbers=(_published(_G4, _OWN, _CURRENT), _published(_G4, _OWN, "full-unroll -O2")), expected=ratio,
    ),
    _claim(
        "share-of-time-in-aes", _CONCLUSIONS,
        "Tor spends {0} to {1} % of its time in aes_crypt, depending on profiling method and workload. The document's "
        "own first sentence says most of its time.",
        "share of CPU time in aes_crypt", "",
        undecidable("requires a busy relay of Tor"), lambda _: Range(0.08, 0.2), "A relay does more besides AES today.",
        "percent", numbers=_SHARES,
    ),
    _saving("at-least", "lowest", _SHARES[0]),
    _saving("at-most", "highest", _SHARES[1]),
)  # fmt: skip
