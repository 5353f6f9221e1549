from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import pytest

from aeadlab.bench.case import Case
from aeadlab.bench.plan import PAIRED_LENGTHS, Plan, with_noise_pairs
from aeadlab.bench.profile import PROFILES, Profile
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


def turns(plan: Plan, index: int) -> list[int]:
    """Return the rounds that contain a case."""
    return [round for round in range(plan.profile.rounds) if plan.turn(round) < plan.rounds_of(index)]


@pytest.mark.parametrize(("rounds", "processes"), [(48, 12), (7, 3), (5, 1), (3, 12), (100, 20)])
@pytest.mark.parametrize("few", [1, 2, 3, 12, 25])
def test_cases_with_fewer_rounds_are_spread_over_the_processes(rounds: int, processes: int, few: int) -> None:
    profile = Profile("tiny", 1, rounds, 0.0, 0.0, None, processes, others=few)
    plan = Plan("test", profile, (CASES[0], Case("ring/aes-256-gcm", "seal", 1)), named=("ring/aes-256-gcm",))
    assert turns(plan, 1) == [*range(rounds)]
    assert len(turns(plan, 0)) == min(few, rounds) == plan.rounds_of(0)
    counts = [sum(round in share for round in turns(plan, 0)) for share in profile.shares]
    assert max(counts) - min(counts) <= 1 and counts == sorted(counts, reverse=True)
    assert all(turns(plan, 0).count(share[0]) == 1 for share in profile.shares[:few])


SPLIT = Case("openssl/aes-256-gcm", "seal", 4096, engine="parsplit", block_size=1024, schedule="dynamic")


def seconds_of(cases: Sequence[Case]) -> list[Case]:
    """Return the second arms, as the cases that they repeat."""
    given = with_noise_pairs(cases)
    assert given[: len(cases)] == tuple(cases)
    assert all(case.replica == 1 for case in given[len(cases) :])
    return [replace(case, replica=0) for case in given[len(cases) :]]


def test_each_engine_has_noise_pairs() -> None:
    """Two threads have more noise than one, so each needs its own noise floor."""
    whole, python = replace(CASES[0], bytes=4096), Case("pyca/aes-256-gcm", "seal", 4096, engine="python")
    both = replace(SPLIT, threads=2)
    masked = Case("openssl/aes-256-gcm", "seal", 4096, engine="cells", block_size=512, mask="no-aes")
    cases = (whole, SPLIT, replace(whole, op="open"), both, replace(both, threads=4), python, masked)
    assert seconds_of(cases) == [whole, SPLIT, both, python]
    assert with_noise_pairs(()) == ()


def test_each_length_has_pairs_of_two_implementations() -> None:
    names = ("boringssl/aes-256-gcm", "openssl/aes-256-gcm", "ring/aes-256-gcm")
    cases = [Case(name, "seal", length) for name in names for length in (64, 4096)]
    assert seconds_of(cases) == [Case(name, "seal", length) for length in (64, 4096) for name in names[:2]]


def test_baselines_and_others_have_pairs_of_their_own() -> None:
    """Memory limits a copy, and instructions an AEAD."""
    names = ("baseline/memcpy", "openssl/aes-256-gcm", "baseline/xor", "ring/aes-256-gcm", "baseline/copy")
    cases = [Case(name, "seal", 4096) for name in names]
    assert seconds_of(cases) == [cases[0], cases[2], cases[1], cases[3]]


def test_of_many_lengths_twelve_have_pairs() -> None:
    lengths = [case.bytes for case in seconds_of(CASES[::-1])]
    assert lengths == sorted(lengths, reverse=True)
    powers = sorted(length.bit_length() - 1 for length in lengths)
    assert len(powers) == PAIRED_LENGTHS == 12 and (powers[0], powers[-1]) == (0, 19)
    assert {after - before for before, after in pairwise(powers)} <= {1, 2}
    assert [case.bytes for case in seconds_of(CASES[:12])] == [case.bytes for case in CASES[:12]]
