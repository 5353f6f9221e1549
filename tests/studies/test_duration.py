from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from aeadlab.bench.case import Case
from aeadlab.bench.plan import Plan
from aeadlab.bench.profile import Profile
from aeadlab.studies.duration import expected_seconds

PROFILE = Profile("long", 1 << 20, 40, warm_up_seconds=0.0, sample_seconds=0.0, budget_seconds=None, processes=4)
CASES = (Case("a/x", "seal", 1 << 20), Case("b/x", "seal", 1 << 20))
PLAN = Plan("one", PROFILE, CASES)


def record(plan: Plan, *spent: float) -> dict[str, Any]:
    return {"plan": plan.to_json(), "notes": [{"start": 1.0}, *({"spent": seconds} for seconds in spent)]}


def test_the_same_plan_takes_the_time_of_the_record() -> None:
    assert expected_seconds(PLAN, record(PLAN, 30.0, 14.0)) == pytest.approx(44.0)


@pytest.mark.parametrize(
    ("plan", "seconds"),
    [
        (Plan("one", replace(PROFILE, rounds=84), CASES), 84.0),
        (Plan("one", PROFILE, tuple(replace(case, bytes=2 << 20) for case in CASES)), 84.0),
        (Plan("one", replace(PROFILE, warm_up_seconds=5.0), CASES), 84.0),
        (Plan("one", replace(PROFILE, warm_up_seconds=5.0), CASES, named=("a/x",)), 64.0),
        (Plan("one", replace(PROFILE, case_seconds=5.0), CASES), 14.9),
        (Plan("one", replace(PROFILE, sample_seconds=10.0), CASES), 884.0),
    ],
    ids=["rounds", "bytes", "warm-up", "warm-up of named ones", "limit of a case", "batches"],
)
def test_scales_with_rounds_bytes_warm_ups_and_limits(plan: Plan, seconds: float) -> None:
    """The record took 4 s for the starts of its processes, and 40 s for 88 executions of 1 MiB."""
    assert expected_seconds(plan, record(PLAN, 44.0)) == pytest.approx(seconds, rel=0.01)


def test_a_record_without_times_predicts_nothing() -> None:
    assert expected_seconds(PLAN, record(PLAN)) is None
