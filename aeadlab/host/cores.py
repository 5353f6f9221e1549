"""Counts of logical CPUs: of this process, and of the computer that a record comes from."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any


def process_cores() -> int:
    """Return the number of logical CPUs that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def recorded_cores(machine: Mapping[str, Any]) -> int | None:
    """Return the number of logical CPUs that a recorded run could use; None where its facts do not include it.

    Parameters
    ----------
    machine
        Facts as returned by `aeadlab.host.machine.facts`. The CPU affinity takes precedence over the CPUs online.
    """
    cores = machine.get("cpu_affinity_count") or machine.get("cpu_count")
    return int(cores) if cores else None


def recorded_cores_within_quota(machine: Mapping[str, Any]) -> int | None:
    """Return `recorded_cores`, at most the CPU quota of the run's control group rounded down, and at least 1."""
    cores, quota = recorded_cores(machine), machine.get("cgroup_cpu_quota")
    if cores is not None and isinstance(quota, int | float):
        return max(1, min(cores, int(quota)))
    return cores
