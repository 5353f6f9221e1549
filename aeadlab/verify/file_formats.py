"""Files: an implementation and the reference of its format open each other's files, and reject changed ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

from aeadlab.catalogue.adapters.base import Adapter, joined, result_of
from aeadlab.catalogue.implementation import Implementation
from aeadlab.errors import AuthenticationError
from aeadlab.verify.cases import NO_AAD, message, pseudorandom
from aeadlab.verify.reference.files import FileReference, file_reference
from aeadlab.verify.report import FAULTS, Check, Tally, fault

NAME = "files"
AAD = b"orders"

_SHORT = 100
"""Bytes of the message of the file whose every bit is changed."""


def check(implementation: Implementation) -> Check | None:
    """Open the reference's files and have it open those of the implementation, whole and changed.

    The result is None for another kind. Messages are empty, short, and as long as some chunks, plus and minus one byte.
    Every bit of a short file is flipped and it ends at every byte; chunks of a longer one are exchanged, left out and
    repeated. Where the implementation takes a thread count, everything else is done with two threads too.
    """
    d = implementation.description
    if d.kind != "file" or not isinstance(implementation, Adapter):
        return None
    tally, reference = Tally(NAME), file_reference(d.base_algorithm)
    if reference is None:
        tally.skip(f"no reference of {d.base_algorithm}")
        return tally.check()
    key, aads = pseudorandom("file key", d.key_bytes), (b"",) if NO_AAD in d.flags else (b"", AAD)
    for threads in (1, 2) if "parallel" in d.flags else (1,):
        for length in _lengths(reference):
            for aad in aads:
                data, what = message(length), f"{length} bytes with {threads} threads"
                for source, action in _directions(implementation, reference, key, data, aad, threads).items():
                    tally.add(_failure(f"{what}: {source}", action, data), source)
    for what, changed in _changed(reference, key, aads[-1]):
        tally.add(_accepted(implementation, key, changed, aads[-1], what), what.partition(" ")[0])
    other = pseudorandom("another file key", d.key_bytes)
    tally.add(_accepted(implementation, other, reference.seal(key, b"data", aads[-1]), aads[-1], "key"), "key")
    return tally.check()


def _lengths(reference: FileReference) -> list[int]:
    chunk = reference.chunk_bytes
    edges = [end - reference.lead for end in (chunk - 1, chunk, chunk + 1, 2 * chunk, 3 * chunk + 5, 12 * chunk + 7)]
    # The segments of FLOE have 1 MiB unless another length is given.
    return [length for length in (0, 1, 15, 16, 17, *edges, (1 << 20) + 3) if length >= reference.shortest]


def _directions(
    implementation: Adapter, reference: FileReference, key: bytes, data: bytes, aad: bytes, threads: int
) -> dict[str, Callable[[], bytes]]:
    def run(op: str, given: bytes) -> bytes:
        call = implementation.prepare_call(op, "oneshot", key, b"", given, aad, threads)
        return joined(result_of(call, call()))

    return {
        "reference opens": lambda: reference.open(key, run("seal", data), aad),
        "opens the reference's": lambda: run("open", reference.seal(key, data, aad)),
    }


def _failure(what: str, action: Callable[[], bytes], data: bytes) -> str:
    try:
        return "" if action() == data else f"{what}: the opened message differs"
    except Exception as error:
        # Libraries have exceptions of their own.
        return f"{what}: {fault(error)}"


def _accepted(implementation: Adapter, key: bytes, file: bytes, aad: bytes, what: str) -> str:
    """Return a failure if a changed file is not rejected."""
    try:
        implementation.open(key, b"", file, aad)
    except AuthenticationError:
        return ""
    except FAULTS as error:
        return f"{what}: {fault(error)}"
    return f"{what}: the file is accepted"


def _changed(reference: FileReference, key: bytes, aad: bytes) -> Iterator[tuple[str, bytes]]:
    """Iterate over changed files, each with the change in words."""
    short = reference.seal(key, message(_SHORT), aad)
    for bit in range(8 * len(short)):
        flipped = bytearray(short)
        flipped[bit // 8] ^= 1 << bit % 8
        yield f"bit {bit} flipped", bytes(flipped)
    for end in range(len(short)):
        yield f"end at byte {end}", short[:end]
    yield "added byte", short + b"\0"
    long = reference.seal(key, message(3 * reference.chunk_bytes + 5), aad)
    start, size = reference.header_bytes(long), reference.chunk_bytes + reference.overhead
    ends = [start + max(0, i * size - reference.lead) for i in range(4)]
    pieces = [long[left:right] for left, right in pairwise(ends)]
    rest = long[ends[-1] :]
    for what, order in (("exchanged", (1, 0, 2)), ("removed", (0, 2)), ("repeated", (0, 0, 1, 2))):
        yield f"{what} chunk", long[:start] + b"".join(pieces[i] for i in order) + rest
    yield "missing last chunk", long[: ends[-1]]
