"""The overhead of ParSplit on one thread and for a short message, and the overhead of a call from Python."""

from __future__ import annotations

from functools import partial

import numpy as np
from benchmark import Absent, Benchmark, Effort, measured, native_case, relative_speed, within_one_process

from aeadlab import ParSplit, _native, load
from aeadlab.bench.case import Case
from aeadlab.lab.measurement.select import find_implementations

SIZE = 1 << 30
# Lower bound of the speed relative to the whole message, by block size.
BLOCKS = {64 << 10: 0.93, 256 << 10: 0.97}
AEADS = (
    *("openssl/aes-256-gcm", "aws-lc/aes-256-gcm", "boringssl/aes-256-gcm"),
    *("cryptopp/aes-256-gcm", "rustcrypto/aes-256-gcm", "libaegis/aegis-128x2"),
)


def benchmarks(effort: Effort) -> list[Benchmark | Absent]:
    """Return the benchmarks of this file."""
    return [*_splitting(effort), _short_message(effort), _python_call(effort)]


def _splitting(effort: Effort) -> list[Benchmark | Absent]:
    size = effort.bytes(SIZE)
    whole = {name: Case(name, "seal", size) for name in AEADS}
    available, absent = find_implementations(whole.values(), load())
    split = {
        (name, block): Case(name, "seal", size, "parsplit", block_size=block, threads=1, schedule="dynamic")
        for name in available
        for block in BLOCKS
    }
    record = measured("splitting", [*(whole[name] for name in available), *split.values()], effort.rounds(15))
    found: list[Benchmark | Absent] = [
        relative_speed(
            f"{name}: ParSplit, 1 thread, {block >> 10} KiB blocks, against whole message", record, case, whole[name],
            BLOCKS[block], f"{size >> 20} MiB, keyed, separate output",
        )
        for (name, block), case in split.items()
    ]  # fmt: skip
    what = "ParSplit, 1 thread, against whole message"
    return [*found, *(Absent(f"{name}: {what}", reason) for name, reason in absent.items())]


def _short_message(effort: Effort) -> Benchmark:
    """Return the overhead of ParSplit with one block, both keyed, in alternating batches."""
    size, batch, rounds = 64 << 10, 100, effort.rounds(400)
    arena = _native.Arena(size, 64, 1)
    whole, split = (
        native_case("openssl/aes-256-gcm", "seal", size, engine=engine, block_size=block, threads=threads)
        for engine, block, threads in (("whole", 0, 1), ("parsplit", size, 2))
    )
    pairs = [(whole.sample(arena, batch)[0], split.sample(arena, batch)[0]) for _ in range(rounds)]
    differences = np.array([(b - a) / batch / 1000 for a, b in pairs[rounds // 10 :]])
    found = within_one_process(differences)
    note = "OpenSSL's AES-256-GCM, one block, a splitter of two threads; keyed, the difference of alternating batches"
    return Benchmark.of("overhead of ParSplit for a message of 64 KiB", found, 1.0, "<=", "us", note)


def _python_call(effort: Effort) -> Benchmark:
    """Return the difference of one-shot messages of 1 KiB from Python and from Rust, in alternating batches."""
    size, batch, rounds = 1024, 200, effort.rounds(400)
    name = "openssl/aes-256-gcm"
    arena = _native.Arena(size, 64, 1)
    native = native_case(name, "seal", size, model="oneshot", block_size=65536)
    call = partial(ParSplit(name, 65536, 1).encrypt, bytes(32), bytes(7), bytes(size), b"", bytearray(size + 16))
    differences = []
    for _ in range(rounds):
        in_rust = native.sample(arena, batch)[0]
        in_python = _native.sample_call(call, batch)[0][0]
        differences.append((in_python - in_rust) / batch / 1000)
    found = within_one_process(np.array(differences[rounds // 10 :]))
    note = "one-shot message of 1 KiB with out=, the difference of alternating batches"
    return Benchmark.of("overhead of a call from Python", found, 1.0, "<=", "us", note)
