"""Failures around a measurement: each has its message, and existing records are unchanged."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from aeadlab import process
from aeadlab.bench.journal import Journal
from aeadlab.bench.lock import machine_lock
from aeadlab.records.reading import load_record, provenance_of
from aeadlab.studies.candidates import BASELINES
from tests.fixtures.journals import rewritten

Command = Callable[..., Any]
MEASURE = ("measure", "baselines", "--profile", "smoke", "--implementation", "baseline/memcpy", "--size", "65536")
ROUNDS = 150
LONG, SHORT = (*MEASURE, "--samples", str(ROUNDS)), (*MEASURE, "--samples", "2")

# Runs a command in a child process in which files are limited in size, as on a full disk.
LIMITED = """
import resource, sys
from pathlib import Path
from aeadlab.bench import lock
from aeadlab.cli import main
from aeadlab.display import progress_line
from aeadlab.reporting import answer
progress_line.FIRST_SECONDS = 3600.0
answer.write_report = lambda record: record.path
lock.PATH, limit = Path(sys.argv[1]), int(sys.argv[2])
if limit:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
sys.exit(main(sys.argv[3:]))
"""


@pytest.fixture(autouse=True)
def earlier(own_folders: Path, record: Path) -> Iterator[Path]:
    """Put a record into the results folder, and check after the test that it is unchanged."""
    folder = own_folders / "results/records"
    folder.mkdir(parents=True)
    for file in (record, record.with_suffix(".json"), record.with_suffix(".b3")):
        shutil.copy(file, folder)
    path = folder / record.name
    before = {file: file.read_bytes() for file in folder.iterdir()}
    assert len(before) == 3
    yield path
    assert {file: file.read_bytes() for file in before} == before


def start(own_folders: Path, words: tuple[str, ...], limit: int = 0) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", LIMITED, str(own_folders / "lock"), str(limit), *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)


def run(own_folders: Path, words: tuple[str, ...], limit: int = 0) -> tuple[int, str, str]:
    with start(own_folders, words, limit) as process:
        out, err = process.communicate(timeout=100)
        return process.returncode, out, err


def new_records(earlier: Path) -> list[Path]:
    return [path for path in earlier.parent.glob("*.parquet") if path != earlier]


def unfinished(earlier: Path) -> list[Path]:
    return list((earlier.parent / "unfinished").glob("*.jsonl"))


def has_each_sample_once(path: Path, rounds: int) -> bool:
    frame = load_record(path).samples
    timed = frame[~frame["warmup"] & (frame["status"] == "ok")]
    case = ["implementation", "engine", "block_size", "replica"]
    counts = timed.groupby([*case, "round"]).size()
    cases = len(timed.groupby(case))
    return cases > 1 and len(counts) == cases * rounds and bool((counts == 1).all())


def test_resumes_after_the_disk_filled_up(own_folders: Path, earlier: Path) -> None:
    code, out, err = run(own_folders, LONG, limit=20_000)
    assert (code, out) == (1, "")
    assert err.startswith("aeadlab measure: the measuring process ended with status 1: journal ")
    assert err.endswith("cannot be written: File too large; its samples are kept, run the same command to resume\n")
    assert err.count("\n") == 1
    assert new_records(earlier) == []
    (path,) = unfinished(earlier)
    kept = Journal.read(path)
    assert len(kept.samples) > 100 and kept.failures == {}, "the failure is not attributed to a case"
    # The same command with free space resumes.
    assert run(own_folders, LONG)[::2] == (0, "")
    (path,) = new_records(earlier)
    assert has_each_sample_once(path, ROUNDS)
    frame = load_record(path).samples
    assert frame["wall_ns"].tolist()[: len(kept.samples)] == [row[4] for row in kept.samples]


def test_keeps_samples_if_the_record_cannot_be_stored(own_folders: Path, earlier: Path) -> None:
    code, out, err = run(own_folders, SHORT, limit=8_500)
    assert (code, out) == (1, "")
    (journal,) = unfinished(earlier)
    assert f"could not be written: File too large; the samples are in {journal}\n" in err
    assert new_records(earlier) == []
    assert [path.name for path in earlier.parent.iterdir() if path.name.startswith(".")] == []
    times = [row[4] for row in Journal.read(journal).samples if not row[2]]
    assert run(own_folders, SHORT)[::2] == (0, "")
    (path,) = new_records(earlier)
    frame = load_record(path).samples
    assert frame.loc[~frame["warmup"], "wall_ns"].tolist() == times
    assert unfinished(earlier) == []


def test_rejects_a_second_measurement(own_folders: Path, command: Command, earlier: Path) -> None:
    with machine_lock():
        result = command(*SHORT)
    assert (result.code, result.out) == (1, "")
    assert result.err == f"aeadlab measure: process {os.getpid()} is measuring on this machine: wait until it ends\n"
    assert new_records(earlier) == [] and unfinished(earlier) == []


def test_resumes_after_being_killed(own_folders: Path, earlier: Path) -> None:
    with start(own_folders, LONG) as process:
        end = time.monotonic() + 60
        while not (journals := unfinished(earlier)) or journals[0].read_bytes().count(b"\n") < 150:
            assert process.poll() is None and time.monotonic() < end
            time.sleep(0.005)
        os.killpg(process.pid, signal.SIGKILL)
    kept = [row[4] for row in Journal.read(journals[0]).samples]
    assert len(kept) > 100 and new_records(earlier) == []
    end = time.monotonic() + 60
    # The lock is released when the killed worker has ended.
    while (done := run(own_folders, LONG))[0] and "is measuring" in done[2] and time.monotonic() < end:
        time.sleep(0.05)
    assert done[::2] == (0, "")
    (path,) = new_records(earlier)
    assert load_record(path).samples["wall_ns"].tolist()[: len(kept)] == kept
    assert has_each_sample_once(path, ROUNDS)


@pytest.mark.parametrize(
    ("words", "code", "why"),
    [
        (("measure", "baselnies"), 2, "no study 'baselnies'; did you mean baselines?"),
        (("measure", "xyz"), 2, "no study 'xyz'; the studies are baselines"),
        (("figure", "baselnies"), 2, "no study 'baselnies'; did you mean baselines?"),
        ((*MEASURE, "--implementation", "baseline/memcopy"), 2, "no implementation is called 'baseline/memcopy'"),
    ],
    ids=str,
)
def test_rejects_misspelt_names(command: Command, words: tuple[str, ...], code: int, why: str, earlier: Path) -> None:
    result = command(*words)
    assert (result.code, result.out) == (code, "")
    assert result.err.startswith(f"aeadlab {words[0]}: {why}") and result.err.count("\n") == 1
    assert new_records(earlier) == [] and unfinished(earlier) == []


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def of_version_99(path: Path) -> None:
    rewritten(path, text=json.dumps(provenance_of(path) | {"schema": 99}).encode())


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        (truncate, "is damaged or not a Parquet file"),
        (
            of_version_99,
            "is damaged or not a Parquet file of aeadlab (it has schema version 99, this aeadlab reads 1 to 2",
        ),
    ],
    ids=["truncated", "another version"],
)
def test_reports_an_unreadable_record(
    command: Command, earlier: Path, tmp_path: Path, damage: Callable[[Path], None], why: str
) -> None:
    path = tmp_path / earlier.name
    shutil.copy(earlier, path)
    damage(path)
    damaged = path.read_bytes()
    result = command("figure", "baselines", "--record", path)
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith(f"aeadlab figure: {path} {why}") and result.err.count("\n") == 1
    assert path.read_bytes() == damaged


def test_reports_a_clock_that_goes_backwards(
    command: Command, earlier: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "worker"
    script.write_text(
        f"#!{sys.executable}\n"
        "import os, sys\n"
        "if sys.argv[2] != 'aeadlab.bench.worker':\n"
        "    os.execv(sys.executable, [sys.executable, *sys.argv[1:]])\n"
        "from aeadlab.bench import worker\n"
        "from aeadlab.bench.drivers import NativeDriver\n"
        "right = NativeDriver.sample\n"
        "def sample(driver, batch):\n"
        "    row = right(driver, batch)\n"
        "    return (-7, *row[1:]) if driver.native.tag_bytes else row\n"
        "NativeDriver.sample = sample\n"
        "sys.argv = sys.argv[2:]\n"
        "worker.main()\n"
    )
    script.chmod(0o755)
    monkeypatch.setattr(process, "INTERPRETER", (str(script),))
    result = command(*SHORT, "--implementation", "openssl/aes-256-gcm")
    assert (result.code, result.err) == (1, "")
    assert "\nopenssl/aes-256-gcm failed: the clock went backwards by 7 ns\n" in f"\n{result.out}"
    (path,) = new_records(earlier)
    frame = load_record(path).samples
    # The second arms of A/A pairs run in a process of their own, whose clock is right.
    first = frame[frame["replica"] == 0]
    assert set(first.loc[first["status"] == "ok", "implementation"]) == {*BASELINES}
