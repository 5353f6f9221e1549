"""Limits of resources: those that this process was given, and those of child processes that run unverified code."""

from __future__ import annotations

import os
from functools import cache

from aeadlab.host.cgroups import limits as cgroup_limits
from aeadlab.host.cores import process_cores
from aeadlab.host.system_files import SystemFiles, parse_size

LEAST_MEMORY = 1 << 30
"""Smallest limit of memory in bytes: NumPy and Numba need a third of it."""
FILE_BYTES = 64 << 20
"""Largest file that unverified code may write, which includes what it prints."""
_SPARE_SECONDS = 10


def for_unverified_code(seconds: float, memory: int = 0) -> dict[str, int]:
    """Return resource limits of a process that runs unverified code for at most `seconds`.

    The limit of memory is `memory_limit`, or `memory` bytes if that is more.

    The keys are names of module `resource`, the values bytes, and seconds of CPU time on all cores. Unlike address
    space, data does not include what is only reserved, and allocators reserve many times what they use.
    """
    cpu_seconds = int(seconds * process_cores()) + _SPARE_SECONDS
    return {"RLIMIT_DATA": max(memory_limit(), memory), "RLIMIT_CPU": cpu_seconds, "RLIMIT_FSIZE": FILE_BYTES}


def available_memory() -> int:
    """Return the bytes of memory that are free or can be freed now, in the control group too."""
    files = SystemFiles()
    free = parse_size(files.table("/proc/meminfo").get("MemAvailable"))
    group = cgroup_limits(files)["cgroup_memory_available"]
    amounts = [amount for amount in (free, group) if isinstance(amount, int)]
    return min(amounts, default=memory_limit())


@cache
def memory_limit() -> int:
    """Return the bytes of data that unverified code may use: half of the memory of the computer or control group.

    The number is that of the whole memory and not of the free memory, so that an outcome can be cached.
    """
    group = cgroup_limits(SystemFiles())["cgroup_memory_limit"]
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return max(min(memory, group) // 2 if isinstance(group, int) else memory // 2, LEAST_MEMORY)


def is_limited() -> bool:
    """Return whether this process has limits of memory or CPU time, as `ulimit` sets them, which can cause failures."""
    import resource

    numbers = (resource.RLIMIT_AS, resource.RLIMIT_DATA, resource.RLIMIT_CPU)
    return any(resource.getrlimit(number)[0] != resource.RLIM_INFINITY for number in numbers)
