from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from aeadlab.host.cgroups import limits
from aeadlab.host.system_files import SystemFiles

GIB = 2**30
V2 = "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw"


def v1(controller: str, mounted: str = "/") -> str:
    return f"32 31 0:29 {mounted} /sys/fs/cgroup/{controller} rw,relatime shared:9 - cgroup cgroup rw,{controller}"


def read(root: Path, mounts: list[str], groups: list[str], content: dict[str, str]) -> dict[str, Any]:
    content = content | {"proc/self/mountinfo": "\n".join(mounts), "proc/self/cgroup": "\n".join(groups)}
    for name, text in content.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")
    return limits(SystemFiles(root))


def test_no_control_groups_give_unknown_limits(tmp_path: Path) -> None:
    assert set(limits(SystemFiles(tmp_path)).values()) == {None}


@pytest.mark.parametrize(("maximum", "quota"), [("150000 100000", 1.5), ("max 100000", "none"), ("odd", "none")])
def test_version_2_quota_is_in_cpus(tmp_path: Path, maximum: str, quota: float | str) -> None:
    found = read(tmp_path, [V2], ["0::/"], {"sys/fs/cgroup/cpu.max": maximum})
    assert found["cgroup_cpu_quota"] == quota
    assert found["cgroup_version"] == "2"


def test_the_tightest_ancestor_limit_applies(tmp_path: Path) -> None:
    content = {
        "sys/fs/cgroup/pod/cpu.max": "100000 100000",
        "sys/fs/cgroup/pod/box/cpu.max": "400000 100000",
        "sys/fs/cgroup/pod/memory.max": str(4 * GIB),
        "sys/fs/cgroup/pod/memory.current": str(3 * GIB),
        "sys/fs/cgroup/pod/memory.stat": f"anon 1\ninactive_file {GIB // 2}",
        "sys/fs/cgroup/pod/box/memory.max": str(8 * GIB),
        "sys/fs/cgroup/pod/box/memory.current": str(GIB),
        "sys/fs/cgroup/pod/box/cpuset.cpus.effective": "0-1",
        "sys/fs/cgroup/pod/box/cpu.stat": "usage_usec 9\nnr_throttled 3\nthrottled_usec 250000",
    }
    found = read(tmp_path, [V2], ["0::/pod/box"], content)
    assert found["cgroup_cpu_quota"] == 1.0
    assert found["cgroup_memory_limit"] == 4 * GIB
    assert found["cgroup_memory_available"] == GIB + GIB // 2
    assert found["cgroup_cpus"] == "0-1"
    assert (found["cgroup_throttled_periods"], found["cgroup_throttled_usec"]) == (3, 250000)


def test_version_1_encodes_no_limit_as_a_number(tmp_path: Path) -> None:
    content = {
        "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1",
        "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000",
        "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712",
    }
    found = read(tmp_path, [v1("cpu"), v1("memory")], ["4:memory:/", "1:cpu:/"], content)
    assert (found["cgroup_cpu_quota"], found["cgroup_memory_limit"]) == ("none", "none")
    assert found["cgroup_memory_available"] == "none"
    assert found["cgroup_version"] == "1"


def test_version_1_units_are_microseconds_and_nanoseconds(tmp_path: Path) -> None:
    content = {
        "sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_quota_us": "50000",
        "sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_period_us": "100000",
        "sys/fs/cgroup/cpu,cpuacct/box/cpu.stat": "nr_periods 9\nnr_throttled 2\nthrottled_time 7000000",
        "sys/fs/cgroup/memory/box/memory.limit_in_bytes": str(2 * GIB),
        "sys/fs/cgroup/memory/box/memory.usage_in_bytes": str(GIB),
        "sys/fs/cgroup/memory/box/memory.stat": f"inactive_file 1\ntotal_inactive_file {GIB // 4}",
    }
    mounts = [v1("cpu,cpuacct"), v1("memory")]
    found = read(tmp_path, mounts, ["2:cpu,cpuacct:/box", "4:memory:/box"], content)
    assert found["cgroup_cpu_quota"] == 0.5
    assert found["cgroup_throttled_usec"] == 7000
    assert found["cgroup_memory_available"] == GIB + GIB // 4


def test_resolves_the_hosts_path_inside_a_container(tmp_path: Path) -> None:
    content = {
        "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "200000",
        "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000",
    }
    mounts, deeper = [v1("cpu", "/docker/0123")], "sys/fs/cgroup/cpu/job"
    assert read(tmp_path, mounts, ["1:cpu:/docker/0123"], content)["cgroup_cpu_quota"] == 2.0
    content |= {f"{deeper}/cpu.cfs_quota_us": "50000", f"{deeper}/cpu.cfs_period_us": "100000"}
    assert read(tmp_path, mounts, ["1:cpu:/docker/0123/job"], content)["cgroup_cpu_quota"] == 0.5


def test_hybrid_reads_each_controller_from_its_hierarchy(tmp_path: Path) -> None:
    content = {
        "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "200000",
        "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000",
        "sys/fs/cgroup/unified/cgroup.controllers": "memory",
        "sys/fs/cgroup/unified/memory.max": str(GIB),
    }
    unified = V2.replace("/sys/fs/cgroup ", "/sys/fs/cgroup/unified ")
    found = read(tmp_path, [v1("cpu"), unified], ["1:cpu:/", "0::/"], content)
    assert (found["cgroup_cpu_quota"], found["cgroup_memory_limit"]) == (2.0, GIB)
    assert found["cgroup_version"] == "1 and 2"
    assert found["cgroup_memory_available"] is None, "usage cannot be read, so what is left is unknown"


def test_limits_contain_no_group_names(tmp_path: Path) -> None:
    found = read(tmp_path, [V2], ["0::/user-of-secret-name"], {"sys/fs/cgroup/user-of-secret-name/cpu.max": "max 1"})
    assert "secret" not in repr(found)
