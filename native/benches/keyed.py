"""One call from Python of `ParSplit.with_key` and of pyca's `AESGCM`, both with AES-256-GCM and their key set up.

``python native/benches/keyed.py`` runs these benchmarks alone.
"""

from __future__ import annotations

import timeit

from benchmark import FULL, Benchmark, Effort, alternating, ratio_of_times
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from aeadlab import ParSplit

LENGTHS = {64: 1.2, 1024: 1.2, 16384: None}
"""Message lengths in bytes and the largest accepted time over pyca's; None is only shown."""
ROUNDS, CALLS = 400, 300


def benchmarks(effort: Effort) -> list[Benchmark]:
    """Return the time of one call over pyca's, and that with `out=` over that without."""
    key, nonce = bytes(range(32)), bytes(12)
    cipher, pyca = ParSplit("openssl/aes-256-gcm"), AESGCM(key)
    own = nonce[: cipher.nonce_bytes]
    found = []
    with cipher.with_key(key) as box:
        for length, bound in LENGTHS.items():
            data, out = bytes(length), bytearray(cipher.sealed_bytes(length))
            names = {"pyca": pyca, "box": box, "out": out, "nonce": nonce, "own": own, "data": data}
            calls = (
                "pyca.encrypt(nonce, data, None)", "box.encrypt(own, data)", "box.encrypt(own, data, None, out)",
            )  # fmt: skip
            timers = [timeit.Timer(call, globals=names) for call in calls]

            def seconds(number: int, timers: list[timeit.Timer] = timers) -> float:
                return timers[number].timeit(CALLS)

            for number, reference, limit, title in ((1, 0, bound, "pyca"), (2, 1, None, "without out")):
                times = alternating(
                    lambda number=number: seconds(number), lambda number=reference: seconds(number),
                    effort.rounds(ROUNDS),
                )  # fmt: skip
                name = (
                    f"keyed call over {title}, {length} B" if number == 1 else f"call with out over {title}, {length} B"
                )
                note = f"openssl/aes-256-gcm, encrypt, time of one call from Python, {CALLS} calls in each sample"
                found.append(Benchmark.of(name, ratio_of_times(*times), limit, "<=", "", note))
    return found


if __name__ == "__main__":
    for benchmark in benchmarks(FULL):
        print(f"{benchmark.name:36} {benchmark.value:6.3f}  [{benchmark.low:.3f}, {benchmark.high:.3f}]")
