from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from aeadlab.automatic import Settings
from aeadlab.bench import lock
from aeadlab.cli.tune import render
from aeadlab.tuning import Row, Tuned, search

Command = Callable[..., Any]
ALLOW = ("--allow", "openssl/aes-256-gcm", "rustcrypto/aes-256-gcm")
TINY = ("tune", *ALLOW, "--size", "16K", "--seconds", 0.1)


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "busy_cores", lambda: 0.0)
    monkeypatch.setattr("aeadlab.tuning.tuned.TOO_NOISY", float("inf"))


def tuned(rows: int = 3, **changes: Any) -> Tuned:
    """A result with long names and large numbers."""
    name = "openssl-system/chacha20-poly1305"
    found = tuple(
        Row(name, 1000003 - i, 256, 123.45 - i, 100.0, 130.0, 0.9, equal=i < 2, cores=256.0) for i in range(rows)
    )
    given: dict[str, Any] = {
        "settings": found[-1].settings, "why": "because " * 30, "rows": found,
        "screened": {f"{name}-{i}": 1.5 for i in range(30)}, "excluded": {"hiae/hiae": "it is marked research"},
        "bytes": 64 << 20, "screening_bytes": 8 << 20, "machine": {"cpu": {"model name": "X" * 50}, "cores": 2,
        "affinity": [0, 1]}, "rounds": 10, "seconds": 5.0, "noise": 0.01, "busy": 0.0, "date": "2026-01-01T00:00:00Z",
    }  # fmt: skip
    return Tuned(**{**given, **changes})


def test_a_run_and_what_is_remembered_of_it(command: Command) -> None:
    said = command(*TINY)
    assert (said.code, said.err) == (0, "")
    lines = said.out.splitlines()
    assert lines[0].startswith("messages of 16 KiB, ")
    assert any(line.split()[:4] == ["implementation", "block", "thr", "GiB/s"] for line in lines)
    (chosen,) = [line for line in lines if line.endswith(" chosen")]
    assert lines[-1] == f'  ParSplit("{chosen.split()[0]}", block_size=65536, threads=1)'
    assert max(map(len, lines)) <= 80
    again = command(*TINY)
    assert "\nremembered from " in again.out
    assert again.out.splitlines()[2:] == lines[2:]


def test_json_says_all(command: Command) -> None:
    found = json.loads(command(*TINY, "--json").out, parse_constant=pytest.fail)
    assert found["settings"]["implementation"] in ALLOW
    assert found["bytes"] == 16384
    assert {row["implementation"] for row in found["rows"]} == set(ALLOW[1:])
    assert found["why"]
    assert Settings(**found["settings"]).threads == 1


@pytest.mark.parametrize(
    "changes", [{}, {"rows": 100}, {"noise": 0.5}, {"busy": 1.5}, {"remembered": True}, {"screened": {}}], ids=str
)
def test_the_text_is_80_columns_wide(changes: dict[str, Any]) -> None:
    lines = render(tuned(**changes)).splitlines()
    assert max(map(len, lines)) <= 80
    assert sum(line.endswith(" chosen") for line in lines) == 1, "shown wherever it stands"


def test_a_busy_machine_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aeadlab.tuning.tuned.TOO_NOISY", 0.1)
    assert "not remembered: other programs kept 1.5 cores busy;" in render(tuned(busy=1.5))
    assert "not remembered: equal cases differed too much;" in render(tuned(noise=0.2))
    shared = tuned()
    shared = replace(shared, rows=tuple(replace(row, cores=128.0) for row in shared.rows))
    assert "not remembered: the threads got 50% of the cores they should have;" in render(shared)
    assert "not remembered" not in render(tuned())


def test_excluded_ones_are_named_with_their_reason(command: Command) -> None:
    said = command(*TINY[:4], "rocca/rocca-s", *TINY[4:])
    assert "\nnot allowed: rocca/rocca-s: it is marked research\n" in said.out


def test_a_machine_in_use_is_said(command: Command, tmp_path: Path) -> None:
    with lock.machine_lock(tmp_path / "lock"):
        said = command(*TINY)
    assert (said.code, said.out) == (1, "")
    assert said.err.startswith("aeadlab tune: process ")
    assert "is measuring on this machine" in said.err


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("tune", "--allow", "aes-1-gcm"), "no AEAD matches 'aes-1-gcm'"),
        (("tune", "--allow", "opensl/aes-256-gcm"), "no implementation is called 'opensl/aes-256-gcm'"),
        (("tune", "--allow", "rocca/rocca-s"), "nothing that is allowed may be chosen: rocca/rocca-s: it is marked"),
        (("tune", "--seconds", "-1"), "-1.0 seconds given, more than 0 wanted"),
        (("tune", "--threads", "0"), "threads 0 given, at least 1 wanted"),
        (("tune", "--size", "0"), "messages of 0 bytes given"),
    ],
    ids=str,
)
def test_wrong_use_is_one_line(command: Command, words: tuple[str, ...], why: str) -> None:
    said = command(*words)
    assert said.is_wrong_use()
    assert said.err.startswith(f"aeadlab tune: {why}")


@pytest.mark.parametrize("size", ["64X", "M", "1.5M", "-5"])
def test_lengths_are_whole_numbers_with_a_unit(command: Command, size: str) -> None:
    said = command("tune", f"--size={size}")
    assert said.code == 2
    assert "is no length" in said.err


def test_units(command: Command) -> None:
    found = json.loads(command("tune", *ALLOW, "--size", "16KiB", "--seconds", 0.1, "--json").out)
    assert found["bytes"] == 16384
