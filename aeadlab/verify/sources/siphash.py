"""SipHash-2-4: its authors' vectors (``vectors.h`` of veorq/SipHash), the last being that of the paper's appendix A.

Key 00..0f; the message of each is 00, 01, ... of its length.
"""

from __future__ import annotations

from collections.abc import Iterator

from aeadlab.verify.vectors import Vector

_DIGESTS = (
    *("310e0edd47db6f72", "fd67dc93c539f874", "5a4fa9d909806c0d", "2d7efbd796666785"),
    *("b7877127e09427cf", "8da699cd64557618", "cee3fe586e46c9cb", "37d1018bf50002ab"),
    *("6224939a79f5f593", "b0e4a90bdf82009e", "f3b9dd94c5bb5d7a", "a7ad6b22462fb3f4"),
    *("fbe50e86bc8f1e75", "903d84c02756ea14", "eef27a8e90ca23f7", "e545be4961ca29a1"),
)


def _siphash() -> Iterator[Vector]:
    for length, digest in enumerate(_DIGESTS):
        output, message = bytes.fromhex(digest), bytes(range(length))
        label = f"{length} bytes"
        yield Vector("SipHash authors", label, bytes(range(16)), message=message, output=output, tag_bytes=8)


TABLE = {"siphash-2-4": _siphash}
