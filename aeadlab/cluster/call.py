"""A call that travels by name: Dask's scheduler, which opens all tasks, need not have aeadlab."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any


class _Call:
    """Pickles as the result of the call, so that the call is made where it is unpickled."""

    def __init__(self, function: Callable[..., Any], arguments: tuple[object, ...]) -> None:
        self._call = (function, arguments)

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[object, ...]]:
        return self._call


def call(function: Callable[..., Any], *arguments: object) -> bytes:
    """What ``pickle.loads`` turns into ``function(*arguments)``, in a process that can import the function.

    Sent as the argument of ``pickle.loads``, it is opaque to everyone but the worker; a worker without aeadlab answers
    with the ImportError, as with any error of a task.
    """
    # Protocol 4 is the same in every Python that aeadlab runs on: the hosts' may be another than the caller's.
    return pickle.dumps(_Call(function, arguments), protocol=4)
