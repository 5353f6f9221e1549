from __future__ import annotations

import asyncio
import pickle
import re
import socket
import sys
import time
from pathlib import Path

import pytest

from aeadlab.errors import ArgumentError, ClusterError
from aeadlab.lab.cluster import measure_on_cluster
from aeadlab.lab.cluster.connection import pickled_call


@pytest.mark.parametrize("address", ["localhost:8786", "http://localhost:1", "tcp://localhost", "tcp://:1", "", "tcp"])
def test_rejects_malformed_addresses(own_folders: Path, address: str) -> None:
    with pytest.raises(ArgumentError, match=re.escape(f"{address!r} is no address of a scheduler: give tcp://")):
        measure_on_cluster("baselines", "smoke", address=address)


def test_connection_times_out(own_folders: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent_server:
        port = silent_server.getsockname()[1]
        for address in (f"tcp://127.0.0.1:{port}", "tcp://127.0.0.1:1"):
            begin = time.monotonic()
            with pytest.raises(ClusterError, match=f"no scheduler answers at {address} within 1 s"):
                measure_on_cluster("baselines", "smoke", address=address, timeout=1)
            assert time.monotonic() - begin < 10


def test_works_inside_a_running_event_loop(own_folders: Path) -> None:
    """Every cell of a notebook runs in one."""

    async def cell() -> None:
        measure_on_cluster("baselines", "smoke", address="tcp://127.0.0.1:1", timeout=1)

    with pytest.raises(ClusterError, match="no scheduler answers"):
        asyncio.run(cell())


def test_missing_distributed_names_the_package(own_folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ClusterError, match="install it, here and on each host, with `pip install distributed`"):
        measure_on_cluster("baselines", "smoke", address="tcp://127.0.0.1:1")


def test_unpickling_makes_the_call() -> None:
    assert pickle.loads(pickled_call(int, "11", 2)) == 3
    with pytest.raises(ValueError, match="invalid literal"):
        pickle.loads(pickled_call(int, "x"))
