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
from aeadlab import _native
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
from aeadlab.lab.measurement import measure, measurement, run, verify
from aeadlab.records.reading import load_record
from aeadlab.records.record import Record
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
    """Return a study with these cases."""

    def select(catalogue: Catalogue, profile: Profile, selection: Selection) -> list[Case]:
        names = selection.implementations
        return [case for case in cases if names is None or case.implementation in names]

    return Study("tiny", "Does it work?", select)


def not_called(*_: object, **__: object) -> Any:
    pytest.fail("an earlier step should have raised")


def forbid_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verify, "verified", not_called)
    monkeypatch.setattr(run, "run", not_called)


def cases_of(frame: pd.DataFrame) -> set[Case]:
    return {Case.from_row(row) for row in frame.to_dict("records")}


def test_record_holds_every_sample_and_its_provenance(tmp_path: Path) -> None:
    record = measure(study(MEMCPY, OPENSSL), TINY, seed=9)
    assert record.path.parent == tmp_path / "results" / "records"
    frame = record.samples
    again = {replace(case, replica=1) for case in (MEMCPY, OPENSSL)}
    assert cases_of(frame) == {MEMCPY, OPENSSL, *again}, "every run has A/A pairs"
    timed = frame[~frame["warmup"]]
    assert (frame["status"] == "ok").all()
    assert (timed.groupby(["implementation", "replica"])["round"].agg(sorted).map(tuple) == (0, 1, 2)).all()
    assert frame["warmup"].sum() == 4 and (frame.loc[frame["warmup"], "round"] == -1).all()
    assert (frame["batch"] > 1).all(), "4 KiB take less than 10 microseconds"
    assert (frame["seconds"] < 1e-4).all() and (frame["gib_per_s"] > 0.05).all()

    provenance = record.provenance
    assert provenance["plan"]["seed"] == 9 and provenance["plan"]["profile"]["name"] == "tiny"
    assert provenance["definition"] in record.path.name
    assert provenance["machine"]["cpu_count"] >= 1
    assert provenance["extension"]["profile"] == "release"
    assert provenance["implementations"]["openssl/aes-256-gcm"]["version"]
    assert set(provenance["verified"]) == {"baseline/memcpy", "openssl/aes-256-gcm"}
    assert all(report["ok"] and report["checks"] for report in provenance["verified"].values())
    assert provenance["refused"] == {}
    assert "commit" in provenance and "quality" in provenance


def test_removes_the_journal_after_storing_the_record(tmp_path: Path) -> None:
    measure(study(MEMCPY), TINY)
    assert list((tmp_path / "results" / "records" / "unfinished").iterdir()) == []


def test_definition_identifies_the_plan(tmp_path: Path) -> None:
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


def test_skips_an_absent_implementation_with_its_reason() -> None:
    record = measure(study(ABSENT, MEMCPY), TINY)
    assert cases_of(record.samples) == {MEMCPY, replace(MEMCPY, replica=1)}
    assert set(record.provenance["refused"]) == {"nowhere/aes-256-gcm"}
    assert "the nearest" in record.provenance["refused"]["nowhere/aes-256-gcm"]


def test_rejects_an_unknown_implementation_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verify, "verified", not_called)
    with pytest.raises(UnknownNameError, match="nearest: .*openssl/aes-256-gcm"):
        measure(study(OPENSSL), TINY, implementations=["openssl/aes-256-gmc"])


@pytest.mark.parametrize(("name", "profile"), [("baselnes", "smoke"), ("baselines", "smok")])
def test_rejects_an_unknown_study_or_profile(name: str, profile: str) -> None:
    with pytest.raises(
        UnknownNameError, match="did you mean baselines" if profile == "smoke" else "did you mean smoke"
    ):
        measure(name, profile)


def failing(*names: str) -> Callable[..., dict[str, Report]]:
    """Return a `verified` that fails the named implementations."""
    original = verify.verified

    def verified(implementations: Sequence[Any], catalogue: Catalogue, **options: Any) -> dict[str, Report]:
        reports = original(implementations, catalogue, **options)
        return {
            name: Report(name, "1", (), False, "tamper: 1 of 9 failed") if name in names else report
            for name, report in reports.items()
        }

    return verified


def alive(pid: int) -> bool:
    """Return whether the process runs; a zombie does not."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_never_times_an_unverified_implementation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verify, "verified", failing("openssl/aes-256-gcm"))
    record = measure(study(OPENSSL, MEMCPY), TINY)
    assert cases_of(record.samples) == {MEMCPY, replace(MEMCPY, replica=1)}
    assert record.provenance["refused"] == {"openssl/aes-256-gcm": "tamper: 1 of 9 failed"}
    assert record.provenance["verified"]["openssl/aes-256-gcm"]["ok"] is False


def test_raises_when_no_implementation_passes_verification(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(verify, "verified", failing("openssl/aes-256-gcm"))
    monkeypatch.setattr(run, "run", not_called)
    with pytest.raises(
        VerificationError,
        match=r"no implementation of study tiny can be timed: openssl/aes-256-gcm: tamper.*; nowhere/aes-256-gcm: ",
    ):
        measure(study(OPENSSL, ABSENT), TINY)
    assert list((tmp_path / "results").rglob("*.*")) == []


def test_rejects_an_empty_selection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verify, "verified", not_called)
    with pytest.raises(ArgumentError, match="implementations is empty"):
        measure(study(MEMCPY), TINY, implementations=[])
    with pytest.raises(ArgumentError, match="study tiny has no case for this selection"):
        measure(study(), TINY)


def test_checks_the_folder_before_any_work(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(measurement, "load", not_called)
    forbid_work(monkeypatch)
    (tmp_path / "file").touch()
    with pytest.raises(ArgumentError, match=r"output folder .*/file/records cannot be written"):
        measure("baselines", "smoke", folder=tmp_path / "file" / "records")


@pytest.mark.parametrize(
    ("fact", "value", "message"), [("profile", "debug", "debug build"), ("sources", "0" * 64, "older than its sources")]
)
def test_rejects_a_debug_or_stale_build(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, fact: str, value: str, message: str
) -> None:
    info = {**dict(_native.build_info()), fact: value}
    monkeypatch.setattr(_native, "build_info", lambda: list(info.items()))
    forbid_work(monkeypatch)
    with pytest.raises(BuildError, match=message):
        measure(study(MEMCPY), TINY)
    assert list((tmp_path / "results").rglob("*.*")) == []


def test_rejects_a_second_measurement_before_any_work(monkeypatch: pytest.MonkeyPatch) -> None:
    forbid_work(monkeypatch)
    with machine_lock(), pytest.raises(BusyError, match=f"process {os.getpid()} is measuring"):
        measure(study(MEMCPY), TINY)


def test_holds_the_lock_until_the_journal_is_removed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Another process with the same plan would resume a journal that is about to be removed."""
    original = run.store_journal

    def check_lock(journal: Journal, *rest: Any) -> Record:
        with pytest.raises(BusyError), machine_lock():
            pytest.fail("the lock is free")
        return original(journal, *rest)

    monkeypatch.setattr(run, "store_journal", check_lock)
    measure(study(MEMCPY), TINY)
    with machine_lock():
        pass


def test_keeps_the_journal_when_the_record_cannot_be_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def full(*_: object) -> Path:
        raise RecordError("No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(run, "store_journal", full)
        with pytest.raises(RecordError):
            measure(study(MEMCPY), TINY)
    (journal,) = (tmp_path / "results" / "records" / "unfinished").iterdir()
    kept = Journal.read(journal).samples
    record = measure(study(MEMCPY), TINY)
    timed = record.samples[~record.samples["warmup"]]
    assert timed["wall_ns"].tolist() == [row[4] for row in kept if not row[2]]


def test_does_not_resume_samples_of_another_build(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(run, "store_journal", not_called)
        patch.setattr(measurement.provenance, "identity", lambda _: "another")
        with pytest.raises(pytest.fail.Exception):
            measure(study(MEMCPY), TINY)
    record = measure(study(MEMCPY), TINY)
    assert sum("start" in note for note in record.provenance["notes"]) == 1
    assert [p.name.rpartition("-")[2] for p in record.path.parent.joinpath("unfinished").iterdir()] == ["another.jsonl"]


def test_progress_reports_the_planned_samples() -> None:
    reports: list[tuple[int, int]] = []
    measure(study(MEMCPY), replace(TINY, sample_seconds=0.05, rounds=10), progress=lambda *two: reports.append(two))
    assert reports and {planned for _, planned in reports} == {20}


def test_resumes_after_sigkill(tmp_path: Path) -> None:
    records = tmp_path / "out"
    command = [
        *(sys.executable, "-c", COMMAND, str(tmp_path / "lock"), "measure", "baselines", "--profile", "smoke"),
        *("--implementation", "baseline/memcpy", "--size", "65536", "--samples", "200", "--output", str(records)),
    ]

    def journal() -> Path | None:
        return next((records / "unfinished").glob("*.jsonl"), None)

    with subprocess.Popen(command, start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        end = time.monotonic() + 60
        while not (path := journal()) or path.read_bytes().count(b"\n") < 150:
            assert process.poll() is None and time.monotonic() < end
            time.sleep(0.005)
        os.killpg(process.pid, signal.SIGKILL)
    before = Journal.read(path)
    assert list(records.glob("*.parquet")) == []
    while alive(before.notes[0]["pid"]):
        time.sleep(0.005)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (stored,) = records.glob("*.parquet")
    assert f"report: {stored.with_suffix('.html')}" in done.stdout
    record = load_record(stored)
    frame = record.samples
    assert frame["wall_ns"].tolist()[: len(before.samples)] == [row[4] for row in before.samples]
    timed = frame[~frame["warmup"]]
    counts = timed.groupby(["implementation", "engine", "block_size", "replica", "round"]).size()
    assert len(counts) == 16 * 200 and (counts == 1).all(), "twelve cases and four A/A pairs"
    assert (frame["status"] == "ok").all()
    assert sum("start" in note for note in record.provenance["notes"]) == 2
    assert journal() is None


def test_public_names_are_not_modules() -> None:
    """A module of the same name would replace the function once it is imported."""
    for name in aeadlab.__all__:
        getattr(aeadlab, name)
    assert [name for name in aeadlab.__all__ if isinstance(getattr(aeadlab, name), ModuleType)] == []
    assert aeadlab.measure is measure
