"""CPU features that masks hide, with the names that each feature switch has for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from aeadlab.host.system_files import SystemFiles


@dataclass(frozen=True)
class Feature:
    """A group of instructions.

    Attributes
    ----------
    cpu
        Flags in Linux's ``/proc/cpuinfo``; the CPU has the feature if it has any of them.
    words
        Bits of ``OPENSSL_ia32cap`` by index of the 64-bit word.
    botan, gcrypt, nettle, glibc
        Names in ``BOTAN_CLEAR_CPUID`` (of versions 2 and 3, each of which ignores the other's), in
        ``GCRYCTL_DISABLE_HWF``, in ``NETTLE_FAT_OVERRIDE``, and in ``glibc.cpu.hwcaps``.
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


def cpu_flags() -> frozenset[str]:
    """Return the flags of this CPU as Linux names them; an empty set means that they are unknown."""
    return frozenset(_cpu_info().get("flags", "").split())


def cpu_vendor() -> str:
    """Return the vendor of this CPU as CPUID names it, or ``""``."""
    return _cpu_info().get("vendor_id", "")


@cache
def _cpu_info() -> dict[str, str]:
    return SystemFiles(Path("/")).table("/proc/cpuinfo")
