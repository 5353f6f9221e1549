"""The time that the C ABI and the lab add to a short message, against loops in C that call the same function.

The loop of 64 bytes is linked with OpenSSL. The loop of 16 bytes calls the fastest AEAD at that length inside the
extension, since a second copy of the library would compare two memory layouts. The extension does not export its
functions; their addresses come from its symbol table.

A keyed case uses one nonce, and so does a loop. A loop that increments its nonce cannot serve as the reference: AEGIS
reads the nonce 16 bytes at a time, so the processor waits until the 8 bytes of the counter have left its store buffer
(12 ns on a Zen 4), and the time that the lab adds would be hidden in that wait.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from benchmark import Absent, Benchmark, Effort, Keyed, alternating, within_one_process

from aeadlab import _native, load
from aeadlab.bench.lock import machine_lock
from aeadlab.catalogue.native import NativeImplementation
from aeadlab.errors import UnknownNameError
from aeadlab.stats.interval import Interval

HERE = Path(__file__).resolve().parent
IMPLEMENTATION = "openssl-system/aes-256-gcm"
BYTES, FASTEST_BYTES = 64, 16
ROUNDS, SECONDS = 600, 0.002
SEARCH_ROUNDS, SEARCH_SECONDS = 15, 2e-4
FLAGS = ("-O3", "-march=native", "-fPIC", "-shared", "-Wall", "-Wextra")
LOOPS = ("the message alone", "nonce, message, tag", "key, nonce, message, tag")
"""The content of the loop over OpenSSL, by its number."""
FUNCTIONS = {"libaegis": "{}_encrypt_detached", "libsodium": "crypto_aead_{}_encrypt_detached"}
"""Names of the AEGIS functions by library, in the order of the library numbers in aegis_loop.c."""


class UnavailableError(Exception):
    """The reason why a loop in C is not available."""


def benchmarks(effort: Effort) -> list[Benchmark | Absent]:
    """Return the benchmarks of this file."""
    benchmarks: list[Benchmark | Absent] = []
    measurements = {
        "64 bytes through the ABI, against a loop in C": _openssl,
        "16 bytes through the ABI, the fastest AEAD, against a loop in C": _fastest,
    }
    for name, measure in measurements.items():
        try:
            benchmarks.append(measure(name, effort))
        except (UnknownNameError, UnavailableError) as error:
            benchmarks.append(Absent(name, str(error)))
    return benchmarks


def _openssl(name: str, effort: Effort) -> Benchmark:
    ours = Keyed(IMPLEMENTATION, BYTES, "separate")
    loop = Loop(ours)
    found, alone = _added_ns(ours, partial(loop.ns, 1, BYTES), effort)
    note = f"keyed, nonce and tag; the loop takes {alone:.0f} ns per message; OpenSSL {loop.version}"
    return Benchmark.of(name, found, 20.0, "<=", "ns", note)


def _fastest(name: str, effort: Effort) -> Benchmark:
    ours = _find_fastest(effort)
    loop = AegisLoop(ours)
    found, alone = _added_ns(ours, partial(loop.ns, False), effort)
    batch = ours.batch(effort.seconds(SEARCH_SECONDS))
    with machine_lock():
        counting = min(loop.ns(True, batch) for _ in range(effort.rounds(SEARCH_ROUNDS)))
    note = (
        f"{ours.implementation.name}, keyed, nonce and tag; the loop takes {alone:.0f} ns per message, "
        f"and {counting:.0f} ns with an incremented nonce"
    )
    return Benchmark.of(name, found, 5.0, "<=", "ns", note)


def _added_ns(ours: Keyed, loop: Callable[[int], float], effort: Effort) -> tuple[Interval, float]:
    """Return the time that `ours` adds to a message of `loop`, and that of `loop` itself, in nanoseconds."""
    batch, rounds = ours.batch(effort.seconds(SECONDS)), effort.rounds(ROUNDS)
    with machine_lock():
        through, alone = alternating(partial(ours.ns, batch), partial(loop, batch), rounds)[:, rounds // 10 :]
    return within_one_process(through - alone), float(np.median(alone))


def _find_fastest(effort: Effort) -> Keyed:
    """Return the AEAD with the shortest time per message; the minimum of several batches excludes interference."""
    aeads = [
        Keyed(one.name, FASTEST_BYTES, "separate")
        for one in load()
        if isinstance(one, NativeImplementation)
        and one.description.kind == "aead"
        and "baseline" not in one.description.flags
        and FASTEST_BYTES % one.description.block_bytes == 0
    ]
    with machine_lock():
        batches = [one.batch(effort.seconds(SEARCH_SECONDS)) for one in aeads]
        pairs = list(zip(aeads, batches, strict=True))
        rounds = [[one.ns(batch) for one, batch in pairs] for _ in range(effort.rounds(SEARCH_ROUNDS))]
    shortest = [min(times) for times in zip(*rounds, strict=True)]
    return aeads[shortest.index(min(shortest))]


class Loop:
    """The loop in C over OpenSSL, if it can be linked with the same version as the plugin of `ours`."""

    def __init__(self, ours: Keyed) -> None:
        conda = os.environ.get("CONDA_PREFIX")
        options = ["-isystem", f"{conda}/include", f"-L{conda}/lib", f"-Wl,-rpath,{conda}/lib"] if conda else []
        library = _compiled("gcm_loop.c", *options, "-lcrypto")
        library.loop_version.restype = ctypes.c_char_p
        library.loop_key.argtypes = [ctypes.c_char_p]
        library.loop_seal.argtypes = [ctypes.c_int, ctypes.c_size_t, ctypes.c_uint64]
        self._seal = library.loop_seal
        self.version: str = library.loop_version().decode()
        version = ours.implementation.description.version
        if self.version != version.split()[0]:
            raise UnavailableError(f"the compiler finds OpenSSL {self.version}, the plugin has {version}")
        key = bytes(range(32))
        if not library.loop_key(key):
            raise UnavailableError(f"OpenSSL {self.version} rejects the key in the loop in C")
        for content in (1, 2):
            self.ns(content, BYTES, 3)
            _check_sealed(library, ours, key, BYTES)

    def ns(self, content: int, bytes: int, batch: int) -> float:
        """Return the time per message of `bytes` in nanoseconds; `content` is an index of `LOOPS`."""
        return _per_message(self._seal(content, bytes, batch), batch)


class AegisLoop:
    """The loop in C over the function that `ours` calls, if it is available."""

    def __init__(self, ours: Keyed) -> None:
        description = ours.implementation.description
        if description.library not in FUNCTIONS or not description.algorithm.startswith("aegis-"):
            raise UnavailableError(f"the fastest is {ours.implementation.name}, for which there is no loop in C")
        variant = description.algorithm.removesuffix("-tag256").replace("-", "")
        address = _address(FUNCTIONS[description.library].format(variant))
        library = _compiled("aegis_loop.c")
        library.loop_key.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
        c_size = ctypes.c_size_t
        library.loop_seal.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_int, c_size, c_size, ctypes.c_uint64]
        self._seal = partial(library.loop_seal, list(FUNCTIONS).index(description.library), address)
        self._tag_bytes = description.tag_bytes
        key = bytes(range(description.key_bytes))
        if not library.loop_key(key, len(key)):
            raise SystemExit(f"the loop in C rejects a key of {len(key)} bytes")
        for increments in (True, False):
            self.ns(increments, 3)
            _check_sealed(library, ours, key, FASTEST_BYTES)

    def ns(self, increments: bool, batch: int) -> float:
        """Return the time per message in nanoseconds; with `increments`, each message has another nonce."""
        return _per_message(self._seal(increments, FASTEST_BYTES, self._tag_bytes, batch), batch)


def _per_message(took: int, batch: int) -> float:
    if took < 0:
        raise SystemExit("the loop in C fails")
    return took / batch


def _check_sealed(library: ctypes.CDLL, ours: Keyed, key: bytes, length: int) -> None:
    """Raise unless loop and `ours` seal the third message alike; otherwise their times are not comparable."""
    description = ours.implementation.description
    expected = ours.implementation.seal(key, (3).to_bytes(description.nonce_bytes, "little"), bytes(length))
    if ctypes.string_at(library.loop_sealed(), length + description.tag_bytes) != expected:
        raise SystemExit(f"the loop in C and {ours.implementation.name} seal the same message differently")


def _compiled(source: str, *options: str) -> ctypes.CDLL:
    """Compile a loop in C with the flags of the plugins, so that both are optimised alike."""
    compiler = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        raise UnavailableError("there is no C compiler")
    target = HERE.parents[1] / "build" / "bench" / f"{Path(source).stem}.so"
    target.parent.mkdir(parents=True, exist_ok=True)
    command = [compiler, *FLAGS, str(HERE / source), "-o", str(target), *options]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    if made.returncode:
        raise UnavailableError(f"{source} does not compile: {(made.stderr.splitlines() or [''])[0]}")
    loop = ctypes.CDLL(str(target))
    loop.loop_seal.restype = ctypes.c_int64
    loop.loop_sealed.restype = ctypes.c_void_p
    return loop


def _address(function: str) -> int:
    """Return the address of a function of the extension, from its offset to an exported symbol."""
    if shutil.which("nm") is None:
        raise UnavailableError("there is no nm to read the symbol table")
    file, exported = str(Path(_native.__file__).resolve()), "PyInit__native"
    listed = subprocess.run(["nm", "--defined-only", file], capture_output=True, text=True, check=True).stdout
    # After a new build the file on disk is not the one that this process has mapped.
    if not any(line.endswith(file) for line in Path("/proc/self/maps").read_text().splitlines()):
        raise UnavailableError("the extension was rebuilt after it was loaded")
    table = {name: int(place, 16) for place, _, name in map(str.split, listed.splitlines())}
    if function not in table or exported not in table:
        raise UnavailableError(f"the extension's symbol table has no {function}; was the file stripped?")
    there = ctypes.cast(ctypes.CDLL(file)[exported], ctypes.c_void_p).value
    if there is None:
        raise UnavailableError(f"the extension has no {exported}")
    return there + table[function] - table[exported]
