"""The fuzz targets. Each asserts that an input is the typed error, or what it truly is."""

from __future__ import annotations

import io
import json
import random
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.compute as pc
import pyarrow.parquet as pq

from aeadlab import SealedFile, decrypt_iter
from aeadlab.bench.case import Case
from aeadlab.bench.journal import SAMPLE_FIELDS, Journal
from aeadlab.bench.plan import Plan
from aeadlab.bench.profile import Profile
from aeadlab.catalogue import legacy
from aeadlab.errors import ArgumentError, AuthenticationError, Error, FormatError, PluginError, RecordError
from aeadlab.files import encrypt, generate_identity
from aeadlab.records import stored_provenance
from aeadlab.records.reading import METADATA_KEY, load_record, record_of
from aeadlab.records.storing import sealed
from tests.fixtures.crafted_records import ESCAPES, VALUES, provenance_paths, replaced, with_provenance
from tests.fixtures.own_format import Writer
from tests.fixtures.record_readers import READERS, check_printable
from tests.fuzz.target import Target

KEY, MESSAGE, AAD = bytes(range(32)), random.Random(1).randbytes(1000), b"associated data"
IDENTITY = generate_identity()
RECORD = next((Path(__file__).parents[2] / "data/records").glob("cells-*.parquet"))
CONTROLS = ESCAPES.encode()


def header() -> Target:
    """The header of a sealed stream."""
    return _stream("header", (b"", MESSAGE[:1]))


def stream() -> Target:
    """A sealed stream, read at once, in pieces and in any order."""
    return _stream("stream", (b"", MESSAGE[:100], MESSAGE))


def _stream(name: str, messages: tuple[bytes, ...]) -> Target:
    whole: dict[str, bytes] = {}
    names = ("openssl/aes-256-gcm", "ring/chacha20-poly1305", "openssl/aes-128-gcm")
    seeds: list[bytes] = []
    for implementation in names:
        for block in (7, 100, 4096):
            cipher = Writer(implementation, block_size=block, threads=2)
            for message in messages:
                out = io.BytesIO()
                cipher.encrypt_file(KEY[: cipher.key_bytes], io.BytesIO(message), out, AAD)
                seeds.append(out.getvalue())
                whole[out.getvalue().hex()] = message

    def check(octets: bytes) -> None:
        expected = whole.get(octets.hex())
        sizes = random.Random(len(octets))
        pieces, place = [], 0
        while place < len(octets):
            size = sizes.choice((1, 7, 64, 5000))
            pieces.append(octets[place : place + size])
            place += size
        for threads in (1, 3):
            found = bytearray()
            try:
                for piece in decrypt_iter(KEY, pieces, AAD, threads=threads):
                    found += piece
            except (AuthenticationError, FormatError, ArgumentError):
                # Blocks before the first wrong one are verified, so they are the beginning of a message.
                assert any(message.startswith(bytes(found)) for message in (MESSAGE, b"")), "unverified plaintext"
                assert expected is None or not _takes_whole_key(octets), "a stream as it was sealed is rejected"
            else:
                assert bytes(found) == expected, "a changed stream is accepted"
        try:
            file = SealedFile(KEY, io.BytesIO(octets), AAD)
        except (AuthenticationError, FormatError, ArgumentError):
            return
        with suppress(AuthenticationError):
            for _ in range(4):
                start = file.seek(sizes.randrange(file.size + 1))
                read = file.read(sizes.randrange(300))
                assert MESSAGE[start : start + len(read)] == read, "unverified plaintext"

    words = (
        b"aes-256-gcm",
        b"aes-128-gcm",
        b"chacha20-poly1305",
        b"aes-256-gcm-siv",
        b"\x01\0\0\0\0\0\0\0",
        b"\xff" * 4,
    )
    return Target(name, tuple(dict.fromkeys(seeds)), words, check)


def _takes_whole_key(octets: bytes) -> bool:
    return b"aes-128" not in octets[:100]


def cobblestone() -> Target:
    """A file of Cobblestone-256, read at once, in pieces and in any order."""
    return _file("cobblestone", KEY, "cobblestone-256")


def floe() -> Target:
    """A file of FLOE with short segments."""
    return _file("floe", KEY, "floe", segment_bytes=96)


def age() -> Target:
    """A file of age for two recipients, the header included."""
    return _file("age", IDENTITY, "age")


def tink() -> Target:
    """A file of Tink with segments of 4 KiB, the first of which is shorter."""
    return _file("tink", KEY, "tink-aes256-gcm-hkdf-4kb")


def _file(name: str, key: Any, format: str, **options: Any) -> Target:
    messages = (b"", MESSAGE[:1], MESSAGE, MESSAGE * 140)
    keys = [key, generate_identity()] if format == "age" else key
    aad = b"" if format == "age" else AAD
    whole = {bytes(encrypt(keys, message, aad, format=format, **options)): message for message in messages}

    def check(octets: bytes) -> None:
        expected = whole.get(octets)
        for threads in (1, 3):
            found = bytearray()
            try:
                for piece in decrypt_iter(key, [octets], aad, format=format, threads=threads):
                    found += piece
                assert found == expected, "a changed file is accepted"
            except (AuthenticationError, FormatError):
                assert expected is None, "a file as it was sealed is rejected"
                assert any(message.startswith(bytes(found)) for message in messages), "unverified plaintext"
        places = random.Random(len(octets))
        with suppress(AuthenticationError, FormatError):
            file = SealedFile(key, io.BytesIO(octets), aad, format=format)
            for _ in range(4):
                start = file.seek(places.randrange(file.size + 1))
                read = file.read(places.randrange(300))
                assert any(message[start : start + len(read)] == read for message in messages), "unverified plaintext"

    words = (b"-> X25519 ", b"-> scrypt ", b"--- ", b"age-encryption.org/v1\n", b"\0\0\0\0\0\x60\0\0\0\x20")
    return Target(name, tuple(whole), words, check)


def journal() -> Target:
    """The journal of a run."""
    cases = (Case("openssl/aes-256-gcm", "seal", 1 << 20), Case("ring/aes-256-gcm", "seal", 1 << 20))
    plan = Plan("study", Profile("tiny", 1 << 20, 2, 0.0, 0.0, None), cases, seed=5)
    folder = Path(tempfile.mkdtemp())
    path = folder / "journal"
    made = Journal.create(path, plan)
    made.append({"start": 1.5, "pid": 7})
    for number in range(6):
        made.append(list(range(number % 2, len(SAMPLE_FIELDS) + number % 2)))
    made.append({"case": 1, "failed": "SIGSEGV"})

    def check(octets: bytes) -> None:
        path.write_bytes(octets)
        try:
            read = Journal.read(path)
        except RecordError as error:
            assert str(path) in str(error)
            check_printable(str(error))
            return
        assert read.plan == plan
        assert read.samples == made.samples[: len(read.samples)], "other samples"
        assert read.notes == made.notes[: len(read.notes)]
        assert read.failures in ({}, made.failures)
        read.repair()
        read.append(list(range(len(SAMPLE_FIELDS))))
        assert Journal.read(path).samples == read.samples

    return Target("journal", (path.read_bytes(),), (b"[", b"]", b"{", b'"', b"\t", b"1e999", b"NaN", CONTROLS), check)


def record() -> Target:
    """The Parquet file of a record."""
    good = _small_record()
    path = Path(tempfile.mkdtemp()) / "record.parquet"
    before = record_of(path, good)

    def check(octets: bytes) -> None:
        path.write_bytes(octets)
        try:
            read = load_record(path)
        except RecordError as error:
            assert str(path) in str(error)
            return
        pd.testing.assert_frame_equal(read.samples, before.samples)
        assert read.provenance == before.provenance

    return Target("record", (good,), (b"PAR1", b"PARE", b"\x15\x00", b"\x19\xfc", b"wall_ns", b"\xff\xff\x03"), check)


def provenance() -> Target:
    """The provenance of a record whose digests match, as a whole and in every function that reads a record."""
    good = _small_record()
    folder = Path(tempfile.mkdtemp())
    path, other = folder / "record.parquet", folder / "other.parquet"
    other.write_bytes(good)
    whole = load_record(other)
    texts = [json.dumps(whole.provenance).encode()]
    chosen = random.Random(2).choices([*provenance_paths(whole.provenance)], k=200)
    for number, place in enumerate(chosen):
        texts.append(json.dumps(replaced(whole.provenance, place, VALUES[number % len(VALUES)])).encode())

    def check(octets: bytes) -> None:
        with_provenance(octets)(path, good)
        try:
            read = load_record(path)
        except RecordError as error:
            assert str(path) in str(error)
            return
        pd.testing.assert_frame_equal(read.samples, whole.samples)
        names = list(READERS)
        for name in ("load", names[len(octets) % len(names)]):
            try:
                READERS[name](path, other, folder)
            except Error as error:
                check_printable(str(error))

    words = (
        b"null",
        b"true",
        b"-1",
        b"1e999",
        b"9" * 30,
        b"[]",
        b"{}",
        b'""',
        b'"\\u001b[2J"',
        b'"\\ud800"',
        b"[" * 50,
    )
    return Target("provenance", tuple(texts), words, check)


def plugin() -> Target:
    """The TOML description of a plugin of a legacy shape."""
    text = (
        'shape = "supercop"\nlibrary = "mine"\nalgorithm = "aes-256-gcm"\nkey_bytes = 32\nnonce_bytes = 12\n'
        'tag_bytes = 16\nversion = "1.2"\nthread_safe = true\nencrypt = "e"\ndecrypt = "d"\n'
    )
    path = Path(tempfile.mkdtemp()) / "plugin.toml"

    def check(octets: bytes) -> None:
        path.write_bytes(octets)
        try:
            read = legacy.read(path)
        except PluginError as error:
            assert str(path) in str(error)
            return
        named = {name: getattr(read, name) for name in ("encrypt", "decrypt", "hash") if getattr(read, name)}
        assert named.keys() == legacy.SHAPES[read.shape].keys() and len(set(named.values())) == len(named)
        assert 0 <= read.key_bytes <= 1024 and 0 <= read.nonce_bytes <= 64 and 0 <= read.tag_bytes <= 64
        assert type(read.thread_safe) is bool

    words = (
        *(b"[a]", b"[[a]]", b'"""', b"'''", b"0x7fffffffffffffff", b"1e999", b"nan", b"1979-05-27T07:32:00Z"),
        *(b"=", b".", b"[" * 2000, b"{", b"a" * 5000, b"9" * 5000, b"false", b'"eth"', b"\\u0000", CONTROLS),
    )
    return Target("plugin", (text.encode(), text.replace("supercop", "eth-cipher").encode()), words, check)


def _small_record() -> bytes:
    table = pq.read_table(RECORD)
    text = stored_provenance.unpack(pq.read_metadata(RECORD).metadata[METADATA_KEY])
    return sealed(table.filter(pc.less(table["round"], 1)), text)


TARGETS: dict[str, Callable[[], Target]] = {
    made.__name__: made for made in (header, stream, cobblestone, floe, age, tink, record, journal, provenance, plugin)
}
