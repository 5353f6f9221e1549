"""The check of randomness in verification."""

from __future__ import annotations

from typing import Any

import pytest

from aeadlab.catalogue import native
from aeadlab.catalogue.implementation import Implementation
from aeadlab.errors import ArgumentError
from aeadlab.verify import randomness
from aeadlab.verify.randomness_tests import TESTS


@pytest.fixture(scope="module")
def generator() -> Implementation:
    return next(i for i in native.linked() if i.name == "generators/chacha8.per-thread")


def test_check_counts_every_test(generator: Implementation) -> None:
    check = randomness.check(generator)
    assert check is not None and check.ok
    assert check.sources == dict.fromkeys(sorted(TESTS), 1)


def test_failure_contains_test_and_p_value(double: Any, generator: Implementation) -> None:
    stuck = double(generator, generate=lambda right, key, asked: bytes(b | 4 for b in right.generate(key, asked)))
    check = randomness.check(stuck)
    assert check is not None and not check.ok
    assert "ones: p = 0" in check.failures[0]


def test_generator_that_rejects_requests_fails(double: Any, generator: Implementation) -> None:
    def reject(*_: object) -> bytes:
        raise ArgumentError("too much")

    check = randomness.check(double(generator, generate=reject))
    assert check is not None and (check.run, check.failed) == (1, 1)
    assert check.failures == ("ArgumentError: too much",)


def test_does_not_apply_to_other_kinds(gcm: Implementation) -> None:
    assert randomness.check(gcm) is None
