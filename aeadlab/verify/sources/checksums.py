"""Vectors of checksums: XXH3 from the tests of xxHash, CRC-32C from the iSCSI standard.

XXH3: ``XSUM_XXH3_testdata`` of ``cli/xsum_sanity_check.c`` in Cyan4973/xxHash 0.8.3, the rows with seed 0. CRC-32C:
RFC 3720, appendix B.4, which prints the bytes in the order of transmission; it is reversed here.
"""

from __future__ import annotations

from collections.abc import Iterator

from aeadlab.verify.vectors import Vector

_XXH3 = {
    0: 0x2D06800538D394C2,
    1: 0xC44BDFF4074EECDB,
    6: 0x27B56A84CD2D7325,
    12: 0xA713DAF0DFBB77E7,
    24: 0xA3FE70BF9D3510EB,
    48: 0x397DA259ECBA1F11,
    80: 0xBCDEFBBB2C47C90A,
    195: 0xCD94217EE362EC3A,
    403: 0xCDEB804D65C6DEA4,
    512: 0x617E49599013CB6B,
    2048: 0xDD59E2C3A5F038E0,
    2099: 0xC6B9D9B3FC9AC765,
    2240: 0x6E73A90539CF2948,
    2367: 0xCB37AEB9E5D361ED,
}
_PRIME32, _PRIME64 = 0x9E3779B1, 0x9E3779B185EBCA8D
_ISCSI_READ = (
    "01c00000 00000000 00000000 00000000 14000000 00000400 00000014 00000018 28000000 00000000 02000000 00000000"
)
_CRC_32C = (
    ("32 bytes of zeroes", bytes(32), "8a9136aa"),
    ("32 bytes of ones", b"\xff" * 32, "62a8ab43"),
    ("32 bytes of incrementing 00..1f", bytes(range(32)), "46dd794e"),
    ("32 bytes of decrementing 1f..00", bytes(range(31, -1, -1)), "113fdb5c"),
    ("an iSCSI SCSI Read (10) command PDU", bytes.fromhex(_ISCSI_READ), "d9963a56"),
)


def _sanity_buffer(length: int) -> bytes:
    """Return the test input: the top bytes of the powers of a prime modulo 2^64, times another prime."""
    value = _PRIME32
    octets = bytearray()
    for _ in range(length):
        octets.append(value >> 56)
        value = value * _PRIME64 % (1 << 64)
    return bytes(octets)


def _xxh3() -> Iterator[Vector]:
    buffer = _sanity_buffer(max(_XXH3))
    for length, digest in _XXH3.items():
        output = digest.to_bytes(8, "big")
        yield Vector("xxHash", f"{length} bytes", message=buffer[:length], output=output, tag_bytes=8)


def _crc_32c() -> Iterator[Vector]:
    for label, message, digest in _CRC_32C:
        yield Vector("RFC 3720", label, message=message, output=bytes.fromhex(digest), tag_bytes=4)


TABLE = {"xxh3": _xxh3, "crc-32c": _crc_32c}
