from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

GIB = 2**30

# Seconds for 1 GiB: what a case takes, by implementation, engine, op, block size. Chosen, not measured.
AEAD_TIMES = {
    ("baseline/memcpy", "whole", "seal", 0): 0.0601,
    ("baseline/xor", "whole", "seal", 0): 0.0655,
    ("openssl/aes-256-gcm", "whole", "seal", 0): 0.0643,
    ("openssl/aes-256-gcm", "whole", "open", 0): 0.0630,
    ("openssl/aes-256-gcm", "parsplit", "seal", 65536): 0.0701,
    ("openssl/aes-256-gcm", "parsplit", "seal", 262144): 0.0662,
    ("openssl/aes-256-gcm", "parsplit", "open", 65536): 0.0711,
    ("openssl/aes-256-gcm", "parsplit", "open", 262144): 0.0650,
    ("cryptopp/aes-256-gcm", "whole", "seal", 0): 0.3301,
    ("cryptopp/aes-256-gcm", "whole", "open", 0): 0.3412,
    ("cryptopp/aes-256-gcm", "parsplit", "seal", 65536): 0.3404,
    ("cryptopp/aes-256-gcm", "parsplit", "seal", 262144): 0.3330,
    ("cryptopp/aes-256-gcm", "parsplit", "open", 65536): 0.3504,
    ("cryptopp/aes-256-gcm", "parsplit", "open", 262144): 0.3440,
    ("rustcrypto/aes-256-gcm", "whole", "seal", 0): 0.5701,
    ("rustcrypto/aes-256-gcm", "whole", "open", 0): 0.5612,
    ("rustcrypto/aes-256-gcm", "parsplit", "seal", 65536): 0.5402,
    ("rustcrypto/aes-256-gcm", "parsplit", "seal", 262144): 0.5511,
    ("rustcrypto/aes-256-gcm", "parsplit", "open", 65536): 0.5501,
    ("rustcrypto/aes-256-gcm", "parsplit", "open", 262144): 0.5522,
    ("aeadlab/aes-256-ctr+blake3", "whole", "seal", 0): 0.4102,
    ("aeadlab/aes-256-ctr+blake3", "whole", "open", 0): 0.4021,
    ("aeadlab/aes-256-ctr+blake3", "parsplit", "seal", 65536): 0.4301,
    ("aeadlab/aes-256-ctr+blake3", "parsplit", "seal", 262144): 0.4203,
    ("aeadlab/aes-256-ctr+blake3", "parsplit", "open", 65536): 0.4222,
    ("aeadlab/aes-256-ctr+blake3", "parsplit", "open", 262144): 0.4101,
    ("pyca/aes-256-gcm", "python", "seal", 0): 0.1203,
    ("pyca/aes-256-gcm", "python", "open", 0): 0.1301,
    ("pycryptodome/aes-256-gcm", "python", "seal", 0): 0.8103,
    ("pycryptodome/aes-256-gcm", "python", "open", 0): 0.8301,
}

HASH_TIMES = {
    ("baseline/memcpy", "whole", "seal", 0): 0.0601,
    ("baseline/xor", "whole", "seal", 0): 0.0655,
    ("openssl/aes-256-gcm", "whole", "seal", 0): 0.0643,
    ("openssl/aes-256-gmac", "whole", "digest", 0): 0.0312,
    ("rustcrypto/ghash", "whole", "digest", 0): 0.2012,
    ("blake3/blake3", "whole", "digest", 0): 0.1511,
    ("blake3-py/blake3", "python", "digest", 0): 0.1533,
}

KINDS = {"seal": "aead", "open": "aead", "digest": "hash"}

Case = tuple[str, str, str, int]
MakeSamples = Callable[..., pd.DataFrame]


def make_samples(times: dict[Case, float], rounds: int = 30, size: int = GIB, threads: int = 1) -> pd.DataFrame:
    """Samples of a study: three warm-ups ten times too slow, then rounds with 2 % of noise, the same every time."""
    random = np.random.default_rng(1)
    frames = []
    for (name, engine, op, block), seconds in times.items():
        library, _, algorithm = name.partition("/")
        number = rounds + 3
        warmup = np.arange(number) < 3
        taken = seconds * (1 + 0.02 * random.standard_exponential(number)) * np.where(warmup, 10, 1)
        wall = np.round(taken * 1e9).astype(np.int64)
        frames.append(
            pd.DataFrame(
                {
                    "implementation": name, "library": library, "algorithm": algorithm,
                    "kind": "cipher" if library == "baseline" else KINDS[op], "engine": engine, "model": "oneshot",
                    "op": op, "bytes": size, "block_size": block, "threads": threads,
                    "schedule": "dynamic" if engine == "parsplit" else "", "placement": "separate", "cache": "warm",
                    "mask": "", "replica": 0,
                    "round": np.arange(number), "warmup": warmup, "batch": 1, "wall_ns": wall, "cpu_ns": wall,
                    "tsc_ticks": wall * 4, "minor_faults": 0, "major_faults": 0, "voluntary_switches": 0,
                    "involuntary_switches": 0, "status": "ok", "seconds": wall * 1e-9,
                    "gib_per_s": size / 2**30 / (wall * 1e-9), "cycles_per_byte": wall * 4 / size,
                }
            )
        )  # fmt: skip
    samples = pd.concat(frames, ignore_index=True)
    return samples.assign(order=np.arange(len(samples)))


@pytest.fixture
def aead_samples() -> pd.DataFrame:
    return make_samples(AEAD_TIMES)


@pytest.fixture
def hash_samples() -> pd.DataFrame:
    return make_samples(HASH_TIMES)


@pytest.fixture
def samples_of() -> MakeSamples:
    return make_samples
