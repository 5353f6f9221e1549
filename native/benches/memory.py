"""The cost of memory access in ParSplit, and four remedies: in place, huge pages, prefetching, streaming stores.

``python native/benches/memory.py`` prints the run time of each remedy relative to the plain engine, paired by round, in
one interleaved run; docs/MEMORY.md has the numbers and the conclusions. A plugin that wraps the AES-256-GCM of another
plugin (memory.c) applies the remedies, so that the engine itself is unchanged.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import random
import subprocess
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import numpy as np
from benchmark import Benchmark, Effort, native_case, ratio_of_times

from aeadlab import ParSplit, _native, load
from aeadlab.catalogue import Catalogue
from aeadlab.catalogue.plugins import BUILT

HERE = Path(__file__).resolve().parent
GIB = 1 << 30
BLOCKS = (64 << 10, 256 << 10)
THREADS = (1, 2)
TRIALS = ("prefetch", "prefetch-both", "scratch", "stream")
FRESH = (4 << 20, 16 << 20, 64 << 20, GIB)
_PR_SET_THP_DISABLE = 41


def wrapper() -> Path:
    """Compile the plugin of memory.c for this processor and return its path."""
    wrapped = next((file for name in ("boringssl", "openssl-system") if (file := BUILT / f"{name}.so").is_file()), None)
    if wrapped is None:
        raise SystemExit("neither the plugin boringssl nor openssl-system is built: `make plugins`")
    os.environ["AEADLAB_WRAPPED"] = str(wrapped)
    target = HERE.parents[1] / "build" / "memory.so"
    target.parent.mkdir(exist_ok=True)
    flags = ["-O3", "-march=native", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", f"-I{HERE.parent / 'include'}"]
    subprocess.run([os.environ.get("CC", "cc"), *flags, HERE / "memory.c", "-o", target, "-ldl"], check=True)
    return target


@contextmanager
def small_pages() -> Iterator[None]:
    """Disable huge pages for this process, also where they are advised."""
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    if prctl(_PR_SET_THP_DISABLE, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "huge pages cannot be switched off")
    try:
        yield
    finally:
        prctl(_PR_SET_THP_DISABLE, 0, 0, 0, 0)


def interleaved(calls: Mapping[str, Callable[[], float]], rounds: int) -> dict[str, np.ndarray]:
    """Return the times of all calls, one per round, in random order, without those of the first round."""
    order, shuffled = list(calls), random.Random(1)
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds + 1):
        shuffled.shuffle(order)
        for name in order:
            times[name].append(calls[name]())
    return {name: np.array(found[1:]) for name, found in times.items()}


def engine(
    rounds: int, block: int, threads: int, catalogue: Catalogue
) -> tuple[dict[str, np.ndarray], dict[str, list[float]]]:
    """Return times of sealing 1 GiB with every remedy, and the cores used (CPU time over wall time)."""
    tags = 16 * (GIB // block)
    with small_pages():
        small = _native.Arena(GIB, tags, 1)
    huge = _native.Arena(GIB, tags, 1)

    cores: dict[str, list[float]] = defaultdict(list)

    def sampler(name: str, library: str, algorithm: str, arena: _native.Arena, placement: str) -> Callable[[], float]:
        op = "encrypt" if library == "baseline" else "seal"
        fixed = {"block_size": block, "threads": threads, "placement": placement}
        case = native_case(f"{library}/{algorithm}", op, GIB, catalogue, **fixed)

        def sample() -> float:
            wall, cpu, *_ = case.sample(arena, 1)
            cores[name].append(cpu / wall)
            return wall

        return sample

    wrapped = Path(os.environ["AEADLAB_WRAPPED"]).stem
    ways = {
        "unwrapped": (wrapped, "aes-256-gcm", huge, "separate"),
        "plain": ("memory", "gcm-plain", huge, "separate"),
        "plain again": ("memory", "gcm-plain", huge, "separate"),
        **{name: ("memory", f"gcm-{name}", huge, "separate") for name in TRIALS},
        "in place": ("memory", "gcm-plain", huge, "in-place"),
        "small pages": ("memory", "gcm-plain", small, "separate"),
        "small, in place": ("memory", "gcm-plain", small, "in-place"),
        "memcpy": ("baseline", "memcpy", huge, "separate"),
        "memcpy, small": ("baseline", "memcpy", small, "separate"),
    }
    return interleaved({name: sampler(name, *way) for name, way in ways.items()}, rounds), cores


def fresh(rounds: int, length: int, threads: int) -> dict[str, np.ndarray]:
    """Return times of a call from Python with newly allocated output and with reused output."""
    cipher = ParSplit(f"{Path(os.environ['AEADLAB_WRAPPED']).stem}/aes-256-gcm", 256 << 10, threads)
    key, nonce, data = bytes(32), bytes(7), np.zeros(length, np.uint8)
    data += 1
    kept = np.zeros(cipher.sealed_bytes(length), np.uint8)
    kept += 1

    def timed(out: np.ndarray | None) -> float:
        start = time.perf_counter()
        sealed = cipher.encrypt(key, nonce, data, out=out)
        spent = time.perf_counter() - start
        del sealed
        return spent

    def without() -> float:
        with small_pages():
            return timed(None)

    return interleaved({"small pages": without, "advised": partial(timed, None), "out=": partial(timed, kept)}, rounds)


def first_touch(trials: int = 8) -> dict[str, list[float]]:
    """Return seconds to touch 1 GiB of new memory on small and on huge pages, alternating."""
    spent: dict[str, list[float]] = {"small": [], "huge": []}
    advice = {"small": mmap.MADV_NOHUGEPAGE, "huge": mmap.MADV_HUGEPAGE}
    for _ in range(trials):
        for name, given in advice.items():
            memory = mmap.mmap(-1, GIB, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
            memory.madvise(given)
            pages = np.frombuffer(memory, np.uint8)[:: mmap.PAGESIZE]
            start = time.perf_counter()
            pages[:] = 1
            spent[name].append(time.perf_counter() - start)
            del pages
            memory.close()
    return spent


def prepared() -> Catalogue:
    """Return the catalogue with the wrapper, after comparing each of its variants with OpenSSL."""
    catalogue = load([wrapper()])
    key, nonce, text = bytes(range(32)), bytes(range(12)), random.Random(1).randbytes(100_003)
    expected = catalogue.find("openssl/aes-256-gcm").seal(key, nonce, text, b"ad")
    for name in ("plain", *TRIALS):
        if catalogue.find(f"memory/gcm-{name}").seal(key, nonce, text, b"ad") != expected:
            raise SystemExit(f"memory/gcm-{name} does not compute AES-256-GCM")
    return catalogue


def benchmarks(effort: Effort) -> list[Benchmark]:
    """Return the effect of advising huge pages for fresh outputs: no cost for short ones, a gain for long ones."""
    prepared()
    found = []
    for full, bound in ((4 << 20, 1.05), (64 << 20, 0.8)):
        length = effort.bytes(full)
        times = fresh(effort.rounds(40), length, 2)
        ratio = ratio_of_times(times["advised"], times["small pages"])
        note = f"ParSplit.encrypt without out=, {length >> 20} MiB, 2 threads, 256 KiB blocks: time over small pages"
        found.append(Benchmark.of(f"huge pages, fresh output, {length >> 20} MiB", ratio, bound, "<=", "", note))
    return found


def _print_ratios(
    title: str, times: Mapping[str, np.ndarray], reference: str, gib: float, more: Mapping[str, str] | None = None
) -> None:
    """Print each time over that of `reference`, and the speed for a message of `gib` per unit of time."""
    for name, found in times.items():
        ratio = ratio_of_times(found, times[reference])
        interval = f"{ratio.estimate:6.3f} [{ratio.low:.3f}, {ratio.high:.3f}]"
        print(f"{title}  {name:16} {interval} {gib / np.median(found):6.2f}{(more or {}).get(name, '')}", flush=True)


def main(rounds: int = 25) -> None:
    """Print all ratios."""
    catalogue = prepared()
    print(f"sealing 1 GiB, keyed, {rounds} rounds: time over that of `plain` [95 % interval]; GiB/s; cores")
    for block in BLOCKS:
        for threads in THREADS:
            times, cores = engine(rounds, block, threads, catalogue)
            shares = {name: f"  {np.median(found):.2f}" for name, found in cores.items()}
            _print_ratios(f"{block >> 10:5} KiB {threads} thr", times, "plain", 1e9, shares)
    print("ParSplit.encrypt from Python, 256 KiB blocks: time over that of fresh output on small pages; GiB/s")
    for length in FRESH:
        for threads in THREADS:
            times = fresh(rounds, length, threads)
            _print_ratios(f"{length >> 20:5} MiB {threads} thr", times, "small pages", length / GIB)
    for pages, spent in first_touch().items():
        print(f"first touch of 1 GiB on {pages} pages, s: {' '.join(f'{seconds:.3f}' for seconds in spent)}")


if __name__ == "__main__":
    main()
