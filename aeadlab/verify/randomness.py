"""Randomness: statistical tests of the output of a generator, which detect stuck and biased bytes.

Five tests run on a mebibyte of output for a constant seed, so the result of a generator is reproducible.
"""

from __future__ import annotations

from typing import Final

from aeadlab.catalogue.implementation import Implementation
from aeadlab.verify.cases import pseudorandom
from aeadlab.verify.report import FAULTS, Check, Tally, fault

NAME = "randomness"
BYTES: Final = 1 << 20
SIGNIFICANCE: Final = 1e-6
"""Significance level of each test: one of 200,000 correct generators fails one of the five tests."""


def check(implementation: Implementation) -> Check | None:
    """Run all tests on the output of a generator; return None for other kinds."""
    d = implementation.description
    if d.kind != "generator":
        return None
    # Imported here, because these packages start threads, which the measuring process must not have.
    import numpy as np

    from aeadlab.verify.randomness_tests import TESTS

    tally = Tally(NAME)
    try:
        data = np.frombuffer(implementation.generate(pseudorandom("randomness", d.key_bytes), [BYTES]), np.uint8)
    except FAULTS as error:
        tally.add(fault(error), "a mebibyte")
        return tally.check()
    for name, test in TESTS.items():
        p = test(data)
        tally.add("" if p > SIGNIFICANCE else f"{name}: p = {p:.2g}", name)
    return tally.check()
