from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import pandas as pd
import pytest
from numpy.typing import ArrayLike

PROCESSES = 12


class MakeCase(Protocol):
    def __call__(self, seconds: ArrayLike, **columns: Any) -> pd.DataFrame: ...


def _make_case(seconds: ArrayLike, **columns: Any) -> pd.DataFrame:
    times = np.asarray(seconds, dtype=np.float64)
    implementation = columns.get("implementation", "openssl/aes-256-gcm")
    library, _, algorithm = implementation.partition("/")
    values: dict[str, Any] = {
        "implementation": implementation,
        "library": library,
        "algorithm": algorithm,
        "kind": "aead",
        "engine": "whole",
        "model": "keyed",
        "op": "seal",
        "bytes": 1 << 20,
        "block_size": 0,
        "threads": 1,
        "schedule": "",
        "placement": "separate",
        "aad_bytes": 0,
        "tags": "concatenated",
        "cache": "warm",
        "mask": "",
        "replica": 0,
        "order": np.arange(times.size),
        "round": np.arange(times.size),
        "process": np.arange(times.size) * min(times.size, PROCESSES) // max(times.size, 1),
        "warmup": np.zeros(times.size, dtype=bool),
        "status": ["ok"] * times.size,
        **columns,
        "seconds": times,
    }
    frame = pd.DataFrame(values)
    payload = frame["bytes"].to_numpy(dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        frame["gib_per_s"] = payload / times / 2**30
        frame["cycles_per_byte"] = times * 4e9 / payload
    return frame


@pytest.fixture
def make_case() -> MakeCase:
    """Return a function that makes the counted samples of one case, one per round, with the columns of a record.

    The rounds are divided evenly among at most `PROCESSES` processes.
    """
    return _make_case


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20260101)
