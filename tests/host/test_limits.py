from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from aeadlab.host import limits

MEMORY = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


@pytest.fixture(autouse=True)
def uncached() -> Iterator[None]:
    limits.memory_limit.cache_clear()
    yield
    limits.memory_limit.cache_clear()


@pytest.mark.parametrize(
    ("group", "expected"),
    [
        (None, max(MEMORY // 2, 1 << 30)),
        ("none", max(MEMORY // 2, 1 << 30)),
        (3 << 30, 3 << 29),
        (1 << 20, 1 << 30),
        (MEMORY * 4, max(MEMORY // 2, 1 << 30)),
    ],
)
def test_half_of_the_memory_or_of_the_control_group(monkeypatch: pytest.MonkeyPatch, group: Any, expected: int) -> None:
    monkeypatch.setattr(limits, "cgroup_limits", lambda _: {"cgroup_memory_limit": group})
    assert limits.memory_limit() == expected


def test_all_cores_may_be_busy_for_the_whole_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "process_cores", lambda: 8)
    assert limits.for_unverified_code(30.0) == {
        "RLIMIT_DATA": limits.memory_limit(),
        "RLIMIT_CPU": 250,
        "RLIMIT_FSIZE": 64 << 20,
    }


@pytest.mark.parametrize(("option", "limited"), [("", False), ("ulimit -v 9000000;", True), ("ulimit -t 99;", True)])
def test_limits_of_the_shell_are_noticed(option: str, limited: bool) -> None:
    code = "from aeadlab.host.limits import is_limited; print(is_limited())"
    command = ["bash", "-c", f'{option} exec "$@"', "-", sys.executable, "-c", code]
    root = Path(limits.__file__).parents[2]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout == f"{limited}\n"
