from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from aeadlab.errors import BusyError
from aeadlab.records import Record, load_record

Compiled = Callable[..., Path]
Command = Callable[..., Any]
SMOKE = ("measure", "baselines", "--profile", "smoke")
TINY = (*SMOKE, "--size", 4096, "--samples", 2, "--implementation", "openssl/aes-256-gcm")


def test_a_measurement_says_its_medians_and_where_the_record_is(command: Command, own_folders: Path) -> None:
    said = command(*TINY)
    assert (said.code, said.err) == (0, "")
    *table, last = said.out.splitlines()
    assert table[0].split() == ["implementation", "op", "how", "GiB/s", "from", "to", "n"]
    assert len(table) == 9, "seal, open, memcpy and XOR, each whole and as one block, since both sizes are the message"
    assert max(map(len, table)) <= 80
    path = Path(last.removeprefix("record: "))
    assert path.parent == own_folders / "results/records"
    record = load_record(path)
    assert record.provenance["plan"]["profile"]["name"] == "smoke*"
    assert set(record.samples["bytes"]) == {4096}
    assert json.loads(path.with_suffix(".json").read_text())["plan"] == record.provenance["plan"]


def test_what_is_refused_is_named_and_the_rest_measured(
    command: Command, compiled: Compiled, own_folders: Path
) -> None:
    toy = compiled("toy", ON_MESSAGE="abort()")
    said = command(*TINY, "--implementation", "toy/xor-tag", "--plugins", toy, "--output", own_folders / "mine")
    assert (said.code, said.err) == (1, ""), "it was asked for by name"
    assert "\nnot timed: toy/xor-tag: it crashes while being verified (SIGABRT)\n" in said.out
    assert "\nopenssl/aes-256-gcm " in said.out
    assert said.out.splitlines()[-1].startswith(f"record: {own_folders / 'mine'}/baselines-")


def test_where_nothing_can_be_timed_that_is_a_failure(command: Command, compiled: Compiled) -> None:
    said = command(*SMOKE, "--implementation", "toy/xor-tag", "--plugins", compiled("toy", ON_MESSAGE="abort()"))
    assert (said.code, said.out) == (1, "")
    assert said.err.startswith("aeadlab measure: nothing of study baselines can be timed: toy/xor-tag: it crashes")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("measure", "baseline"), "no study is called 'baseline'; did you mean baselines?"),
        (("measure", "baselines", "--profile", "fast"), "no profile is called 'fast'; there are smoke, quick, paper"),
        (
            (*SMOKE, "--implementation", "openssl/aes"),
            "no implementation is called 'openssl/aes'; the nearest: openssl",
        ),
        ((*TINY, "--mask", "no-vase"), "no mask is called 'no-vase'; did you mean no-vaes?"),
        ((*SMOKE, "--size", -5), "-5 bytes given, 0 to 4294967296 wanted"),
        ((*SMOKE, "--size", 10**15), "1000000000000000 bytes given, 0 to 4294967296 wanted"),
        ((*SMOKE, "--samples", 0), "0 samples given, at least 1 wanted"),
        ((*TINY, "--seed", -1), "seed -1 given, 0 to 2^64 - 1 wanted"),
        ((*TINY, "--seed", 2**64), f"seed {2**64} given, 0 to 2^64 - 1 wanted"),
        ((*SMOKE, "--output", "/proc/no/such"), "output folder /proc/no/such cannot be written"),
        ((*SMOKE, "--output", "/dev/null"), "output folder /dev/null cannot be written"),
    ],
    ids=str,
)
def test_wrong_use_is_one_line(command: Command, own_folders: Path, words: tuple[object, ...], why: str) -> None:
    said = command(*words)
    assert said.is_wrong_use()
    assert said.err.startswith(f"aeadlab measure: {why}")
    assert not list((own_folders / "results").rglob("*.parquet"))


@pytest.mark.parametrize(("option", "value"), [("--size", "1G"), ("--samples", "many"), ("--seed", "0x1")])
def test_numbers_are_numbers(command: Command, option: str, value: str) -> None:
    said = command(*SMOKE, option, value)
    assert (said.code, said.out) == (2, "")
    assert f"argument {option}: invalid int value: '{value}'" in said.err


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch, record: Path) -> Callable[..., dict[str, Any]]:
    """``measured(samples, provenance)``: measuring gives a record with these changes; returns how it was called."""

    def replace(samples: Callable[[pd.DataFrame], pd.DataFrame], **provenance: object) -> dict[str, Any]:
        whole = load_record(record)
        called: dict[str, Any] = {}

        def measure(study: str, profile: str, **given: object) -> Record:
            called.update(given, study=study, profile=profile)
            return Record(whole.path, samples(whole.samples), whole.provenance | provenance)

        monkeypatch.setattr("aeadlab.measurement.measure", measure)
        return called

    return replace


def test_a_failed_case_is_named_and_the_exit_code_one(
    command: Command, measured: Callable[..., dict[str, Any]]
) -> None:
    def fail(samples: pd.DataFrame) -> pd.DataFrame:
        row = samples.iloc[[0]].assign(order=-1, status=f"failed: {'a long reason ' * 10}")
        return pd.concat([samples, row, row], ignore_index=True)

    long = "openssl/aes-256-gcm is absent: " + "the reason is long " * 9
    measured(fail, refused={"openssl/aes-256-gcm": long}, notes=[{"start": 1.0}, {"cut": "3 of 15 rounds in 20 s"}])
    said = command("measure", "baselines")
    assert (said.code, said.err) == (1, "")
    *lines, last = said.out.splitlines()
    assert last.startswith("record: ")
    assert max(map(len, lines)) <= 80
    assert said.out.count(" failed: a long reason") == 1
    assert "not timed: openssl/aes-256-gcm: is absent: the reason" in said.out
    assert "cut short by the time budget: 3 of 15 rounds in 20 s\n" in said.out


def test_options_reach_the_measurement(
    command: Command, measured: Callable[..., dict[str, Any]], compiled: Compiled
) -> None:
    called = measured(lambda samples: samples)
    assert command("measure", "baselines").code == 0
    assert called == {
        **{"study": "baselines", "profile": "quick", "size": None, "samples": None, "budget": None},
        **{"implementations": None, "folder": None, "plugins": [], "seed": 1, "masks": []},
        **{"threads": None, "block_sizes": None},
    }
    toy = compiled("toy")
    words = (
        "--profile",
        "paper",
        "--size",
        7,
        "--samples",
        3,
        "--budget",
        9,
        "--seed",
        5,
        "--plugins",
        toy,
        "--output",
        "here",
        "--mask",
        "zen2",
        "--threads",
        2,
        "--block-size",
        4096,
    )
    assert command("measure", "x", *words, "--implementation", "a/b", "--implementation", "c/d").code == 0
    assert called == {
        **{"study": "x", "profile": "paper", "size": 7, "samples": 3, "budget": 9.0},
        **{"implementations": ["a/b", "c/d"], "folder": Path("here"), "plugins": [toy], "seed": 5, "masks": ["zen2"]},
        **{"threads": [2], "block_sizes": [4096]},
    }


def test_a_busy_machine_is_a_failure_not_wrong_use(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def measure(*_: object, **__: object) -> Record:
        raise BusyError("process 7 is measuring on this machine")

    monkeypatch.setattr("aeadlab.measurement.measure", measure)
    said = command("measure", "baselines")
    assert (said.code, said.out, said.err) == (1, "", "aeadlab measure: process 7 is measuring on this machine\n")


def test_masked_cases_have_a_table_of_their_own(command: Command, measured: Callable[..., dict[str, Any]]) -> None:
    def mask(samples: pd.DataFrame) -> pd.DataFrame:
        whole = samples[samples["engine"] == "whole"]
        slow = whole.assign(mask="zen2", seconds=whole["seconds"] * 4, gib_per_s=whole["gib_per_s"] / 4)
        return pd.concat([samples, slow], ignore_index=True)

    measured(mask, refused={}, unmasked=["ring cannot be told: it asks the CPU itself and reads no setting"])
    said = command("measure", "baselines", "--mask", "zen2")
    assert (said.code, said.err) == (0, "")
    unmasked, masked = said.out.split("\n\nunder mask zen2; ratio: speed relative to that without\n")
    assert "16 KiB" in unmasked
    rows = [line.split() for line in masked.splitlines()]
    assert rows[0] == ["implementation", "op", "how", "GiB/s", "ratio", "from", "to", "n"]
    assert {row[4] for row in rows[1:4]} == {"0.25"}
    assert "not masked: ring cannot be told: it asks the CPU itself" in masked
    assert max(map(len, said.out.splitlines())) <= 80 or "record: " in said.out.splitlines()[-1]
