"""Every implementation opens what every other one seals: pyca's Cobblestone, age of pyrage and of Go, the crate
fast-floe, Tink, the references of verification, and ours at several threads.

The last test prints the matrix: format, implementation that seals, implementation that opens, threads.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any, NamedTuple

import pyrage
import pytest
from cryptography import cobblestone

from aeadlab.catalogue import load
from aeadlab.files import FORMATS, SealedFile, decrypt, decrypt_iter, encrypt, encrypt_iter, generate_identity
from aeadlab.files.age.recipients import X25519Identity
from aeadlab.verify.reference.files import file_reference
from tests.files.messages import message

CHUNK = 16384
AAD = b"orders"
VARIABLE = ("age", "floe")
"""Formats whose files differ in length: pyrage adds a stanza of random length, and FLOE has segments of any length."""
TINK = [name for name in FORMATS if name.startswith("tink-")]
THREADS = (1, 2, 5)
EDGES = (-17, -16, -1, 0, 1, 15, 16, 17)
LENGTHS = {0, 1, 15, 16, 17, 5_000_000} | {n * CHUNK + edge for n in (1, 2, 4, 8, 64, 128, 129) for edge in EDGES}


def lengths(format: str) -> list[int]:
    """Return lengths around the edges of chunks, of a format of Tink only those of its own segments."""
    if format not in TINK:
        return sorted(LENGTHS)
    # The first segment also holds the header.
    chunk, lead = FORMATS[format].chunk_bytes, 8 + FORMATS[format].key_bytes
    ends = (n * chunk - lead for n in (1, 2, 3, 9 if chunk < CHUNK else 4))
    return [0, 1, 15, 16, 17, *(end + edge for end in ends for edge in EDGES)]


class Implementation(NamedTuple):
    """Seals and opens one format; the functions take key, data, associated data and a thread count."""

    seal: Callable[[Any, bytes, bytes, int], bytes]
    open: Callable[[Any, bytes, bytes, int], bytes]
    threads: tuple[int, ...] = (1,)


def ours(format: str) -> dict[str, Implementation]:
    """Return the forms of this project: in memory, as an iterator, and as a seekable file."""

    def read(key: bytes, data: bytes, aad: bytes, threads: int) -> bytes:
        with SealedFile(key, io.BytesIO(data), aad, format=format, threads=threads) as plain:
            return plain.readall()

    def pieces(data: bytes) -> Iterator[bytes]:
        yield from (data[start : start + 70_001] for start in range(0, len(data), 70_001))

    return {
        "aeadlab, memory": Implementation(
            lambda key, data, aad, threads: bytes(encrypt(key, data, aad, format=format, threads=threads)),
            lambda key, data, aad, threads: bytes(decrypt(key, data, aad, format=format, threads=threads)),
            THREADS,
        ),
        "aeadlab, stream": Implementation(
            lambda key, data, aad, threads: b"".join(
                encrypt_iter(key, pieces(data), aad, format=format, threads=threads)
            ),
            lambda key, data, aad, threads: b"".join(
                decrypt_iter(key, pieces(data), aad, format=format, threads=threads)
            ),
            THREADS,
        ),
        "aeadlab, SealedFile": Implementation(
            lambda key, data, aad, threads: bytes(encrypt(key, data, aad, format=format, threads=threads)),
            read,
            THREADS,
        ),
    }


def pyca(bits: int) -> Implementation:
    encryptor: Any = getattr(cobblestone, f"Cobblestone{bits}Encryptor")
    decryptor: Any = getattr(cobblestone, f"Cobblestone{bits}Decryptor")

    def call(kind: Any, key: bytes, data: bytes, aad: bytes) -> bytes:
        context = kind(key, aad)
        result: bytes = context.update(data) + context.finalize()
        return result

    return Implementation(
        lambda key, data, aad, threads: call(encryptor, key, data, aad),
        lambda key, data, aad, threads: call(decryptor, key, data, aad),
    )


CATALOGUE = load()
IDENTITY = generate_identity()
RECIPIENT = pyrage.x25519.Identity.from_str(IDENTITY)
PYRAGE = Implementation(
    lambda key, data, aad, threads: pyrage.encrypt(data, [RECIPIENT.to_public()]),
    lambda key, data, aad, threads: pyrage.decrypt(data, [RECIPIENT]),
)


def catalogued(name: str) -> dict[str, Implementation]:
    """Return an implementation of the catalogue by its library, or nothing where the build has no Go."""
    if name not in (one.name for one in CATALOGUE):
        return {}
    one = CATALOGUE.find(name)

    def secret(key: Any) -> bytes:
        return X25519Identity.parse(key).secret if isinstance(key, str) else bytes(key)

    return {
        one.description.library: Implementation(
            lambda key, data, aad, threads: one.seal(secret(key), b"", data, aad),
            lambda key, data, aad, threads: one.open(secret(key), b"", data, aad),
        )
    }


def reference(format: str) -> Implementation:
    """Return the reference of verification, which is written with the AEADs of pyca alone."""
    found = file_reference(format)
    assert found is not None

    def secret(key: Any) -> bytes:
        return X25519Identity.parse(key).secret if format == "age" else bytes(key)

    return Implementation(
        lambda key, data, aad, threads: found.seal(secret(key), data, aad),
        lambda key, data, aad, threads: found.open(secret(key), data, aad),
    )


ORACLES = {
    "cobblestone-128": {"pyca": pyca(128), "reference": reference("cobblestone-128")},
    "cobblestone-256": {"pyca": pyca(256), "reference": reference("cobblestone-256")},
    "age": {"pyrage": PYRAGE, **catalogued("go-age/age.reused"), "reference": reference("age")},
    "floe": {**catalogued("fast-floe/floe.reused"), "reference": reference("floe")},
    **{format: {**catalogued(f"tink/{format}"), "reference": reference(format)} for format in TINK},
}


def key_of(format: str) -> Any:
    return IDENTITY if format == "age" else bytes(range(FORMATS[format].key_bytes))


def aad_of(format: str) -> bytes:
    return b"" if format == "age" else AAD


@pytest.mark.parametrize("format", ORACLES)
def test_both_directions_at_all_sizes_around_chunk_edges(format: str) -> None:
    key, aad = key_of(format), aad_of(format)
    for length in lengths(format):
        data = message(length)
        theirs = {name: oracle.seal(key, data, aad, 1) for name, oracle in ORACLES[format].items()}
        for form, threads in product(ours(format), (1, 3)):
            implementation = ours(format)[form]
            for name, file in theirs.items():
                assert implementation.open(key, file, aad, threads) == data, (form, name, length, threads)
            if form == "aeadlab, SealedFile":
                # It only reads.
                continue
            sealed = implementation.seal(key, data, aad, threads)
            for name, oracle in ORACLES[format].items():
                assert format in VARIABLE or len(sealed) == len(theirs[name])
                assert oracle.open(key, sealed, aad, 1) == data, (form, name, length, threads)


def test_the_matrix_has_no_empty_cell(capsys: pytest.CaptureFixture[str]) -> None:
    data, rows = message(3 * CHUNK + 5), []
    for format, oracles in ORACLES.items():
        key, aad, all_of_format = key_of(format), aad_of(format), {**oracles, **ours(format)}
        for sealer, seals in all_of_format.items():
            for opener, opens in all_of_format.items():
                for threads in sorted({*seals.threads, *opens.threads}):
                    sealed = seals.seal(key, data, aad, min(threads, max(seals.threads)))
                    opened = opens.open(key, sealed, aad, min(threads, max(opens.threads)))
                    assert opened == data, (format, sealer, opener, threads)
                    rows.append((format, sealer, opener, threads))
    with capsys.disabled():
        print(f"\n{'format':<24} {'sealed by':<20} {'opened by':<20} threads")
        previous: dict[tuple[str, str, str], list[int]] = {}
        for format, sealer, opener, threads in rows:
            previous.setdefault((format, sealer, opener), []).append(threads)
        for (format, sealer, opener), counts in previous.items():
            print(f"{format:<24} {sealer:<20} {opener:<20} {', '.join(map(str, counts))}")
    assert {row[0] for row in rows} == set(ORACLES)
