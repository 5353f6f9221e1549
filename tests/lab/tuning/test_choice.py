from __future__ import annotations

import numpy as np
import pytest

from aeadlab.errors import MeasurementError
from aeadlab.lab.tuning.choice import MAX_LOSS, Settings, Times, choose

KIB = 1024
A1, A2 = Settings("one/aead", 64 * KIB, 1), Settings("one/aead", 64 * KIB, 2)
A1_LARGE = Settings("one/aead", 256 * KIB, 1)
B1, B2 = Settings("two/aead", 64 * KIB, 1), Settings("two/aead", 64 * KIB, 2)
ORDER = ["one/aead", "two/aead"]
ROUNDS = 30
PROCESS = np.arange(ROUNDS) // 5
"""Six processes of five rounds."""
MARGIN = 0.01


def times(median: float, noise: float = 0.001, seed: int = 1) -> Times:
    """Return log-normal times around a median, in seconds."""
    return np.asarray(median * np.exp(np.random.default_rng(seed).normal(0, noise, ROUNDS)), dtype=np.float64)


def pick(given: dict[Settings, float], noise: float = 0.001, order: list[str] = ORDER) -> Settings:
    """Return the choice among candidates with these median times; the A/A pair is of the first."""
    samples = {key: times(median, noise, seed) for seed, (key, median) in enumerate(given.items())}
    return choose(samples, PROCESS, times(next(iter(given.values())), noise, seed=99), order).chosen


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({A1: 1.0, B1: 0.5}, B1),
        ({A2: 0.5, A1: 1.0}, A2),
        ({A1: 1.0, A2: 1.0}, A1),
        ({A2: 1.0, A1: 1.0 + MARGIN / 2}, A1),
        ({A2: 1.0, A1: 1.0 + 3 * MARGIN}, A2),
        ({A1: 1.0, A1_LARGE: 1.002}, A1_LARGE),
        ({A1: 1.002, A1_LARGE: 1.0}, A1_LARGE),
        ({B1: 1.0, A1: 1.002}, A1),
        ({A2: 1.0, B1: 1.002}, B1),
        ({A1: 1.0, B2: 0.6, A2: 0.6}, A2),
        ({B1: 1.0, A1_LARGE: 1.001, A1: 1.0}, A1_LARGE),
    ],
    ids=[
        "the fastest", "more threads", "equal: fewer threads", "a gain below the minimum", "a gain above the minimum",
        "equal: larger blocks", "larger and faster", "equal: the order", "fewer threads before the order",
        "the order within a thread count", "larger blocks before the order",
    ],
)  # fmt: skip
def test_chooses_the_simplest_of_the_fastest(given: dict[Settings, float], expected: Settings) -> None:
    assert pick(given) == expected


def test_uses_the_order_of_the_user() -> None:
    assert pick({A1: 1.0, B1: 1.0}, order=["two/aead", "one/aead"]) == B1


def test_noise_makes_small_differences_equal() -> None:
    given = {A1: 1.02, A2: 1.0}
    assert pick(given, noise=0.001) == A2
    assert pick(given, noise=0.03) == A1


def test_noise_does_not_make_large_differences_equal() -> None:
    given = {A2: 1.0, A1: 1.0 + 4 * MAX_LOSS}
    assert pick(given, noise=0.5) == A2


def test_common_drift_does_not_hide_differences() -> None:
    drift = np.linspace(1, 3, ROUNDS)
    choice = choose(
        {A1: times(1.1) * drift, B1: times(1.0, seed=2) * drift}, PROCESS, times(1.1, seed=3) * drift, ORDER
    )
    assert choice.chosen == B1
    assert choice.runner_up is not None
    assert choice.runner_up[0] == A1
    assert choice.runner_up[1][0] == pytest.approx(1.1, rel=0.005)


def test_does_not_choose_a_candidate_that_failed() -> None:
    failed = np.full(ROUNDS, np.nan)
    failed[:3] = 0.01
    choice = choose({A1: times(1.0), B1: failed}, PROCESS, times(1.0, seed=2), ORDER)
    assert (choice.chosen, choice.runner_up) == (A1, None)


def test_requires_enough_rounds_for_an_interval() -> None:
    with pytest.raises(MeasurementError, match="no candidate has 6 samples"):
        choose({A1: np.ones(5)}, PROCESS[:5], np.ones(5), ORDER)


def test_minimum_gain_applies_without_an_a_a_pair() -> None:
    assert choose({A2: times(1.0), A1: times(1.0 + MARGIN / 2, seed=2)}, PROCESS, None, ORDER).chosen == A1


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (
            {A1: 1.0, B1: 0.5},
            [
                "two/aead in blocks of 64 KiB with 1 thread is the fastest.",
                "The best of another implementation, one/aead",
                " times as long. ",
            ],
        ),
        ({A2: 1.0, A1: 1.005}, ["with 1 thread is not distinguishable from the fastest", "and it has fewer threads"]),
        ({A1: 1.0, A1_LARGE: 1.005}, ["and its blocks are larger"]),
        ({B1: 1.0, A1: 1.005}, ["and it is preferred by name"]),
        ({A1: 1.0, B1: 1.005}, ["the simplest of 2", "takes 1.00", "which is within the noise"]),
    ],
)
def test_explains_the_choice(given: dict[Settings, float], words: list[str]) -> None:
    samples = {key: times(median, seed=seed) for seed, (key, median) in enumerate(given.items())}
    text = choose(samples, PROCESS, times(next(iter(given.values())), seed=99), ORDER).explain()
    assert all(word in text for word in words)
    assert text.endswith(
        "Differences under 1.0% count as noise (6 processes, 30 rounds; 95 % for all pairs of 2 settings at once)."
    )
