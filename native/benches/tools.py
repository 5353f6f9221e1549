"""AES-256-GCM behind the C ABI against the speed test of the same library, in alternating runs.

The ratio at 1 MiB has a bound. At 16 KiB and 64 bytes the time difference per message is shown, because the tool does
other work for each message than a keyed case. Until the end of 2024 `openssl speed` encrypted one endless message;
later versions (pull request 25823 and its backports) set key and nonce for each message. Loops in C show which it is.

Both sides are compared by CPU time. A run of the tool takes at least a second, during which another process may use the
core: on a busy computer the ratios varied by 7 % in wall time and by 0.7 % in CPU time.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from resource import RUSAGE_CHILDREN, getrusage

import numpy as np
from benchmark import Absent, Benchmark, Effort, Keyed, alternating, ratio_of_times, within_one_process
from loop import LOOPS, Loop, UnavailableError

from aeadlab.bench.lock import machine_lock
from aeadlab.errors import UnknownNameError

MIB = 1 << 20
ROUNDS = {MIB: 16, 16 << 10: 8, 64: 8}
"""Message lengths in bytes with their round counts; an interval needs six."""


@dataclass(frozen=True)
class Tool:
    """The speed test of a library, which works in place."""

    program: str
    implementation: str
    command: tuple[str, ...]
    """Arguments that time messages of ``{bytes}`` bytes."""
    seconds: float
    """Duration of its measurement."""
    wall: bool
    """Whether it uses wall time. The CPU share is then taken from the whole process."""
    ns: Callable[[str, int], float]
    """Returns nanoseconds per message from its output and the length."""
    differs: str
    """The reason why the tool and the lab differ for short messages."""


def _openssl_ns(printed: str, _: int) -> float:
    """Return the time per message from ``+R:count:name:seconds``, which is printed on standard error."""
    found = re.search(r"^\+R:(\d+):[^:]*:([\d.]+)$", printed, re.MULTILINE)
    return float(found[2]) * 1e9 / int(found[1]) if found else float("nan")


def _botan_ns(printed: str, bytes: int) -> float:
    """Return the time per message from ``... encrypt buffer size N bytes: SPEED MiB/sec ...``."""
    found = re.search(rf"encrypt buffer size {bytes} bytes: ([\d.]+) MiB/sec", printed)
    return bytes / (float(found[1]) * MIB) * 1e9 if found else float("nan")


TOOLS = (
    # Without -elapsed the tool measures user time in ticks of 10 ms: at most 1 % of one run, and less of the median of
    # all runs. It encrypts its buffer in place.
    Tool(
        "openssl",
        "openssl-system/aes-256-gcm",
        ("speed", "-mr", "-seconds", "1", "-evp", "aes-256-gcm", "-bytes", "{bytes}"),
        1.0,
        False,
        _openssl_ns,
        "openssl speed may omit nonce and tag, or set the key for each message",
    ),
    # Each iteration of the tool encrypts and decrypts one message in place, nonce and tag included.
    Tool(
        "botan",
        "botan/aes-256-gcm",
        ("speed", "--msec=600", "--buf-size={bytes}", "AES-256/GCM"),
        0.6,
        True,
        _botan_ns,
        "botan speed sets the nonce and computes the tag as the lab does, and reads its clock around each message",
    ),
)


def benchmarks(effort: Effort) -> list[Benchmark | Absent]:
    """Return the benchmarks of this file."""
    return [benchmark for tool in TOOLS for benchmark in _against(tool, effort)]


def _against(tool: Tool, effort: Effort) -> list[Benchmark | Absent]:
    name = f"{tool.implementation} against {tool.program} speed"
    path = shutil.which(tool.program)
    if path is None:
        return [Absent(name, f"there is no command {tool.program}")]
    try:
        ours = {bytes: Keyed(tool.implementation, bytes, "in-place") for bytes in ROUNDS}
    except UnknownNameError as error:
        return [Absent(name, str(error))]
    version = ours[MIB].implementation.description.version
    printed = subprocess.run([path, "version"], capture_output=True, text=True, check=True).stdout
    theirs = re.search(r"\d+(\.\d+)+", printed)
    if theirs is None or theirs[0] != version.split()[0]:
        return [Absent(name, f"the command is of version {printed.strip()}, the plugin has {version}")]
    with machine_lock():
        return [_at(tool, path, name, bytes, ours[bytes], effort) for bytes in ROUNDS]


def _at(tool: Tool, path: str, name: str, bytes: int, ours: Keyed, effort: Effort) -> Benchmark:
    command = [path, *(word.format(bytes=bytes) for word in tool.command)]

    def once() -> float:
        before, start = getrusage(RUSAGE_CHILDREN), time.perf_counter()
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        wall, after = time.perf_counter() - start, getrusage(RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        printed = done.stdout + done.stderr
        if np.isnan(ns := tool.ns(printed, bytes)):
            raise SystemExit(f"{' '.join(command)} printed no time for {bytes} bytes: {printed!r}")
        return ns * min(cpu / wall, 1.0) if tool.wall else ns

    # A batch takes as long as the tool's run, so that both numbers are means over the same duration.
    batch = ours.batch(effort.seconds(tool.seconds))
    own_ns, its_ns = alternating(partial(ours.cpu_ns, batch), once, effort.rounds(ROUNDS[bytes]))
    times = f"CPU time per message {np.median(own_ns):.1f} ns in the lab, {np.median(its_ns):.1f} ns in the tool"
    if bytes == MIB:
        note = f"speed of the lab relative to the tool; {times}"
        return Benchmark.of(f"{name}, 1 MiB", ratio_of_times(its_ns, own_ns), 0.97, ">=", "", note)
    found = within_one_process(own_ns - its_ns)
    length = f"{bytes >> 10} KiB" if bytes >= 1024 else f"{bytes} bytes"
    note = f"{times}; {tool.differs}{_loops(ours, bytes, float(np.median(its_ns)))}"
    return Benchmark.of(f"{name}, {length}", found, None, "<=", "ns", note)


def _loops(ours: Keyed, bytes: int, its_ns: float) -> str:
    """Return the times per message of the loops in C over OpenSSL, and the loop nearest to the tool's time."""
    if not ours.implementation.name.startswith("openssl-system/"):
        return ""
    try:
        loop = Loop(ours)
    except UnavailableError as error:
        return f" ({error})"
    took = [
        min(loop.ns(index, bytes, 1 + (10 << 20) // (bytes + 1000)) for _ in range(9)) for index in range(len(LOOPS))
    ]
    nearest = LOOPS[int(np.argmin(np.abs(np.log(np.array(took) / its_ns))))]
    times = ", ".join(f"{ns:.0f} ns for {content}" for content, ns in zip(LOOPS, took, strict=True))
    return f". In a loop in C the same library takes {times}: the tool's time is nearest to that of {nearest}"
