"""Sockets, cores, threads per core, NUMA nodes and caches of this computer, as reported by the kernel."""

from __future__ import annotations

import os
import platform
from typing import Any

from aeadlab.host.system_files import SystemFiles, format_cpu_list, parse_cpu_list, parse_size

CPU_FOLDER = "/sys/devices/system/cpu"

# glibc's _SC_LEVEL1_DCACHE_SIZE and so on (bits/confname.h, part of its ABI); Python has no names for them.
_GLIBC_CACHE_SIZES = ((1, "data", 188), (1, "instruction", 185), (2, "unified", 191), (3, "unified", 194))


def topology(files: SystemFiles) -> dict[str, Any]:
    """Return the topology of the online CPUs.

    Returns
    -------
    dict
        cpu_count : logical CPUs that are online
        cpu_online : the same as a kernel list, ``0-3``
        cpu_sockets, cpu_cores : physical packages and cores
        cpu_threads_per_core : of the core with the most threads
        cpu_smt : the kernel's ``smt/control``: on, off, forceoff, notsupported, notimplemented
        cpu_smt_active : whether any core runs more than one thread
        cpu_core_types : {type: CPU list} of differing cores (P and E cores, big.LITTLE), {} for equal cores
        numa_nodes : {node: CPU list}
        caches : see `caches`
        cache_l3_sysconf : bytes of the L3 cache from glibc's sysconf, which memcpy's thresholds depend on

        Values that the kernel does not report are None.
    """
    online = parse_cpu_list(files.text(f"{CPU_FOLDER}/online")) or _cpuinfo_cpus(files)
    cores = _distinct(files, online, "topology/core_cpus_list", "topology/thread_siblings_list")
    sockets = _distinct(files, online, "topology/package_cpus_list", "topology/core_siblings_list")
    threads = max((len(parse_cpu_list(core) or ()) for core in cores), default=0) or None
    active = files.integer(f"{CPU_FOLDER}/smt/active")
    nodes = {
        name.rpartition("/node")[2]: files.text(f"{name}/cpulist") or ""
        for name in files.names("/sys/devices/system/node", "node[0-9]*")
    }
    sysfs_caches = caches(files)
    return {
        "cpu_count": len(online) or None,
        "cpu_online": format_cpu_list(online) or None,
        "cpu_sockets": len(sockets) or None,
        "cpu_cores": len(cores) or None,
        "cpu_threads_per_core": threads,
        "cpu_smt": files.text(f"{CPU_FOLDER}/smt/control"),
        "cpu_smt_active": bool(active) if active is not None else (threads > 1 if threads else None),
        "cpu_core_types": _core_types(files, online),
        "numa_nodes": nodes or None,
        "caches": sysfs_caches or (_sysconf_caches() if files.live else None) or None,
        "cache_l3_sysconf": _sysconf(194) if files.live else None,
    }


def caches(files: SystemFiles) -> list[dict[str, Any]]:
    """Return the caches from sysfs, one entry per distinct kind.

    Returns
    -------
    list of dict
        level : 1, 2, 3, ...
        type : data, instruction or unified
        size : bytes of one instance; None if the kernel does not report it
        line : bytes of a cache line
        shared_by : number of logical CPUs that share one instance
        instances : number of such caches of the online CPUs
        source : ``sysfs``; in a virtual machine the values come from the hypervisor
    """
    kinds: dict[tuple[int, str, int | None, int | None, int], set[str]] = {}
    for name in files.names(CPU_FOLDER, "cpu[0-9]*/cache/index[0-9]*"):
        level, kind = files.integer(f"{name}/level"), files.text(f"{name}/type")
        shared = files.text(f"{name}/shared_cpu_list")
        cpus = parse_cpu_list(shared)
        if level is None or kind is None or shared is None or cpus is None:
            continue
        size, line = parse_size(files.text(f"{name}/size")), files.integer(f"{name}/coherency_line_size")
        kinds.setdefault((level, kind.lower(), size, line, len(cpus)), set()).add(shared)
    return [
        {
            "level": level,
            "type": kind,
            "size": size,
            "line": line,
            "shared_by": shared_by,
            "instances": len(instances),
            "source": "sysfs",
        }
        for (level, kind, size, line, shared_by), instances in sorted(
            kinds.items(), key=lambda item: (item[0][0], item[0][1], item[0][2] or 0, item[0][4])
        )
    ]


def _sysconf_caches() -> list[dict[str, Any]]:
    """Return cache sizes from glibc, without sharing and number, for kernels without caches in sysfs."""
    sizes = [(level, kind, _sysconf(number)) for level, kind, number in _GLIBC_CACHE_SIZES]
    return [
        dict(level=level, type=kind, size=size, line=None, shared_by=None, instances=None, source="sysconf")
        for level, kind, size in sizes
        if size is not None
    ]


def _sysconf(number: int) -> int | None:
    if platform.libc_ver()[0] != "glibc":
        return None
    try:
        value = os.sysconf(number)
    except (OSError, ValueError):
        return None
    return value if value > 0 else None


def _cpuinfo_cpus(files: SystemFiles) -> set[int]:
    numbers = [line.partition(":")[2].strip() for line in files.lines("/proc/cpuinfo") if line.startswith("processor")]
    return {int(number) for number in numbers if number.isdecimal()}


def _distinct(files: SystemFiles, online: set[int], *names: str) -> set[str]:
    """Return the distinct CPU lists of the online CPUs, from both names of a file that Linux 5.3 renamed."""
    lists: set[str] = set()
    for cpu in online:
        texts = (files.text(f"{CPU_FOLDER}/cpu{cpu}/{name}") for name in names)
        lists.update(text for text in texts if text is not None)
    return lists


def _core_types(files: SystemFiles, online: set[int]) -> dict[str, str] | None:
    hybrid = {
        kind: cpus
        for kind in ("cpu_core", "cpu_atom", "cpu_lowpower")
        if (cpus := files.text(f"/sys/devices/{kind}/cpus")) is not None
    }
    if len(hybrid) > 1:
        return hybrid
    capacities: dict[int, set[int]] = {}
    for cpu in online:
        capacity = files.integer(f"{CPU_FOLDER}/cpu{cpu}/cpu_capacity")
        if capacity is not None:
            capacities.setdefault(capacity, set()).add(cpu)
    if not capacities:
        return None
    if len(capacities) == 1:
        return {}
    return {f"capacity-{capacity}": format_cpu_list(capacities[capacity]) for capacity in sorted(capacities)[::-1]}
