"""What the C ABI adds to a message of 64 bytes, against a loop in C over the same library."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from bar import Absent, Bar, Keyed

from aeadlab.bench.lock import machine_lock
from aeadlab.errors import UnknownNameError
from aeadlab.stats import median_interval
from aeadlab.stats.interval import Interval

NAME = "64 bytes through the ABI, against a loop in C"
IMPLEMENTATION = "openssl-system/aes-256-gcm"
BYTES, ROUNDS, SECONDS = 64, 600, 0.002
SOURCE = Path(__file__).with_name("gcm_loop.c")


LOOPS = ("the message alone", "nonce, message, tag", "key, nonce, message, tag")
"""What the loop in C has in it, by its number."""


class NotHereError(Exception):
    """Why the loop in C cannot be had."""


def bars() -> list[Bar | Absent]:
    """The bar of this file."""
    try:
        ours = Keyed(IMPLEMENTATION, BYTES, "separate")
        loop = Loop(ours)
    except (UnknownNameError, NotHereError) as error:
        return [Absent(NAME, str(error))]
    found, alone = beside(ours, partial(loop.ns, 1, BYTES))
    note = f"keyed, nonce and tag; the loop takes {alone:.0f} ns per message; OpenSSL {loop.version}"
    return [Bar(NAME, found.estimate, found.low, found.high, 20.0, "<=", "ns", note)]


def beside(ours: Keyed, loop: Callable[[int], float]) -> tuple[Interval, float]:
    """Nanoseconds that `ours` adds to a message, and those of the loop, which gives them for a batch of so many."""
    batch = ours.batch(SECONDS)
    with machine_lock():
        pairs = [_pair(ours, loop, batch, round) for round in range(ROUNDS)][ROUNDS // 10 :]
    through, alone = np.array(pairs).T
    return median_interval(through - alone), float(np.median(alone))


def _pair(ours: Keyed, loop: Callable[[int], float], batch: int, round: int) -> tuple[float, float]:
    """Nanoseconds per message of both; whoever comes second finds the core as the first left it, so they take turns."""
    if round % 2:
        through = ours.ns(batch)
        return through, loop(batch)
    alone = loop(batch)
    return ours.ns(batch), alone


class Loop:
    """The loop in C, made on the spot with the plugins' flags and the library of the plugin that `ours` is from.

    Raises
    ------
    NotHereError
        If it cannot be compiled, or finds another OpenSSL than the plugin.
    """

    def __init__(self, ours: Keyed) -> None:
        self._library = _compiled()
        self.version: str = self._library.loop_version().decode()
        description = ours.implementation.description
        if self.version != description.version.split()[0]:
            raise NotHereError(f"the compiler finds OpenSSL {self.version}, the plugin has {description.version}")
        key = bytes(range(32))
        if not self._library.loop_key(key):
            raise NotHereError(f"OpenSSL {self.version} takes no key in the loop in C")
        # A loop that computes something else would be no measure.
        for what in (1, 2):
            self.ns(what, BYTES, 3)
            nonce = (3).to_bytes(8, "little") + bytes(4)
            sealed = ctypes.string_at(self._library.loop_sealed(), BYTES + 16)
            if sealed != ours.implementation.seal(key, nonce, bytes(BYTES)):
                raise SystemExit("the loop in C and the plugin seal the same message differently")

    def ns(self, what: int, bytes: int, batch: int) -> float:
        """Nanoseconds per message of `bytes`; `what` counts `LOOPS`."""
        took: int = self._library.loop_seal(what, bytes, batch)
        if took < 0:
            raise SystemExit(f"the loop in C fails at {bytes} bytes")
        return took / batch


def _compiled() -> ctypes.CDLL:
    # The library of the plugins.
    conda = os.environ.get("CONDA_PREFIX")
    there = ["-isystem", f"{conda}/include", f"-L{conda}/lib", f"-Wl,-rpath,{conda}/lib"] if conda else []
    loop = compiled(SOURCE, *there, "-lcrypto")
    loop.loop_version.restype = ctypes.c_char_p
    loop.loop_key.argtypes = [ctypes.c_char_p]
    loop.loop_seal.argtypes = [ctypes.c_int, ctypes.c_size_t, ctypes.c_uint64]
    loop.loop_seal.restype = ctypes.c_int64
    loop.loop_sealed.restype = ctypes.c_void_p
    return loop


def compiled(source: Path, *options: str) -> ctypes.CDLL:
    """A loop in C, with the flags of the plugins, so that the compilers' work is the same.

    Raises
    ------
    NotHereError
        If it cannot be compiled.
    """
    compiler = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        raise NotHereError("there is no C compiler")
    target = source.parents[2] / "build" / "bench" / f"{source.stem}.so"
    target.parent.mkdir(parents=True, exist_ok=True)
    command = [compiler, "-O3", "-march=native", "-fPIC", "-shared", "-Wall", "-Wextra", str(source), "-o", str(target)]
    made = subprocess.run([*command, *options], capture_output=True, text=True, check=False)
    if made.returncode:
        raise NotHereError(f"{source.name} does not compile: {(made.stderr.splitlines() or [''])[0]}")
    return ctypes.CDLL(str(target))
