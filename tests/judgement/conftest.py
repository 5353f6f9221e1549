"""The documents' worlds, simulated: times as they print them or that agree with them, and ways to change them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

from aeadlab import published
from aeadlab.bench.masks import CONTROL
from aeadlab.judgement.documents import netbsd, rust, tor
from aeadlab.judgement.documents.eth import (
    BLAKE3,
    CRYPTOPP,
    GHASH,
    OPENSSL,
    OPENSSL_WITH_BLAKE3,
    PRESENTED,
    RUST_GHASH,
    RUSTCRYPTO,
    WITH_BLAKE3,
    XOR,
)
from aeadlab.judgement.evidence import Evidence
from aeadlab.studies.thread_modes import DELAY, message

MEMCPY, RAYON = "baseline/memcpy", "blake3-rayon/blake3"
MODES = {3: 1.5, 5: 1.243, 6: 1.5, 7: 1.75, 9: 1.125, 10: 1.25}
GIB = 1 << 30
THREADS = (1, 2, 4, 6, 7, 8, 10, 12, 13, 16, 20, 24, 25, 28, 32, 37, 40, 48, 56, 64)


class Timed(NamedTuple):
    """What tells the cases of a simulated study apart."""

    name: str
    engine: str = "whole"
    op: str = "seal"
    block_size: int = 0
    threads: int = 1
    schedule: str = ""
    part: str = ""
    """Of a case that may have two modes: ``lower`` or ``upper``, two and one of three rounds."""
    bytes: int = GIB
    mask: str = ""


Times = dict[Timed, float]
Change = Callable[[Timed, float], float]

WHOLE = {OPENSSL: 0.31022, CRYPTOPP: 0.43794, WITH_BLAKE3: 0.61511, RUSTCRYPTO: 0.94595, XOR: 0.2}
OVERHEAD = {OPENSSL: 1.288, CRYPTOPP: 1.189, WITH_BLAKE3: 1.051, RUSTCRYPTO: 0.87, XOR: 1.005}
# Seconds that memory allows at best, and how nearly speed grows with threads until then.
SCALING = {
    OPENSSL: (0.0280, 0.8),
    CRYPTOPP: (0.02683, 0.8),
    WITH_BLAKE3: (0.0275, 0.85),
    RUSTCRYPTO: (0.0275, 0.95),
    XOR: (0.025, 1.0),
}


def op_of(name: str) -> str:
    return "encrypt" if name.startswith("baseline/") else "seal"


def baselines() -> Times:
    times: Times = {}
    for name, seconds in WHOLE.items():
        times[Timed(name, "whole", op_of(name))] = seconds
        times[Timed(name, "parsplit", op_of(name), 16 << 10)] = seconds * OVERHEAD[name]
        times[Timed(name, "parsplit", op_of(name), 256 << 10)] = seconds * 1.01
        if name != XOR:
            times[Timed(name, "whole", "open")] = seconds * 306 / 310.22
    return times | {Timed(n, op="digest"): s for n, s in ((GHASH, 0.144), (RUST_GHASH, 0.45), (BLAKE3, 0.25))}


def speedup() -> Times:
    times: Times = {}
    for name, (floor, power) in SCALING.items():
        times[Timed(name, "whole", op_of(name))] = WHOLE[name]
        for threads in THREADS:
            seconds = max(WHOLE[name] * OVERHEAD[name] / threads**power, floor)
            times[Timed(name, "parsplit", op_of(name), 65536, threads)] = seconds
            if name != XOR:
                times[Timed(name, "parsplit", "open", 65536, threads)] = seconds * 27.47 / 26.83
    for threads in THREADS:
        times[Timed(MEMCPY, "parsplit", "encrypt", 65536, threads)] = max(0.18 / threads, 0.025)
        times[Timed(RAYON, "whole", "digest", 0, threads)] = max(0.25 / threads, 0.01305)
    return times


def blocks() -> Times:
    times: Times = {}
    for name in (*PRESENTED, XOR, MEMCPY):
        for power in range(10, 31):
            away = max(13 - power, power - 15, 0)
            seconds = 0.03 * (1 + (0.1 + 0.2 * away) * (away > 0))
            times[Timed(name, "parsplit", op_of(name), 1 << power, 32)] = seconds
    return times


def everything() -> Times:
    times = {Timed(name): WHOLE[name] for name in PRESENTED}
    times |= {Timed(f"library{i}/aes-256-gcm"): 0.5 + 0.1 * i for i in range(3)}
    times |= {Timed(f"library{i}/aes-256-ccm"): 1.5 + 0.1 * i for i in range(4)}
    times |= {Timed("libaegis/aegis-256"): 1.2, Timed("libaegis/aegis-128l"): 0.1, Timed("baseline/delay"): 0.001}
    hashes = {GHASH: 0.144, BLAKE3: 0.25, "openssl/sha-256": 0.6, "hash/xxh3": 0.01, RAYON: 0.02}
    return times | {Timed(name, op="digest"): seconds for name, seconds in hashes.items()}


def compositions() -> Times:
    return {Timed(OPENSSL_WITH_BLAKE3): 0.45, Timed("openssl+openssl/aes-256-ctr+aes-256-gmac"): 0.33}


def thread_modes() -> Times:
    times: Times = {}
    for threads in (*range(1, 17), 24, 28, 32, 48, 64):
        for schedule in ("rayon", "std-threads", "openmp-static", "openmp-dynamic"):
            case = Timed(DELAY, "parsplit", "seal", message(threads)[1], threads, schedule)
            times[case._replace(part="lower")] = 0.026
            times[case._replace(part="upper")] = 0.026 * (MODES.get(threads, 1.0) if schedule == "rayon" else 1.0)
    return times


@cache
def message_sizes() -> Times:
    """As printed; OpenSSL's beyond what `openssl speed` tries as fast as at its longest."""
    rows = published.lookup("Rust", quantity="time")
    times = {
        Timed(name, bytes=int(length)): float(seconds)
        for name, length, seconds in zip(rows["implementation"], rows["bytes"], rows["seconds"], strict=True)
    }
    for name in (rust.SYSTEMS_GCM, rust.SYSTEMS_CHACHA):
        speeds = published.lookup("Rust", implementation=name.replace("-system", ""), quantity="throughput")
        for length, speed in zip(speeds["bytes"], speeds["gib_per_s"], strict=True):
            times[Timed(name, bytes=int(length))] = length / (speed * 2**30)
        times[Timed(name, bytes=10**5)] = 10**5 / (speed * 2**30)
    return times


@cache
def block_ciphers() -> Times:
    """As printed; without its instructions AES takes a tenth longer than Camellia, in all modes."""
    rows = published.lookup("Ciphers", quantity="CPU time")
    rows = rows[rows["place"].isin(["Table 1", "Table 2"])]
    columns = (rows[column] for column in ("implementation", "operation", "bytes", "seconds"))
    times = {
        Timed(name, op=op, bytes=int(length)): float(seconds)
        for name, op, length, seconds in zip(*columns, strict=True)
    }
    for bits, mode, op, length in product((128, 256), ("ecb", "cbc", "ctr"), ("encrypt", "decrypt"), (10**8, 10**9)):
        hidden = Timed(f"openssl/aes-{bits}-{mode}", op=op, bytes=length, mask="no-aes")
        times[hidden] = 1.1 * times[Timed(f"openssl/camellia-{bits}-ecb", op="encrypt", bytes=length)]
    first = Timed("openssl/aes-128-ecb", op="encrypt", bytes=10**8)
    return times | {first._replace(mask=CONTROL): times[first]}


def cells() -> Times:
    """As printed of the Core 2; what it lacks is as on the others, or agrees with them."""
    own = {"plain": (7.4, 7.0), "counter-optimization": (7.3, 6.7), "full-unroll": (6.8, 6.2)}
    seconds = {tor.own(way, level): both[level - 2] for way, both in own.items() for level in (2, 3)}
    seconds |= {tor.EVP: 5.3, tor.LOW_LEVEL: 4.6, tor.OLDER_EVP: 5.3 * 1.9, tor.OLDER_LOW_LEVEL: 4.6 * 13.3 / 12}
    times = {Timed(name, op="encrypt", bytes=509): 1e-6 * each for name, each in seconds.items()}
    # Longer cells and whole runs are there as well, and of no concern.
    times |= {Timed(name, op="encrypt", bytes=512): 1.0 for name in seconds}
    return times | {Timed(name, "cells", "encrypt", 509, bytes=509 * 10**6): 1.0 for name in seconds}


@cache
def generators() -> Times:
    """As printed, but for HC-128 at once, whose printed scaling factor is at the very edge of what its claim takes."""
    kernels = {
        "arc4-mtx": netbsd.LOCKED, "arc4-nomtx": netbsd.UNLOCKED, "arc4-percpu": netbsd.PER_THREAD,
        "hc128-percpu": netbsd.HC, "hc128-inline": netbsd.HC_INLINED,
    }  # fmt: skip
    times: Times = {}
    for kernel, name in kernels.items():
        cycles, one, four = (
            published.number("NetBSD", place="Results", quantity=quantity, variant=kernel)
            for quantity in ("cycles per byte", "time for 4 GB", "time for 16 GB")
        )
        request = 0 if name == netbsd.HC_INLINED else 4
        times[Timed(name, op="generate", block_size=request, bytes=4 * 10**6)] = 1e-3 * cycles
        for streams, seconds in ((1, one), (2, (one + four) / 2), (4, four)):
            case = Timed(name, op="generate", block_size=256, threads=streams, bytes=streams << 23)
            times[case] = 1e-3 * seconds * (0.993 if case.threads == 4 and name == netbsd.HC else 1)
            # The document's own runs are there as well.
            times[case._replace(bytes=streams * 4 * 10**9)] = 1.0
    return times


STUDIES: dict[str, Callable[[], Times]] = {
    study.__name__.replace("_", "-"): study
    for study in (
        baselines, speedup, blocks, everything, compositions, thread_modes,
        message_sizes, block_ciphers, cells, generators,
    )
}  # fmt: skip
ROUNDS = {"thread-modes": 200}
_FIELDS = ("implementation", *Timed._fields[1:], "replica")
FLAGS = {"baseline/delay": {"baseline"}, "hash/xxh3": {"not-cryptographic"}, RAYON: {"parallel"}}
KINDS = {
    "seal": "aead", "open": "aead", "digest": "hash", "encrypt": "cipher", "decrypt": "cipher", "generate": "generator",
}  # fmt: skip


def unchanged(_: Timed, seconds: float) -> float:
    return seconds


def samples_of(
    times: Mapping[Timed, float],
    change: Change = unchanged,
    rounds: int = 16,
    jitter: float = 0.002,
    pair: float | None = 1.0,
) -> pd.DataFrame:
    """Samples of a study, the same every time.

    ``jitter`` is the standard deviation of log times; ``pair`` how much slower the second arm of each A/A pair is, of
    which there is one for each engine with one thread and with several, as in a plan; None leaves the pairs out.
    """
    arms = [(case, 0, change(case, seconds)) for case, seconds in times.items()]
    if pair is not None:
        first: dict[tuple[str, bool], Timed] = {}
        for case in times:
            first.setdefault((case.engine, case.threads > 1), case)
        arms += [(case, 1, change(case, times[case]) * pair) for case in first.values()]
    rows = pd.DataFrame([[*case, replica, seconds] for case, replica, seconds in arms], columns=[*_FIELDS, "seconds"])
    rows[["library", "algorithm"]] = [name.split("/", 1) for name in rows["implementation"]]
    rows["kind"] = rows["op"].map(KINDS)
    rows["schedule"] = rows["schedule"].where(rows["schedule"].ne("") | rows["engine"].ne("parsplit"), "dynamic")
    samples = rows.loc[np.repeat(rows.index, rounds)].reset_index(drop=True)
    number = np.tile(np.arange(rounds), len(arms))
    samples["seconds"] *= np.exp(np.random.default_rng(7).normal(0, jitter, len(samples)))
    arm = np.repeat(np.arange(len(arms)), rounds)
    samples["order"] = number * len(arms) + arm
    # Which third is random, and another one for each case, as it is there.
    case = rows.groupby([name for name in _FIELDS if name != "part"], sort=False).ngroup().to_numpy()
    upper = np.random.default_rng(9).random((len(arms), rounds))[case[arm], number] < 1 / 3
    kept = samples["part"].eq("") | (samples["part"].eq("upper") == upper)
    return samples.drop(columns="part").assign(
        model="keyed", placement="separate", cache="warm", round=number, process=number % 3, warmup=False, status="ok",
    )[kept].reset_index(drop=True)  # fmt: skip


def evidence_of(study: str, change: Change = unchanged, **how: Any) -> Evidence:
    """A run of the study in the paper's world, with what was changed of it; of 64 cores where nothing else is said."""
    return _unchanged(study, **how) if change is unchanged else _made(study, change, **how)


def _made(
    study: str, change: Change, cores: int | None = 64, profile: str = "quick", size: int = GIB, **how: Any
) -> Evidence:
    how.setdefault("rounds", ROUNDS.get(study, 16))
    return Evidence(samples_of(STUDIES[study](), change, **how), study, profile, size, cores, FLAGS)


@cache
def _unchanged(study: str, **how: Any) -> Evidence:
    return _made(study, unchanged, **how)


@pytest.fixture
def paper() -> Callable[..., Evidence]:
    """``paper("speedup", change=..., cores=64, profile="quick", size=GIB, rounds=16, jitter=0.002, pair=1.0)``."""
    return evidence_of
