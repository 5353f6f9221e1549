"""What ParSplit costs in one thread, what the second thread brings, and what a call from Python adds."""

from __future__ import annotations

from functools import partial

import numpy as np
from bar import Bar, measured, relative_speed

from aeadlab import ParSplit, _native, load
from aeadlab.bench.case import Case
from aeadlab.stats import median_interval

GIB = 1 << 30
BLOCK = 256 << 10
LIBRARIES = ("openssl", "cryptopp", "rustcrypto")
MEMCPY = "baseline/memcpy"


def split(implementation: str, threads: int) -> Case:
    """One GiB in blocks of 256 KiB."""
    op = "encrypt" if implementation == MEMCPY else "seal"
    return Case(implementation, op, GIB, "parsplit", block_size=BLOCK, threads=threads, schedule="dynamic")


def bars() -> list[Bar]:
    """The bars of this file."""
    return [*_splitting(), _python_call()]


def _splitting() -> list[Bar]:
    names = {library: f"{library}/aes-256-gcm" for library in LIBRARIES}
    whole = {library: Case(name, "seal", GIB) for library, name in names.items()}
    one = {library: split(name, 1) for library, name in names.items()}
    two = {library: split(name, 2) for library, name in names.items()}
    memcpy = {threads: split(MEMCPY, threads) for threads in (1, 2)}
    cases = [*whole.values(), *one.values(), *two.values(), *memcpy.values(), Case(MEMCPY, "encrypt", GIB)]
    record = measured("parsplit", cases, rounds=25)
    found = [
        relative_speed(
            f"{library}: ParSplit, 1 thread, against whole message", record, one[library], whole[library], 0.95,
            "1 GiB, keyed, separate output, 256 KiB blocks",
        )
        for library in LIBRARIES
    ]  # fmt: skip
    found += [
        relative_speed(
            f"{library}: 2 threads against 1", record, two[library], one[library], 1.85,
            "ParSplit, 1 GiB, 256 KiB blocks, dynamic schedule",
        )
        for library in ("rustcrypto", "cryptopp")
    ]  # fmt: skip
    found.append(
        relative_speed(
            "openssl: 2 threads against 2-thread memcpy", record, two["openssl"], memcpy[2], 0.8,
            "memcpy under the same engine: same blocks, threads and placement",
        )
    )  # fmt: skip
    return found


def _python_call() -> Bar:
    """The same one-shot message of 1 KiB from Rust and from Python, in alternating batches."""
    size, batch, rounds = 1024, 200, 400
    name = "openssl/aes-256-gcm"
    arena = _native.Arena(size, 64, 1)
    native = _native.Case(
        load().find(name).native,  # type: ignore[attr-defined]
        engine="parsplit",
        model="oneshot",
        op="seal",
        bytes=size,
        block_size=65536,
        threads=1,
        schedule="dynamic",
        placement="separate",
        serial_below=None,
    )
    call = partial(ParSplit(name, 65536, 1).encrypt, bytes(32), bytes(7), bytes(size), b"", bytearray(size + 16))
    differences = []
    for _ in range(rounds):
        in_rust = native.sample(arena, batch)[0]
        in_python = _native.sample_call(call, batch)[0][0]
        differences.append((in_python - in_rust) / batch / 1000)
    found = median_interval(np.array(differences[rounds // 10 :]))
    note = "one-shot message of 1 KiB with out=, the difference of alternating batches"
    return Bar("a call from Python costs", found.estimate, found.low, found.high, 1.0, "<=", "us", note)
