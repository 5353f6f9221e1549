from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from aeadlab.errors import MeasurementError

Command = Callable[..., Any]


def test_ends_with_the_answer(command: Command) -> None:
    result = command("speed", "ring/aes-256-gcm", "openssl/aes-256-gcm", "--size", "1K,16KiB", "--samples", 3)
    assert (result.code, result.err) == (0, "")
    lines = result.out.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[-1].endswith(".") and "16 KiB" in " ".join(lines[-2:])


def test_prints_json(command: Command) -> None:
    result = command("speed", "ring/aes-256-gcm", "--samples", 2, "--json")
    content = json.loads(result.out)
    assert {row["implementation"] for row in content["rows"]} == {"ring/aes-256-gcm", "baseline/memcpy"}
    assert content["rows"][0]["bytes"] == 16384 and content["answers"][0].startswith("ring/aes-256-gcm seals 16 KiB")


def test_a_cipher_beside_an_aead_is_named_as_one(command: Command) -> None:
    result = command("speed", "openssl/aes-256-ctr", "openssl/aes-256-gcm", "--size", "1400", "--samples", 2)
    assert (result.code, result.err) == (0, "")
    answer = " ".join(result.out.partition("\n\n")[2].split())
    assert "openssl/aes-256-ctr (cipher)" in answer and "openssl/aes-256-gcm (aead)" in answer


def test_opens_and_splits(command: Command) -> None:
    words = ("speed", "ring/aes-256-gcm", "--open", "--threads", 2, "--size", "256K", "--samples", 2, "--json")
    content = json.loads(command(*words).out)
    (row,) = (row for row in content["rows"] if row["implementation"] == "ring/aes-256-gcm")
    assert (row["op"], row["engine"], row["threads"], row["bytes"]) == ("open", "parsplit", 2, 262144)
    assert content["answers"][0].startswith("ring/aes-256-gcm opens 256 KiB")


def test_all_measures_more_than_200(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    from aeadlab.lab import speed

    monkeypatch.setattr(speed, "MOST", 1)
    words = ("speed", "ring/aes-[12]*-gcm", "--samples", 2)
    refused = command(*words)
    assert refused.is_invalid_use()
    assert "speed: 2 implementations match, at most 1 expected: narrow the names, or add --all" in refused.err
    result = command(*words, "--all", "--json")
    names = {row["implementation"] for row in json.loads(result.out)["rows"]}
    assert (result.code, names) == (0, {"ring/aes-128-gcm", "ring/aes-256-gcm", "baseline/memcpy"})


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ((), "the following arguments are required: NAME"),
        (("aes-256-gmc",), "aes-256-gcm"),
        (("ring/aes-256-gmc",), "the nearest: ring/aes-256-gcm"),
        (("*",), " implementations match, at most 200 expected: narrow the names, or add --all"),
        (("ring/aes-256-gcm", "--opne"), "unknown option --opne; did you mean --open?"),
        (("ring/aes-256-gcm", "--json", "--markdown"), "not allowed with argument"),
        (("ring/aes-256-gcm", "--plugins", "/no/such.so"), "/no/such.so does not exist"),
        (("opensl",), "no implementation and no algorithm matches 'opensl'; the nearest: openssl/*"),
        (("nosuch",), "no implementation and no algorithm matches 'nosuch'; `aeadlab list` lists all"),
        (
            ("openssl",),
            "'openssl' is a library, an implementation or algorithm expected: 'openssl/*' selects all",
        ),
        (("pyca/aes-256-ccm", "--size", "16M"), "takes messages of at most 16777215 bytes, and 16777216 were given"),
        (("openssl/aes-256-ecb", "--size", "1400"), "takes multiples of 16 bytes, and 1400 were given"),
        (("ring/aes-256-gcm", "--size", "5G"), "size 5368709120 given, 1 to 4294967296 bytes expected"),
        (("ring/aes-256-gcm", "--threads", "0"), "argument --threads: 0 given, 1 to 256 expected"),
        (("ring/aes-256-gcm", "--threads", "257"), "argument --threads: 257 given, 1 to 256 expected"),
        (("ring/aes-256-gcm", "--threads", "two"), "argument --threads: 'two' given, a whole number expected"),
        (
            ("openssl/aes-256-ctr", "ring/aes-256-gcm", "--threads", "2"),
            "openssl/aes-256-ctr is of kind cipher, and ParSplit splits messages of AEADs only: give 1 thread, or "
            "leave openssl/aes-256-ctr out",
        ),
        (("pyca/aes-256-gcm", "--threads", "2"), "pyca/aes-256-gcm is called from Python, in one thread: give 1"),
        (("ring/aes-256-gcm", "--samples", "0"), "at least 1 expected"),
    ],
)
def test_wrong_use_is_one_line(command: Command, words: tuple[str, ...], expected: str) -> None:
    result = command("speed", *words)
    assert result.is_invalid_use() and expected in result.err


@pytest.mark.parametrize("size", ["0", "-1", "16Q", "1.5", "", "1400,", "1e3", "16 KB/s", "-", "0x10", "0K"])
def test_rejects_sizes(command: Command, size: str) -> None:
    result = command("speed", "ring/aes-256-gcm", f"--size={size}")
    assert result.is_invalid_use()
    given = size.rpartition(",")[2]
    assert f"size {given!r} given, a positive number of bytes expected: 1400, 16K, 1MiB or 100MB" in result.err


@pytest.mark.parametrize("size", ["16384", "16K", "16KiB", "16k", "16 KiB", "16.0K"])
def test_reads_each_notation_of_a_size(command: Command, monkeypatch: pytest.MonkeyPatch, size: str) -> None:
    given: list[object] = []

    def measure(*_: object, size: object, **__: object) -> None:
        given.append(size)
        raise MeasurementError("the measurement begins")

    monkeypatch.setattr("aeadlab.lab.speed.speed", measure)
    assert command("speed", "ring/aes-256-gcm", "--size", size).err == "aeadlab speed: the measurement begins\n"
    assert given == [[16384]]


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
