"""Streebog (RFC 6986, section 10) and Whirlpool (ISO/IEC 10118-3, annex D).

RFC 6986 prints messages and digests with the last byte first; here they are as bytes of a string.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from aeadlab.verify.vectors import Vector

_M1 = (b"0123456789" * 7)[:63]
_M2 = bytes.fromhex(
    "d1e520e2e5f2f0e82c20d1f2f0e8e1eee6e820e2edf3f6e82c20e2e5fef2fa20f120eceef0ff20f1"
    "f2f0e5ebe0ece820ede020f5f0e0e1f0fbff20efebfaeafb20c8e3eef0e5e2fb"
)
_ROWS = {
    "streebog-256": (
        ("RFC 6986", "10.1.2", _M1, "9d151eefd8590b89daa6ba6cb74af927 5dd051026bb149a452fd84e5e57b5500"),
        ("RFC 6986", "10.2.2", _M2, "9dd2fe4e90409e5da87f53976d7405b0 c0cac628fc669a741d50063c557e8f50"),
    ),
    "streebog-512": (
        (
            *("RFC 6986", "10.1.1", _M1),
            "1b54d01a4af5b9d5cc3d86d68d285462 b19abc2475222f35c085122be4ba1ffa"
            "00ad30f8767b3a82384c6574f024c311 e2a481332b08ef7f41797891c1646f48",
        ),
        (
            *("RFC 6986", "10.2.1", _M2),
            "1e88e62226bfca6f9994f1f2d51569e0 daf8475a3b0fe61a5300eee46d961376"
            "035fe83549ada2b8620fcd7c496ce5b3 3f0cb9dddc2b6460143b03dabac9fb28",
        ),
    ),
    "whirlpool": (
        (
            *("ISO/IEC 10118-3", "nothing", b""),
            "19fa61d75522a4669b44e39c1d2e1726 c530232130d407f89afee0964997f7a7"
            "3e83be698b288febcf88e3e03c4f0757 ea8964e59b63d93708b138cc42a66eb3",
        ),
        (
            *("ISO/IEC 10118-3", "abc", b"abc"),
            "4e2448a4c6f486bb16b6562c73b4020b f3043e3a731bce721ae1b303d97e6d4c"
            "7181eebdb6c57e277d0e34957114cbd6 c797fc9d95d8b582d225292076d4eef5",
        ),
        (
            *("ISO/IEC 10118-3", "eight times 1234567890", b"1234567890" * 8),
            "466ef18babb0154d25b9d38a6414f5c0 8784372bccb204d6549c4afadb601429"
            "4d5bd8df2a6c44e538cd047b2681a51a 2c60481e88c5a20b2c2a80cf3a9a083b",
        ),
    ),
}


def _hash(algorithm: str) -> Iterator[Vector]:
    for source, label, message, digest in _ROWS[algorithm]:
        output = bytes.fromhex(digest)
        yield Vector(source, label, message=message, output=output, tag_bytes=len(output))


TABLE = {algorithm: partial(_hash, algorithm) for algorithm in _ROWS}
