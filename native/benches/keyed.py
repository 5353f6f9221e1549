"""One call from Python of `ParSplit.with_key` and of pyca's `AESGCM`, both with AES-256-GCM and their key set up.

``python native/benches/run.py keyed`` runs these benchmarks alone.
"""

from __future__ import annotations

import timeit

from benchmark import Benchmark, Effort, alternating, ratio_of_times
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from aeadlab import ParSplit

LENGTHS = (64, 1024, 16384)
"""Message lengths in bytes."""
CALLS = {
    "pyca": "pyca.encrypt(nonce, data, None)",
    "pyca into": "pyca.encrypt_into(nonce, data, None, out)",
    "fresh": "box.encrypt(own, data, None)",
    "out": "box.encrypt(own, data, None, out)",
    "into": "box.encrypt_into(own, data, None, out)",
    "once": "cipher.encrypt(key, own, data, None)",
    "once out": "cipher.encrypt(key, own, data, None, out)",
}
# What is measured, its reference, the title, and the largest accepted ratio of the times by length.
RATIOS = (
    ("fresh", "pyca", "keyed call over pyca", {64: 1.2, 1024: 1.2}),
    ("into", "pyca into", "encrypt_into over pyca's", {64: 1.2, 1024: 1.2}),
    ("into", "fresh", "encrypt_into over a fresh result", {}),
    ("out", "fresh", "call with out over without out", dict.fromkeys(LENGTHS, 1.0)),
    ("once out", "once", "one-shot call with out over without out", dict.fromkeys(LENGTHS, 1.0)),
)
ROUNDS, REPEATS = 400, 300


def benchmarks(effort: Effort) -> list[Benchmark]:
    """Return the times of calls with reused and with new memory, over each other and over pyca's."""
    key, nonce = bytes(range(32)), bytes(12)
    cipher = ParSplit("openssl/aes-256-gcm")
    names = {"cipher": cipher, "key": key, "nonce": nonce, "own": nonce[: cipher.nonce_bytes], "pyca": AESGCM(key)}
    found = []
    with cipher.with_key(key) as box:
        for length in LENGTHS:
            names |= {"box": box, "data": bytes(length), "out": bytearray(cipher.sealed_bytes(length))}
            timers = {name: timeit.Timer(call, globals=dict(names)) for name, call in CALLS.items()}
            for measured, reference, title, bounds in RATIOS:
                times = alternating(
                    lambda timer=timers[measured]: timer.timeit(REPEATS),
                    lambda timer=timers[reference]: timer.timeit(REPEATS),
                    effort.rounds(ROUNDS),
                )
                note = f"{CALLS[measured]} over {CALLS[reference]}, openssl/aes-256-gcm, {REPEATS} calls in each sample"
                ratio = ratio_of_times(*times)
                found.append(Benchmark.of(f"{title}, {length} B", ratio, bounds.get(length), "<=", "", note))
    return found
