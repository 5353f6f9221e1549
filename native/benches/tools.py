"""AES-256-GCM behind the C ABI against the speed test that comes with the same library, in alternating runs.

The ratio at 1 MiB has a bound. At 16 KiB and 64 bytes the difference per message is shown: it is what a tool leaves out
or does more than one message under a kept key needs. `openssl speed` went on with one message for ever until the end of
2024 and since then (pull request 25823 and its backports) sets key and nonce anew for each; a loop in C says which.

Both sides are compared by CPU time. A tool's run takes a second at least, in which something else may get the core: by
wall time the ratios of such pairs scattered by 7 % on a busy computer, by CPU time by 0.7 %.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from resource import RUSAGE_CHILDREN, getrusage
from typing import Literal

import numpy as np
from bar import Absent, Bar, Keyed
from loop import LOOPS, Loop, NotHereError

from aeadlab.bench.lock import machine_lock
from aeadlab.errors import UnknownNameError
from aeadlab.stats import median_interval

MIB = 1 << 20
ROUNDS = {MIB: 16, 16 << 10: 8, 64: 8}
"""Lengths in bytes, each with its rounds; an interval wants six."""


@dataclass(frozen=True)
class Tool:
    """A library's own speed test.

    Attributes
    ----------
    version, command
        Arguments that print the version, and that time messages of ``{bytes}`` bytes.
    seconds
        How long it times.
    wall
        Whether it goes by wall time. The share of it that was CPU time is then taken from the whole process.
    ns
        Nanoseconds per message from what it printed, given the length.
    differs
        Why its numbers and ours differ for short messages.
    """

    program: str
    implementation: str
    version: tuple[str, ...]
    command: tuple[str, ...]
    seconds: float
    wall: bool
    ns: Callable[[str, int], float]
    placement: Literal["separate", "in-place"]
    differs: str


def _openssl_ns(printed: str, bytes: int) -> float:
    """``+R:count:name:seconds``, which it prints on standard error."""
    found = re.search(r"^\+R:(\d+):[^:]*:([\d.]+)$", printed, re.MULTILINE)
    return float(found[2]) * 1e9 / int(found[1]) if found else float("nan")


def _botan_ns(printed: str, bytes: int) -> float:
    """``... encrypt buffer size N bytes: SPEED MiB/sec ...``."""
    found = re.search(rf"encrypt buffer size {bytes} bytes: ([\d.]+) MiB/sec", printed)
    return bytes / (float(found[1]) * MIB) * 1e9 if found else float("nan")


TOOLS = (
    # Without -elapsed it goes by user time, in ticks of 10 ms: one part in a hundred of a run, less of their median.
    # Its buffer is encrypted in place.
    Tool(
        "openssl",
        "openssl-system/aes-256-gcm",
        ("version",),
        ("speed", "-mr", "-seconds", "1", "-evp", "aes-256-gcm", "-bytes", "{bytes}"),
        1.0,
        False,
        _openssl_ns,
        "in-place",
        "its messages may have no nonce and no tag, or a key of their own",
    ),
    # Each round of its loop encrypts and decrypts one message in place, nonce and tag included.
    Tool(
        "botan",
        "botan/aes-256-gcm",
        ("version",),
        ("speed", "--msec=600", "--buf-size={bytes}", "AES-256/GCM"),
        0.6,
        True,
        _botan_ns,
        "in-place",
        "botan speed sets the nonce and makes the tag as ours does, and reads its clock around each message",
    ),
)


def bars() -> list[Bar | Absent]:
    """The bars of this file."""
    return [bar for tool in TOOLS for bar in _against(tool)]


def _against(tool: Tool) -> list[Bar | Absent]:
    name = f"{tool.implementation} against {tool.program} speed"
    path = shutil.which(tool.program)
    if path is None:
        return [Absent(name, f"there is no command {tool.program}")]
    try:
        ours = {bytes: Keyed(tool.implementation, bytes, tool.placement) for bytes in ROUNDS}
    except UnknownNameError as error:
        return [Absent(name, str(error))]
    version = ours[MIB].implementation.description.version
    printed = subprocess.run([path, *tool.version], capture_output=True, text=True, check=True).stdout
    theirs = re.search(r"\d+(\.\d+)+", printed)
    if theirs is None or theirs[0] != version.split()[0]:
        return [Absent(name, f"the command is of version {printed.strip()}, the plugin has {version}")]
    with machine_lock():
        return [_at(tool, path, name, bytes, ours[bytes]) for bytes in ROUNDS]


def _at(tool: Tool, path: str, name: str, bytes: int, ours: Keyed) -> Bar:
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

    # As long as the tool's run: a mean is compared with a mean.
    batch = ours.batch(tool.seconds)
    pairs = []
    for round in range(ROUNDS[bytes]):
        if round % 2:
            own = ours.cpu_ns(batch)
            pairs.append((own, once()))
        else:
            its = once()
            pairs.append((ours.cpu_ns(batch), its))
    own_ns, its_ns = np.array(pairs).T
    times = f"CPU time per message {np.median(own_ns):.1f} ns ours, {np.median(its_ns):.1f} ns its"
    if bytes == MIB:
        found = median_interval(np.log(its_ns / own_ns))
        value, low, high = (float(np.exp(x)) for x in (found.estimate, found.low, found.high))
        return Bar(f"{name}, 1 MiB", value, low, high, 0.97, ">=", "", f"speed as a multiple of its; {times}")
    found = median_interval(own_ns - its_ns)
    length = f"{bytes >> 10} KiB" if bytes >= 1024 else f"{bytes} bytes"
    note = f"{times}; {tool.differs}{_loops(ours, bytes, float(np.median(its_ns)))}"
    return Bar(f"{name}, {length}", found.estimate, found.low, found.high, None, "<=", "ns", note)


def _loops(ours: Keyed, bytes: int, its_ns: float) -> str:
    """What OpenSSL takes in a loop in C, with less and more in it, and which of these is next to the tool's."""
    if not ours.implementation.name.startswith("openssl-system/"):
        return ""
    try:
        loop = Loop(ours)
    except NotHereError as error:
        return f" ({error})"
    took = [min(loop.ns(what, bytes, 1 + (10 << 20) // (bytes + 1000)) for _ in range(9)) for what in range(len(LOOPS))]
    nearest = LOOPS[int(np.argmin(np.abs(np.log(np.array(took) / its_ns))))]
    said = ", ".join(f"{ns:.0f} ns for {what}" for what, ns in zip(LOOPS, took, strict=True))
    return f". In a loop in C the same library takes {said}: the tool's time is that of {nearest}"
