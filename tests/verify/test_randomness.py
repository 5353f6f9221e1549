"""What verification makes of the tests of randomness."""

from __future__ import annotations

from typing import Any

import pytest

from aeadlab.catalogue import native
from aeadlab.catalogue.implementation import Implementation
from aeadlab.errors import ArgumentError
from aeadlab.stats.randomness import TESTS
from aeadlab.verify import randomness


@pytest.fixture(scope="module")
def generator() -> Implementation:
    return next(i for i in native.linked() if i.name == "generators/chacha8.per-thread")


def test_the_check_counts_every_test(generator: Implementation) -> None:
    check = randomness.check(generator)
    assert check is not None and check.ok
    assert check.sources == dict.fromkeys(sorted(TESTS), 1)


def test_the_check_names_the_test_and_its_p_value(double: Any, generator: Implementation) -> None:
    stuck = double(generator, generate=lambda right, key, asked: bytes(b | 4 for b in right.generate(key, asked)))
    check = randomness.check(stuck)
    assert check is not None and not check.ok
    assert "ones: p = 0" in check.failures[0]


def test_a_generator_that_refuses_fails(double: Any, generator: Implementation) -> None:
    def refuse(*_: object) -> bytes:
        raise ArgumentError("too much")

    check = randomness.check(double(generator, generate=refuse))
    assert check is not None and (check.run, check.failed) == (1, 1)
    assert check.failures == ("ArgumentError: too much",)


def test_nothing_else_is_a_generator(gcm: Implementation) -> None:
    assert randomness.check(gcm) is None
