from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aeadlab.bench.case import Case
from aeadlab.bench.journal import Journal
from aeadlab.bench.plan import Plan
from aeadlab.bench.profile import PROFILES
from aeadlab.records.record import Record
from aeadlab.records.storing import store_journal

MIB = 1 << 20
NS = {
    Case("openssl/aes-256-gcm", "seal", MIB): 60_000,
    Case("rustcrypto/aes-256-gcm", "seal", MIB): 250_000,
    Case("openssl/aes-256-gcm", "open", MIB, engine="parsplit", block_size=65536, schedule="dynamic"): 70_000,
    Case("blake3/blake3", "digest", MIB): 150_000,
    Case("baseline/memcpy", "encrypt", MIB): 50_000,
    Case("openssl/aes-256-gcm", "seal", MIB, replica=1): 60_000,
}
"""Cases with the approximate time of each in nanoseconds."""

KINDS = {"openssl": "aead", "rustcrypto": "aead", "blake3": "hash", "baseline": "cipher"}
CHECKS = [{"name": "known answers", "run": 816, "failed": 0}, {"name": "tamper", "run": 5958, "failed": 0}]


def provenance(names: Sequence[str]) -> dict[str, Any]:
    """Return the provenance of a run without failures."""
    described = {
        name: {
            "kind": KINDS.get(name.partition("/")[0], "aead"), "version": f"1.2 of {name}", "build": "cc -O3",
            "kernel": "VAES", "flags": ["baseline"] if name.startswith("baseline") else [], "origin": "linked",
        }
        for name in names
    }  # fmt: skip
    passed = {"checks": CHECKS, "ok": True, "reason": "", "unverifiable": False}
    return {
        "date": "2026-01-02T03:04:05Z",
        "machine": {"cpu_model_name": "Zen 9", "cpu_count": 8, "cpu_cores": 4, "kernel": "6.1", "load_avg_1min": 0.1},
        "quality": [],
        "commit": {"id": "c0ffee", "dirty": False},
        "packages": {"numpy": "2.4.6"},
        "implementations": described,
        "verified": dict.fromkeys(names, passed),
        "refused": {},
    }


MakeRecord = Callable[..., Record]


def maker(folder: Path) -> MakeRecord:
    """Return ``make(study="baselines", times=..., rounds=..., failures=..., **provenance)``, which stores a record."""

    def make(
        study: str = "baselines",
        times: Mapping[Case, int] = NS,
        rounds: int = 12,
        failures: Mapping[int, str] | None = None,
        notes: Sequence[Mapping[str, Any]] = ({"start": 1767323045.0, "pid": 7},),
        changes: Mapping[int, Mapping[str, int]] | None = None,
        **given: Any,
    ) -> Record:
        random = np.random.default_rng(1)
        cases = tuple(times)
        samples = []
        for round in range(-1, rounds):
            for index, case in enumerate(cases):
                wall = int(times[case] * (1 + 0.01 * random.standard_exponential()))
                row = {
                    "case": index, "round": round, "warmup": int(round < 0), "batch": 1, "wall_ns": wall,
                    "cpu_ns": wall, "tsc_ticks": 3 * wall, "minor_faults": 0, "major_faults": 0,
                    "voluntary_switches": 0, "involuntary_switches": 0, "process": max(round, 0) // 2,
                }  # fmt: skip
                samples.append(tuple({**row, **(changes or {}).get(index, {})}.values()))
        plan = Plan(study, PROFILES["smoke"].with_changes(MIB, rounds), cases, seed=5)
        journal = Journal(folder / "journal", plan, samples, dict(failures or {}), [dict(note) for note in notes])
        facts = provenance(list(dict.fromkeys(case.implementation for case in cases)))
        return store_journal(journal, {**facts, **given}, folder / f"records-{study}")

    return make


@pytest.fixture
def make(tmp_path: Path) -> MakeRecord:
    return maker(tmp_path)


@pytest.fixture
def record(make: MakeRecord) -> Record:
    return make()
