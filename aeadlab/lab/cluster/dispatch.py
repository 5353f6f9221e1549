"""The dispatch of a study to every host of a cluster, and the collection of the records."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from aeadlab import paths
from aeadlab.bench.masks.masks import find_mask
from aeadlab.bench.profile import find_profile
from aeadlab.display.progress import Bar, bar
from aeadlab.errors import ClusterError, Error
from aeadlab.lab.cluster.connection import (
    check_address,
    connect,
    pickled_call,
    require_distributed,
    run_coroutine,
    run_on_worker,
)
from aeadlab.lab.cluster.discovery import Worker, find_hosts
from aeadlab.lab.cluster.job import Job, JobResult, store_result
from aeadlab.lab.cluster.worker import FOLDER, mark_delivered, measure_job, stop_job
from aeadlab.records.record import Record
from aeadlab.studies import Selection, find_study

if TYPE_CHECKING:
    from distributed import Client

HostProgress = Callable[[str, int, int], object]
"""Called repeatedly with (host, samples taken, samples planned)."""

TIMEOUT = 30.0
"""Default time limit in seconds for an answer of the scheduler or of a worker."""

POLL_SECONDS = 2.0
"""Polling interval in seconds for workers that left the cluster."""

_STOP_SECONDS = 5

_DETACHED = "the host continues the measurement and keeps its record: repeat the command when the host can be reached"


@dataclass(frozen=True)
class HostResult:
    """The record of a host, or the reason why there is none."""

    host: str
    """Label of the host, which is also part of the record's file name."""
    address: str
    """Address of its worker."""
    record: Record | None = None
    failure: str = ""


def measure_on_cluster(
    study: str,
    profile: str = "quick",
    *,
    address: str,
    size: int | None = None,
    samples: int | None = None,
    budget: float | None = None,
    implementations: Sequence[str] | None = None,
    threads: Sequence[int] | None = None,
    block_sizes: Sequence[int] | None = None,
    folder: Path | None = None,
    plugins: Sequence[Path] = (),
    masks: Sequence[str] = (),
    seed: int = 1,
    hosts: Sequence[str] | None = None,
    progress: HostProgress | None = None,
    timeout: float = TIMEOUT,
) -> list[HostResult]:
    """Measure a study on every host of a Dask cluster at the same time, and store the records of all hosts here.

    A host that fails or dies does not affect the others. The same call resumes there, since a host keeps its journal,
    and a record that it could not deliver.

    Parameters
    ----------
    address
        Address of the scheduler: ``tcp://HOST:PORT``, or ``tls://`` with the certificates in Dask's configuration.
    size, samples, budget, implementations, threads, block_sizes, plugins, masks, seed
        As in `aeadlab.measure`; plugins must have the same path on each host.
    folder
        Folder for the records, each with its host's label; None means ``cluster`` in the results folder.
    hosts
        Labels of the hosts to use; None means all.
    progress
        Called as reports of the hosts arrive; None shows a progress bar for each host when interactive.
    timeout
        Time limit in seconds for each answer of the scheduler and of a worker.

    Returns
    -------
    list of HostResult
        One for each host, sorted by label.

    Raises
    ------
    aeadlab.errors.ClusterError
        If `distributed` is missing, the scheduler does not answer, or there is no worker or no host of a label.
    aeadlab.errors.Error
        Otherwise as `aeadlab.measure`.
    """
    check_address(address)
    find_study(study)
    find_profile(profile).with_changes(size, samples, budget)
    for mask in masks:
        find_mask(mask)
    selection = Selection.of(implementations, threads, block_sizes).as_dict()
    folder = paths.results() / "cluster" if folder is None else Path(folder)
    paths.check_folder(folder)
    require_distributed()
    job = Job(
        id=f"aeadlab-{uuid4().hex}",
        study=study,
        profile=profile,
        plugins=tuple(str(Path(plugin).absolute()) for plugin in plugins),
        options={"size": size, "samples": samples, "budget": budget, "masks": list(masks), "seed": seed, **selection},
    )
    with nullcontext(progress) if progress is not None else _host_bars() as report:
        return run_coroutine(_measure(address, job, folder, hosts, report, timeout))


@contextmanager
def _host_bars() -> Iterator[HostProgress]:
    """Show a progress bar for each host from its first report on."""
    with ExitStack() as stack:
        bars: dict[str, Bar] = {}

        def show(host: str, taken: int, planned: int) -> None:
            if host not in bars:
                bars[host] = stack.enter_context(bar(planned, host, "sample"))
            bars[host].update(taken - bars[host].n)

        yield show


async def _measure(
    address: str, job: Job, folder: Path, labels: Sequence[str] | None, progress: HostProgress, timeout: float
) -> list[HostResult]:
    async with connect(address, timeout) as client:
        try:
            hosts = await find_hosts(client, timeout)
        except (OSError, TimeoutError) as error:
            raise ClusterError(f"the scheduler at {address} stopped answering: {error!r}") from error
        known = [host.label for host in hosts]
        if missing := set(labels or ()).difference(known):
            raise ClusterError(f"the cluster has no host {', '.join(sorted(missing))}; it has {', '.join(known)}")
        hosts = [host for host in hosts if labels is None or host.label in labels]
        failed = [_failure(host, host.objection) for host in hosts if host.objection]
        dispatch = _Dispatch(client, job, folder, progress, timeout)
        measured = await dispatch.run([host for host in hosts if not host.objection])
    return sorted([*failed, *measured], key=lambda result: result.host)


def _failure(host: Worker, reason: str) -> HostResult:
    return HostResult(host.label, host.address, failure=reason)


@dataclass
class _Dispatch:
    """The tasks of one job, one for each host."""

    client: Client
    job: Job
    folder: Path
    progress: HostProgress
    timeout: float
    running: dict[asyncio.Future[JobResult], Worker] = field(default_factory=dict)
    tasks: dict[str, Any] = field(default_factory=dict)
    started: set[str] = field(default_factory=set)

    async def run(self, hosts: Sequence[Worker]) -> list[HostResult]:
        """Submit the job to each host, and return the results when all have finished, failed or left."""
        self._follow_progress(hosts)
        for host in hosts:
            task = self.client.submit(
                pickle.loads,
                pickled_call(measure_job, self.job, host.process),
                workers=[host.address],
                allow_other_workers=False,
                pure=False,
                retries=0,
                key=f"{self.job.id}-{host.label}",
            )
            self.tasks[host.label] = task
            self.running[asyncio.ensure_future(task.result())] = host
        start = asyncio.get_running_loop().time()
        results = []
        try:
            while self.running:
                done, _ = await asyncio.wait(self.running, timeout=POLL_SECONDS, return_when=asyncio.FIRST_COMPLETED)
                for future in done:
                    results.append(await self._collect(self.running.pop(future), future))
                late = asyncio.get_running_loop().time() - start > self.timeout
                results += await self._drop_lost_hosts(late)
        except BaseException:
            await asyncio.shield(self._stop())
            raise
        return results

    def _follow_progress(self, hosts: Sequence[Worker]) -> None:
        labels = {host.process: host.label for host in hosts}

        def receive(event: tuple[float, dict[str, Any]]) -> None:
            message = event[1]
            if label := labels.get(message["process"]):
                self.started.add(label)
                if message["planned"]:
                    self.progress(label, message["taken"], message["planned"])

        self.client.subscribe_topic(self.job.id, receive)

    async def _collect(self, host: Worker, future: asyncio.Future[JobResult]) -> HostResult:
        """Store the record of a finished task, and confirm the delivery to its worker."""
        address = host.address
        try:
            result = future.result()
            if result.failure:
                return _failure(host, result.failure)
            record = store_result(result, host.label, self.folder)
        except (CancelledError, asyncio.CancelledError):
            return _failure(host, f"{_DETACHED} (the connection to the scheduler was lost, or the task was cancelled)")
        except Exception as error:
            return _failure(host, str(error) if isinstance(error, Error) else f"{type(error).__name__}: {error}")
        # A worker that cannot be reached delivers the same record again, which `store_result` accepts.
        with suppress(ClusterError):
            confirmation = pickled_call(mark_delivered, self.job, result.name)
            await run_on_worker(self.client, address, self.timeout, pickle.loads, confirmation)
        return HostResult(host.label, address, record)

    async def _drop_lost_hosts(self, late: bool) -> list[HostResult]:
        """Return failures of hosts whose worker left or, if `late`, has not begun its task: Dask would wait forever."""
        if not self.running:
            return []
        addresses, disconnected = {}, ""
        try:
            addresses = (await asyncio.wait_for(self.client.scheduler.identity(), self.timeout))["workers"]
        except (OSError, TimeoutError) as error:
            disconnected = f"{_DETACHED} (the scheduler stopped answering: {str(error) or type(error).__name__})"
        lost = []
        for future, host in list(self.running.items()):
            if future.done():
                continue
            if disconnected:
                reason = disconnected
            elif host.address not in addresses:
                reason = (
                    "its worker died, or lost its connection. The samples that it took are on that host, under "
                    f"{FOLDER} in its results folder; start a worker there again and repeat "
                    f"the command, which resumes, with --host {host.label} to leave out the other hosts"
                )
            elif late and host.label not in self.started:
                reason = f"its worker did not start the measurement within {self.timeout:g} s: its threads are busy"
            else:
                continue
            del self.running[future]
            future.cancel()
            if not disconnected:
                with suppress(Exception):
                    await asyncio.wait_for(self.tasks[host.label].cancel(), self.timeout)
            lost.append(_failure(host, reason))
        return lost

    async def _stop(self) -> None:
        """Cancel the tasks that have not started, and stop the others at their next progress report."""
        hosts = list(self.running.values())
        for future in self.running:
            future.cancel()
        stop = pickled_call(stop_job, self.job.id)
        stopped = (run_on_worker(self.client, host.address, _STOP_SECONDS, pickle.loads, stop) for host in hosts)
        cancelled = (asyncio.wait_for(self.tasks[host.label].cancel(), _STOP_SECONDS) for host in hosts)
        await asyncio.gather(*stopped, *cancelled, return_exceptions=True)
