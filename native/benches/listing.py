"""How long `aeadlab list` takes, from the start of the process to its end."""

from __future__ import annotations

import subprocess
import sys
import time

import numpy as np
from bar import Bar

from aeadlab.stats import median_interval

RUNS = 15


def bars() -> list[Bar]:
    """The bar of this file."""
    command = [sys.executable, "-c", "from aeadlab.cli import main; raise SystemExit(main(['list']))"]
    took = []
    # The first fills the caches of the system and remembers what loading the plugins showed.
    for _ in range(RUNS + 1):
        start = time.perf_counter()
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        took.append(time.perf_counter() - start)
    found = median_interval(np.array(took[1:]))
    note = f"whole process, {RUNS} runs, warm caches; the longest took {max(took[1:]):.2f} s, the first {took[0]:.2f} s"
    return [Bar("aeadlab list takes", found.estimate, found.low, found.high, 0.5, "<=", "s", note)]
