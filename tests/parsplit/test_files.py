"""Streams between files that are given as paths."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aeadlab import AuthenticationError, FormatError, ParSplit, decrypt_file

GCM, KEY = "openssl/aes-256-gcm", bytes(range(32))
DATA = bytes(range(256)) * 20
# 400 blocks that are read in several batches, so that a change at the end is found after the first bytes are written.
CIPHER = ParSplit(GCM, block_size=1024, threads=1)
LONG = DATA * 2000


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "plain").write_bytes(DATA)
    return tmp_path


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("given", [str, Path])
def test_paths_are_opened(folder: Path, given: Callable[[Path], Any]) -> None:
    sealed = CIPHER.encrypt_file(KEY, given(folder / "plain"), given(folder / "sealed"))
    assert (folder / "sealed").stat().st_size == sealed
    assert decrypt_file(KEY, given(folder / "sealed"), given(folder / "opened")) == len(DATA)
    assert CIPHER.decrypt_file(KEY, given(folder / "sealed"), given(folder / "again")) == len(DATA)
    assert (folder / "opened").read_bytes() == (folder / "again").read_bytes() == DATA
    assert names(folder) == ["again", "opened", "plain", "sealed"]


def test_a_path_and_a_file_may_be_mixed(folder: Path) -> None:
    with open(folder / "sealed", "wb") as sink:
        CIPHER.encrypt_file(KEY, folder / "plain", sink)
        assert not sink.closed
    with open(folder / "sealed", "rb") as source:
        assert decrypt_file(KEY, source, folder / "opened") == len(DATA)
        assert not source.closed


def test_a_file_may_be_sealed_onto_itself(folder: Path) -> None:
    path = folder / "plain"
    path.chmod(0o640)
    CIPHER.encrypt_file(KEY, path, path)
    assert path.read_bytes() != DATA and path.stat().st_mode & 0o777 == 0o640
    decrypt_file(KEY, path, path)
    assert path.read_bytes() == DATA and names(folder) == ["plain"]


@pytest.mark.parametrize("open_", [decrypt_file, CIPHER.decrypt_file])
def test_a_path_gets_no_part_of_a_forged_message(folder: Path, open_: Callable[..., int]) -> None:
    (folder / "plain").write_bytes(LONG)
    CIPHER.encrypt_file(KEY, folder / "plain", folder / "sealed")
    content = bytearray((folder / "sealed").read_bytes())
    content[-1] ^= 1
    (folder / "sealed").write_bytes(content)
    (folder / "kept").write_bytes(b"old content")
    for sink in ("kept", "new"):
        with pytest.raises(AuthenticationError):
            open_(KEY, folder / "sealed", folder / sink, max_memory=1 << 20)
    assert names(folder) == ["kept", "plain", "sealed"] and (folder / "kept").read_bytes() == b"old content"


def test_a_link_stays_a_link(folder: Path) -> None:
    (folder / "link").symlink_to("target")
    CIPHER.encrypt_file(KEY, folder / "plain", folder / "link")
    assert (folder / "link").is_symlink() and decrypt_file(KEY, folder / "target", folder / "opened") == len(DATA)


def test_a_device_is_written_and_not_replaced(folder: Path) -> None:
    assert CIPHER.encrypt_file(KEY, folder / "plain", os.devnull) > len(DATA)
    assert Path(os.devnull).is_char_device()


def test_wrong_paths_raise_the_errors_of_open(folder: Path) -> None:
    with pytest.raises(FileNotFoundError, match="absent"):
        CIPHER.encrypt_file(KEY, folder / "absent", folder / "sealed")
    with pytest.raises(FileNotFoundError, match="nowhere"):
        CIPHER.encrypt_file(KEY, folder / "plain", folder / "nowhere" / "sealed")
    with pytest.raises(IsADirectoryError):
        CIPHER.encrypt_file(KEY, folder / "plain", folder)
    with pytest.raises(AuthenticationError):
        decrypt_file(KEY, folder / "plain", folder / "opened")
    with pytest.raises(FormatError):
        decrypt_file(KEY, folder / "plain", folder / "opened", format="parsplit-v1")
    assert names(folder) == ["plain"]
