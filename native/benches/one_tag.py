"""ParSplit with one tag: a cipher with BLAKE3 against its parts, and the other forms against concatenated tags.

``python native/benches/run.py one_tag`` runs these benchmarks alone. They need two idle cores.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from benchmark import Benchmark, Effort, native_case, ratio_of_times
from one_message import KIB, MIB, PATIENCE, Calls
from reused import interleaved

from aeadlab import ParSplit, _native

CIPHERS = ("openssl/aes-256-ctr", "openssl/chacha20")
HASH, AEAD = "blake3/blake3-keyed", "openssl/aes-256-gcm"
BLOCK = 64 * KIB
# Message lengths with their rounds and how often a sample repeats the message.
LENGTHS = {MIB: (60, 32), 64 * MIB: (30, 1)}
BOUND = 0.95
"""Lower bound of the speed relative to that of the parts one after the other."""


def benchmarks(effort: Effort) -> list[Benchmark]:
    """Return the benchmarks of this file."""
    found: list[Benchmark] = []
    for length, (rounds, repeats) in LENGTHS.items():
        found += [_of_parts(effort, cipher, length, rounds, repeats) for cipher in CIPHERS]
        found += _of_forms(effort, length, rounds, repeats)
    return found


def _of_parts(effort: Effort, cipher: str, full: int, rounds: int, repeats: int) -> Benchmark:
    """Return the speed with one thread relative to encrypting the message and then hashing it."""
    length = effort.bytes(full)
    data, out = np.ones(length, np.uint8).data, np.ones(length + 32, np.uint8).data
    keyed = ParSplit(cipher, BLOCK, 1, tags="blake3").with_key(bytes(range(32)))
    arena = _native.Arena(length, 64, 1)
    whole = {"engine": "whole", "schedule": ""}
    calls: Calls = {
        "one tag": partial(keyed.encrypt_into, bytes(32), data, None, out),
        "cipher": partial(native_case(cipher, "encrypt", length, **whole).sample, arena, 1),
        "hash": partial(native_case(HASH, "digest", length, **whole).sample, arena, 1),
    }
    times, idle = interleaved(calls, effort.rounds(repeats), effort.rounds(rounds), effort.seconds(PATIENCE))
    ratio = ratio_of_times(times["cipher"] + times["hash"], times["one tag"])
    title = f'tags="blake3" of {cipher}, 1 thread, {full // MIB} MiB, over 1 / (1 / cipher + 1 / hash)'
    return Benchmark.of(title, ratio, BOUND if idle else None, ">=", "", _speeds(times, length, idle))


def _of_forms(effort: Effort, full: int, rounds: int, repeats: int) -> list[Benchmark]:
    """Return the speed of sealing and opening with each form of an AEAD's tags relative to concatenated tags."""
    length, key = effort.bytes(full), bytes(range(32))
    data = np.ones(length, np.uint8).data
    out = np.ones(length + 16 * -(-length // BLOCK), np.uint8).data
    seals: Calls = {}
    opens: Calls = {}
    for form in ("concatenated", "digest", "merkle"):
        cipher = ParSplit(AEAD, BLOCK, 2, tags=form)
        keyed, sealed = cipher.with_key(key), np.ones(cipher.sealed_bytes(length), np.uint8).data
        keyed.encrypt_into(bytes(7), data, None, sealed)
        seals[form] = partial(keyed.encrypt_into, bytes(7), data, None, out)
        opens[form] = partial(keyed.decrypt_into, bytes(7), sealed, None, out)
    found = []
    for verb, calls in (("seal", seals), ("open", opens)):
        times, idle = interleaved(calls, effort.rounds(repeats), effort.rounds(rounds), effort.seconds(PATIENCE))
        for form in ("digest", "merkle"):
            title = f'{verb} with tags="{form}" over concatenated, 2 threads, {full // MIB} MiB'
            ratio = ratio_of_times(times["concatenated"], times[form])
            note = f"{AEAD}; {_speeds(times, length, idle)}"
            found.append(Benchmark.of(title, ratio, None, ">=", "", note))
    return found


def _speeds(times: dict[str, np.ndarray], length: int, idle: bool) -> str:
    speeds = ", ".join(f"{name} {length / np.median(taken) / (1 << 30):.1f}" for name, taken in times.items())
    note = f"{BLOCK // KIB} KiB blocks, keyed, reused memory; GiB/s: {speeds}"
    return note + ("" if idle else "; NOT JUDGED, because other programs used the cores")
