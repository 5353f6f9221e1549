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
        (("*",), "at most 200 expected: narrow the names, or add --all"),
        (("nosuch",), "no implementation and no algorithm matches 'nosuch'; `aeadlab list` lists all"),
        (
            ("openssl",),
            "'openssl' is a library, an implementation or algorithm expected: 'openssl/*' selects all",
        ),
        (("pyca/aes-256-ccm", "--size", "16M"), "takes messages of at most 16777215 bytes, and 16777216 were given"),
        (("openssl/aes-256-ecb", "--size", "1400"), "takes multiples of 16 bytes, and 1400 were given"),
        (("ring/aes-256-gcm", "--size", "5G"), "size 5368709120 given, 1 to 4294967296 bytes expected"),
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


def test_an_unverified_implementation_is_refused_with_its_reason(command: Command, compiled: Any) -> None:
    words = ("speed", "toy/aes-256-gcm", "--size", "64", "--samples", 2)
    result = command(*words, "--plugins", compiled("toy", ALGORITHM='"aes-256-gcm"'))
    assert (result.code, result.out, result.err.count("\n")) == (1, "", 1)
    assert "toy/aes-256-gcm: known answers:" in result.err


def test_a_limit_of_one_implementation_of_a_glob_does_not_stop_the_others(command: Command) -> None:
    words = ("speed", "openssl/aes-256-[eg]c[bm]", "--size", "1400", "--samples", 2, "--json")
    content = json.loads(command(*words).out)
    assert "openssl/aes-256-gcm" in {row["implementation"] for row in content["rows"]}
    assert "openssl/aes-256-ecb" in str(content["not_timed"])
