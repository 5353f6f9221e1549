"""The Russian standards: Kuznyechik and Magma (GOST R 34.12-2015) in the modes of GOST R 34.13-2015, and Streebog.

The examples of GOST R 34.13-2015 for CBC, CFB and OFB have a shift register of several blocks. Such a message is that
many plain ones laced together, each with its own block of the initial value: that is how they are taken here. The MACs
are those before they are cut in half.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from aeadlab.verify.vectors import Vector

_MODES = "GOST R 34.13-2015"
# Section, key, message and length of a block.
_KUZNYECHIK = (
    "A.1",
    "8899aabbccddeeff0011223344556677 fedcba98765432100123456789abcdef",
    "1122334455667700ffeeddccbbaa9988 00112233445566778899aabbcceeff0a"
    "112233445566778899aabbcceeff0a00 2233445566778899aabbcceeff0a0011",
    16,
)
_KUZNYECHIK_IV = "1234567890abcef0a1b2c3d4e5f00112 23344556677889901213141516171819"
_MAGMA = (
    "A.2",
    "ffeeddccbbaa99887766554433221100 f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff",
    "92def06b3c130a59 db54c704f8189d20 4a98fb2e67a8024c 8912409b17b57e41",
    8,
)
_MAGMA_IV = "1234567890abcdef 234567890abcdef1"
# Initial value and ciphertext.
_EXAMPLES = {
    "kuznyechik-ecb": (
        _KUZNYECHIK,
        "",
        "7f679d90bebc24305a468d42b9d4edcd b429912c6e0032f9285452d76718d08b"
        "f0ca33549d247ceef3f5a5313bd4b157 d0b09ccde830b9eb3a02c4c5aa8ada98",
    ),
    "kuznyechik-ctr": (
        _KUZNYECHIK,
        "1234567890abcef0 0000000000000000",
        "f195d8bec10ed1dbd57b5fa240bda1b8 85eee733f6a13e5df33ce4b33c45dee4"
        "a5eae88be6356ed3d5e877f13564a3a5 cb91fab1f20cbab6d1c6d15820bdba73",
    ),
    "kuznyechik-ofb": (
        _KUZNYECHIK,
        _KUZNYECHIK_IV,
        "81800a59b1842b24ff1f795e897abd95 ed5b47a7048cfab48fb521369d9326bf"
        "66a257ac3ca0b8b1c80fe7fc10288a13 203ebbc066138660a0292243f6903150",
    ),
    "kuznyechik-cbc": (
        _KUZNYECHIK,
        _KUZNYECHIK_IV,
        "689972d4a085fa4d90e52e3d6d7dcc27 2826e661b478eca6af1e8e448d5ea5ac"
        "fe7babf1e91999e85640e8b0f49d90d0 167688065a895c631a2d9a1560b63970",
    ),
    "kuznyechik-cfb": (
        _KUZNYECHIK,
        _KUZNYECHIK_IV,
        "81800a59b1842b24ff1f795e897abd95 ed5b47a7048cfab48fb521369d9326bf"
        "79f2a8eb5cc68d38842d264e97a238b5 4ffebecd4e922de6c75bd9dd44fbf4d1",
    ),
    "magma-ecb": (_MAGMA, "", "2b073f0494f372a0 de70e715d3556e48 11d8d9e9eacfbc1e 7c68260996c67efb"),
    "magma-ctr": (
        _MAGMA,
        "12345678 00000000",
        "4e98110c97b7b93c 3e250d93d6e85d69 136d868807b2dbef 568eb680ab52a12d",
    ),
    "magma-ofb": (
        _MAGMA,
        _MAGMA_IV,
        "db37e0e266903c83 0d46644c1f9a089c a0f83062430e327e c824efb8bd4fdb05",
    ),
    "magma-cbc": (
        _MAGMA,
        f"{_MAGMA_IV} 34567890abcdef12",
        "96d1b05eea683919 aff76129abb937b9 5058b4a1c4bc0019 20b78b1a7cd7e667",
    ),
    "magma-cfb": (
        _MAGMA,
        _MAGMA_IV,
        "db37e0e266903c83 0d46644c1f9a089c 24bdd2035315d38b bcc0321421075505",
    ),
}
_CMAC = {
    "kuznyechik-cmac": (_KUZNYECHIK, "336f4d296059fbe34ddeb35b37749c67"),
    "magma-cmac": (_MAGMA, "154e72102030c5bb"),
}
# RFC 6986 section 10, whose numbers are written with the last byte first; here they are strings of bytes.
_MESSAGES = (
    b"012345678901234567890123456789012345678901234567890123456789012",
    bytes.fromhex(
        "d1e520e2e5f2f0e82c20d1f2f0e8e1ee e6e820e2edf3f6e82c20e2e5fef2fa20"
        "f120eceef0ff20f1f2f0e5ebe0ece820 ede020f5f0e0e1f0fbff20efebfaeafb"
        "20c8e3eef0e5e2fb"
    ),
)
_STREEBOG = {
    "streebog-256": (
        "9d151eefd8590b89daa6ba6cb74af927 5dd051026bb149a452fd84e5e57b5500",
        "9dd2fe4e90409e5da87f53976d7405b0 c0cac628fc669a741d50063c557e8f50",
    ),
    "streebog-512": (
        "1b54d01a4af5b9d5cc3d86d68d285462 b19abc2475222f35c085122be4ba1ffa"
        "00ad30f8767b3a82384c6574f024c311 e2a481332b08ef7f41797891c1646f48",
        "1e88e62226bfca6f9994f1f2d51569e0 daf8475a3b0fe61a5300eee46d961376"
        "035fe83549ada2b8620fcd7c496ce5b3 3f0cb9dddc2b6460143b03dabac9fb28",
    ),
}
# RFC 7836 appendix B.
_HMAC_KEY = bytes(range(32))
_HMAC_MESSAGE = bytes.fromhex("0126bdb87800af214341456563780100")
_HMAC = {
    "hmac-streebog-256": "a1aa5f7de402d7b3d323f2991c8d4534 013137010a83754fd0af6d7cd4922ed9",
    "hmac-streebog-512": "a59bab22ecae19c65fbde6e5f4e9f5d8 549d31f037f9df9b905500e171923a77"
    "3d5f1530f2ed7e964cb2eedc29e9ad2f 3afe93b2814f79f5000ffc0366c251e6",
}


def _blocks(text: str, length: int) -> list[bytes]:
    octets = bytes.fromhex(text)
    return [octets[at : at + length] for at in range(0, len(octets), length)]


def _modes(algorithm: str) -> Iterator[Vector]:
    (section, key, message, length), register, ciphertext = _EXAMPLES[algorithm]
    ivs = _blocks(register, length) or [b""]
    for number, iv in enumerate(ivs):
        data, output = (b"".join(_blocks(text, length)[number :: len(ivs)]) for text in (message, ciphertext))
        label = f"{section}, message {number + 1} of {len(ivs)}"
        yield Vector(_MODES, label, bytes.fromhex(key), iv, b"", data, output)


def _cmac(algorithm: str) -> Iterator[Vector]:
    (section, key, message, _), digest = _CMAC[algorithm]
    data, tag = bytes.fromhex(message), bytes.fromhex(digest)
    yield Vector(_MODES, section, bytes.fromhex(key), message=data, output=tag, tag_bytes=len(tag))


def _streebog(algorithm: str) -> Iterator[Vector]:
    for number, (message, digest) in enumerate(zip(_MESSAGES, _STREEBOG[algorithm], strict=True), 1):
        output = bytes.fromhex(digest)
        yield Vector("RFC 6986", f"example {number}", message=message, output=output, tag_bytes=len(output))


def _hmac(algorithm: str) -> Iterator[Vector]:
    output = bytes.fromhex(_HMAC[algorithm])
    yield Vector(
        "RFC 7836",
        "appendix B",
        _HMAC_KEY,
        message=_HMAC_MESSAGE,
        output=output,
        tag_bytes=len(output),
        key_grows_to=64,
    )


TABLE = {
    **{name: partial(_modes, name) for name in _EXAMPLES},
    **{name: partial(_cmac, name) for name in _CMAC},
    **{name: partial(_streebog, name) for name in _STREEBOG},
    **{name: partial(_hmac, name) for name in _HMAC},
}
