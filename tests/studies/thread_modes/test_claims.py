from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from aeadlab.studies.thread_modes.claims import CLAIMS
from aeadlab.studies.thread_modes.quantities import predicted_ratio, published_share, upper_share
from aeadlab.verdicts.evaluation import evaluate
from aeadlab.verdicts.evidence import Evidence

Paper = Callable[..., Evidence]
TWO_MODES = CLAIMS[0]
NO_SECOND_MODE = next(claim for claim in CLAIMS if claim.key == "no-second-mode-elsewhere")
TAIL = next(claim for claim in CLAIMS if claim.key == "one-mode-elsewhere")


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


def with_times(evidence: Evidence, threads: int, times: np.ndarray) -> Evidence:
    """Return the evidence with other times of the case with Rayon and this thread count."""
    samples = evidence.samples.copy()
    rows = samples["threads"].eq(threads) & samples["schedule"].eq("rayon") & samples["replica"].eq(0)
    samples.loc[rows, "seconds"] = times[: rows.sum()]
    return replace(evidence, samples=samples)


def spread_widely() -> np.ndarray:
    """Return times without a second mode that do not exclude one either: 0.026 s and up to 40 % more."""
    return 0.026 * np.random.default_rng(3).uniform(1, 1.4, 400)


def test_one_mode_is_a_bound_of_the_upper_share_at_each_count(paper: Paper) -> None:
    finding = evaluate(NO_SECOND_MODE, paper("thread-modes"))
    assert finding.verdict == "reproduced"
    # None of 200 samples: Clopper and Pearson's upper end is 1 - 0.025 ** (1 / 200).
    assert finding.measured == (
        "0; upper bound of the upper mode's share, by threads: 2: 1.8 %, 4: 1.8 %, 8: 1.8 %, 16: 1.8 %"
    )


def test_one_mode_requires_that_the_published_share_is_excluded(paper: Paper) -> None:
    finding = evaluate(NO_SECOND_MODE, with_times(paper("thread-modes"), 4, spread_widely()))
    assert finding.estimate is not None
    assert (finding.estimate.value, finding.estimate.low, finding.estimate.high) == (0, 0, 1)
    assert finding.verdict == "inconclusive"


def test_one_mode_limits_the_95th_percentile_over_the_median(paper: Paper) -> None:
    assert evaluate(TAIL, paper("thread-modes")).verdict == "reproduced"
    times = 0.026 * np.r_[np.ones(180), np.full(20, 1.06)]
    finding = evaluate(TAIL, with_times(paper("thread-modes"), 4, times))
    assert finding.estimate is not None
    # The rank of the lower end, the 184th of 200, is among the 20 times that are 6 % longer.
    assert (finding.estimate.value, finding.estimate.low) == (pytest.approx(1.06), pytest.approx(1.06))
    assert finding.verdict == "not reproduced"


def test_a_ratio_of_1_requires_that_the_published_share_is_excluded(paper: Paper) -> None:
    finding = evaluate(TWO_MODES, with_times(paper("thread-modes"), 5, spread_widely()))
    assert finding.verdict == "inconclusive"
    assert finding.reason.startswith("no second mode was found with 5 threads, but it may hold up to ")
    narrow = 0.026 * np.random.default_rng(3).lognormal(0, 0.002, 400)
    finding = evaluate(TWO_MODES, with_times(paper("thread-modes"), 5, narrow))
    assert (finding.verdict, finding.measured) == (
        "not reproduced", "1.00; upper bound of the upper mode's share, by threads: 5: 1.8 %"
    )  # fmt: skip


def test_samples_of_one_process_are_inconclusive(paper: Paper) -> None:
    evidence = paper("thread-modes")
    finding = evaluate(NO_SECOND_MODE, replace(evidence, samples=evidence.samples.assign(process=0)))
    assert (finding.verdict, finding.reason) == (
        "inconclusive", "the interval holds within one process, 200 rounds: verdicts require 3 processes or more"
    )  # fmt: skip


@pytest.mark.parametrize(("ratio", "count"), [(1.2, 30), (1.5, 20)])
def test_the_upper_share_counts_times_beyond_the_middle(ratio: float, count: int) -> None:
    times = np.r_[np.full(70, 1.0), np.full(10, 1.15), np.full(20, 1.4)]
    assert upper_share(times, ratio).estimate == count / 100


def test_the_predicted_place_is_that_of_the_mechanism_or_of_the_document() -> None:
    assert predicted_ratio(3) == pytest.approx(1.5, rel=0.01)
    assert predicted_ratio(4) == 1.243
    assert published_share() == pytest.approx(32 / 99)
