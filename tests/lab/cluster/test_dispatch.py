from __future__ import annotations

import hashlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from aeadlab.bench.journal import SAMPLE_FIELDS, Journal
from aeadlab.bench.lock import machine_lock
from aeadlab.cli import main
from aeadlab.errors import ArgumentError, ClusterError, UnknownNameError
from aeadlab.lab.cluster import measure_on_cluster
from tests.lab.cluster.conftest import (
    ANOTHER,
    ARMS,
    CASES,
    LONG,
    NAME,
    ROOT,
    STALE,
    WITHOUT_AEADLAB,
    Cluster,
)


def test_record_of_each_host_arrives_unchanged(two: Cluster, tmp_path: Path) -> None:
    reports: dict[str, list[tuple[int, int]]] = {}
    results = two.measure(
        tmp_path, samples=30, progress=lambda host, *counts: reports.setdefault(host, []).append(counts)
    )
    assert [result.failure for result in results.values()] == ["", ""]
    assert results.keys() == {"alpha", "beta"}
    assert set(reports) == {f"{NAME}-alpha", f"{NAME}-beta"}
    assert {planned for counts in reports.values() for _, planned in counts} == {30 * ARMS}, "including the A/A pairs"
    hashes = set()
    for name, result in results.items():
        assert result.record is not None
        path = result.record.path
        assert path.stem.endswith(f"-{NAME}-{name}")
        (origin,) = (p for p in two.files(name, "*.parquet") if path.name.startswith(p.stem))
        for suffix in (".parquet", ".json"):
            assert path.with_suffix(suffix).read_bytes() == origin.with_suffix(suffix).read_bytes()
        hashes.add(hashlib.sha256(path.read_bytes()).hexdigest())
        assert len(result.record.samples) == ARMS * (30 + 1)
        assert result.record.provenance["machine"]["cpu_model_name"]
    assert len(hashes) == 2, "the records differ"
    assert len(list(tmp_path.iterdir())) == 6, "two records with provenance and digests"


def test_command_compares_the_hosts(two: Cluster, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["measure", "baselines", "--profile", "smoke", "--size", "4096", "--samples", "7", *("--output", tmp_path)]
    words += ["--implementation", "baseline/memcpy", "--cluster", two.address]
    assert main([str(word) for word in words]) == 0
    output = capsys.readouterr()
    assert output.err == ""
    lines = output.out.splitlines()
    assert lines[3].startswith("baseline/copy encrypt 4096 B")
    assert len(re.findall(rf"^  {NAME}-alpha +[\d.]+ ns +[\d.]+ to [\d.]+ +7    1\.000$", output.out, re.M)) == CASES
    assert len(re.findall(rf"^  {NAME}-beta +[\d.]+ ns +[\d.]+ to [\d.]+ +7    \d\.\d\d\d$", output.out, re.M)) == CASES
    assert "The hosts were not interleaved" in output.out
    records = [line for line in lines if line.startswith("record of ")]
    assert [line.split(": ")[0] for line in records] == [f"record of {NAME}-alpha", f"record of {NAME}-beta"]
    assert all(Path(line.split(": ")[1]).is_file() for line in records)
    assert max(len(line) for line in lines if line not in records) <= 80

    # Another seed, since records of one second and one seed have the same name.
    assert main([*map(str, words), "--seed", "2", "--host", f"{NAME}-beta"]) == 0
    assert f"{NAME}-alpha" not in capsys.readouterr().out
    assert main([*map(str, words), "--host", "gamma"]) == 1
    assert f"the cluster has no host gamma; it has {NAME}-alpha, {NAME}-beta" in capsys.readouterr().err


def test_busy_host_is_reported_and_the_other_measures(
    two: Cluster, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["measure", "baselines", "--profile", "smoke", "--size", "4096", "--samples", "3", *("--output", tmp_path)]
    words += ["--implementation", "baseline/memcpy", "--cluster", two.address, "--seed", "3"]
    with machine_lock(two.lock("alpha")):
        assert main([str(word) for word in words]) == 1
    output = capsys.readouterr().out
    assert f"no record of {NAME}-alpha: process {os.getpid()} is measuring on this machine" in output.replace(
        "\n  ", " "
    )
    assert f"record of {NAME}-beta: " in output
    assert len(list(tmp_path.glob("*.parquet"))) == 1


def test_killed_worker_resumes_from_its_journal(two: Cluster, tmp_path: Path) -> None:
    def kill() -> None:
        end = time.monotonic() + 60
        while time.monotonic() < end and not any(
            p.read_bytes().count(b"\n") > 50 for p in two.files("alpha", "*.jsonl")
        ):
            time.sleep(0.01)
        two.workers["alpha"].send_signal(signal.SIGKILL)

    before = set(two.files("alpha", "*.parquet"))
    killer = threading.Thread(target=kill)
    killer.start()
    results = two.measure(tmp_path / "first", samples=LONG, budget=600.0)
    killer.join()
    assert results["alpha"].record is None
    assert results["alpha"].failure.startswith("its worker died, or lost its connection.")
    assert f"--host {NAME}-alpha" in results["alpha"].failure
    beta = results["beta"].record
    assert beta is not None
    assert len(beta.samples) == ARMS * (LONG + 1)
    assert set(two.files("alpha", "*.parquet")) == before

    two.end("alpha")
    (journal,) = two.files("alpha", "*.jsonl")
    # The measuring process ends at its next report, when its parent is gone.
    with lock_soon(two.lock("alpha")):
        taken = Journal.read(journal).samples
    assert 0 < len(taken) < ARMS * LONG, "killed too early or too late for this test"
    two.start("alpha")
    two.ready("alpha")
    resumed = two.measure(tmp_path / "second", samples=LONG, budget=600.0, hosts=[f"{NAME}-alpha"])["alpha"].record
    assert resumed is not None
    assert not journal.exists()
    columns = [name for name in SAMPLE_FIELDS if name != "case"]
    rows = resumed.samples.sort_values("order")[columns]
    assert [tuple(map(int, row)) for row in rows.head(len(taken)).to_numpy()] == [row[1:] for row in taken]
    assert set(rows["process"]) == {0, 1}
    assert len(rows[~rows["warmup"].astype(bool)]) == ARMS * LONG, "each sample is taken once"


def lock_soon(path: Path) -> object:
    """Wait until the lock is free, and return it."""
    end = time.monotonic() + 10
    while True:
        try:
            with machine_lock(path):
                pass
            return machine_lock(path)
        except Exception:
            assert time.monotonic() < end, "the orphan did not end"
            time.sleep(0.1)


def test_interrupt_stops_the_hosts(two: Cluster, tmp_path: Path) -> None:
    words = ["measure", "baselines", "--profile", "smoke", "--size", "4096", "--samples", "100000", "--seed", "7"]
    words += ["--implementation", "baseline/memcpy", "--cluster", two.address, "--output", str(tmp_path)]
    code = f"from aeadlab.cli import main; raise SystemExit(main({words!r}))"
    with subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stderr=subprocess.PIPE, text=True) as caller:
        assert caller.stderr is not None
        end = time.monotonic() + 60
        while len(two.files("alpha", "*.jsonl") + two.files("beta", "*.jsonl")) < 2:
            assert time.monotonic() < end and caller.poll() is None, caller.stderr.read()
            time.sleep(0.05)
        caller.send_signal(signal.SIGINT)
        errors = caller.stderr.read()
    assert (caller.returncode, errors) == (130, "aeadlab measure: interrupted\n")
    for name in ("alpha", "beta"):
        with lock_soon(two.lock(name)):
            (journal,) = two.files(name, "*.jsonl")
            journal.unlink()


def test_two_workers_of_one_host_measure_once(cluster: Cluster, tmp_path: Path) -> None:
    cluster.end(*cluster.workers)
    for name in ("one", "two"):
        cluster.start(name, own_lock=False)
    cluster.ready("one", "two")
    (result,) = cluster.measure(tmp_path).values()
    assert (result.host, result.failure) == (NAME, "")
    assert len(list(tmp_path.glob("*.parquet"))) == 1
    assert (len(cluster.files("one", "*.parquet")), len(cluster.files("two", "*.parquet"))) == (1, 0)


def test_reports_hosts_with_another_installation(cluster: Cluster, tmp_path: Path) -> None:
    cluster.end(*cluster.workers)
    bad = {"missing": WITHOUT_AEADLAB, "older": ANOTHER, "stale": STALE}
    for name, preload in bad.items():
        cluster.start(name, preload=preload)
    cluster.start("good")
    cluster.ready("good", *bad)
    results = cluster.measure(tmp_path)
    assert results["good"].record is not None
    assert results["missing"].failure.startswith("aeadlab is not installed for its worker: install it there")
    assert results["older"].failure.startswith("another aeadlab is installed there (version 0.0.1, the caller's ")
    assert results["stale"].failure.startswith("the compiled extension is older than its sources (00000000, now ")


def test_cluster_without_workers_is_an_error(cluster: Cluster, tmp_path: Path) -> None:
    cluster.end(*cluster.workers)
    time.sleep(0.3)
    with pytest.raises(ClusterError, match="the cluster has no workers: start one on each host"):
        cluster.measure(tmp_path)


def test_address_of_a_worker_is_an_error(two: Cluster, tmp_path: Path) -> None:
    log = (two.base / "alpha.log").read_text()
    (address,) = set(re.findall(r"Start worker at: +(tcp://\S+)", log))
    with pytest.raises(ClusterError, match=f"no scheduler answers at {address}"):
        two.measure(tmp_path, address=address, timeout=5)


def test_reports_hosts_of_a_scheduler_that_died(tmp_path: Path, prepared_cache: Path) -> None:
    made = Cluster(tmp_path, prepared_cache)
    try:
        made.start("alpha")
        made.ready("alpha")

        def kill() -> None:
            end = time.monotonic() + 60
            while time.monotonic() < end and not made.files("alpha", "*.jsonl"):
                time.sleep(0.01)
            made.scheduler.kill()

        killer = threading.Thread(target=kill)
        killer.start()
        (result,) = made.measure(tmp_path / "records", samples=LONG, budget=600.0, timeout=5).values()
        killer.join()
        assert result.failure.startswith("the host continues the measurement and keeps its record: repeat the command")
    finally:
        made.close()


def test_checks_arguments_before_connecting(own_folders: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UnknownNameError, match="did you mean baselines"):
        measure_on_cluster("baseline", address="tcp://127.0.0.1:1")
    with pytest.raises(ArgumentError, match="cannot be written"):
        measure_on_cluster("baselines", address="tcp://127.0.0.1:1", folder=Path("/dev/null"))
    assert main(["measure", "baselines", "--host", "x"]) == 2
    assert "--host names hosts of a cluster" in capsys.readouterr().err
