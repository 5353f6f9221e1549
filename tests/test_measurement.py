from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd
import psutil
import pytest

import aeadlab
from aeadlab import _native, measurement
from aeadlab.bench.case import Case
from aeadlab.bench.journal import Journal
from aeadlab.bench.lock import machine_lock
from aeadlab.bench.profile import Profile
from aeadlab.catalogue import Catalogue
from aeadlab.errors import (
    ArgumentError,
    BuildError,
    BusyError,
    RecordError,
    UnknownNameError,
    VerificationError,
)
from aeadlab.measurement import measure
from aeadlab.records import load_record
from aeadlab.studies import Selection, Study
from aeadlab.verify.report import Report

pytestmark = pytest.mark.usefixtures("own_results")

TINY = Profile("tiny", 4096, 3, 0.0, 1e-5, None)
MEMCPY = Case("baseline/memcpy", "encrypt", 4096)
OPENSSL = Case("openssl/aes-256-gcm", "seal", 4096)
RUSTCRYPTO = Case("rustcrypto/aes-256-gcm", "seal", 4096)
ABSENT = Case("nowhere/aes-256-gcm", "seal", 4096)

COMMAND = """
import sys
from pathlib import Path
from aeadlab.bench import lock
from aeadlab.cli import main
lock.PATH = Path(sys.argv[1])
sys.exit(main(sys.argv[2:]))
"""


def study(*cases: Case) -> Study:
    """A study that has these cases whatever is chosen."""

    def all_of_them(catalogue: Catalogue, profile: Profile, chosen: Selection) -> list[Case]:
        names = chosen.implementations
        return [case for case in cases if names is None or case.implementation in names]

    return Study("tiny", "Does it work?", all_of_them, {}, "")


def not_called(*_: object, **__: object) -> Any:
    pytest.fail("this is too late")


def cases_of(frame: pd.DataFrame) -> set[Case]:
    return {Case.from_row(row) for row in frame.to_dict("records")}


def test_a_record_holds_every_sample_and_what_is_needed_to_judge_it(tmp_path: Path) -> None:
    record = measure(study(MEMCPY, OPENSSL), TINY, seed=9)
    assert record.path.parent == tmp_path / "results" / "records"
    frame = record.samples
    again = replace(MEMCPY, replica=1)
    assert cases_of(frame) == {MEMCPY, OPENSSL, again}, "the A/A pair is in every run"
    timed = frame[~frame["warmup"]]
    assert (frame["status"] == "ok").all()
    assert (timed.groupby(["implementation", "replica"])["round"].agg(sorted).map(tuple) == (0, 1, 2)).all()
    assert frame["warmup"].sum() == 3 and (frame.loc[frame["warmup"], "round"] == -1).all()
    assert (frame["batch"] > 1).all(), "4 KiB take less than 10 microseconds"
    assert (frame["seconds"] < 1e-4).all() and (frame["gib_per_s"] > 0.05).all()

    found = record.provenance
    assert found["plan"]["seed"] == 9 and found["plan"]["profile"]["name"] == "tiny"
    assert found["definition"] in record.path.name
    assert found["machine"]["cpu_count"] >= 1
    assert found["extension"]["profile"] == "release"
    assert found["implementations"]["openssl/aes-256-gcm"]["version"]
    assert set(found["verified"]) == {"baseline/memcpy", "openssl/aes-256-gcm"}
    assert all(report["ok"] and report["checks"] for report in found["verified"].values())
    assert found["refused"] == {}
    assert "commit" in found and "quality" in found


def test_the_journal_is_gone_when_its_record_is_there(tmp_path: Path) -> None:
    measure(study(MEMCPY), TINY)
    assert list((tmp_path / "results" / "records" / "unfinished").iterdir()) == []


def test_equal_plans_have_equal_definitions_and_others_have_others(tmp_path: Path) -> None:
    def definition(folder: str, *cases: Case, **options: Any) -> str:
        return str(measure(study(*cases), TINY, folder=tmp_path / folder, **options).provenance["definition"])

    first = definition("a", MEMCPY, OPENSSL)
    assert definition("b", MEMCPY, OPENSSL) == first
    others = [
        definition("c", MEMCPY, OPENSSL, seed=2),
        definition("d", MEMCPY, OPENSSL, samples=2),
        definition("e", MEMCPY, OPENSSL, implementations=["baseline/memcpy"]),
    ]
    assert len({first, *others}) == 4


def test_an_absent_implementation_is_left_out_with_its_reason_and_the_rest_goes_on() -> None:
    record = measure(study(ABSENT, MEMCPY), TINY)
    assert cases_of(record.samples) == {MEMCPY, replace(MEMCPY, replica=1)}
    assert set(record.provenance["refused"]) == {"nowhere/aes-256-gcm"}
    assert "the nearest" in record.provenance["refused"]["nowhere/aes-256-gcm"]


def test_a_named_implementation_has_to_be_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measurement, "verified", not_called)
    with pytest.raises(UnknownNameError, match="nearest: .*openssl/aes-256-gcm"):
        measure(study(OPENSSL), TINY, implementations=["openssl/aes-256-gmc"])


@pytest.mark.parametrize(("name", "profile"), [("baselnes", "smoke"), ("baselines", "smok")])
def test_an_unknown_study_or_profile_is_said_so(name: str, profile: str) -> None:
    with pytest.raises(UnknownNameError, match="did you mean baselines" if profile == "smoke" else "smoke, quick"):
        measure(name, profile)


def failing(*names: str) -> Callable[..., dict[str, Report]]:
    """`verified` as it is, but for the implementations named."""
    right = measurement.verified

    def verified(implementations: Sequence[Any], catalogue: Catalogue, **options: Any) -> dict[str, Report]:
        reports = right(implementations, catalogue, **options)
        return {
            name: Report(name, "1", (), False, "tamper: 1 of 9 failed") if name in names else report
            for name, report in reports.items()
        }

    return verified


def alive(pid: int) -> bool:
    """Whether the process runs; one that has ended and is not yet waited for does not."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_an_unverified_implementation_is_never_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measurement, "verified", failing("openssl/aes-256-gcm"))
    record = measure(study(OPENSSL, MEMCPY), TINY)
    assert cases_of(record.samples) == {MEMCPY, replace(MEMCPY, replica=1)}
    assert record.provenance["refused"] == {"openssl/aes-256-gcm": "tamper: 1 of 9 failed"}
    assert record.provenance["verified"]["openssl/aes-256-gcm"]["ok"] is False


def test_nothing_is_measured_when_nothing_passes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(measurement, "verified", failing("openssl/aes-256-gcm"))
    monkeypatch.setattr(measurement, "run", not_called)
    with pytest.raises(
        VerificationError, match=r"study tiny can be timed: openssl/aes-256-gcm: tamper.*; nowhere/aes-256-gcm: "
    ):
        measure(study(OPENSSL, ABSENT), TINY)
    assert list((tmp_path / "results").rglob("*.*")) == []


@pytest.mark.parametrize("cases", [(), (MEMCPY,)])
def test_an_empty_selection_is_wrong_use(monkeypatch: pytest.MonkeyPatch, cases: tuple[Case, ...]) -> None:
    monkeypatch.setattr(measurement, "verified", not_called)
    with pytest.raises(ArgumentError, match="no case of study tiny is chosen"):
        measure(study(*cases), TINY, implementations=[])


def test_a_folder_that_cannot_be_written_is_found_before_anything_is_done(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for step in ("load", "verified", "run"):
        monkeypatch.setattr(measurement, step, not_called)
    (tmp_path / "file").touch()
    with pytest.raises(ArgumentError, match=r"output folder .*/file/records cannot be written"):
        measure("baselines", "smoke", folder=tmp_path / "file" / "records")


@pytest.mark.parametrize(
    ("fact", "value", "message"), [("profile", "debug", "debug build"), ("sources", "0" * 64, "older than its sources")]
)
def test_a_debug_build_or_a_stale_one_measures_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, fact: str, value: str, message: str
) -> None:
    info = {**dict(_native.build_info()), fact: value}
    monkeypatch.setattr(_native, "build_info", lambda: list(info.items()))
    for step in ("verified", "run"):
        monkeypatch.setattr(measurement, step, not_called)
    with pytest.raises(BuildError, match=message):
        measure(study(MEMCPY), TINY)
    assert list((tmp_path / "results").rglob("*.*")) == []


def test_a_second_measurement_is_refused_before_it_does_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    for step in ("verified", "run"):
        monkeypatch.setattr(measurement, step, not_called)
    with machine_lock(), pytest.raises(BusyError, match=f"process {os.getpid()} is measuring"):
        measure(study(MEMCPY), TINY)


def test_the_lock_is_held_until_the_journal_is_gone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Another process with the same plan would carry on with a journal that is about to be removed."""
    right = measurement.from_journal

    def look(journal: Journal, *rest: Any) -> Path:
        with pytest.raises(BusyError), machine_lock():
            pytest.fail("the lock is free")
        return right(journal, *rest)

    monkeypatch.setattr(measurement, "from_journal", look)
    measure(study(MEMCPY), TINY)
    with machine_lock():
        pass


def test_a_record_that_cannot_be_written_leaves_the_journal_to_store_it_later(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def full(*_: object) -> Path:
        raise RecordError("No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(measurement, "from_journal", full)
        with pytest.raises(RecordError):
            measure(study(MEMCPY), TINY)
    (journal,) = (tmp_path / "results" / "records" / "unfinished").iterdir()
    kept = Journal.read(journal).samples
    record = measure(study(MEMCPY), TINY)
    timed = record.samples[~record.samples["warmup"]]
    assert timed["wall_ns"].tolist() == [row[4] for row in kept if not row[2]]


def test_samples_of_another_build_are_not_carried_on_with(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(measurement, "from_journal", not_called)
        patch.setattr(measurement.provenance, "identity", lambda _: "another")
        with pytest.raises(pytest.fail.Exception):
            measure(study(MEMCPY), TINY)
    record = measure(study(MEMCPY), TINY)
    assert len(record.provenance["notes"]) == 1, "one start"
    assert [p.name.rpartition("-")[2] for p in record.path.parent.joinpath("unfinished").iterdir()] == ["another.jsonl"]


def test_progress_counts_up_to_what_is_planned() -> None:
    told: list[tuple[int, int]] = []
    measure(study(MEMCPY), replace(TINY, sample_seconds=0.05, rounds=10), progress=lambda *two: told.append(two))
    assert told and {planned for _, planned in told} == {20}


def test_the_same_command_carries_on_after_kill_9(tmp_path: Path) -> None:
    records = tmp_path / "out"
    command = [
        *(sys.executable, "-c", COMMAND, str(tmp_path / "lock"), "measure", "baselines", "--profile", "smoke"),
        *("--implementation", "baseline/memcpy", "--size", "65536", "--samples", "600", "--output", str(records)),
    ]

    def journal() -> Path | None:
        return next((records / "unfinished").glob("*.jsonl"), None)

    with subprocess.Popen(command, start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        end = time.monotonic() + 60
        while not (found := journal()) or found.read_bytes().count(b"\n") < 300:
            assert process.poll() is None and time.monotonic() < end
            time.sleep(0.005)
        os.killpg(process.pid, signal.SIGKILL)
    before = Journal.read(found)
    assert list(records.glob("*.parquet")) == []
    while alive(before.notes[0]["pid"]):
        time.sleep(0.005)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    (path,) = records.glob("*.parquet")
    assert f"record: {path}" in done.stdout
    record = load_record(path)
    frame = record.samples
    assert frame["wall_ns"].tolist()[: len(before.samples)] == [row[4] for row in before.samples]
    timed = frame[~frame["warmup"]]
    counts = timed.groupby(["implementation", "engine", "block_size", "replica", "round"]).size()
    assert len(counts) == 8 * 600 and (counts == 1).all(), "six cases, two of them again as A/A pairs"
    assert (frame["status"] == "ok").all()
    assert len(record.provenance["notes"]) == 2, "both starts are told"
    assert journal() is None


def test_measure_is_a_function_however_often_and_in_whatever_order_it_is_imported() -> None:
    """A module of the same name would replace the function once it is imported."""
    for name in aeadlab.__all__:
        getattr(aeadlab, name)
    assert [name for name in aeadlab.__all__ if isinstance(getattr(aeadlab, name), ModuleType)] == []
    assert aeadlab.measure is measure
