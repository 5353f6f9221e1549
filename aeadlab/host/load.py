"""Load of this computer by other programs."""

from __future__ import annotations

import os
import time

from aeadlab.host.system_files import SystemFiles


def busy_cores(seconds: float = 0.2, files: SystemFiles | None = None) -> float:
    """Return the number of cores of this process that other programs use while it sleeps; 0 if unknown.

    Parameters
    ----------
    seconds
        Duration of the sleep in seconds.
    """
    files = files or SystemFiles()
    before = _ticks(files)
    time.sleep(seconds)
    after = _ticks(files)
    busy = 0.0
    for core in before.keys() & after.keys():
        idle, total = (b - a for a, b in zip(before[core], after[core], strict=True))
        busy += 1 - idle / total if total > 0 else 0.0
    return busy


def _ticks(files: SystemFiles) -> dict[str, tuple[int, int]]:
    """Return the idle ticks and all ticks since boot of each core that this process may use."""
    own = {f"cpu{core}" for core in os.sched_getaffinity(0)} if hasattr(os, "sched_getaffinity") else set()
    cores = {}
    for line in files.lines("/proc/stat"):
        # proc_stat(5): user nice system idle iowait irq softirq steal; user and nice include guest time already.
        name, *fields = line.split()
        if name in own and len(fields) >= 8:
            ticks = [int(field) for field in fields[:8]]
            cores[name] = (ticks[3] + ticks[4], sum(ticks))
    return cores
