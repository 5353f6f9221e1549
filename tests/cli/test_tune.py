from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aeadlab.bench import lock
from aeadlab.cli import parser
from aeadlab.lab.tuning import stages
from aeadlab.lab.tuning.choice import Settings
from aeadlab.stats.processes import FEWEST

Command = Callable[..., Any]
ALLOW = ("--allow", "openssl/aes-256-gcm", "rustcrypto/aes-256-gcm")
TINY = ("tune", *ALLOW, "--size", "16K", "--seconds", 0.1)


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the machine look idle, and start few processes."""
    monkeypatch.setattr(stages, "busy_cores", lambda: 0.0)
    monkeypatch.setattr(stages, "_PROCESSES", FEWEST)
    monkeypatch.setattr("aeadlab.lab.tuning.tuned.MAX_NOISE", float("inf"))


def test_second_call_prints_the_stored_result(command: Command) -> None:
    result = command(*TINY)
    assert (result.code, result.err) == (0, "")
    lines = result.out.splitlines()
    assert lines[0].startswith("messages of 16 KiB, ")
    assert any(line.split()[:4] == ["implementation", "block", "thr", "GiB/s"] for line in lines)
    (chosen,) = [line for line in lines if line.endswith(" chosen")]
    assert lines[-1] == f'  ParSplit("{chosen.split()[0]}", block_size=65536, threads=1)'
    assert max(map(len, lines)) <= 80
    again = command(*TINY)
    assert "\nstored result of " in again.out
    assert again.out.splitlines()[2:] == lines[2:]


def test_json_holds_the_whole_result(command: Command) -> None:
    words = ("tune", *ALLOW, "--size", "16KiB", "--seconds", 0.1, "--json")
    stored = json.loads(command(*words).out, parse_constant=pytest.fail)
    assert stored["settings"]["implementation"] in ALLOW
    assert stored["bytes"] == 16384
    assert {row["implementation"] for row in stored["rows"]} == set(ALLOW[1:])
    assert stored["why"]
    assert Settings(**stored["settings"]).threads == 1


def test_prints_the_reason_for_each_excluded_implementation(command: Command) -> None:
    result = command(*TINY[:4], "rocca/rocca-s", *TINY[4:])
    assert "\nnot allowed: rocca/rocca-s: it is marked research\n" in result.out


def test_busy_machine_is_a_failure(command: Command, tmp_path: Path) -> None:
    with lock.machine_lock(tmp_path / "lock"):
        result = command(*TINY)
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith("aeadlab tune: process ")
    assert "is measuring on this machine" in result.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("tune", "--allow", "aes-1-gcm"), "no AEAD matches 'aes-1-gcm'"),
        (("tune", "--allow", "opensl/aes-256-gcm"), "no implementation is called 'opensl/aes-256-gcm'"),
        (("tune", "--allow", "rocca/rocca-s"), "no allowed implementation can be chosen: rocca/rocca-s: it is marked"),
        (("tune", "--seconds", "-1"), "argument --seconds: '-1' given, a number of seconds above 0 expected"),
        (("tune", "--threads", "0"), "argument --threads: 0 given, 1 to 256 expected"),
        (("tune", "--size", "5G"), "messages of 5368709120 bytes given"),
    ],
    ids=str,
)
def test_wrong_use_prints_one_line(command: Command, words: tuple[str, ...], message: str) -> None:
    result = command(*words)
    assert result.is_invalid_use()
    assert result.err.startswith(f"aeadlab tune: {message}")


def test_implementations_are_named_as_in_other_verbs() -> None:
    for words in (["--allow", "a", "b"], ["--implementation", "a", "--implementation", "b"]):
        assert parser().parse_args(["tune", *words]).allow == ["a", "b"]
