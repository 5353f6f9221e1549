"""Fixtures: small plans, a separate machine lock, and faulty workers."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from aeadlab import process
from aeadlab.bench.case import Case
from aeadlab.bench.plan import Plan
from aeadlab.bench.profile import Profile

MakePlan = Callable[..., Plan]

CASES = (
    Case("baseline/memcpy", "encrypt", 4096),
    Case("openssl/aes-256-gcm", "seal", 4096),
    Case("rustcrypto/aes-256-gcm", "seal", 4096),
    Case("openssl/aes-256-gcm", "open", 4096, engine="parsplit", block_size=1024, schedule="dynamic"),
)


@pytest.fixture(autouse=True)
def own_lock(own_lock: Path) -> Path:
    """Every test has a separate machine lock."""
    return own_lock


@pytest.fixture
def make_plan() -> MakePlan:
    """``make_plan(cases, rounds=..., warm_up=..., sample=..., budget=..., seed=...)``; times in seconds."""

    def make(
        cases: Sequence[Case] = CASES,
        *,
        rounds: int = 4,
        warm_up: float = 0.0,
        sample: float = 0.0,
        budget: float | None = None,
        seed: int = 1,
        processes: int = 1,
    ) -> Plan:
        return Plan("test", Profile("tiny", 4096, rounds, warm_up, sample, budget, processes), tuple(cases), seed)

    return make


@pytest.fixture
def faulty_worker(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[str], None]:
    """``faulty_worker(code)``: workers first run `code`, in which `worker` is their module."""

    def make(code: str) -> None:
        script = tmp_path / "worker"
        script.write_text(
            f"#!{sys.executable}\n"
            "import atexit, os, signal, sys, time\n"
            "from pathlib import Path\n"
            "from aeadlab.bench import worker\n"
            # Leave the arguments of `python -m aeadlab.bench.worker JOURNAL IN_FLIGHT`.
            "sys.argv = sys.argv[2:]\n"
            f"{code}\n"
            "worker.main()\n"
        )
        script.chmod(0o755)
        monkeypatch.setattr(process, "INTERPRETER", (str(script),))

    return make
