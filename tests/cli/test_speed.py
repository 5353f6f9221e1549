from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

Command = Callable[..., Any]


def test_ends_with_the_answer(command: Command) -> None:
    result = command("speed", "ring/aes-256-gcm", "openssl/aes-256-gcm", "--size", "1K,16KiB", "--samples", 6)
    assert (result.code, result.err) == (0, "")
    lines = result.out.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[-1].endswith(".") and "16 KiB" in " ".join(lines[-2:])


def test_prints_json(command: Command) -> None:
    result = command("speed", "ring/aes-256-gcm", "--samples", 2, "--json")
    content = json.loads(result.out)
    assert {row["implementation"] for row in content["rows"]} == {"ring/aes-256-gcm", "baseline/memcpy"}
    assert content["rows"][0]["bytes"] == 16384 and content["answers"][0].startswith("ring/aes-256-gcm seals 16 KiB")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("aes-256-gmc",), "aes-256-gcm"),
        (("*",), "at most 200 expected"),
        (("ring/aes-256-gcm", "--threads", "0"), "threads"),
        (("ring/aes-256-gcm", "--samples", "0"), "at least 1 expected"),
    ],
)
def test_wrong_use_is_one_line(command: Command, words: tuple[str, ...], expected: str) -> None:
    result = command("speed", *words)
    assert result.is_invalid_use() and expected in result.err


@pytest.mark.parametrize("size", ["0", "-1", "16Q", "1.5", "", "1400,"])
def test_rejects_sizes(command: Command, size: str) -> None:
    result = command("speed", "ring/aes-256-gcm", f"--size={size}")
    assert result.is_invalid_use() and "a positive number of bytes expected" in result.err
