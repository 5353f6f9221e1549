"""The connection to a Dask scheduler, and calls of functions on its workers by name.

The scheduler unpickles tasks; with calls by name, it does not need aeadlab.
"""

from __future__ import annotations

import asyncio
import logging
import pickle
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from aeadlab.errors import ArgumentError, ClusterError

if TYPE_CHECKING:
    from distributed import Client

_CLOSE_SECONDS = 5

_T = TypeVar("_T")


def check_address(address: str) -> None:
    """Raise unless the address has the form ``tcp://HOST:PORT`` or ``tls://HOST:PORT``."""
    if not re.fullmatch(r"(tcp|tls)://(\[[0-9A-Fa-f:.%]+\]|[^\s/:]+):[0-9]{1,5}", address):
        raise ArgumentError(
            f"{address!r} is no address of a scheduler: give tcp://HOST:PORT, as `dask scheduler` prints it"
        )


def require_distributed() -> None:
    """Raise unless Dask's `distributed` can be imported."""
    try:
        import distributed  # noqa: F401
    except ImportError as error:
        raise ClusterError(
            f"a cluster needs Dask's distributed, which cannot be imported here ({error}): install it, here and on "
            "each host, with `pip install distributed` or as the extra `cluster` of aeadlab"
        ) from error


@asynccontextmanager
async def connect(address: str, timeout: float) -> AsyncIterator[Client]:
    """Connect to the scheduler at `address` within `timeout` seconds."""
    from distributed import Client

    # Errors are reported in the results; the client would log them too, with tracebacks.
    logger = logging.getLogger("distributed.client")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    client: Client = Client(address, asynchronous=True, timeout=timeout, name="aeadlab", set_as_default=False)
    try:
        try:
            # Dask's own time limit is for each attempt and each step.
            await asyncio.wait_for(client, timeout)
        except Exception as error:
            # Another server than a scheduler causes various errors: the address of a worker gives a TypeError.
            raise ClusterError(
                f"no scheduler answers at {address} within {timeout:g} s ({str(error) or type(error).__name__}): start "
                "one with `dask scheduler`, and give the address that it prints"
            ) from error
        yield client
    finally:
        with suppress(Exception):
            await asyncio.wait_for(client.close(), _CLOSE_SECONDS)
        logger.setLevel(level)


def run_coroutine(work: Coroutine[Any, Any, _T]) -> _T:
    """Return the result of a coroutine, in a thread where an event loop runs already, as in a notebook.

    An interrupt of the caller cancels the coroutine.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    started: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]]] = []

    async def register() -> _T:
        task = asyncio.current_task()
        if task is not None:
            started.append((asyncio.get_running_loop(), task))
        return await work

    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(asyncio.run, register())
        try:
            return future.result()
        except BaseException:
            for loop, task in started:
                with suppress(RuntimeError):
                    loop.call_soon_threadsafe(task.cancel)
            raise


@dataclass
class _Call:
    """An object whose unpickling calls a function."""

    function: Callable[..., Any]
    arguments: tuple[object, ...]

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[object, ...]]:
        return self.function, self.arguments


def pickled_call(function: Callable[..., Any], *arguments: object) -> bytes:
    """Return bytes that ``pickle.loads`` turns into ``function(*arguments)``.

    They are opaque to every process but the worker. If it cannot import the function, the ImportError is the result.
    """
    # Protocol 4 is the same in every Python that aeadlab supports; the hosts' version may differ from the caller's.
    return pickle.dumps(_Call(function, arguments), protocol=4)


async def run_on_worker(
    client: Client, address: str, timeout: float, function: Callable[..., Any], *arguments: object
) -> Any:
    """Return the result of a function on a worker, called at once and concurrently with its tasks.

    A ClusterError is raised if the function raises there, which is the cause, or does not return in `timeout` seconds.
    """
    results: Awaitable[dict[str, Any]] = client.run(function, *arguments, workers=[address], on_error="return")
    try:
        result = (await asyncio.wait_for(results, timeout))[address]
    except TimeoutError:
        raise ClusterError(f"its worker {address} did not answer within {timeout:g} s") from None
    except (OSError, LookupError) as error:
        raise ClusterError(f"its worker {address} cannot be reached ({error})") from error
    if isinstance(result, Exception):
        raise ClusterError(f"its worker {address} raised {type(result).__name__}: {result}") from result
    return result
