from __future__ import annotations

import os
from typing import Any

import pytest

from aeadlab.host.cores import process_cores, recorded_cores, recorded_cores_within_quota


def test_process_cores_follow_the_affinity_mask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 3, 5}, raising=False)
    assert process_cores() == 3


def test_process_cores_without_affinity_are_all_cpus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 7)
    assert process_cores() == 7


@pytest.mark.parametrize(
    ("facts", "cores", "within_quota"),
    [
        ({"cpu_count": 8, "cpu_affinity_count": 4}, 4, 4),
        ({"cpu_count": 8, "cpu_affinity_count": None}, 8, 8),
        ({"cpu_count": 8, "cgroup_cpu_quota": "none"}, 8, 8),
        ({"cpu_count": 8, "cgroup_cpu_quota": 2.5}, 8, 2),
        ({"cpu_count": 8, "cgroup_cpu_quota": 0.5}, 8, 1),
        ({}, None, None),
    ],
    ids=str,
)
def test_recorded_cores_with_and_without_quota(
    facts: dict[str, Any], cores: int | None, within_quota: int | None
) -> None:
    assert recorded_cores(facts) == cores
    assert recorded_cores_within_quota(facts) == within_quota
