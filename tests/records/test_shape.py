from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aeadlab import paths
from aeadlab.records import shape
from aeadlab.records.reading import provenance_of
from tests.fixtures.journals import PLAN

MINIMAL: dict[str, Any] = {"schema": 2, "plan": json.loads(json.dumps(PLAN.to_json()))}


@pytest.mark.parametrize("path", sorted(paths.reference_records().glob("*.parquet")), ids=lambda path: path.stem[:12])
def test_reference_records_have_the_shape(path: Path) -> None:
    shape.check(provenance_of(path))


@pytest.mark.parametrize(
    ("part", "fault"),
    [
        ({}, ""),
        ({"machine": None, "commit": None, "unknown": [{"a": 1}]}, ""),
        ({"machine": {"cgroup_cpu_quota": "none", "cpu_count": 4, "new": {"a": 1}}}, ""),
        ({"machine": {"cpu_count": "4"}}, "machine.cpu_count is '4', a whole number from 1 expected"),
        ({"machine": {"cpu_count": True}}, "machine.cpu_count is True"),
        ({"machine": {"cpu_count": 0}}, "machine.cpu_count is 0"),
        ({"machine": {"caches": [{"level": 1}]}}, "machine.caches[0].type is missing"),
        ({"machine": []}, "machine is [], an object expected"),
        ({"notes": [{"start": 4_000_000_000}]}, ""),
        ({"notes": [{"start": 4_000_000_001}]}, "notes[0].start is 4000000001, seconds expected"),
        ({"notes": [{"start": 1e12}]}, "notes[0].start is 1000000000000.0, seconds expected"),
        ({"quality": ["load", 3]}, "quality[1] is 3, text expected"),
        ({"verified": {"a/b": {"checks": [3]}}}, "verified.a/b.checks[0] is 3, an object expected"),
        ({"refused": {"a/b": "x" * 99, "c/d": ["x" * 99]}}, "refused.c/d is ['xxx"),
        ({"plan": 3}, "plan is 3, an object expected"),
        ({"plan": {}}, "plan.study is missing"),
        ({"plan": MINIMAL["plan"] | {"cases": []}}, "its plan is not a plan of aeadlab (study study has no cases"),
        ({"plan": MINIMAL["plan"] | {"seed": -1}}, "plan.seed is -1"),
    ],
    ids=lambda part: str(part)[:40],
)
def test_faults_are_named(part: dict[str, Any], fault: str) -> None:
    if not fault:
        shape.check(MINIMAL | part)
        return
    with pytest.raises(ValueError) as caught:
        shape.check(MINIMAL | part)
    assert str(caught.value).startswith(fault)
