"""Ratios of pairs of operations, from evidence of simulated samples."""

from __future__ import annotations

import numpy as np
import pytest

from aeadlab.errors import ArgumentError
from aeadlab.verdicts.claim import Estimator
from aeadlab.verdicts.evidence import Evidence, Inconclusive
from aeadlab.verdicts.pairs import (
    Operation,
    in_cpu_time,
    largest_factor,
    largest_ratio,
    median_ratio,
    smallest_ratio,
    undecidable,
)
from tests.verdicts.test_evidence import STEADY, case, evidence

NAMES = ("a/aes-256-gcm", "b/aes-256-gcm", "c/aes-256-gcm", "d/aes-256-gcm", "e/aes-256-gcm")
FACTORS = (1.0, 2.0, 3.0, 5.0, 8.0)
A, B, C, D, E = (Operation(name, "seal") for name in NAMES)


@pytest.fixture(scope="module")
def run() -> Evidence:
    """Return whole messages of five implementations whose times are as their `FACTORS`."""
    return evidence(*(case(STEADY * factor, name) for name, factor in zip(NAMES, FACTORS, strict=True)))


def value(quantity: Estimator, of: Evidence) -> float:
    return quantity(of, ())(0.95).value


def test_the_smallest_the_largest_and_the_lower_median_of_all_pairs(run: Evidence) -> None:
    pairs = [(B, A), (C, A), (D, A), (E, A)]
    assert value(smallest_ratio(pairs), run) == pytest.approx(2)
    assert value(largest_ratio(pairs), run) == pytest.approx(8)
    assert value(median_ratio(pairs), run) == pytest.approx(3)
    assert value(smallest_ratio([(A, B)]), run) == pytest.approx(0.5)


def test_the_largest_factor_is_in_either_direction(run: Evidence) -> None:
    assert value(largest_factor([(B, A), (C, B)]), run) == pytest.approx(2)
    assert value(largest_factor([(A, B), (B, C)]), run) == pytest.approx(2)
    assert value(largest_factor([(A, D), (B, C)]), run) == pytest.approx(5)


def test_operations_are_selected_by_all_conditions() -> None:
    name = NAMES[0]
    conditions = ({}, {"threads": 2}, {"op": "open"}, {"engine": "cells", "block_size": 512}, {"mask": "nothing"})
    more = ({"placement": "in-place"}, {"aad_bytes": 32}, {"bytes": 1 << 20}, {"mask": "zen2"})
    run = evidence(
        *(case(STEADY * factor, name, **columns) for factor, columns in enumerate((*conditions, *more), start=1))
    )
    plain = Operation(name, "seal")
    others = {"op": "open"}, {"engine": "cells"}, {"placement": "in-place"}, {"aad_bytes": 32}, {"mask": "zen2"}
    for change, factor in zip(others, (3, 4, 6, 7, 9), strict=True):
        assert value(smallest_ratio([(plain._replace(**change), plain)]), run) == pytest.approx(factor), change
    sized = smallest_ratio([(plain._replace(length=1 << 20), plain._replace(length=1 << 30))], per_byte=True)
    assert value(sized, run) == pytest.approx(8 * 1024)
    with pytest.raises(Inconclusive, match="no matching case"):
        value(smallest_ratio([(plain._replace(aad_bytes=13), plain)]), run)


def test_lengths_agree_unless_times_are_per_byte(run: Evidence) -> None:
    short = A._replace(length=64)
    with pytest.raises(ArgumentError, match=r"mixed sizes: b/aes-256-gcm with None B, a/aes-256-gcm with 64 B"):
        value(smallest_ratio([(B, short)]), run)
    assert value(largest_ratio([(B, A)], per_byte=True), run) == pytest.approx(2)
    sizes = evidence(case(STEADY, NAMES[0], bytes=64), case(STEADY * 6, NAMES[0], bytes=192))
    both = (A._replace(length=192), short)
    assert value(smallest_ratio([both], per_byte=True), sizes) == pytest.approx(2)
    assert value(largest_factor([both], per_byte=True), sizes) == pytest.approx(2)
    assert value(smallest_ratio([(A._replace(length=64), short)]), sizes) == pytest.approx(1)


def test_cpu_times_replace_wall_times() -> None:
    clocks = {"batch": 2, "cpu_ns": (STEADY * 1e9).round()}
    faster = {"batch": 2, "cpu_ns": (STEADY * 3e9).round()}
    run = evidence(case(STEADY, NAMES[0], **clocks), case(STEADY, NAMES[1], **faster))
    wall = smallest_ratio([(B, A)])
    assert value(wall, run) == pytest.approx(1)
    assert value(in_cpu_time(wall), run) == pytest.approx(3)
    assert np.isclose(run.with_cpu_time.samples["seconds"].iloc[0], 0.5)


def test_an_undecidable_claim_states_why(run: Evidence) -> None:
    with pytest.raises(Inconclusive, match="no such computer"):
        undecidable("no such computer")(run, ())
