"""A smoke test of a generator's output: no proof of anything, but a stuck or biased byte shows.

Five tests of a mebibyte under one seed, which is the same every time, so that a generator passes always or never.
"""

from __future__ import annotations

from typing import Final

from aeadlab.catalogue.implementation import Implementation
from aeadlab.verify.cases import octets
from aeadlab.verify.report import FAULTS, Check, Tally, fault

NAME = "randomness"
BYTES: Final = 1 << 20
SIGNIFICANCE: Final = 1e-6
"""Of each test: of 200,000 right generators one would fail."""


def check(implementation: Implementation) -> Check | None:
    """Run all tests on the output of a generator; None for everything else."""
    d = implementation.description
    if d.kind != "generator":
        return None
    # Only now: the process that measures needs none of these, and they bring threads.
    import numpy as np

    from aeadlab.stats.randomness import TESTS

    tally = Tally(NAME)
    try:
        data = np.frombuffer(implementation.generate(octets("randomness", d.key_bytes), [BYTES]), np.uint8)
    except FAULTS as error:
        tally.add(fault(error), "a mebibyte")
        return tally.check()
    for name, test in TESTS.items():
        p = test(data)
        tally.add("" if p > SIGNIFICANCE else f"{name}: p = {p:.2g}", name)
    return tally.check()
