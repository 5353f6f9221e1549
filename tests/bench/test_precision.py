from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from aeadlab.bench.journal import SAMPLE_FIELDS, Journal
from aeadlab.bench.plan import Plan
from aeadlab.bench.precision import is_precise
from aeadlab.bench.runner import run

from .conftest import CASES, MakePlan


def journal(plan: Plan, spread: float, rounds: int = 20) -> Journal:
    """Return a journal of times near a microsecond with this relative spread and a deviating warm-up."""
    random_ = random.Random(1)
    samples = []
    for case in range(len(plan.cases)):
        for round in range(-1, rounds):
            wall = 10_000 * (1 + spread * random_.uniform(-1, 1)) if round >= 0 else 900_000
            row = dict.fromkeys(SAMPLE_FIELDS, 0)
            row |= {"case": case, "round": round, "warmup": int(round < 0), "batch": 10, "wall_ns": round_(wall)}
            samples.append(tuple(row.values()))
    return Journal(Path("journal"), plan, samples)


def round_(number: float) -> int:
    return int(number + 0.5)


def with_precision(plan: Plan, precision: float | None) -> Plan:
    return replace(plan, profile=replace(plan.profile, precision=precision))


@pytest.mark.parametrize(("spread", "precision", "enough"), [
    (0.001, 0.01, True), (0.2, 0.01, False), (0.2, 0.5, True), (0.0, 0.001, True), (0.001, None, False),
])  # fmt: skip
def test_a_run_is_precise_if_its_intervals_are_narrow(
    make_plan: MakePlan, spread: float, precision: float | None, enough: bool
) -> None:
    plan = with_precision(make_plan(), precision)
    assert is_precise(journal(plan, spread), range(len(plan.cases))) is enough


def test_one_wide_interval_of_a_valid_case_is_imprecise(make_plan: MakePlan) -> None:
    plan = with_precision(make_plan(), 0.01)
    narrow, wide = journal(plan, 0.001), journal(plan, 0.5)
    mixed = Journal(Path("journal"), plan, [row for row in narrow.samples if row[0] != 2])
    mixed.samples += [row for row in wide.samples if row[0] == 2]
    assert not is_precise(mixed, range(len(plan.cases)))
    assert is_precise(mixed, [0, 1, 3])


def test_too_few_samples_are_never_precise(make_plan: MakePlan) -> None:
    plan = with_precision(make_plan(), 10.0)
    assert not is_precise(journal(plan, 0.0, rounds=5), range(len(plan.cases)))
    assert is_precise(journal(plan, 0.0, rounds=6), range(len(plan.cases)))


def test_a_precise_run_ends_after_the_smallest_number_of_rounds(make_plan: MakePlan, tmp_path: Path) -> None:
    plan = make_plan(CASES[:2], rounds=40, sample=1e-4, processes=2)
    easy = replace(plan, profile=replace(plan.profile, precision=1e9, least=8))
    done = run(easy, tmp_path / "easy")
    assert done.notes[-1] == {"enough": "8 of 40 rounds"}
    assert {(row[1], row[-1]) for row in done.samples if not row[2]} == {(r, r // 4) for r in range(8)}
    hard = replace(plan, profile=replace(plan.profile, precision=1e-9, least=8, rounds=12))
    done = run(hard, tmp_path / "hard")
    assert {row[1] for row in done.samples if not row[2]} == set(range(12))
    assert not any("enough" in note for note in done.notes)
