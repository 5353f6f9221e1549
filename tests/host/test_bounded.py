from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from aeadlab.errors import RecordError
from aeadlab.host.bounded import MAX_DEPTH, MAX_TEXT, parse_json, read_file


def test_reads_a_file_up_to_its_limit(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"12345")
    assert read_file(path, 5) == b"12345"
    with pytest.raises(RecordError, match=f"journal {path} has 5 bytes, at most 4 expected"):
        read_file(path, 4, "journal")


def test_reads_no_more_of_a_file_without_a_size() -> None:
    """Files of /proc have size 0 and content."""
    with pytest.raises(RecordError, match="more than 3 bytes"):
        read_file(Path("/proc/cpuinfo"), 3)


@pytest.mark.parametrize("kind", ["missing", "folder", "pipe", "device", "loop", "below a file", "\0", "x" * 300])
def test_other_files_are_errors_with_their_path(tmp_path: Path, kind: str) -> None:
    path = tmp_path / kind
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind in ("device", "loop"):
        path.symlink_to("/dev/zero" if kind == "device" else path)
    elif kind == "below a file":
        path.touch()
        path /= "file"
    with pytest.raises(RecordError) as caught:
        read_file(path, 100)
    assert str(path) in str(caught.value)


def nested(depth: int) -> bytes:
    return b"[" * depth + b"]" * depth


@pytest.mark.parametrize(
    "text", [b"3", b'"\\ud83d\\ude00"', b"[18446744073709551615, -9223372036854775808, 1e308]", nested(MAX_DEPTH)]
)
def test_parses_json_within_its_limits(text: bytes) -> None:
    import json

    expected: Any = json.loads(text)
    assert parse_json(text, len(text)) == expected


@pytest.mark.parametrize(
    "text",
    [
        nested(MAX_DEPTH + 1),
        nested(100_000),
        b'{"a":' * (MAX_DEPTH + 1) + b"1" + b"}" * (MAX_DEPTH + 1),
        b'"' + b"x" * (MAX_TEXT + 1) + b'"',
        b'{"' + b"x" * (MAX_TEXT + 1) + b'": 1}',
        b"[18446744073709551616]",
        b"[NaN]",
        b"[-1e999]",
        b"\xff",
        b"",
        b"[1,]",
    ],
    ids=lambda text: f"{text[:9]!r} {len(text)}",
)
def test_other_json_is_an_error(text: bytes) -> None:
    with pytest.raises(ValueError):
        parse_json(text, 1 << 20)


def test_long_json_is_an_error() -> None:
    with pytest.raises(ValueError, match="9 bytes of JSON given, at most 8 expected"):
        parse_json(b"[1,2,3,4]", 8)
