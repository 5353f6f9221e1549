"""What can go wrong around a measurement: each has its message, and the records from before are untouched.

Next to these: the smaller pieces, in tests/bench, tests/test_records.py and tests/test_measurement.py.
"""

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
from types import SimpleNamespace
from typing import Any

import pyarrow.parquet as pq
import pytest

from aeadlab.bench import runner
from aeadlab.bench.journal import Journal
from aeadlab.bench.lock import machine_lock
from aeadlab.records import load_record, provenance_of

Command = Callable[..., Any]
MEASURE = ("measure", "baselines", "--profile", "smoke", "--implementation", "baseline/memcpy", "--size", "65536")
LONG, SHORT = (*MEASURE, "--samples", "600"), (*MEASURE, "--samples", "2")

# A command in a process of its own; files above LIMIT bytes cannot be written, as on a disk that is full.
LIMITED = """
import resource, sys
from pathlib import Path
from aeadlab.bench import lock
from aeadlab.cli import main
lock.PATH, limit = Path(sys.argv[1]), int(sys.argv[2])
if limit:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
sys.exit(main(sys.argv[3:]))
"""


@pytest.fixture(autouse=True)
def earlier(own_folders: Path, record: Path) -> Iterator[Path]:
    """A record from before, in the folder of results, that is the same afterwards."""
    folder = own_folders / "results/records"
    folder.mkdir(parents=True)
    for file in (record, record.with_suffix(".json")):
        shutil.copy(file, folder)
    path = folder / record.name
    before = {file: file.read_bytes() for file in folder.iterdir()}
    assert len(before) == 2
    yield path
    assert {file: file.read_bytes() for file in before} == before


def started(own_folders: Path, words: tuple[str, ...], limit: int = 0) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", LIMITED, str(own_folders / "lock"), str(limit), *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)


def ended(own_folders: Path, words: tuple[str, ...], limit: int = 0) -> tuple[int, str, str]:
    with started(own_folders, words, limit) as process:
        out, err = process.communicate(timeout=100)
        return process.returncode, out, err


def new_records(earlier: Path) -> list[Path]:
    return [path for path in earlier.parent.glob("*.parquet") if path != earlier]


def unfinished(earlier: Path) -> list[Path]:
    return list((earlier.parent / "unfinished").glob("*.jsonl"))


def every_sample_once(path: Path, rounds: int) -> bool:
    frame = load_record(path).samples
    timed = frame[~frame["warmup"] & (frame["status"] == "ok")]
    case = ["implementation", "engine", "block_size", "replica"]
    counts = timed.groupby([*case, "round"]).size()
    cases = len(timed.groupby(case))
    return cases > 1 and len(counts) == cases * rounds and bool((counts == 1).all())


def test_a_disk_that_fills_up_while_samples_are_taken(own_folders: Path, earlier: Path) -> None:
    code, out, err = ended(own_folders, LONG, limit=40_000)
    assert (code, out) == (1, "")
    assert err.startswith("aeadlab measure: the measuring process ended with status 1: journal ")
    assert err.endswith("cannot be written: File too large; its samples are kept, the same command carries on\n")
    assert err.count("\n") == 1
    assert new_records(earlier) == []
    (path,) = unfinished(earlier)
    kept = Journal.read(path)
    assert len(kept.samples) > 100 and kept.failures == {}, "no case is blamed"
    # The same command, when there is room again.
    assert ended(own_folders, LONG)[::2] == (0, "")
    (path,) = new_records(earlier)
    assert every_sample_once(path, 600)
    frame = load_record(path).samples
    assert frame["wall_ns"].tolist()[: len(kept.samples)] == [row[4] for row in kept.samples]


def test_a_disk_that_is_full_when_the_record_is_stored(own_folders: Path, earlier: Path) -> None:
    code, out, err = ended(own_folders, SHORT, limit=12_000)
    assert (code, out) == (1, "")
    (journal,) = unfinished(earlier)
    assert f"could not be written: File too large; the samples are in {journal}\n" in err
    assert new_records(earlier) == []
    assert [path.name for path in earlier.parent.iterdir() if path.name.startswith(".")] == []
    times = [row[4] for row in Journal.read(journal).samples if not row[2]]
    assert ended(own_folders, SHORT)[::2] == (0, "")
    (path,) = new_records(earlier)
    frame = load_record(path).samples
    assert frame.loc[~frame["warmup"], "wall_ns"].tolist() == times
    assert unfinished(earlier) == []


def test_two_runs_at_once(own_folders: Path, command: Command, earlier: Path) -> None:
    with machine_lock():
        said = command(*SHORT)
    assert (said.code, said.out) == (1, "")
    assert said.err == (
        f"aeadlab measure: process {os.getpid()} is measuring on this machine: wait until it ends, two would time each "
        "other\n"
    )
    assert new_records(earlier) == [] and unfinished(earlier) == []


def test_kill_9_and_the_same_command_again(own_folders: Path, earlier: Path) -> None:
    with started(own_folders, LONG) as process:
        end = time.monotonic() + 60
        while not (found := unfinished(earlier)) or found[0].read_bytes().count(b"\n") < 300:
            assert process.poll() is None and time.monotonic() < end
            time.sleep(0.005)
        os.killpg(process.pid, signal.SIGKILL)
    kept = [row[4] for row in Journal.read(found[0]).samples]
    assert len(kept) > 200 and new_records(earlier) == []
    end = time.monotonic() + 60
    # The lock is let go when the killed worker is gone.
    while (done := ended(own_folders, LONG))[0] and "is measuring" in done[2] and time.monotonic() < end:
        time.sleep(0.05)
    assert done[::2] == (0, "")
    (path,) = new_records(earlier)
    assert load_record(path).samples["wall_ns"].tolist()[: len(kept)] == kept
    assert every_sample_once(path, 600)


@pytest.mark.parametrize(
    ("words", "code", "why"),
    [
        (("measure", "baselnies"), 2, "no study is called 'baselnies'; did you mean baselines?"),
        (("measure", "xyz"), 2, "no study is called 'xyz'; there are baselines"),
        (("figure", "baselnies"), 2, "no study is called 'baselnies'; did you mean baselines?"),
        ((*MEASURE, "--implementation", "baseline/memcopy"), 2, "no implementation is called 'baseline/memcopy'"),
    ],
    ids=str,
)
def test_a_name_misspelt(command: Command, words: tuple[str, ...], code: int, why: str, earlier: Path) -> None:
    said = command(*words)
    assert (said.code, said.out) == (code, "")
    assert said.err.startswith(f"aeadlab {words[0]}: {why}") and said.err.count("\n") == 1
    assert new_records(earlier) == [] and unfinished(earlier) == []


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def of_version_99(path: Path) -> None:
    table = pq.read_table(path)
    text = json.dumps(provenance_of(path) | {"schema": 99}).encode()
    pq.write_table(table.replace_schema_metadata({b"aeadlab": text}), path)


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (cut, "is damaged or no Parquet file"),
        (of_version_99, "has schema version 99, this aeadlab reads 1 to 2: use the version that wrote it"),
    ],
    ids=["truncated", "another version"],
)
def test_a_record_that_cannot_be_read(
    command: Command, earlier: Path, tmp_path: Path, spoil: Callable[[Path], None], why: str
) -> None:
    path = tmp_path / earlier.name
    shutil.copy(earlier, path)
    spoil(path)
    spoilt = path.read_bytes()
    said = command("figure", "baselines", "--record", path)
    assert (said.code, said.out) == (1, "")
    assert said.err.startswith(f"aeadlab figure: {path} {why}") and said.err.count("\n") == 1
    assert path.read_bytes() == spoilt


def test_a_clock_that_goes_backwards(
    command: Command, earlier: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "worker"
    script.write_text(
        f"#!{sys.executable}\n"
        "import sys\n"
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
    monkeypatch.setattr(runner, "sys", SimpleNamespace(executable=str(script)))
    said = command(*SHORT, "--implementation", "openssl/aes-256-gcm")
    assert (said.code, said.err) == (1, "")
    assert "\nopenssl/aes-256-gcm failed: the clock went backwards by 7 ns\n" in said.out
    (path,) = new_records(earlier)
    frame = load_record(path).samples
    assert set(frame.loc[frame["status"] == "ok", "implementation"]) == {"baseline/memcpy", "baseline/xor"}
