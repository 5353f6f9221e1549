from __future__ import annotations

import json
from dataclasses import replace

import pytest

from aeadlab.bench.case import Case
from aeadlab.bench.plan import Plan, with_noise_pair
from aeadlab.bench.profile import PROFILES
from aeadlab.errors import ArgumentError

CASES = tuple(Case("openssl/aes-256-gcm", "seal", 1 << n) for n in range(20))
PLAN = Plan("test", PROFILES["quick"], CASES, seed=7, plugins=("a.so",))


def test_every_round_has_every_case_once() -> None:
    for round in range(50):
        assert sorted(PLAN.order(round)) == list(range(20))


def test_rounds_differ_from_each_other_and_between_seeds() -> None:
    orders = {tuple(p.order(round)) for p in (PLAN, replace(PLAN, seed=8)) for round in range(50)}
    assert len(orders) == 100


def test_the_order_is_reproducible() -> None:
    # These are literal numbers because later versions of Python must reproduce the order from the seed of a record.
    plan = Plan("test", PROFILES["quick"], CASES[:8], seed=1)
    assert [plan.order(0), plan.order(1)] == [[5, 1, 0, 3, 4, 7, 2, 6], [1, 5, 3, 4, 0, 2, 6, 7]]


def test_positions_within_rounds_are_uniform() -> None:
    plan = replace(PLAN, cases=CASES[:4])
    firsts = [plan.order(round)[0] for round in range(2000)]
    # Binomial with n = 2000 and p = 1/4: the bound is five standard deviations of 19.4.
    assert all(abs(firsts.count(case) - 500) < 97 for case in range(4))


def test_a_plan_equals_the_plan_of_its_json() -> None:
    stored = Plan.from_json(json.loads(json.dumps(PLAN.to_json())))
    assert stored == PLAN
    assert stored.definition == PLAN.definition


@pytest.mark.parametrize(
    "changes",
    [
        {"study": "other"},
        {"profile": PROFILES["paper"]},
        {"cases": CASES[:-1]},
        {"cases": CASES[::-1]},
        {"seed": 8},
        {"plugins": ()},
    ],
)
def test_different_plans_have_different_definitions(changes: dict[str, object]) -> None:
    assert replace(PLAN, **changes).definition != PLAN.definition  # type: ignore[arg-type]


def test_rejects_no_cases_and_repeated_cases() -> None:
    with pytest.raises(ArgumentError, match="study test has no cases for this selection"):
        replace(PLAN, cases=())
    with pytest.raises(ArgumentError, match="lists a case twice"):
        replace(PLAN, cases=(CASES[0], *CASES))


def test_a_noise_pair_repeats_the_first_case() -> None:
    *cases, again = with_noise_pair(CASES)
    assert tuple(cases) == CASES
    assert again == replace(CASES[0], replica=1)
    assert with_noise_pair(()) == ()


def test_each_engine_has_a_noise_pair() -> None:
    """Two threads have more noise than one, so each needs its own noise floor."""
    whole, python = CASES[0], Case("pyca/aes-256-gcm", "seal", 4096, engine="python")
    split = Case("openssl/aes-256-gcm", "seal", 4096, engine="parsplit", block_size=1024, schedule="dynamic")
    both = replace(split, threads=2)
    cases = (whole, split, CASES[1], both, replace(both, threads=4), python)
    pairs = with_noise_pair(cases)[len(cases) :]
    assert pairs == tuple(replace(case, replica=1) for case in (whole, split, both, python))
