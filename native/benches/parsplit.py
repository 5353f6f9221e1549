"""What ParSplit costs in one thread and for a short message, and what a call from Python adds."""

from __future__ import annotations

from functools import partial

import numpy as np
from bar import Absent, Bar, measured, relative_speed

from aeadlab import ParSplit, _native, load
from aeadlab.bench.case import Case
from aeadlab.errors import UnknownNameError
from aeadlab.stats import median_interval

SIZE = 1 << 30
# Least share of the speed of the whole message, by block size.
BLOCKS = {64 << 10: 0.93, 256 << 10: 0.97}
AEADS = (
    *("openssl/aes-256-gcm", "aws-lc/aes-256-gcm", "boringssl/aes-256-gcm"),
    *("cryptopp/aes-256-gcm", "rustcrypto/aes-256-gcm", "libaegis/aegis-128x2"),
)


def bars() -> list[Bar | Absent]:
    """The bars of this file."""
    return [*_splitting(), _short_message(), _python_call()]


def _present() -> tuple[list[str], list[Bar | Absent]]:
    catalogue = load()
    found, absent = [], list[Bar | Absent]()
    for name in AEADS:
        try:
            found.append(catalogue.find(name).name)
        except UnknownNameError as error:
            absent.append(Absent(f"{name}: ParSplit, 1 thread, against whole message", str(error)))
    return found, absent


def _splitting() -> list[Bar | Absent]:
    names, absent = _present()
    whole = {name: Case(name, "seal", SIZE) for name in names}
    split = {
        (name, block): Case(name, "seal", SIZE, "parsplit", block_size=block, threads=1, schedule="dynamic")
        for name in names
        for block in BLOCKS
    }
    record = measured("splitting", [*whole.values(), *split.values()], rounds=15)
    found: list[Bar | Absent] = [
        relative_speed(
            f"{name}: ParSplit, 1 thread, {block >> 10} KiB blocks, against whole message", record, case, whole[name],
            BLOCKS[block], "1 GiB, keyed, separate output",
        )
        for (name, block), case in split.items()
    ]  # fmt: skip
    return found + absent


def _short_message() -> Bar:
    """ParSplit of one block against the message as a whole, both keyed, in alternating batches."""
    size, batch, rounds = 64 << 10, 100, 400
    arena = _native.Arena(size, 64, 1)
    native = load().find("openssl/aes-256-gcm").native  # type: ignore[attr-defined]
    whole, split = (
        _native.Case(
            native,
            engine=engine,
            model="keyed",
            op="seal",
            bytes=size,
            block_size=block,
            threads=threads,
            schedule="dynamic",
            placement="separate",
            serial_below=None,
            cold=False,
        )
        for engine, block, threads in (("whole", 0, 1), ("parsplit", size, 2))
    )
    pairs = [(whole.sample(arena, batch)[0], split.sample(arena, batch)[0]) for _ in range(rounds)]
    differences = np.array([(b - a) / batch / 1000 for a, b in pairs[rounds // 10 :]])
    found = median_interval(differences)
    note = "OpenSSL's AES-256-GCM, one block, a splitter of two threads; keyed, the difference of alternating batches"
    return Bar("ParSplit costs a message of 64 KiB", found.estimate, found.low, found.high, 1.0, "<=", "us", note)


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
        cold=False,
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
