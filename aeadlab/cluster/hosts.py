"""Which hosts a cluster has: one worker of each, or the reason why it has none that can measure."""

from __future__ import annotations

import asyncio
import linecache
import os
import pickle
import re
import socket
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aeadlab.bench import lock
from aeadlab.cluster.call import call
from aeadlab.cluster.host import Installation, installation, introduction
from aeadlab.errors import ClusterError

if TYPE_CHECKING:
    from distributed import Client

KERNEL = "/proc/sys/kernel/random/boot_id"
"""A number that the kernel draws when it starts: the same in all containers of a machine, whatever their host names."""


@dataclass(frozen=True)
class Worker:
    """A worker of the cluster.

    Attributes
    ----------
    machine
        Equal for workers of which only one may measure at a time: its kernel, and the file of its lock.
    process
        As `aeadlab.cluster.host.PROCESS`.
    objection
        Why it cannot measure; ``""`` where it can.
    """

    address: str
    name: str
    hostname: str
    machine: tuple[str, str]
    process: str = ""
    objection: str = ""


@dataclass(frozen=True)
class Host:
    """A machine, by the one worker that measures there, or by why none does."""

    label: str
    worker: Worker

    @property
    def objection(self) -> str:
        """Why it cannot measure; ``""`` where it can."""
        return self.worker.objection


async def find_hosts(client: Client, timeout: float) -> list[Host]:
    """All hosts that have a worker, by label.

    Parameters
    ----------
    timeout
        Seconds in which each worker must answer.

    Raises
    ------
    aeadlab.errors.ClusterError
        If there is no worker.
    """
    described = (await asyncio.wait_for(client.scheduler.identity(), timeout))["workers"]
    if not described:
        raise ClusterError(
            "the cluster has no workers: start one on each host that shall measure, with "
            "`dask worker tcp://HOST:PORT --nthreads 1`"
        )
    # Kept to what the caller's own installation is, since records of different code are no comparison of hosts.
    own = installation()
    busy = await asyncio.wait_for(client.processing(), timeout)
    workers = await asyncio.gather(
        *(
            _look_at(
                client, address, str(facts["name"]), str(facts["status"]), len(busy.get(address, ())), own, timeout
            )
            for address, facts in described.items()
        )
    )
    return labelled(chosen(workers))


def chosen(workers: Iterable[Worker]) -> list[Worker]:
    """One worker of each machine: the first by name that can measure, or the first where none can.

    Where a worker of a machine is at work, none of its others is taken: the two would time each other.
    """
    machines: dict[tuple[str, str], list[Worker]] = {}
    for worker in sorted(workers, key=lambda worker: (worker.name, worker.address)):
        machines.setdefault(worker.machine, []).append(worker)
    first = []
    for group in machines.values():
        busy = next((worker for worker in group if worker.objection.startswith(_BUSY)), None)
        first.append(busy or next((worker for worker in group if not worker.objection), group[0]))
    return first


def labelled(workers: Iterable[Worker]) -> list[Host]:
    """A name for each, that can be part of a file name: the host's, and the worker's where two hosts have the same."""
    workers = list(workers)
    names = [worker.hostname for worker in workers]
    hosts = []
    for worker in workers:
        twice = names.count(worker.hostname) > 1
        label = f"{worker.hostname}-{worker.name}" if twice else worker.hostname
        hosts.append(Host(re.sub(r"[^A-Za-z0-9.]+", "-", label).strip("-.") or "host", worker))
    # What the replacement made equal stays apart by the address.
    labels = [host.label for host in hosts]
    hosts = [
        Host(f"{host.label}-{re.sub('[^A-Za-z0-9]+', '-', host.worker.address)}", host.worker)
        if labels.count(host.label) > 1
        else host
        for host in hosts
    ]
    return sorted(hosts, key=lambda host: host.label)


_BUSY = "busy: "


async def _look_at(
    client: Client, address: str, name: str, status: str, tasks: int, own: Installation, timeout: float
) -> Worker:
    async def ask(function: Callable[..., Any], *arguments: object) -> Any:
        return await answer(client, address, timeout, function, *arguments)

    where = re.sub(r"^[a-z]+://|:[0-9]+$", "", address)
    try:
        # Functions of Python alone: that aeadlab is missing shall be said of a host with a name.
        hostname = await ask(socket.gethostname)
        kernel = (await ask(linecache.getline, KERNEL, 1)).strip() or hostname
        machine = (kernel, await ask(os.getenv, lock.VARIABLE) or "")
    except ClusterError as error:
        return Worker(address, name, where, (address, ""), objection=str(error))
    process, objection = "", ""
    if status != "running":
        objection = f"Dask has it as {status}"
    elif tasks:
        objection = f"{_BUSY}its worker {name} has {tasks} task{'s' * (tasks > 1)} of the cluster already"
    else:
        try:
            # In a thread: what aeadlab imports takes seconds, in which the worker would seem dead.
            process, theirs = await ask(asyncio.to_thread, pickle.loads, call(introduction))
            different = theirs.difference(own)
            objection = theirs.problem or (
                f"another aeadlab is installed there ({different}): install the same on all hosts, then start the "
                "worker anew"
                if different
                else ""
            )
        except ClusterError as error:
            objection = _import_failure(error)
    return Worker(address, name, hostname, machine, process, objection)


async def answer(client: Client, address: str, timeout: float, function: Callable[..., Any], *arguments: object) -> Any:
    """What a function returns on a worker, at once and beside its tasks.

    Raises
    ------
    aeadlab.errors.ClusterError
        If the function raises there, which is the cause, or the worker cannot be reached in `timeout` seconds.
    """
    asked: Awaitable[dict[str, Any]] = client.run(function, *arguments, workers=[address], on_error="return")
    try:
        found = (await asyncio.wait_for(asked, timeout))[address]
    except TimeoutError:
        raise ClusterError(f"its worker {address} did not answer within {timeout:g} s") from None
    except (OSError, LookupError) as error:
        raise ClusterError(f"its worker {address} cannot be reached ({error})") from error
    if isinstance(found, Exception):
        raise ClusterError(f"its worker {address} answered {type(found).__name__}: {found}") from found
    return found


def _import_failure(error: ClusterError) -> str:
    cause = error.__cause__
    if isinstance(cause, ModuleNotFoundError) and cause.name == "aeadlab":
        return "aeadlab is not installed for its worker: install it there, and start the worker with its Python"
    if isinstance(cause, ImportError | AttributeError):
        return f"another aeadlab is installed there, or a broken one ({cause}): install the same on all hosts"
    return str(error)
