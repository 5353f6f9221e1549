from __future__ import annotations

import os
import platform
from pathlib import Path

import pytest

from aeadlab.host import topology as module
from aeadlab.host.system_files import SystemFiles
from aeadlab.host.topology import caches, topology


def write(root: Path, content: dict[str, str]) -> SystemFiles:
    for name, text in content.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")
    return SystemFiles(root)


def cpu(number: int, core: str, package: str) -> dict[str, str]:
    folder = f"sys/devices/system/cpu/cpu{number}/topology"
    return {f"{folder}/core_cpus_list": core, f"{folder}/package_cpus_list": package}


def cache(number: int, index: int, level: int, kind: str, size: str, shared: str) -> dict[str, str]:
    folder = f"sys/devices/system/cpu/cpu{number}/cache/index{index}"
    return {
        f"{folder}/level": str(level),
        f"{folder}/type": kind,
        f"{folder}/size": size,
        f"{folder}/shared_cpu_list": shared,
        f"{folder}/coherency_line_size": "64",
    }


def test_two_sockets_of_two_cores_with_two_threads_each(tmp_path: Path) -> None:
    content = {"sys/devices/system/cpu/online": "0-7", "sys/devices/system/cpu/smt/active": "1"}
    for number in range(8):
        content |= cpu(number, f"{number % 4},{number % 4 + 4}", "0-1,4-5" if number % 4 < 2 else "2-3,6-7")
    content |= {"sys/devices/system/node/node0/cpulist": "0-1,4-5", "sys/devices/system/node/node1/cpulist": "2-3,6-7"}
    found = topology(write(tmp_path, content))
    assert (found["cpu_count"], found["cpu_sockets"], found["cpu_cores"], found["cpu_threads_per_core"]) == (8, 2, 4, 2)
    assert found["cpu_smt_active"] is True
    assert found["numa_nodes"] == {"0": "0-1,4-5", "1": "2-3,6-7"}


def test_smt_follows_from_cores_without_a_kernel_switch(tmp_path: Path) -> None:
    content = {"sys/devices/system/cpu/online": "0-1"} | cpu(0, "0-1", "0-1") | cpu(1, "0-1", "0-1")
    assert topology(write(tmp_path, content))["cpu_smt_active"] is True


def test_reads_file_names_of_kernels_before_5_3(tmp_path: Path) -> None:
    folder = "sys/devices/system/cpu/cpu0/topology"
    names = {f"{folder}/thread_siblings_list": "0", f"{folder}/core_siblings_list": "0"}
    found = topology(write(tmp_path, {"sys/devices/system/cpu/online": "0"} | names))
    assert (found["cpu_cores"], found["cpu_sockets"]) == (1, 1)


def test_offline_cpus_are_excluded(tmp_path: Path) -> None:
    content = {"sys/devices/system/cpu/online": "0-1", "sys/devices/system/cpu/possible": "0-127"}
    for number in range(4):
        content |= cpu(number, str(number), "0-3")
    found = topology(write(tmp_path, content))
    assert (found["cpu_count"], found["cpu_cores"]) == (2, 2)


def test_counts_instances_of_private_and_shared_caches(tmp_path: Path) -> None:
    content: dict[str, str] = {}
    for number in range(2):
        content |= cache(number, 0, 1, "Data", "48K", str(number)) | cache(number, 3, 3, "Unified", "32768K", "0-1")
    small, large = caches(write(tmp_path, content))
    assert (small["level"], small["type"], small["size"], small["instances"]) == (1, "data", 48 * 1024, 2)
    assert (large["level"], large["size"], large["shared_by"], large["instances"]) == (3, 32 * 2**20, 2, 1)
    assert {small["source"], large["source"]} == {"sysfs"}


def test_a_cache_without_a_size_is_listed(tmp_path: Path) -> None:
    content = cache(0, 3, 3, "Unified", "0K", "0")
    assert [entry["size"] for entry in caches(write(tmp_path, content))] == [None]


def test_detects_hybrid_core_types(tmp_path: Path) -> None:
    content = {"sys/devices/system/cpu/online": "0-5", "sys/devices/cpu_core/cpus": "0-3"}
    content["sys/devices/cpu_atom/cpus"] = "4-5"
    assert topology(write(tmp_path, content))["cpu_core_types"] == {"cpu_core": "0-3", "cpu_atom": "4-5"}


@pytest.mark.parametrize(
    ("capacities", "types"),
    [
        ((1024, 1024), {}),
        ((446, 1024), {"capacity-1024": "1", "capacity-446": "0"}),
        ((), None),
    ],
)
def test_core_types_follow_capacity(tmp_path: Path, capacities: tuple[int, ...], types: dict[str, str] | None) -> None:
    content = {"sys/devices/system/cpu/online": "0-1"}
    content |= {f"sys/devices/system/cpu/cpu{n}/cpu_capacity": str(c) for n, c in enumerate(capacities)}
    assert topology(write(tmp_path, content))["cpu_core_types"] == types


def test_a_simulated_root_excludes_real_values(tmp_path: Path) -> None:
    found = topology(SystemFiles(tmp_path))
    assert all(value is None for value in found.values()), found


def test_sysconf_replaces_missing_sysfs_caches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "libc_ver", lambda: ("glibc", "2.36"))
    monkeypatch.setattr(os, "sysconf", lambda number: 402653184 if number == 194 else -1)
    monkeypatch.setattr(module, "caches", lambda files: [])
    (only,) = topology(SystemFiles())["caches"]
    assert (only["level"], only["size"], only["source"]) == (3, 402653184, "sysconf")
    assert only["shared_by"] is None and only["instances"] is None


def test_sysconf_numbers_are_for_glibc_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "libc_ver", lambda: ("", ""))
    monkeypatch.setattr(os, "sysconf", lambda number: 1 << 20)
    assert topology(SystemFiles())["cache_l3_sysconf"] is None
