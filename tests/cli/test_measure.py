from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from aeadlab.errors import ArgumentError, BusyError
from aeadlab.lab.measurement import measurement
from aeadlab.records.reading import load_record
from aeadlab.records.record import Record
from aeadlab.reporting import answer
from aeadlab.stats.resolution import NOISE, resolution
from aeadlab.studies.candidates import BASELINES

Compiled = Callable[..., Path]
Command = Callable[..., Any]
WRITE_REPORT = answer.write_report
"""The fixture `command` replaces it."""
SMOKE = ("measure", "baselines", "--profile", "smoke")
TINY = (*SMOKE, "--size", 4096, "--samples", 2, "--implementation", "openssl/aes-256-gcm")


def test_ends_with_the_answer_and_the_path_of_the_report(
    command: Command, own_folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answer, "write_report", WRITE_REPORT)
    result = command(*TINY)
    assert (result.code, result.err) == (0, "")
    table, findings, last = result.out.rstrip("\n").split("\n\n")
    conditions, head, *rows = table.splitlines()
    assert conditions.startswith("4 KiB, "), "the conditions of all rows"
    assert head.split("  ")[0] == "implementation" and "GiB/s" in head and "% limit" in head and "% memcpy" in head
    names = [row.split()[0] for row in rows if "/" in row.split()[0]]
    assert sorted(names) == sorted([*BASELINES, "openssl/aes-256-gcm", "openssl/aes-256-gcm"])
    assert rows[-1] == "% limit: of the speed of copy (ordinary stores)"
    assert re.match(r"All \d+ claims are inconclusive: measured with profile smoke, ", findings)
    assert max(map(len, f"{table}\n{findings}".splitlines())) <= 80
    report = Path(last.removeprefix("report: "))
    assert report.parent == own_folders / "results/records"
    assert report.read_text().startswith("<!DOCTYPE html>")
    path = report.with_suffix(".parquet")
    record = load_record(path)
    assert record.provenance["plan"]["profile"]["name"] == "smoke*"
    assert set(record.samples["bytes"]) == {4096}
    assert json.loads(path.with_suffix(".json").read_text())["plan"] == record.provenance["plan"]


def test_announces_the_expected_intervals_before_the_run(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits minutes for a run whose intervals cannot answer the question."""
    words = ("measure", "baselines", "--samples", 14, "--size", 4096, "--implementation", "baseline/memcpy")

    def run(*_: object, **__: object) -> None:
        raise BusyError("the run begins")

    monkeypatch.setattr(measurement, "run_plan", run)
    for form in ((), ("--json",)):
        result = command(*words, *form)
        assert (result.code, result.out) == (1, "")
        *announced, last = result.err.splitlines()
        assert last == "aeadlab measure: the run begins"
        assert max(map(len, announced)) <= 80
        assert " ".join(" ".join(announced).split()) == (
            f"aeadlab measure: 8 cases with 14 rounds in 14 processes: {resolution(14, 1)}. This is expected if "
            f"{NOISE}, and the budget of 300 s allows all rounds."
        )


def test_profile_smoke_announces_nothing(command: Command) -> None:
    result = command(*TINY, "--json")
    assert (result.code, result.err) == (0, "")
    assert isinstance(json.loads(result.out), dict)


def test_lists_unverified_implementations_and_times_the_rest(
    command: Command, compiled: Compiled, own_folders: Path
) -> None:
    toy = compiled("toy", ON_MESSAGE="abort()")
    result = command(*TINY, "--implementation", "toy/xor-tag", "--plugins", toy, "--output", own_folders / "mine")
    assert (result.code, result.err) == (1, ""), "it was requested by name"
    assert "not timed: toy/xor-tag: it crashes while being verified (SIGABRT)\n" in result.out
    assert "\nopenssl/aes-256-gcm " in result.out
    assert result.out.splitlines()[-1].startswith(f"report: {own_folders / 'mine'}/baselines-")


def test_fails_when_nothing_can_be_timed(command: Command, compiled: Compiled) -> None:
    result = command(*SMOKE, "--implementation", "toy/xor-tag", "--plugins", compiled("toy", ON_MESSAGE="abort()"))
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith(
        "aeadlab measure: no implementation of study baselines can be timed: toy/xor-tag: it crashes"
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("measure", "baseline"), "no study 'baseline'; did you mean baselines?"),
        (("measure", "baselines", "--profile", "fast"), "no profile is called 'fast'; there are smoke, quick, paper"),
        (
            (*SMOKE, "--implementation", "openssl/aes"),
            "no implementation is called 'openssl/aes'; the nearest: openssl",
        ),
        ((*TINY, "--mask", "no-vase"), "no mask is called 'no-vase'; did you mean no-vaes?"),
        ((*SMOKE, "--size", -5), "argument --size: size '-5' given, a positive number of bytes expected: "),
        ((*SMOKE, "--size", "16Q"), "argument --size: size '16Q' given, a positive number of bytes expected: "),
        ((*SMOKE, "--block-size", 0), "argument --block-size: size '0' given, a positive number of bytes expected: "),
        ((*SMOKE, "--size", 10**15), "1000000000000000 bytes given, 0 to 4294967296 expected"),
        ((*SMOKE, "--samples", 0), "argument --samples: 0 given, at least 1 expected"),
        ((*TINY, "--seed", -1), "seed -1 given, 0 to 2^64 - 1 expected"),
        ((*TINY, "--seed", 2**64), f"seed {2**64} given, 0 to 2^64 - 1 expected"),
        ((*SMOKE, "--output", "/proc/no/such"), "output folder /proc/no/such cannot be written"),
        ((*SMOKE, "--output", "/dev/null"), "output folder /dev/null cannot be written"),
    ],
    ids=str,
)
def test_wrong_use_prints_one_line(
    command: Command, own_folders: Path, words: tuple[object, ...], message: str
) -> None:
    result = command(*words)
    assert result.is_invalid_use()
    assert result.err.startswith(f"aeadlab measure: {message}")
    assert not list((own_folders / "results").rglob("*.parquet"))


@pytest.mark.parametrize(("option", "value"), [("--threads", "1K"), ("--samples", "many"), ("--seed", "0x1")])
def test_rejects_numbers_that_are_not_integers(command: Command, option: str, value: str) -> None:
    result = command(*SMOKE, option, value)
    assert (result.code, result.out) == (2, "")
    assert f"argument {option}: '{value}' given, a whole number expected" in result.err


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch, record: Path) -> Callable[..., dict[str, Any]]:
    """``measured(change, **provenance)``: have `measure` return a changed record; returns its arguments."""

    def replace(change: Callable[[pd.DataFrame], pd.DataFrame], **provenance: object) -> dict[str, Any]:
        original = load_record(record)
        arguments: dict[str, Any] = {}

        def measure(study: str, profile: str, **options: object) -> Record:
            arguments.update(options, study=study, profile=profile)
            return Record(original.path, change(original.samples), original.provenance | provenance)

        monkeypatch.setattr("aeadlab.lab.measurement.measure", measure)
        return arguments

    return replace


def test_failed_case_is_named_and_the_exit_status_is_1(
    command: Command, measured: Callable[..., dict[str, Any]]
) -> None:
    def fail(samples: pd.DataFrame) -> pd.DataFrame:
        row = samples.iloc[[0]].assign(order=-1, status=f"failed: {'a long reason ' * 10}")
        return pd.concat([samples, row, row], ignore_index=True)

    long = "openssl/aes-256-gcm is absent: " + "the reason is long " * 9
    measured(fail, refused={"openssl/aes-256-gcm": long}, notes=[{"start": 1.0}, {"cut": "3 of 15 rounds in 20 s"}])
    result = command("measure", "baselines")
    assert (result.code, result.err) == (1, "")
    *lines, last = result.out.splitlines()
    assert last.startswith("report: ")
    assert max(map(len, lines)) <= 80
    assert result.out.count(" failed: a long reason") == 1
    assert "not timed: openssl/aes-256-gcm: is absent: the reason" in result.out
    assert "the time budget ended the run: 3 of 15 rounds in 20 s\n" in result.out


def test_passes_the_options_to_measure(
    command: Command, measured: Callable[..., dict[str, Any]], compiled: Compiled
) -> None:
    arguments = measured(lambda samples: samples)
    assert command("measure", "baselines").code == 0
    assert callable(arguments.pop("announce"))
    assert arguments == {
        **{"study": "baselines", "profile": "quick", "size": None, "samples": None, "budget": None},
        **{"implementations": None, "folder": None, "plugins": [], "seed": 1, "masks": []},
        **{"threads": None, "block_sizes": None},
    }
    toy = compiled("toy")
    words = (
        *("--profile", "paper", "--size", 7, "--samples", 3, "--budget", 9, "--seed", 5, "--plugins", toy),
        *("--output", "here", "--mask", "zen2", "--threads", 2, "--block-size", 4096),
    )
    assert command("measure", "cells", *words, "--implementation", "a/b", "--implementation", "c/d").code == 0
    assert callable(arguments.pop("announce"))
    assert arguments == {
        **{"study": "cells", "profile": "paper", "size": 7, "samples": 3, "budget": 9.0},
        **{"implementations": ["a/b", "c/d"], "folder": Path("here"), "plugins": [toy], "seed": 5, "masks": ["zen2"]},
        **{"threads": [2], "block_sizes": [4096]},
    }


def test_busy_machine_is_a_failure_not_wrong_use(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def measure(*_: object, **__: object) -> Record:
        raise BusyError("process 7 is measuring on this machine")

    monkeypatch.setattr("aeadlab.lab.measurement.measure", measure)
    result = command("measure", "baselines")
    assert (result.code, result.out, result.err) == (1, "", "aeadlab measure: process 7 is measuring on this machine\n")


def test_masked_cases_have_a_column_with_their_relative_speed(
    command: Command, measured: Callable[..., dict[str, Any]]
) -> None:
    def mask(samples: pd.DataFrame) -> pd.DataFrame:
        whole = samples[samples["engine"] == "whole"]
        slow = whole.assign(mask="zen2", seconds=whole["seconds"] * 4, gib_per_s=whole["gib_per_s"] / 4)
        return pd.concat([samples, slow], ignore_index=True)

    measured(
        mask, refused={}, unmasked=["ring has no feature switch: it detects CPU features itself and reads no setting"]
    )
    result = command("measure", "baselines", "--mask", "zen2")
    assert (result.code, result.err) == (0, "")
    remarks, table, *_ = result.out.split("\n\n")
    assert " ".join(remarks.split()).startswith("not masked: ring has no feature switch: it detects CPU features")
    end = table.splitlines()[1].index("of unmasked") + len("of unmasked")
    masked = [line[:end].split()[-1] for line in table.splitlines() if " zen2 " in line]
    assert masked and {float(ratio) for ratio in masked} == {0.25}
    assert max(map(len, table.splitlines())) <= 80


def test_a_report_that_cannot_be_written_is_a_remark(
    command: Command, measured: Callable[..., dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(record: Record) -> Path:
        raise ArgumentError("the report x.html cannot be written (No space left on device): choose another file")

    measured(lambda samples: samples)
    monkeypatch.setattr(answer, "write_report", fail)
    result = command("measure", "baselines")
    assert (result.code, result.err) == (0, "")
    *_, first, second, last = result.out.splitlines()
    assert f"{first} {second.strip()}".startswith("the report x.html cannot be written (No space left on device)")
    assert last.startswith("record: ")
