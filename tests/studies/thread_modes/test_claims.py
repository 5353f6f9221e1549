from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from aeadlab.studies.thread_modes.claims import CLAIMS
from aeadlab.verdicts.evaluation import evaluate
from aeadlab.verdicts.evidence import Evidence

Paper = Callable[..., Evidence]
TWO_MODES = CLAIMS[0]


def test_modes_require_100_samples(paper: Paper) -> None:
    finding = evaluate(TWO_MODES, paper("thread-modes", rounds=99))
    assert finding.verdict == "inconclusive"
    assert finding.reason == "99 undisturbed samples with 5 threads, 100 are required"


def test_modes_of_a_drifting_run_are_inconclusive(paper: Paper) -> None:
    evidence = paper("thread-modes")
    samples = evidence.samples.copy()
    five = samples["threads"].eq(5) & samples["schedule"].eq("rayon")
    order = samples.loc[five, "order"]
    samples.loc[five, "seconds"] = 0.026 * np.where(order > order.median(), 1.243, 1.0) * (1 + 1e-3 * (order % 7))
    finding = evaluate(TWO_MODES, replace(evidence, samples=samples))
    assert (finding.verdict, finding.reason) == ("inconclusive", "the run drifted with 5 threads")


def test_the_ratio_of_the_modes_is_estimated(paper: Paper) -> None:
    finding = evaluate(TWO_MODES, paper("thread-modes"))
    assert finding.estimate is not None
    assert finding.estimate.value == pytest.approx(1.243, rel=0.002)
