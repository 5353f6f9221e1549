"""Sends a study to every host of a cluster and collects the records, whatever becomes of the other hosts."""

from __future__ import annotations

import asyncio
import logging
import pickle
import re
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import uuid4

from aeadlab import paths
from aeadlab.bench.masks import find_mask
from aeadlab.bench.profile import find_profile
from aeadlab.cluster.call import call
from aeadlab.cluster.delivery import store
from aeadlab.cluster.host import FOLDER, Answer, Order, delivered, measure_here, stop
from aeadlab.cluster.hosts import Host, answer, find_hosts
from aeadlab.errors import ArgumentError, ClusterError, Error
from aeadlab.records import Record, check_folder
from aeadlab.studies import Selection, find_study

if TYPE_CHECKING:
    from distributed import Client

HostProgress = Callable[[str, int, int], object]
"""Called now and then with (host, samples taken, samples planned)."""

TIMEOUT = 30.0
"""Seconds in which the scheduler and the workers must answer."""

POLL_SECONDS = 2.0
"""Between two looks at which workers are still there."""

_LEFT = "the host was left to itself, and keeps what it measures: repeat the command when it can be reached"

_T = TypeVar("_T")


@dataclass(frozen=True)
class HostResult:
    """What came of a study on a host: a record, or the reason why there is none.

    Attributes
    ----------
    host
        Its name, which is also part of the record's.
    address
        Of the worker.
    """

    host: str
    address: str
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
    """Let every host of a Dask cluster measure a study for itself, at the same time, and bring the records here.

    A host that fails or dies does not keep the others from finishing. The same call carries on there: a host keeps its
    journal, and a record that it could not deliver.

    Parameters
    ----------
    address
        Of the scheduler: ``tcp://HOST:PORT``, or ``tls://`` with the certificates in Dask's configuration.
    size, samples, budget, implementations, threads, block_sizes, masks, seed
        As `aeadlab.measure`.
    folder
        Where the records go, each with its host's name; None means ``cluster`` in the results folder.
    plugins
        Files and folders, which must be at the same place on each host.
    hosts
        Names of those that shall measure; None means all.
    progress
        Called as reports of the hosts come in.
    timeout
        Seconds in which the scheduler, and each worker, must answer.

    Returns
    -------
    list of HostResult
        One for each host, by name.

    Raises
    ------
    aeadlab.errors.UnknownNameError
        If the study or the profile does not exist here.
    aeadlab.errors.ArgumentError
        If the address is none, or the folder cannot be written.
    aeadlab.errors.ClusterError
        If `distributed` is missing, the scheduler does not answer, there is no worker, or no host of a name.
    """
    if not re.fullmatch(r"(tcp|tls)://(\[[0-9A-Fa-f:.%]+\]|[^\s/:]+):[0-9]{1,5}", address):
        raise ArgumentError(f"{address!r} is no address of a scheduler: wanted is tcp://HOST:PORT, as it prints it")
    find_study(study)
    find_profile(profile).with_changes(size, samples, budget)
    for mask in masks:
        find_mask(mask)
    chosen = Selection.of(implementations, threads, block_sizes).as_dict()
    target = paths.results() / "cluster" if folder is None else Path(folder)
    check_folder(target)
    _require_distributed()
    order = Order(
        id=f"aeadlab-{uuid4().hex}",
        study=study,
        profile=profile,
        plugins=tuple(str(Path(plugin).absolute()) for plugin in plugins),
        options={"size": size, "samples": samples, "budget": budget, "masks": list(masks), "seed": seed, **chosen},
    )
    return _finished(_measure(address, order, target, hosts, progress or (lambda *_: None), timeout))


def _require_distributed() -> None:
    try:
        import distributed  # noqa: F401
    except ImportError as error:
        raise ClusterError(
            f"a cluster needs Dask's distributed, which cannot be imported here ({error}): install it, here and on "
            "each host, with `pip install distributed` or as the extra `cluster` of aeadlab"
        ) from error


def _finished(work: Coroutine[Any, Any, _T]) -> _T:
    """The result of a coroutine, also where a notebook's event loop is running; an interrupt ends it in good order."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    started: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]]] = []

    async def noted() -> _T:
        task = asyncio.current_task()
        if task is not None:
            started.append((asyncio.get_running_loop(), task))
        return await work

    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(asyncio.run, noted())
        try:
            return future.result()
        except BaseException:
            for loop, task in started:
                with suppress(RuntimeError):
                    loop.call_soon_threadsafe(task.cancel)
            raise


@asynccontextmanager
async def _connected(address: str, timeout: float) -> AsyncIterator[Client]:
    from distributed import Client

    # What it would log on the way, with its tracebacks, is said in the results.
    logger = logging.getLogger("distributed.client")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    client: Client = Client(address, asynchronous=True, timeout=timeout, name="aeadlab", set_as_default=False)
    try:
        try:
            # Dask's own time limit is for each attempt and each step.
            await asyncio.wait_for(client, timeout)
        except Exception as error:
            # Anything may come of something else than a scheduler: a worker's address gives a TypeError.
            raise ClusterError(
                f"no scheduler answers at {address} within {timeout:g} s ({str(error) or type(error).__name__}): start "
                "one with `dask scheduler`, and give the address that it prints"
            ) from error
        yield client
    finally:
        with suppress(Exception):
            await asyncio.wait_for(client.close(), 5)
        logger.setLevel(level)


async def _measure(
    address: str,
    order: Order,
    target: Path,
    wanted: Sequence[str] | None,
    progress: HostProgress,
    timeout: float,
) -> list[HostResult]:
    async with _connected(address, timeout) as client:
        try:
            hosts = await find_hosts(client, timeout)
        except (OSError, TimeoutError) as error:
            raise ClusterError(f"the scheduler at {address} does not answer any more: {error!r}") from error
        labels = [host.label for host in hosts]
        if missing := set(wanted or ()).difference(labels):
            raise ClusterError(f"the cluster has no host {', '.join(sorted(missing))}; it has {', '.join(labels)}")
        hosts = [host for host in hosts if wanted is None or host.label in wanted]
        refused = [HostResult(h.label, h.worker.address, failure=h.objection) for h in hosts if h.objection]
        dispatch = _Dispatch(client, order, target, progress, timeout)
        measured = await dispatch.run([host for host in hosts if not host.objection])
    return sorted([*refused, *measured], key=lambda result: result.host)


class _Dispatch:
    """One order on its way to the hosts, and what comes back."""

    def __init__(self, client: Client, order: Order, target: Path, progress: HostProgress, timeout: float) -> None:
        self._client = client
        self._order = order
        self._target = target
        self._progress = progress
        self._timeout = timeout
        self._running: dict[asyncio.Future[Answer], Host] = {}
        self._tasks: dict[str, Any] = {}
        self._begun: set[str] = set()

    async def run(self, hosts: Sequence[Host]) -> list[HostResult]:
        labels = {host.worker.process: host.label for host in hosts}

        def hear(event: tuple[float, dict[str, Any]]) -> None:
            message = event[1]
            if label := labels.get(message["process"]):
                self._begun.add(label)
                if message["planned"]:
                    self._progress(label, message["taken"], message["planned"])

        self._client.subscribe_topic(self._order.id, hear)
        for host in hosts:
            task = self._client.submit(
                pickle.loads,
                call(measure_here, self._order, host.worker.process),
                workers=[host.worker.address],
                allow_other_workers=False,
                pure=False,
                retries=0,
                key=f"{self._order.id}-{host.label}",
            )
            self._tasks[host.label] = task
            self._running[asyncio.ensure_future(task.result())] = host
        begin = asyncio.get_running_loop().time()
        results = []
        try:
            while self._running:
                done, _ = await asyncio.wait(self._running, timeout=POLL_SECONDS, return_when=asyncio.FIRST_COMPLETED)
                for future in done:
                    results.append(await self._collected(self._running.pop(future), future))
                late = asyncio.get_running_loop().time() - begin > self._timeout
                results += await self._lost(late)
        except BaseException:
            await asyncio.shield(self._stop())
            raise
        return results

    async def _collected(self, host: Host, future: asyncio.Future[Answer]) -> HostResult:
        address = host.worker.address
        try:
            try:
                found = future.result()
            except (CancelledError, asyncio.CancelledError) as error:
                raise ClusterError(
                    f"{_LEFT} (the connection to the scheduler was lost, or the task cancelled)"
                ) from error
            if found.failure:
                raise ClusterError(found.failure)
            record = store(found, host.label, self._target)
        except Exception as error:
            why = str(error) if isinstance(error, Error) else f"{type(error).__name__}: {error}"
            return HostResult(host.label, address, failure=why)
        # What does not hear this delivers the same record again, which does no harm.
        with suppress(ClusterError):
            await answer(self._client, address, self._timeout, pickle.loads, call(delivered, self._order, found.name))
        return HostResult(host.label, address, record)

    async def _lost(self, late: bool) -> list[HostResult]:
        """Hosts whose worker is gone, or never began: Dask itself would wait for them without end."""
        if not self._running:
            return []
        there: set[str] = set()
        gone = ""
        try:
            there = set((await asyncio.wait_for(self._client.scheduler.identity(), self._timeout))["workers"])
        except (OSError, TimeoutError) as error:
            gone = f"{_LEFT} (the scheduler does not answer any more: {str(error) or type(error).__name__})"
        lost = []
        for future, host in list(self._running.items()):
            if future.done():
                continue
            if gone:
                why = gone
            elif host.worker.address not in there:
                why = (
                    "its worker died, or lost its connection. The samples that it took are on that host, under "
                    f"{FOLDER} in its results folder; start a worker there again and repeat "
                    f"the command, which carries on, with --host {host.label} to leave the others alone"
                )
            elif late and host.label not in self._begun:
                why = f"its worker did not begin within {self._timeout:g} s: its threads have other work"
            else:
                continue
            del self._running[future]
            future.cancel()
            if not gone:
                with suppress(Exception):
                    await asyncio.wait_for(self._tasks[host.label].cancel(), self._timeout)
            lost.append(HostResult(host.label, host.worker.address, failure=why))
        return lost

    async def _stop(self) -> None:
        """What has not begun does not begin; what is at work ends at its next report."""
        hosts = list(self._running.values())
        for future in self._running:
            future.cancel()
        told = (
            answer(self._client, host.worker.address, 5, pickle.loads, call(stop, self._order.id)) for host in hosts
        )
        cancelled = (asyncio.wait_for(self._tasks[host.label].cancel(), 5) for host in hosts)
        await asyncio.gather(*told, *cancelled, return_exceptions=True)
