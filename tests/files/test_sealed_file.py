"""A file of each format as a seekable binary file, from which other libraries read; only their chunks are opened."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from aeadlab.errors import ArgumentError, ArgumentTypeError, AuthenticationError, FormatError, UnknownNameError
from aeadlab.files import FORMATS, SealedFile, decrypt_file, encrypt, encrypt_file, generate_identity
from tests.files.messages import message

AAD = b"orders"
WRITTEN = [name for name in FORMATS if name != "parsplit-v1"]


IDENTITY = generate_identity()


def key(format: str) -> Any:
    return IDENTITY if format == "age" else bytes(range(1, FORMATS[format].key_bytes + 1))


def context(format: str) -> bytes:
    return b"" if format.endswith("-raw") or format in ("age", "age-payload") else AAD


def sealed(format: str, data: bytes) -> io.BytesIO:
    return io.BytesIO(encrypt(key(format), data, context(format), format=format))


def read(plain: SealedFile, size: int) -> bytes:
    """Read this many bytes, unless the file ends before."""
    buffered = io.BufferedReader(plain, max(size, 1))
    data = buffered.read(size)
    buffered.detach()
    return data


class RecordingFile(io.BytesIO):
    """Records how many bytes were read."""

    count = 0

    def readinto(self, buffer: Any, /) -> int:
        count = super().readinto(buffer)
        self.count += count
        return count


@pytest.mark.parametrize("format", WRITTEN)
def test_reads_and_seeks_like_a_plain_file(format: str) -> None:
    data = message(300_000)
    twin, plain = io.BytesIO(data), SealedFile(key(format), sealed(format, data), context(format), format=format)
    assert isinstance(plain, io.RawIOBase)
    assert plain.size == len(data)
    for position, size in ((0, 5), (16383, 2), (16384, 16384), (65535, 100_000), (299_999, 10), (400_000, 1)):
        assert plain.seek(position) == twin.seek(position)
        assert read(plain, size) == twin.read(size)
    assert plain.seek(-7, io.SEEK_END) == 299_993
    assert plain.read() == data[-7:]


@pytest.mark.parametrize("format", WRITTEN)
def test_zipfile_reads_from_it(format: str) -> None:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as made:
        made.writestr("orders", b"attack at dawn" * 10_000)
    file = SealedFile(key(format), sealed(format, archive.getvalue()), context(format), format=format)
    with zipfile.ZipFile(file) as found:
        assert found.testzip() is None
        assert found.read("orders").startswith(b"attack at dawn")


def test_parquet_decrypts_only_the_chunks_of_the_columns_read(tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    table = pd.DataFrame({name: random.random(100_000) for name in "abcdefgh"})
    pq.write_table(pa.Table.from_pandas(table), tmp_path / "plain", compression="none", use_dictionary=False)
    secret = key("cobblestone-256")
    encrypt_file(secret, tmp_path / "plain", tmp_path / "sealed", AAD)
    length = (tmp_path / "sealed").stat().st_size

    recorded = RecordingFile((tmp_path / "sealed").read_bytes())
    found = pq.read_table(SealedFile(secret, recorded, AAD), columns=["c"]).to_pandas()
    assert found["c"].equals(table["c"])
    assert length / 8 < recorded.count < length / 8 + 12 * 16400, "one column of eight, the footer, and edges"

    with SealedFile(secret, tmp_path / "sealed", AAD) as plain:
        assert pd.read_parquet(plain, columns=["a", "h"]).equals(table[["a", "h"]])


def test_a_read_of_100_bytes_reads_at_most_two_chunks() -> None:
    data = message(4 << 20)
    recorded = RecordingFile(sealed("cobblestone-256", data).getvalue())
    plain = SealedFile(key("cobblestone-256"), recorded, AAD)
    assert recorded.count <= 56 + 16400, "the header and the last chunk"
    for position in (1_000_000, 16384 * 7 - 50):
        recorded.count = 0
        plain.seek(position)
        assert read(plain, 100) == data[position : position + 100]
        assert recorded.count <= 2 * 16400


@pytest.mark.parametrize("format", WRITTEN)
def test_a_change_after_opening_is_found_when_it_is_read(format: str) -> None:
    # Three chunks of the longest, of which the first and the last are read at the start.
    data = message((2 << 20) + 5)
    file = sealed(format, data)
    plain = SealedFile(key(format), file, context(format), format=format)
    file.getbuffer()[len(file.getbuffer()) // 2] ^= 1
    with pytest.raises(AuthenticationError):
        plain.readall()


@pytest.mark.parametrize("format", ["cobblestone-128", "cobblestone-256", "floe", "age"])
def test_recognizes_the_format_without_its_name(format: str) -> None:
    file = sealed(format, b"attack at dawn")
    assert SealedFile(key(format), file, context(format)).read() == b"attack at dawn"
    file.seek(0)
    back = io.BytesIO()
    assert decrypt_file(key(format), file, back, context(format)) == 14


def test_names_the_format_of_another_file() -> None:
    floe = sealed("floe", b"attack at dawn")
    with pytest.raises(FormatError, match="a file of format floe given, cobblestone-256 expected"):
        SealedFile(key("floe"), floe, AAD, format="cobblestone-256")
    with pytest.raises(ArgumentTypeError, match="key of type bytes given, for age a recipient"):
        SealedFile(bytes(32), sealed("age", b"attack"))
    with pytest.raises(FormatError, match="a file of format age given, cobblestone-256 expected"):
        SealedFile(bytes(32), sealed("age", b"attack"), format="cobblestone-256")
    with pytest.raises(ArgumentTypeError, match="key of type str given, bytes expected"):
        SealedFile(IDENTITY, sealed("cobblestone-256", b"attack"), AAD, format="cobblestone-256")
    with pytest.raises(FormatError, match="a file of format parsplit-v1 given, floe expected"):
        SealedFile(bytes(32), io.BytesIO(b"PARSPLIT" + bytes(100)), AAD, format="floe")
    with pytest.raises(FormatError, match="not a cobblestone-256 file: 3 bytes given, its header alone has 56"):
        SealedFile(bytes(32), io.BytesIO(b"abc"), AAD)


def test_rejects_wrong_arguments() -> None:
    file = sealed("cobblestone-256", b"attack at dawn")
    with pytest.raises(UnknownNameError, match="no format 'cobblestone-25'.*cobblestone-256"):
        SealedFile(bytes(32), file, AAD, format="cobblestone-25")
    with pytest.raises(ArgumentError, match=r"key of 31 bytes given, 16 \(cobblestone-128\) or 32"):
        SealedFile(bytes(31), file, AAD)
    with pytest.raises(ArgumentError, match="format parsplit-v1 is only read"):
        encrypt_file(bytes(32), io.BytesIO(), io.BytesIO(), format="parsplit-v1")
    with pytest.raises(ArgumentError, match="segment_bytes given, but cobblestone-256 has chunks of 16384 bytes"):
        encrypt_file(bytes(32), io.BytesIO(), io.BytesIO(), segment_bytes=4096)
    with pytest.raises(AuthenticationError, match="wrong key or associated data, or not a file of format"):
        file.seek(0)
        SealedFile(key("cobblestone-256"), file, b"other")


def test_files_of_fsspec_and_paths_are_accepted(tmp_path: Path) -> None:
    fsspec = pytest.importorskip("fsspec", reason="the package fsspec is not installed")
    secret, data = key("cobblestone-256"), message(100_000)
    memory = fsspec.filesystem("memory")
    (tmp_path / "plain").write_bytes(data)
    with memory.open("/sealed", "wb") as sink:
        encrypt_file(secret, tmp_path / "plain", sink, AAD)
    with memory.open("/sealed", "rb") as source, SealedFile(secret, source, AAD) as plain:
        assert plain.seek(50_000) == 50_000
        assert read(plain, 10) == data[50_000:50_010]
    with memory.open("/sealed", "rb") as source:
        assert decrypt_file(secret, source, tmp_path / "opened", AAD) == len(data)
    assert (tmp_path / "opened").read_bytes() == data
