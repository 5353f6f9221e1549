"""The choice as a function of times that no clock took."""

from __future__ import annotations

import numpy as np
import pytest

from aeadlab.automatic import Settings
from aeadlab.errors import MeasurementError
from aeadlab.tuning.choice import MOST_LOST, WORTH, Times, choose
from aeadlab.tuning.search import explain

KIB = 1024
A1, A2 = Settings("one/aead", 64 * KIB, 1), Settings("one/aead", 64 * KIB, 2)
A1_LARGE = Settings("one/aead", 256 * KIB, 1)
B1, B2 = Settings("two/aead", 64 * KIB, 1), Settings("two/aead", 64 * KIB, 2)
ORDER = ["one/aead", "two/aead"]
ROUNDS = 30


def times(median: float, noise: float = 0.001, seed: int = 1) -> Times:
    """Times around a median, in seconds."""
    return np.asarray(median * np.exp(np.random.default_rng(seed).normal(0, noise, ROUNDS)), dtype=np.float64)


def pick(given: dict[Settings, float], noise: float = 0.001, order: list[str] = ORDER) -> Settings:
    """What is taken of candidates with these median times; the A/A pair is of the first."""
    taken = {who: times(median, noise, seed) for seed, (who, median) in enumerate(given.items())}
    return choose(taken, times(next(iter(given.values())), noise, seed=99), order).taken


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({A1: 1.0, B1: 0.5}, B1),
        ({A2: 0.5, A1: 1.0}, A2),
        ({A1: 1.0, A2: 1.0}, A1),
        ({A2: 1.0, A1: 1.0 + WORTH / 2}, A1),
        ({A2: 1.0, A1: 1.0 + 3 * WORTH}, A2),
        ({A1: 1.0, A1_LARGE: 1.002}, A1_LARGE),
        ({A1: 1.002, A1_LARGE: 1.0}, A1_LARGE),
        ({B1: 1.0, A1: 1.002}, A1),
        ({A2: 1.0, B1: 1.002}, B1),
        ({A1: 1.0, B2: 0.6, A2: 0.6}, A2),
        ({B1: 1.0, A1_LARGE: 1.001, A1: 1.0}, A1_LARGE),
    ],
    ids=[
        "the fastest", "more threads that gain", "equal: fewer threads", "a gain not worth a thread", "one that is",
        "equal: larger blocks", "larger and faster", "equal: the order", "fewer threads before the order",
        "the order within a thread count", "larger blocks before nothing else",
    ],
)  # fmt: skip
def test_the_fastest_and_of_equals_the_simplest(given: dict[Settings, float], expected: Settings) -> None:
    assert pick(given) == expected


def test_the_order_is_the_users() -> None:
    assert pick({A1: 1.0, B1: 1.0}, order=["two/aead", "one/aead"]) == B1


def test_noise_makes_equal_what_a_quiet_machine_tells_apart() -> None:
    given = {A2: 1.0, A1: 1.02}
    assert pick(given, noise=0.001) == A2
    assert pick(given, noise=0.03) == A1


def test_noise_is_no_excuse_for_what_seemed_much_slower() -> None:
    given = {A2: 1.0, A1: 1.0 + 4 * MOST_LOST}
    assert pick(given, noise=0.5) == A2


def test_drift_that_all_share_hides_nothing() -> None:
    drift = np.linspace(1, 3, ROUNDS)
    found = choose({A1: times(1.1) * drift, B1: times(1.0, seed=2) * drift}, times(1.1, seed=3) * drift, ORDER)
    assert found.taken == B1
    assert found.runner_up is not None
    assert found.runner_up[0] == A1
    assert found.runner_up[1][0] == pytest.approx(1.1, rel=0.005)


def test_a_candidate_that_failed_is_not_taken_however_fast_it_began() -> None:
    failed = np.full(ROUNDS, np.nan)
    failed[:3] = 0.01
    found = choose({A1: times(1.0), B1: failed}, times(1.0, seed=2), ORDER)
    assert (found.taken, found.runner_up) == (A1, None)


def test_too_few_rounds_are_no_choice() -> None:
    with pytest.raises(MeasurementError, match="no candidate was measured 6 times"):
        choose({A1: np.ones(5)}, np.ones(5), ORDER)


def test_without_a_noise_pair_small_differences_still_say_nothing() -> None:
    assert choose({A2: times(1.0), A1: times(1.0 + WORTH / 2, seed=2)}, None, ORDER).taken == A1


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (
            {A1: 1.0, B1: 0.5},
            [
                "two/aead in blocks of 64 KiB with 1 thread is the fastest.",
                "The best of another implementation, one/aead",
                " times its time. ",
            ],
        ),
        ({A2: 1.0, A1: 1.005}, ["with 1 thread is not told from the fastest", "and it has fewer threads"]),
        ({A1: 1.0, A1_LARGE: 1.005}, ["and its blocks are larger"]),
        ({B1: 1.0, A1: 1.005}, ["and it is preferred by name"]),
        ({A1: 1.0, B1: 1.005}, ["the simplest of 2", "takes 1.00", "which is no difference"]),
    ],
)
def test_the_reason_is_said(given: dict[Settings, float], words: list[str]) -> None:
    taken = {who: times(median, seed=seed) for seed, (who, median) in enumerate(given.items())}
    said = explain(choose(taken, times(next(iter(given.values())), seed=99), ORDER))
    for word in words:
        assert word in said
    assert said.endswith("Differences under 1.0% count as noise.")
