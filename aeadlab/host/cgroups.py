"""Limits of the Linux control groups (versions 1 and 2) of this process: CPU time, CPUs and memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from aeadlab.host.system_files import SystemFiles, parse_cpu_list

# Version 1 spells "no limit" as the largest signed 64-bit number, rounded down to a page of up to 64 KiB.
_V1_UNLIMITED = 2**63 - 2**16


@dataclass(frozen=True)
class _Group:
    """The group of this process for one controller: its folder and those above it, innermost first."""

    version: int
    folders: tuple[str, ...]


def limits(files: SystemFiles) -> dict[str, Any]:
    """Return the limits of this process: the tightest of its group and all visible groups above it.

    Groups outside a container's namespace are not visible inside it; their limits appear only as throttling. The result
    contains no names of groups, which can identify containers and users.

    Returns
    -------
    dict
        cgroup_version : "1", "2", "1 and 2" (hybrid), or None without control groups
        cgroup_cpu_quota : CPUs' worth of time per period (1.5 = one and a half), or "none" for no limit
        cgroup_cpus : the CPUs of the cpuset, as a kernel list
        cgroup_throttled_periods, cgroup_throttled_usec : number and duration of throttled periods of this group
        cgroup_memory_limit : bytes, or "none"
        cgroup_memory_available : bytes left below the tightest limit, counting inactive page cache as free; or "none"

        Values that cannot be read are None.
    """
    cpu, cpuset, memory = (_group(files, controller) for controller in ("cpu", "cpuset", "memory"))
    mounts = {kind for _, _, kind, _ in _mounts(files)}
    versions = {"cgroup": "1", "cgroup2": "2"}
    throttled = _throttled(files, cpu)
    limit, available = _memory(files, memory)
    return {
        "cgroup_version": " and ".join(versions[kind] for kind in sorted(mounts)) or None,
        "cgroup_cpu_quota": _quota(files, cpu),
        "cgroup_cpus": _cpus(files, cpuset),
        "cgroup_throttled_periods": throttled[0],
        "cgroup_throttled_usec": throttled[1],
        "cgroup_memory_limit": limit,
        "cgroup_memory_available": available,
    }


def _mounts(files: SystemFiles) -> list[tuple[str, str, str, set[str]]]:
    """Return mount point, mounted group, type (cgroup or cgroup2) and options from proc_pid_mountinfo(5)."""
    mounts = []
    for line in files.lines("/proc/self/mountinfo"):
        before, _, after = line.partition(" - ")
        left, right = before.split(), after.split()
        if len(left) >= 5 and len(right) >= 3 and right[0] in ("cgroup", "cgroup2"):
            mounts.append((left[4], left[3], right[0], set(right[2].split(","))))
    return mounts


def _group(files: SystemFiles, controller: str) -> _Group | None:
    """Return the group of this process for `controller`, in version 1 if the controller is there, else in version 2."""
    paths = {}
    for line in files.lines("/proc/self/cgroup"):
        parts = line.split(":", 2)
        if len(parts) == 3:
            paths.update(dict.fromkeys(parts[1].split(","), parts[2]))
    for version, kind, key in ((1, "cgroup", controller), (2, "cgroup2", "")):
        for point, mounted, mount_kind, options in _mounts(files):
            if mount_kind == kind and (version == 2 or controller in options) and key in paths:
                return _Group(version, _upwards(files, point, mounted, paths[key]))
    return None


def _upwards(files: SystemFiles, point: str, mounted: str, path: str) -> tuple[str, ...]:
    # In a container without its own cgroup namespace the path is the host's, and the mount contains only its tail.
    inside = mounted.rstrip("/")
    parts = [part for part in path.removeprefix(inside).split("/") if part not in ("", "..")]
    folders = ["/".join([point.rstrip("/"), *parts[:depth]]) for depth in range(len(parts), -1, -1)]
    return tuple(folder for folder in folders if files.exists(folder))


def _quota(files: SystemFiles, group: _Group | None) -> float | str | None:
    if group is None or not group.folders:
        return None
    quotas = []
    for folder in group.folders:
        if group.version == 2:
            quota, _, period = (files.text(f"{folder}/cpu.max") or "max").partition(" ")
        else:
            quota = files.text(f"{folder}/cpu.cfs_quota_us") or "-1"
            period = files.text(f"{folder}/cpu.cfs_period_us") or ""
        if quota.isdecimal() and period.isdecimal() and int(period) > 0:
            quotas.append(int(quota) / int(period))
    return min(quotas, default="none")


def _cpus(files: SystemFiles, group: _Group | None) -> str | None:
    if group is None:
        return None
    names = ("cpuset.cpus.effective",) if group.version == 2 else ("cpuset.effective_cpus", "cpuset.cpus")
    texts = (files.text(f"{folder}/{name}") for folder in group.folders for name in names)
    return next((text for text in texts if parse_cpu_list(text)), None)


def _throttled(files: SystemFiles, group: _Group | None) -> tuple[int | None, int | None]:
    if group is None or not group.folders:
        return None, None
    counts = files.table(f"{group.folders[0]}/cpu.stat", separator=" ")
    unit = 1 if group.version == 2 else 1000
    periods, duration = counts.get("nr_throttled"), counts.get("throttled_usec" if unit == 1 else "throttled_time")
    return (
        int(periods) if periods is not None and periods.isdecimal() else None,
        int(duration) // unit if duration is not None and duration.isdecimal() else None,
    )


def _memory(files: SystemFiles, group: _Group | None) -> tuple[int | str | None, int | str | None]:
    if group is None or not group.folders:
        return None, None
    names = ("memory.max", "memory.current", "inactive_file")
    if group.version == 1:
        names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
    limits_seen, remaining = [], []
    for folder in group.folders:
        limit = files.integer(f"{folder}/{names[0]}")
        if limit is None or limit >= _V1_UNLIMITED:
            continue
        limits_seen.append(limit)
        used = files.integer(f"{folder}/{names[1]}")
        cached = files.table(f"{folder}/memory.stat", separator=" ").get(names[2], "0")
        if used is not None and cached.isdecimal():
            remaining.append(max(0, min(limit, limit - used + int(cached))))
    if not limits_seen:
        return "none", "none"
    return min(limits_seen), min(remaining, default=None)
