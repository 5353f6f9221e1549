"""What memory costs ParSplit, and what was tried against it: in place, huge pages, prefetching, streaming stores.

``python native/benches/memory.py`` prints the time of each over that of the plain engine, paired by round, in one
interleaved run; docs/MEMORY.md has the numbers and what follows from them. The blocks' memory is treated by a plugin
around another one's AES-256-GCM (memory.c), so that the engine is the one that users have.
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
from bar import Bar

from aeadlab import ParSplit, _native, load
from aeadlab.catalogue import Catalogue
from aeadlab.catalogue.plugins import BUILT
from aeadlab.stats import median_interval
from aeadlab.stats.interval import Interval

HERE = Path(__file__).resolve().parent
GIB = 1 << 30
BLOCKS = (64 << 10, 256 << 10)
THREADS = (1, 2)
TRIALS = ("prefetch", "prefetch-both", "scratch", "stream")
FRESH = (4 << 20, 16 << 20, 64 << 20, GIB)
_PR_SET_THP_DISABLE = 41


def wrapper() -> Path:
    """The plugin of memory.c, compiled for this processor."""
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
    """No huge page is given to this process meanwhile, whatever it asks for."""
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    if prctl(_PR_SET_THP_DISABLE, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "huge pages cannot be switched off")
    try:
        yield
    finally:
        prctl(_PR_SET_THP_DISABLE, 0, 0, 0, 0)


def interleaved(calls: Mapping[str, Callable[[], float]], rounds: int) -> dict[str, np.ndarray]:
    """Times of all calls, one of each per round, in random order; the first round warms up and is left out."""
    order, shuffled = list(calls), random.Random(1)
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds + 1):
        shuffled.shuffle(order)
        for name in order:
            times[name].append(calls[name]())
    return {name: np.array(found[1:]) for name, found in times.items()}


def over(times: Mapping[str, np.ndarray], what: str, reference: str) -> Interval:
    """Median of the time of `what` over that of `reference` in the same round."""
    found = median_interval(np.log(times[what] / times[reference]))
    return Interval(*(float(np.exp(end)) for end in found))


def engine(
    rounds: int, block: int, threads: int, catalogue: Catalogue
) -> tuple[dict[str, np.ndarray], dict[str, list[float]]]:
    """Sealing 1 GiB with every treatment: times, and how many cores each had (CPU time over wall time)."""
    tags = 16 * (GIB // block)
    with small_pages():
        small = _native.Arena(GIB, tags, 1)
    huge = _native.Arena(GIB, tags, 1)

    cores: dict[str, list[float]] = defaultdict(list)

    def sampler(name: str, library: str, algorithm: str, arena: _native.Arena, placement: str) -> Callable[[], float]:
        case = _native.Case(
            catalogue.find(f"{library}/{algorithm}").native,  # type: ignore[attr-defined]
            engine="parsplit",
            model="keyed",
            op="encrypt" if library == "baseline" else "seal",
            bytes=GIB,
            block_size=block,
            threads=threads,
            schedule="dynamic",
            placement=placement,
            serial_below=None,
            cold=False,
        )

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
    """A call from Python with output that the lab allocates, and with output that is used again."""
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
    """Seconds to touch a fresh gibibyte on small and on huge pages, in turn."""
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
    """The catalogue with the wrapper, whose variants all compute what the wrapped one does."""
    catalogue = load([wrapper()])
    key, nonce, text = bytes(range(32)), bytes(range(12)), random.Random(1).randbytes(100_003)
    expected = catalogue.find("openssl/aes-256-gcm").seal(key, nonce, text, b"ad")
    for name in ("plain", *TRIALS):
        if catalogue.find(f"memory/gcm-{name}").seal(key, nonce, text, b"ad") != expected:
            raise SystemExit(f"memory/gcm-{name} does not compute AES-256-GCM")
    return catalogue


def bars() -> list[Bar]:
    """The advice on fresh outputs costs nothing where it is given, and gains much for large ones."""
    prepared()
    found = []
    for length, bound in ((4 << 20, 1.05), (64 << 20, 0.8)):
        ratio = over(fresh(40, length, 2), "advised", "small pages")
        note = f"ParSplit.encrypt without out=, {length >> 20} MiB, 2 threads, 256 KiB blocks: time with over without"
        what = f"huge pages, fresh output, {length >> 20} MiB"
        found.append(Bar(what, ratio.estimate, ratio.low, ratio.high, bound, "<=", "", note))
    return found


def main(rounds: int = 25) -> None:
    """Print all ratios."""
    catalogue = prepared()
    print(f"sealing 1 GiB, keyed, {rounds} rounds: time over that of `plain` [95 % interval]; GiB/s; cores")
    for block in BLOCKS:
        for threads in THREADS:
            times, cores = engine(rounds, block, threads, catalogue)
            for name, found in times.items():
                ratio = over(times, name, "plain")
                speed = 1e9 / float(np.median(found))
                print(
                    f"{block >> 10:5} KiB {threads} thr  {name:16} {ratio.estimate:6.3f} "
                    f"[{ratio.low:.3f}, {ratio.high:.3f}] {speed:6.2f}  {np.median(cores[name]):.2f}",
                    flush=True,
                )
    print("ParSplit.encrypt from Python, 256 KiB blocks: time over that of fresh output on small pages; GiB/s")
    for length in FRESH:
        for threads in THREADS:
            times = fresh(rounds, length, threads)
            for name, found in times.items():
                ratio = over(times, name, "small pages")
                speed = length / GIB / float(np.median(found))
                print(
                    f"{length >> 20:5} MiB {threads} thr  {name:16} {ratio.estimate:6.3f} "
                    f"[{ratio.low:.3f}, {ratio.high:.3f}] {speed:6.2f}",
                    flush=True,
                )
    for pages, spent in first_touch().items():
        print(f"first touch of 1 GiB on {pages} pages, s: {' '.join(f'{seconds:.3f}' for seconds in spent)}")


if __name__ == "__main__":
    main()
