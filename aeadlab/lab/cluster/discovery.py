"""The hosts of a cluster: one worker of each, or the reason why it cannot measure."""

from __future__ import annotations

import asyncio
import linecache
import os
import pickle
import re
import socket
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from aeadlab.bench import lock
from aeadlab.errors import ClusterError
from aeadlab.lab.cluster.connection import pickled_call, run_on_worker
from aeadlab.lab.cluster.installation import Installation, local_installation
from aeadlab.lab.cluster.worker import describe_process

if TYPE_CHECKING:
    from distributed import Client

BOOT_ID = "/proc/sys/kernel/random/boot_id"
"""A random number of the running kernel: the same in all containers of a machine, whatever their host names."""

_BUSY = "busy: "


@dataclass(frozen=True)
class Worker:
    """A worker of the cluster."""

    address: str
    name: str
    hostname: str
    machine: tuple[str, str]
    """Boot identifier of its kernel and path of its lock: of workers with equal ones only one may measure at a time."""
    process: str = ""
    """Identifier as `aeadlab.lab.cluster.worker.PROCESS`."""
    objection: str = ""
    """Reason why it cannot measure; empty if it can."""
    label: str = ""
    """Unique name of its host that can be part of a file name."""


async def find_hosts(client: Client, timeout: float) -> list[Worker]:
    """Return one worker of each host, sorted by label; `timeout` is the limit of each answer in seconds."""
    workers = (await asyncio.wait_for(client.scheduler.identity(), timeout))["workers"]
    if not workers:
        raise ClusterError(
            "the cluster has no workers: start one on each host that is to measure, with "
            "`dask worker tcp://HOST:PORT --nthreads 1`"
        )
    # Records of different code cannot show a difference of hosts: each worker must have the caller's installation.
    own = local_installation()
    tasks = await asyncio.wait_for(client.processing(), timeout)
    inspected = (
        _inspect(client, address, facts, len(tasks.get(address, ())), own, timeout)
        for address, facts in workers.items()
    )
    return label_hosts(select_workers(await asyncio.gather(*inspected)))


def select_workers(workers: Iterable[Worker]) -> list[Worker]:
    """Return one worker of each machine: the first by name that can measure, or the first if none can.

    A machine of which one worker is busy is represented by that worker, since another measurement would disturb both.
    """
    machines: dict[tuple[str, str], list[Worker]] = {}
    for worker in sorted(workers, key=lambda worker: (worker.name, worker.address)):
        machines.setdefault(worker.machine, []).append(worker)
    selected = []
    for group in machines.values():
        busy = next((worker for worker in group if worker.objection.startswith(_BUSY)), None)
        selected.append(busy or next((worker for worker in group if not worker.objection), group[0]))
    return selected


def label_hosts(workers: Iterable[Worker]) -> list[Worker]:
    """Label each worker with its host name, also with the worker's name where two have the same host name."""
    workers = list(workers)
    names = Counter(worker.hostname for worker in workers)
    full = [f"{w.hostname}-{w.name}" if names[w.hostname] > 1 else w.hostname for w in workers]
    labels = [re.sub(r"[^A-Za-z0-9.]+", "-", name).strip("-.") or "host" for name in full]
    # The replacement of characters can make labels equal, but addresses differ.
    addresses = [re.sub(r"[^A-Za-z0-9]+", "-", worker.address) for worker in workers]
    unique = [
        f"{name}-{place}" if labels.count(name) > 1 else name for name, place in zip(labels, addresses, strict=True)
    ]
    hosts = [replace(worker, label=label) for worker, label in zip(workers, unique, strict=True)]
    return sorted(hosts, key=lambda host: host.label)


async def _inspect(
    client: Client, address: str, facts: dict[str, Any], tasks: int, own: Installation, timeout: float
) -> Worker:
    """Describe a worker by the scheduler's facts and its number of tasks, and check its installation."""
    call = partial(run_on_worker, client, address, timeout)
    name, status = str(facts["name"]), str(facts["status"])
    try:
        # Only functions of Python itself, so that a host without aeadlab is reported by its name.
        hostname = await call(socket.gethostname)
        kernel = (await call(linecache.getline, BOOT_ID, 1)).strip() or hostname
        machine = (kernel, await call(os.getenv, lock.VARIABLE) or "")
    except ClusterError as error:
        host = re.sub(r"^[a-z]+://|:[0-9]+$", "", address)
        return Worker(address, name, host, (address, ""), objection=str(error))
    process, objection = "", ""
    if status != "running":
        objection = f"Dask reports it as {status}"
    elif tasks:
        objection = f"{_BUSY}its worker {name} has {tasks} task{'s' * (tasks > 1)} of the cluster already"
    else:
        try:
            # In a thread, since the import of aeadlab takes seconds, during which the worker would not answer Dask.
            process, installed = await call(asyncio.to_thread, pickle.loads, pickled_call(describe_process))
            objection = installed.problem or _mismatch(installed, own)
        except ClusterError as error:
            objection = _import_failure(error)
    return Worker(address, name, hostname, machine, process, objection)


def _mismatch(installed: Installation, own: Installation) -> str:
    if not (difference := installed.difference(own)):
        return ""
    return f"another aeadlab is installed there ({difference}): install the same on all hosts, then restart the worker"


def _import_failure(error: ClusterError) -> str:
    cause = error.__cause__
    if isinstance(cause, ModuleNotFoundError) and cause.name == "aeadlab":
        return "aeadlab is not installed for its worker: install it there, and start the worker with its Python"
    if isinstance(cause, ImportError | AttributeError):
        return f"another or an incomplete aeadlab is installed there ({cause}): install the same on all hosts"
    return str(error)
