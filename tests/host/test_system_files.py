from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from aeadlab.host.system_files import (
    SystemFiles,
    format_cpu_list,
    format_per_cpu,
    parse_cpu_list,
    parse_size,
    selected_word,
)


@given(st.sets(st.integers(0, 300), min_size=1))
def test_cpu_lists_survive_a_round_trip(cpus: set[int]) -> None:
    assert parse_cpu_list(format_cpu_list(cpus)) == cpus


def test_formats_cpu_lists_as_the_kernel() -> None:
    assert format_cpu_list({8, 0, 1, 2, 10, 11}) == "0-2,8,10-11"
    assert format_cpu_list(()) == ""


@pytest.mark.parametrize("text", [None, "", "none", "0-", "1,,2", "0x3"])
def test_rejects_malformed_cpu_lists(text: str | None) -> None:
    assert parse_cpu_list(text) is None


@pytest.mark.parametrize(
    ("text", "size"),
    [("32K", 2**15), ("1024K", 2**20), ("12 kB", 12288), ("2M", 2**21), ("0K", None), ("big", None), (None, None)],
)
def test_parses_sizes_in_bytes(text: str | None, size: int | None) -> None:
    assert parse_size(text) == size


def test_reads_the_chosen_word() -> None:
    assert selected_word("always [madvise] never") == "madvise"
    assert selected_word("always") is None
    assert selected_word(None) is None


def test_groups_cpus_by_value() -> None:
    assert format_per_cpu({0: "a", 1: "a", 2: "b", 3: "a"}) == "0-1,3=a; 2=b"
    assert format_per_cpu({}) is None


def test_unreadable_files_are_unknown(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "word").write_text("many\n")
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    files = SystemFiles(tmp_path)
    assert files.text("/absent") is None
    assert files.text("/folder") is None
    assert files.integer("/word") is None
    assert files.text("/bytes") is not None
    (tmp_path / "empty").write_text("\n")
    assert files.text("/empty") is None
    assert files.lines("/absent") == []
    assert files.table("/absent") == {}
    assert files.names("/absent", "*") == []
    assert not files.exists("/absent")
