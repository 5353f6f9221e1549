"""Against a real scheduler and real workers on loopback, as a user starts them."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import pickle
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from aeadlab import paths
from aeadlab.bench import lock
from aeadlab.bench.journal import SAMPLE_FIELDS, Journal
from aeadlab.bench.lock import machine_lock
from aeadlab.cli import main
from aeadlab.cluster import HostResult, as_text, host_table, measure_on_cluster
from aeadlab.cluster.call import call
from aeadlab.cluster.comparison import CAUTION
from aeadlab.cluster.delivery import store
from aeadlab.cluster.host import FOLDER, PROCESS, Answer, Installation, Order, delivered, folder, measure_here
from aeadlab.cluster.hosts import Worker, chosen, labelled
from aeadlab.errors import ArgumentError, ClusterError, RecordError, UnknownNameError
from aeadlab.records import load_record

ROOT = Path(__file__).resolve().parents[1]
NAME = socket.gethostname()
MEMCPY = ["baseline/memcpy"]
# XOR is always beside it: both over the whole message and as one block of it; two of these have a second arm.
CASES = 2 * 2
ARMS = CASES + 2
# Enough for a worker to be killed in the midst of it, and done in seconds.
LONG = 2000
WITHOUT_AEADLAB = """
import sys
class Absent:
    def find_spec(name, path=None, target=None):
        if name.split(".")[0] == "aeadlab":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Absent)
"""
ANOTHER = """
from importlib import metadata
# Bound at once: Dask loads this file twice.
metadata.version = lambda name, real=metadata.version: "0.0.1" if name == "aeadlab" else real(name)
"""
STALE = """
from aeadlab import _native
info = dict(_native.build_info())
_native.build_info = lambda: {**info, "sources": "0" * 64}
"""


class Cluster:
    """A scheduler that cannot import aeadlab, and workers of the test."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.workers: dict[str, subprocess.Popen[bytes]] = {}
        block = base / "block.py"
        block.write_text(WITHOUT_AEADLAB)
        file = base / "scheduler.json"
        options = ["--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(file), "--preload", str(block)]
        self.scheduler = self._start("scheduler", options, {})
        self._wait(file.is_file, self.scheduler, "scheduler")
        self.address: str = json.loads(file.read_text())["address"]

    def start(self, name: str, *, own_lock: bool = True, preload: str = "") -> None:
        """Start a worker that counts as a host of its own, unless it has the lock of the others."""
        options = [self.address, "--name", name, "--nthreads", "1", "--no-nanny", "--host", "127.0.0.1"]
        if preload:
            (self.base / f"{name}.py").write_text(preload)
            options += ["--preload", str(self.base / f"{name}.py")]
        environment = {
            lock.VARIABLE: str(self.lock(name if own_lock else "shared")),
            paths.RESULTS: str(self.results(name)),
            "AEADLAB_CACHE": str(self.base / "cache"),
        }
        self.workers[name] = self._start("worker", options, environment, name)

    def ready(self, *names: str) -> None:
        """Wait until the scheduler has these workers."""
        for name in names:
            said = self.base / f"{name}.log"
            self._wait(lambda said=said: "Registered to" in said.read_text(), self.workers[name], name)

    def end(self, *names: str) -> None:
        """End these workers, and wait until the scheduler has noticed."""
        for name in names:
            worker = self.workers.pop(name)
            worker.kill()
            worker.wait()
            (self.base / f"{name}.log").rename(self.base / f"{name}-{worker.pid}.log")

    def close(self) -> None:
        self.end(*self.workers)
        self.scheduler.kill()
        self.scheduler.wait()

    def lock(self, name: str) -> Path:
        return self.base / f"{name}.lock"

    def results(self, name: str) -> Path:
        return self.base / f"results-{name}"

    def files(self, name: str, pattern: str) -> list[Path]:
        return sorted((self.results(name) / FOLDER).rglob(pattern))

    def measure(self, output: Path, *, samples: int = 3, **options: object) -> dict[str, HostResult]:
        """The last part of each host's name, and what came of it."""
        given = {"address": self.address, "size": 4096, "samples": samples, "implementations": MEMCPY, **options}
        results = measure_on_cluster("baselines", "smoke", folder=output, **given)  # type: ignore[arg-type]
        return {result.host.removeprefix(f"{NAME}-"): result for result in results}

    def _start(
        self, what: str, options: list[str], environment: dict[str, str], name: str = "scheduler"
    ) -> subprocess.Popen[bytes]:
        # Not `dask` itself: the environment's commands need not be in PATH.
        command = [sys.executable, "-m", "dask", what, *options, "--no-dashboard"]
        with (self.base / f"{name}.log").open("wb") as log:
            return subprocess.Popen(command, cwd=ROOT, env={**os.environ, **environment}, stdout=log, stderr=log)

    def _wait(self, true: Callable[[], bool], process: subprocess.Popen[bytes], name: str) -> None:
        end = time.monotonic() + 60
        while not true():
            assert process.poll() is None, (self.base / f"{name}.log").read_text()
            assert time.monotonic() < end, (self.base / f"{name}.log").read_text()
            time.sleep(0.05)


@pytest.fixture(autouse=True)
def in_time() -> Iterator[None]:
    """What waits for a host without end fails instead, and its processes are ended."""

    def late(*_: object) -> None:
        raise AssertionError("the test takes longer than two minutes")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(120)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    made = Cluster(tmp_path_factory.mktemp("cluster"))
    try:
        yield made
    finally:
        made.close()


@pytest.fixture
def two(cluster: Cluster) -> Cluster:
    """The cluster with workers alpha and beta, each a host of its own, and no others."""
    cluster.end(*(cluster.workers.keys() - {"alpha", "beta"}))
    for name in {"alpha", "beta"} - cluster.workers.keys():
        cluster.start(name)
    cluster.ready("alpha", "beta")
    return cluster


@pytest.fixture
def order(own_folders: Path, monkeypatch: pytest.MonkeyPatch) -> Order:
    """For this process, which has folders and a lock of its own."""
    monkeypatch.delenv(lock.VARIABLE, raising=False)
    return Order("id", "baselines", "smoke", options={"size": 4096, "samples": 2, "implementations": MEMCPY})


def with_option(order: Order, **option: object) -> Order:
    return replace(order, options={**order.options, **option})


def silent(_: dict[str, object]) -> None:
    """Somebody who wants no progress."""


def test_each_host_measures_for_itself_and_its_record_arrives_as_it_is(two: Cluster, tmp_path: Path) -> None:
    heard: dict[str, list[tuple[int, int]]] = {}
    results = two.measure(
        tmp_path, samples=30, progress=lambda host, *counts: heard.setdefault(host, []).append(counts)
    )
    assert [result.failure for result in results.values()] == ["", ""]
    assert results.keys() == {"alpha", "beta"}
    assert set(heard) == {f"{NAME}-alpha", f"{NAME}-beta"}
    assert {planned for counts in heard.values() for _, planned in counts} == {30 * ARMS}, "with the A/A pairs"
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
    assert len(hashes) == 2, "one was copied for the other"
    assert len(list(tmp_path.iterdir())) == 4


def test_the_command_says_how_the_hosts_compare(
    two: Cluster, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["measure", "baselines", "--profile", "smoke", "--size", "4096", "--samples", "7", *("--output", tmp_path)]
    words += ["--implementation", "baseline/memcpy", "--cluster", two.address]
    assert main([str(word) for word in words]) == 0
    said = capsys.readouterr()
    assert said.err == ""
    lines = said.out.splitlines()
    assert lines[3].startswith("baseline/memcpy encrypt 4096 B")
    assert len(re.findall(rf"^  {NAME}-alpha +[\d.]+ ns +[\d.]+ to [\d.]+ +7    1\.000$", said.out, re.M)) == CASES
    assert len(re.findall(rf"^  {NAME}-beta +[\d.]+ ns +[\d.]+ to [\d.]+ +7    \d\.\d\d\d$", said.out, re.M)) == CASES
    assert "The hosts did not take turns" in said.out
    records = [line for line in lines if line.startswith("record of ")]
    assert [line.split(": ")[0] for line in records] == [f"record of {NAME}-alpha", f"record of {NAME}-beta"]
    assert all(Path(line.split(": ")[1]).is_file() for line in records)
    assert max(len(line) for line in lines if line not in records) <= 80

    # Another seed, since a second later would have to be waited for.
    assert main([*map(str, words), "--seed", "2", "--host", f"{NAME}-beta"]) == 0
    assert f"{NAME}-alpha" not in capsys.readouterr().out
    assert main([*map(str, words), "--host", "gamma"]) == 1
    assert f"the cluster has no host gamma; it has {NAME}-alpha, {NAME}-beta" in capsys.readouterr().err


def test_a_busy_host_is_named_and_the_other_measures(
    two: Cluster, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["measure", "baselines", "--profile", "smoke", "--size", "4096", "--samples", "3", *("--output", tmp_path)]
    words += ["--implementation", "baseline/memcpy", "--cluster", two.address, "--seed", "3"]
    with machine_lock(two.lock("alpha")):
        assert main([str(word) for word in words]) == 1
    said = capsys.readouterr().out
    assert f"no record of {NAME}-alpha: process {os.getpid()} is measuring on this machine" in said.replace("\n  ", " ")
    assert f"record of {NAME}-beta: " in said
    assert len(list(tmp_path.glob("*.parquet"))) == 1


def test_a_worker_killed_midway_loses_its_unfinished_cases_only(two: Cluster, tmp_path: Path) -> None:
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
    results = two.measure(tmp_path / "first", samples=LONG)
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
    # Who takes the samples finds out at its next report that nobody listens.
    with lock_soon(two.lock("alpha")):
        taken = Journal.read(journal).samples
    assert 0 < len(taken) < ARMS * LONG, "it was killed too early or too late to show anything"
    two.start("alpha")
    two.ready("alpha")
    resumed = two.measure(tmp_path / "second", samples=LONG, hosts=[f"{NAME}-alpha"])["alpha"].record
    assert resumed is not None
    assert not journal.exists()
    columns = [name for name in SAMPLE_FIELDS if name != "case"]
    rows = resumed.samples.sort_values("order")[columns]
    assert [tuple(map(int, row)) for row in rows.head(len(taken)).to_numpy()] == [row[1:] for row in taken]
    assert set(rows["process"]) == {0, 1}
    assert len(rows[~rows["warmup"].astype(bool)]) == ARMS * LONG, "what was taken is not taken again, nor left out"


def lock_soon(path: Path) -> object:
    """The lock, once whoever has it has ended."""
    end = time.monotonic() + 10
    while True:
        try:
            with machine_lock(path):
                pass
            return machine_lock(path)
        except Exception:
            assert time.monotonic() < end, "the orphan goes on measuring"
            time.sleep(0.1)


def test_an_interrupt_ends_the_measurement_on_the_hosts_as_well(two: Cluster, tmp_path: Path) -> None:
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
        said = caller.stderr.read()
    assert (caller.returncode, said) == (130, "aeadlab measure: interrupted\n")
    for name in ("alpha", "beta"):
        with lock_soon(two.lock(name)):
            (journal,) = two.files(name, "*.jsonl")
            journal.unlink()


def test_two_workers_of_one_host_measure_only_once(cluster: Cluster, tmp_path: Path) -> None:
    cluster.end(*cluster.workers)
    for name in ("one", "two"):
        cluster.start(name, own_lock=False)
    cluster.ready("one", "two")
    (result,) = cluster.measure(tmp_path).values()
    assert (result.host, result.failure) == (NAME, "")
    assert len(list(tmp_path.glob("*.parquet"))) == 1
    assert (len(cluster.files("one", "*.parquet")), len(cluster.files("two", "*.parquet"))) == (1, 0)


def test_hosts_without_the_same_aeadlab_are_named_and_the_others_go_on(cluster: Cluster, tmp_path: Path) -> None:
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


def test_a_cluster_without_workers_says_how_to_start_one(cluster: Cluster, tmp_path: Path) -> None:
    cluster.end(*cluster.workers)
    time.sleep(0.3)
    with pytest.raises(ClusterError, match="the cluster has no workers: start one on each host"):
        cluster.measure(tmp_path)


def test_a_worker_is_no_scheduler(two: Cluster, tmp_path: Path) -> None:
    log = (two.base / "alpha.log").read_text()
    (address,) = set(re.findall(r"Start worker at: +(tcp://\S+)", log))
    with pytest.raises(ClusterError, match=f"no scheduler answers at {address}"):
        two.measure(tmp_path, address=address, timeout=5)


def test_a_scheduler_that_dies_leaves_the_hosts_to_themselves(tmp_path: Path) -> None:
    made = Cluster(tmp_path)
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
        (result,) = made.measure(tmp_path / "records", samples=LONG, timeout=5).values()
        killer.join()
        assert result.failure.startswith("the host was left to itself, and keeps what it measures: repeat the command")
    finally:
        made.close()


@pytest.mark.parametrize("address", ["localhost:8786", "http://localhost:1", "tcp://localhost", "tcp://:1", "", "tcp"])
def test_an_address_that_is_none_is_wrong_use(own_folders: Path, address: str) -> None:
    with pytest.raises(ArgumentError, match=re.escape(f"{address!r} is no address of a scheduler: wanted is tcp://")):
        measure_on_cluster("baselines", "smoke", address=address)


def test_where_nobody_answers_that_is_said_in_time(own_folders: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent_server:
        port = silent_server.getsockname()[1]
        for address in (f"tcp://127.0.0.1:{port}", "tcp://127.0.0.1:1"):
            begin = time.monotonic()
            with pytest.raises(ClusterError, match=f"no scheduler answers at {address} within 1 s"):
                measure_on_cluster("baselines", "smoke", address=address, timeout=1)
            assert time.monotonic() - begin < 10


def test_it_can_be_called_where_an_event_loop_runs(own_folders: Path) -> None:
    """As in every cell of a notebook."""

    async def cell() -> None:
        measure_on_cluster("baselines", "smoke", address="tcp://127.0.0.1:1", timeout=1)

    with pytest.raises(ClusterError, match="no scheduler answers"):
        asyncio.run(cell())


def test_without_the_extra_the_message_says_what_to_install(own_folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ClusterError, match="install it, here and on each host, with `pip install distributed`"):
        measure_on_cluster("baselines", "smoke", address="tcp://127.0.0.1:1")


def test_what_is_wrong_here_goes_nowhere(own_folders: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UnknownNameError, match="did you mean baselines"):
        measure_on_cluster("baseline", address="tcp://127.0.0.1:1")
    with pytest.raises(ArgumentError, match="cannot be written"):
        measure_on_cluster("baselines", address="tcp://127.0.0.1:1", folder=Path("/dev/null"))
    assert main(["measure", "baselines", "--host", "x"]) == 2
    assert "--host names hosts of a cluster" in capsys.readouterr().err


def test_a_call_is_made_where_it_is_unpickled() -> None:
    assert pickle.loads(call(int, "11", 2)) == 3
    with pytest.raises(ValueError, match="invalid literal"):
        pickle.loads(call(int, "x"))


def test_a_record_that_was_not_delivered_is_handed_out_instead_of_another(order: Order) -> None:
    first = measure_here(order, PROCESS, silent)
    assert (first.failure, first.sha256) == ("", hashlib.sha256(first.parquet + first.provenance).hexdigest())
    assert measure_here(replace(order, id="another call"), PROCESS, silent) == first
    assert folder(with_option(order, seed=2)) != folder(order)
    delivered(order, first.name)
    time.sleep(1.1)
    second = measure_here(order, PROCESS, silent)
    assert second.failure == ""
    assert second.name != first.name
    assert (folder(order) / f"{first.name}.parquet").read_bytes() == first.parquet


def test_a_task_that_dask_starts_again_measures_nothing(order: Order) -> None:
    answer = measure_here(order, "the worker that died", silent)
    assert answer == Answer(failure="the worker was started anew meanwhile: repeat the command")
    assert not folder(order).exists()


def test_whatever_fails_on_a_host_is_its_answer(order: Order) -> None:
    unknown = measure_here(with_option(order, implementations=["openssl/aes"]), PROCESS, silent)
    assert unknown.failure.startswith("no implementation is called 'openssl/aes'")

    def broken(_: dict[str, object]) -> None:
        raise OSError("the line is cut")

    assert measure_here(order, PROCESS, broken).failure == "OSError: the line is cut"
    assert list(folder(order).rglob("*.jsonl")), "its journal stays"


def test_nothing_is_overwritten_by_what_arrives(order: Order, tmp_path: Path) -> None:
    answer = measure_here(order, PROCESS, silent)
    path = store(answer, "a", tmp_path).path
    assert store(answer, "a", tmp_path).path == path, "the same once more does no harm"
    assert store(answer, "b", tmp_path).path != path
    with pytest.raises(RecordError, match="damaged on its way"):
        store(replace(answer, parquet=answer.parquet[:-1]), "a", tmp_path)
    path.write_bytes(b"precious")
    with pytest.raises(RecordError, match="exists with other content and is left as it is"):
        store(answer, "a", tmp_path)
    assert path.read_bytes() == b"precious"
    assert not list(tmp_path.glob(".*"))
    with pytest.raises(RecordError, match="could not be written"):
        store(answer, "a", tmp_path / "nowhere")


def worker(name: str, hostname: str = "box", machine: str = "kernel", objection: str = "") -> Worker:
    return Worker(f"tcp://{name}:1", name, hostname, (machine, ""), objection=objection)


def test_one_worker_of_each_machine_is_chosen() -> None:
    assert [w.name for w in chosen([worker("b"), worker("a"), worker("c", machine="other")])] == ["a", "c"]
    # Containers of one machine have host names of their own.
    assert [w.name for w in chosen([worker("b", "x"), worker("a", "y")])] == ["a"]
    assert [w.name for w in chosen([worker("b"), worker("a", objection="aeadlab is not installed")])] == ["b"]
    assert [w.name for w in chosen([worker("b"), worker("c", objection="busy: it has 1 task")])] == ["c"]
    assert [w.name for w in chosen([worker("b", objection="x"), worker("a", objection="y")])] == ["a"]


def test_labels_are_unique_parts_of_file_names() -> None:
    def labels(*workers: Worker) -> list[str]:
        return [host.label for host in labelled(workers)]

    assert labels(worker("a", "x.example.org"), worker("b", "y_1")) == ["x.example.org", "y-1"]
    assert labels(worker("a"), worker("b", machine="2")) == ["box-a", "box-b"]
    assert labels(worker("a", "../../etc")) == ["etc"]
    assert labels(worker("a", "x_1"), worker("b", "x 1")) == ["x-1-tcp-a-1", "x-1-tcp-b-1"]


def test_installations_are_compared_from_the_outside_in() -> None:
    one = Installation("0.1", "a" * 64, "b" * 64)
    assert one.difference(one) == ""
    assert one.difference(replace(one, version="0.2", code="c" * 64)) == "version 0.1, the caller's 0.2"
    assert one.difference(replace(one, code="c" * 64)) == "Python code aaaaaaaa, the caller's cccccccc"
    assert one.difference(replace(one, native="d" * 64)) == "extension bbbbbbbb, the caller's dddddddd"


def slower(samples: pd.DataFrame, factor: float) -> pd.DataFrame:
    return samples.assign(seconds=samples["seconds"] * factor, wall_ns=samples["wall_ns"] * factor)


def test_hosts_are_compared_case_by_case_and_never_pooled(order: Order, tmp_path: Path) -> None:
    samples = store(measure_here(with_option(order, samples=7), PROCESS, silent), "a", tmp_path).samples
    whole = samples[samples["engine"] == "whole"]
    table = host_table({"z": samples, "a": slower(samples, 2.0), "m": slower(whole, 3.0)})
    assert list(table["host"][:3]) == ["z", "a", "m"], "the order given, not that of the alphabet"
    assert len(table) == 3 * CASES, "the second arm of the A/A pair is no case of its own"
    assert list(table[table["host"] == "a"]["ratio"]) == pytest.approx([2.0] * CASES)
    missing = table[table["host"] == "m"].sort_values("n")
    assert list(missing["n"]) == [0] * 2 + [7] * 2
    assert missing["ratio"].isna().tolist() == [True] * 2 + [False] * 2
    assert missing["ratio"].iloc[-1] == pytest.approx(3.0)
    alone = host_table({"z": samples})
    shared = table[table["host"] == "z"].reset_index(drop=True)
    pd.testing.assert_frame_equal(alone, shared)
    text = as_text(host_table({"a-very-long-name.of-a-host.in-a-cluster.example.org": samples, "m": whole}))
    assert max(map(len, text.splitlines())) <= 80
    assert text.count("no sample") == 2
    assert text.replace("\n  ", " ").endswith(CAUTION)
    with pytest.raises(ArgumentError, match="no record to compare"):
        host_table({})


def test_a_record_reads_as_any_other(order: Order, tmp_path: Path) -> None:
    record = store(measure_here(order, PROCESS, silent), "a", tmp_path)
    pd.testing.assert_frame_equal(record.samples, load_record(record.path).samples)
    assert json.loads(record.path.with_suffix(".json").read_text()) == record.provenance
