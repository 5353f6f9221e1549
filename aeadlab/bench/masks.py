"""Masks: CPU features that libraries are told not to use, and how each library is told.

Libraries look at the processor once, when they are initialised, so what tells them is in the environment of a process
before it starts.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from aeadlab import schedules
from aeadlab.bench.case import Case
from aeadlab.errors import ArgumentError, UnknownNameError
from aeadlab.system_files import SystemFiles

CONTROL = "nothing"
"""The mask that hides nothing: what being in another process does to a time, and nothing else."""


@dataclass(frozen=True)
class Feature:
    """A group of instructions, as each switch calls it.

    Attributes
    ----------
    cpu
        Names of Linux's ``/proc/cpuinfo``; the CPU has the group if it has any of them.
    words
        Bits of ``OPENSSL_ia32cap``, by the number of the 64-bit word.
    botan, gcrypt, nettle, glibc
        Names in ``BOTAN_CLEAR_CPUID`` (of versions 2 and 3; an unknown one is passed over), of ``GCRYCTL_DISABLE_HWF``,
        in ``NETTLE_FAT_OVERRIDE`` and ``glibc.cpu.hwcaps``.
    """

    cpu: tuple[str, ...]
    words: Mapping[int, Sequence[int]] = field(default_factory=dict)
    botan: tuple[str, ...] = ()
    gcrypt: tuple[str, ...] = ()
    nettle: tuple[str, ...] = ()
    glibc: tuple[str, ...] = ()


# Word 0 is CPUID leaf 1, EDX then ECX; word 1 leaf 7, EBX then ECX; word 3 has AVX10 in bit 19.
FEATURES = {
    "AVX-512": Feature(
        ("avx512f",),
        {1: (16, 17, 21, 28, 30, 31, 33, 38, 43, 44, 46), 3: (19,)},
        botan=("avx512f", "avx512"),
        gcrypt=("intel-avx512",),
        glibc=("AVX512F", "AVX512VL", "AVX512BW", "AVX512DQ"),
    ),
    "VAES": Feature(
        ("vaes", "vpclmulqdq"),
        {1: (41, 42)},
        botan=("avx2_vaes", "avx2_aes", "avx2_clmul", "avx512_aes", "avx512_clmul"),
        gcrypt=("intel-vaes-vpclmul",),
    ),
    "GFNI": Feature(("gfni",), {1: (40,)}, botan=("gfni",), gcrypt=("intel-gfni",)),
    "AVX2": Feature(("avx2",), {1: (5,)}, botan=("avx2",), gcrypt=("intel-avx2",), glibc=("AVX2",)),
    # Without AVX there are no FMA and no XOP either.
    "AVX": Feature(("avx",), {0: (60, 44, 43)}, gcrypt=("intel-avx",), glibc=("AVX", "AVX_Fast_Unaligned_Load")),
    "AES": Feature(("aes",), {0: (57,)}, botan=("aesni", "aes_ni"), gcrypt=("intel-aesni",), nettle=("aesni",)),
    "PCLMULQDQ": Feature(("pclmulqdq",), {0: (33,)}, botan=("clmul",), gcrypt=("intel-pclmul",), nettle=("pclmul",)),
    "SHA": Feature(("sha_ni",), {1: (29,)}, botan=("sha", "intel_sha"), gcrypt=("intel-shaext",), nettle=("sha_ni",)),
    "ERMS": Feature(("erms",), {}, glibc=("ERMS", "FSRM")),
}


@dataclass(frozen=True)
class Mask:
    """A set of hidden features; what needs a hidden one is hidden too.

    Attributes
    ----------
    hides
        Names of `FEATURES`.
    """

    name: str
    hides: tuple[str, ...]
    meaning: str


MASKS = {
    mask.name: mask
    for mask in (
        Mask("no-avx512", ("AVX-512",), "256-bit registers; wide AES remains where it needs no more"),
        Mask("no-vaes", ("VAES",), "AES and GHASH one block an instruction"),
        Mask("zen2", ("AVX-512", "VAES", "GFNI"), "as the paper's Zen 2: AES-NI, AVX2, SHA, and nothing newer"),
        Mask("no-avx2", ("AVX-512", "VAES", "AVX2"), "integers in 128-bit registers"),
        Mask("no-avx", ("AVX-512", "VAES", "AVX2", "AVX"), "SSE"),
        Mask("no-aes", ("VAES", "AES"), "AES in software"),
        Mask("no-pclmul", ("VAES", "PCLMULQDQ"), "GHASH in software"),
        Mask("no-sha", ("SHA",), "SHA-1 and SHA-256 without their instructions"),
        Mask("no-erms", ("ERMS",), "memory copied without the CPU's own loop"),
        Mask(CONTROL, (), "hides nothing: the same code in a process of its own, the noise of such comparisons"),
    )
}


def find_mask(name: str) -> Mask:
    """The mask called `name`.

    Raises
    ------
    aeadlab.errors.UnknownNameError
        If there is none; the message names the nearest.
    """
    if name not in MASKS:
        near = difflib.get_close_matches(name, MASKS, n=1, cutoff=0.5)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(MASKS)}"
        raise UnknownNameError(f"no mask is called {name!r}; {hint}")
    return MASKS[name]


Value = Callable[[Sequence[Feature]], str]
"""What a variable is set to, from the hidden features; ``""`` where its switch knows none of them."""


@dataclass(frozen=True)
class Switch:
    """How a library is told.

    Attributes
    ----------
    lists_features
        Whether the kernel that the library reports is a list of what it found, and not of what it takes: that it
        changes does not show that this algorithm does.
    """

    variable: str
    value: Value
    lists_features: bool = False


def _ia32cap(words: int) -> Value:
    def value(hidden: Sequence[Feature]) -> str:
        bits = [sum(1 << bit for f in hidden for bit in f.words.get(word, ())) for word in range(words)]
        # A word that is left out reads as zero in OpenSSL 3.6, which would hide all that it stands for.
        return ":".join(f"~{word:#x}" for word in bits) if any(bits) else ""

    return value


def _joined(attribute: str) -> Value:
    return lambda hidden: ",".join(name for f in hidden for name in getattr(f, attribute))


def _nettle(hidden: Sequence[Feature]) -> str:
    """Nettle is told what there is, not what there is not."""
    if not any(f.nettle for f in hidden):
        return ""
    present = _present()
    vendor = {"GenuineIntel": "intel", "AuthenticAMD": "amd"}.get(_cpuinfo().get("vendor_id", ""), "other")
    left = [name for f in FEATURES.values() if f not in hidden and present & {*f.cpu} for name in f.nettle]
    return ",".join([f"vendor:{vendor}", *left])


def _glibc(hidden: Sequence[Feature]) -> str:
    names = [f"-{name}" for f in hidden for name in f.glibc]
    return f"glibc.cpu.hwcaps={','.join(names)}" if names else ""


_OPENSSL = Switch("OPENSSL_ia32cap", _ia32cap(5))
# BoringSSL ignores the second word where a third follows. AWS-LC reads two words and passes over more.
_BORINGSSL = Switch("OPENSSL_ia32cap", _ia32cap(2))
_BOTAN = Switch("BOTAN_CLEAR_CPUID", _joined("botan"))
_LIBGCRYPT = Switch("AEADLAB_LIBGCRYPT_CLEAR", _joined("gcrypt"), lists_features=True)
_NETTLE = Switch("NETTLE_FAT_OVERRIDE", _nettle)
_GLIBC = Switch("GLIBC_TUNABLES", _glibc)

SWITCHES = {
    "openssl": _OPENSSL,
    "openssl-system": _OPENSSL,
    "pyca": _OPENSSL,
    "hashlib": _OPENSSL,
    "aws-lc": _OPENSSL,
    "boringssl": _BORINGSSL,
    "botan": _BOTAN,
    "libgcrypt": _LIBGCRYPT,
    "nettle": _NETTLE,
    "baseline/memcpy": _GLIBC,
}
"""Libraries that can be told, and implementations of others."""

_CPUID = "it asks the CPU itself and reads no setting"
_COMPILED = "what it uses was chosen when it was compiled"
NO_SWITCH = {
    "libsodium": _CPUID,
    "libaegis": _CPUID,
    "cryptopp": _CPUID,
    "mbedtls": _CPUID,
    "ring": _CPUID,
    "rustcrypto": _CPUID,
    "rustcrypto-mgm": _CPUID,
    "aeadlab": _CPUID,
    "blake3": _CPUID,
    "blake3-rayon": _CPUID,
    "blake3-py": _CPUID,
    "crc32c": _CPUID,
    "twox-hash": _CPUID,
    "pynacl": _CPUID,
    "generators": _CPUID,
    "graviola": "only its debug builds read GRAVIOLA_CPU_DISABLE_*",
    "wolfssl": "it has a function for that (cpuid_clear_flag), which its plugin does not call, and no setting",
    "pycryptodome": "only an argument of each call switches AES-NI off (use_aesni), which its users do not give",
    "hiae": _COMPILED,
    "rocca": _COMPILED,
    "xxhash-rust": _COMPILED,
    "baseline": _COMPILED,
    "libtomcrypt": "it is portable C: it uses none",
    "rijndael": "it is portable C: it uses none",
    "numba": "it compiles for this CPU; NUMBA_CPU_FEATURES wants all features that remain",
}
"""Libraries that cannot be told, and why."""


def switches(implementation: str) -> list[Switch]:
    """Those of an implementation, by its name; a composition has its parts'."""
    library, _, algorithm = implementation.partition("/")
    libraries, algorithms = library.split("+"), algorithm.split("+")
    parts = zip(libraries, algorithms, strict=True) if len(libraries) == len(algorithms) else [(library, algorithm)]
    found = (SWITCHES.get(f"{one}/{other}", SWITCHES.get(one)) for one, other in parts)
    return [switch for switch in found if switch is not None]


def why_not(implementation: str, mask: Mask) -> str:
    """Why the library of an implementation cannot be told to hide what `mask` hides, ``""`` where it can."""
    found = switches(implementation)
    library = implementation.partition("/")[0]
    if not found:
        return f"{library} cannot be told: {NO_SWITCH.get(library, 'no switch of it is known')}"
    if not mask.hides:
        return ""
    if len({switch.variable for switch in found}) < len(dict.fromkeys(found)):
        return f"{library} cannot be told: its parts read one variable ({found[0].variable}) differently"
    if not any(_hides(switch, mask) for switch in found):
        variables = ", ".join(dict.fromkeys(switch.variable for switch in found))
        return f"{library} cannot be told under {mask.name}: {variables} knows no {' and no '.join(mask.hides)}"
    return ""


def _hides(switch: Switch, mask: Mask) -> str:
    return switch.value([FEATURES[name] for name in mask.hides])


def environment(implementation: str, mask: Mask) -> dict[str, str]:
    """The variables of a process in which an implementation runs under `mask`.

    All libraries are told, so that one process serves as many as possible: another variable is another library's.
    """
    own = {switch.variable: switch for switch in switches(implementation)}
    chosen = {switch.variable: switch for switch in (_OPENSSL, _BOTAN, _LIBGCRYPT, _NETTLE, _GLIBC)} | own
    return {variable: value for variable, switch in chosen.items() if (value := _hides(switch, mask))}


def process_of(case: Case) -> tuple[str, ...]:
    """What tells the processes of a run apart: cases of one value share one; ``()`` is the process that measures.

    Masks are kept apart even where two of them come to the same for these libraries. Numba has one threading layer per
    process.
    """
    layer = (case.schedule,) if case.schedule in schedules.LONERS else ()
    if not case.mask:
        return layer
    told = environment(case.implementation, find_mask(case.mask))
    return (case.mask, *layer, *(f"{variable}={value}" for variable, value in sorted(told.items())))


def lacking(mask: Mask) -> str:
    """Why the mask cannot change anything on this CPU, ``""`` where it can or where the features are not known."""
    present = _present()
    if not mask.hides or not present or any(present & {*FEATURES[name].cpu} for name in mask.hides):
        return ""
    return f"this CPU has no {' and no '.join(mask.hides)}"


def check_environment(masks: Iterable[Mask]) -> None:
    """See that cases without a mask will have none.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If a variable by which libraries are told is set already.
    """
    if not list(masks):
        return
    for variable in dict.fromkeys(switch.variable for switch in SWITCHES.values()):
        if variable in os.environ:
            raise ArgumentError(
                f"{variable} is set to {os.environ[variable]!r} in the environment: it would hold for cases without a "
                "mask, and another value under a mask; unset it"
            )


def with_masks(cases: Sequence[Case], masks: Sequence[Mask]) -> tuple[list[Case], list[str]]:
    """The cases, each again under every mask of which its library can be told, and the first such as control.

    Returns
    -------
    list of Case
        Those given, then the masked ones.
    list of str
        Why others were not added, each reason once.
    """
    added: list[Case] = []
    reasons: list[str] = []
    for mask in dict.fromkeys(masks):
        for case in cases:
            if why := why_not(case.implementation, mask):
                reasons.append(why)
            else:
                added.append(replace(case, mask=mask.name))
    if added:
        control = replace(added[0], mask=CONTROL)
        added += [control] * (control not in added)
    return [*cases, *added], list(dict.fromkeys(reasons))


@cache
def _cpuinfo() -> dict[str, str]:
    return SystemFiles(Path("/")).table("/proc/cpuinfo")


def _present() -> frozenset[str]:
    """Features of this CPU as Linux names them; empty where that is not known."""
    return frozenset(_cpuinfo().get("flags", "").split())
