"""A cluster of a real scheduler and real workers on loopback, as a user starts them."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from aeadlab import paths
from aeadlab.bench import lock
from aeadlab.lab.cluster import HostResult, measure_on_cluster
from aeadlab.lab.cluster.job import Job
from aeadlab.lab.cluster.worker import FOLDER

ROOT = Path(__file__).resolve().parents[3]
NAME = socket.gethostname()
MEMCPY = ["baseline/memcpy"]
# memcpy, XOR and two copies, each over the whole message and as one block of it; each has a second arm.
CASES = 4 * 2
ARMS = CASES + 4
# Enough samples for a worker to be killed in between, which still take only seconds.
LONG = 300
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
# Bound as a default value, because Dask loads this file twice.
metadata.version = lambda name, real=metadata.version: "0.0.1" if name == "aeadlab" else real(name)
"""
STALE = """
from aeadlab import _native
info = dict(_native.build_info())
_native.build_info = lambda: {**info, "sources": "0" * 64}
"""


class Cluster:
    """A scheduler that cannot import aeadlab, and its workers."""

    def __init__(self, base: Path, cache: Path) -> None:
        self.base = base
        shutil.copytree(cache, base / "cache")
        self.workers: dict[str, subprocess.Popen[bytes]] = {}
        block = base / "block.py"
        block.write_text(WITHOUT_AEADLAB)
        file = base / "scheduler.json"
        options = ["--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(file), "--preload", str(block)]
        self.scheduler = self._start("scheduler", options, {})
        self._wait(lambda: file.is_file() and file.read_text().endswith("\n}"), self.scheduler, "scheduler")
        self.address: str = json.loads(file.read_text())["address"]

    def start(self, name: str, *, own_lock: bool = True, preload: str = "") -> None:
        """Start a worker that is a separate host, unless it shares the lock of the others."""
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
            log = self.base / f"{name}.log"
            self._wait(lambda log=log: "Registered to" in log.read_text(), self.workers[name], name)

    def end(self, *names: str) -> None:
        """Kill these workers, and wait until they have ended."""
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
        """Return the result of each host by the last part of its label."""
        given = {"address": self.address, "size": 4096, "samples": samples, "implementations": MEMCPY, **options}
        results = measure_on_cluster("baselines", "smoke", folder=output, **given)  # type: ignore[arg-type]
        return {result.host.removeprefix(f"{NAME}-"): result for result in results}

    def _start(
        self, command: str, options: list[str], environment: dict[str, str], name: str = "scheduler"
    ) -> subprocess.Popen[bytes]:
        # Not `dask` itself: the environment's commands need not be in PATH.
        words = [sys.executable, "-m", "dask", command, *options, "--no-dashboard"]
        with (self.base / f"{name}.log").open("wb") as log:
            return subprocess.Popen(words, cwd=ROOT, env={**os.environ, **environment}, stdout=log, stderr=log)

    def _wait(self, condition: Callable[[], bool], process: subprocess.Popen[bytes], name: str) -> None:
        end = time.monotonic() + 60
        while not condition():
            assert process.poll() is None, (self.base / f"{name}.log").read_text()
            assert time.monotonic() < end, (self.base / f"{name}.log").read_text()
            time.sleep(0.05)


@pytest.fixture(autouse=True)
def in_time() -> Iterator[None]:
    """Fail a test that waits for a host forever."""

    def late(*_: object) -> None:
        raise AssertionError("the test takes longer than two minutes")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(120)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory, prepared_cache: Path) -> Iterator[Cluster]:
    made = Cluster(tmp_path_factory.mktemp("cluster"), prepared_cache)
    try:
        yield made
    finally:
        made.close()


@pytest.fixture
def two(cluster: Cluster) -> Cluster:
    """Return the cluster with exactly the workers alpha and beta, each a separate host."""
    cluster.end(*(cluster.workers.keys() - {"alpha", "beta"}))
    for name in {"alpha", "beta"} - cluster.workers.keys():
        cluster.start(name)
    cluster.ready("alpha", "beta")
    return cluster


@pytest.fixture
def job(own_folders: Path, monkeypatch: pytest.MonkeyPatch) -> Job:
    """Return a job for this process, in isolated folders."""
    monkeypatch.delenv(lock.VARIABLE, raising=False)
    return Job("id", "baselines", "smoke", options={"size": 4096, "samples": 2, "implementations": MEMCPY})


def with_option(job: Job, **option: object) -> Job:
    return replace(job, options={**job.options, **option})


def silent(_: dict[str, object]) -> None:
    """Ignore a progress report."""
