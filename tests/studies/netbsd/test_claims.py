from __future__ import annotations

from collections.abc import Callable

import pytest

from aeadlab.studies.netbsd.claims import CLAIMS, LOCKED, PER_CPU, PRIVATE, UNLOCKED
from aeadlab.verdicts.claim import Claim
from aeadlab.verdicts.evaluation import evaluate
from aeadlab.verdicts.evidence import Evidence
from tests.fixtures.changes import slowed

Paper = Callable[..., Evidence]
PARALLEL = [claim for claim in CLAIMS if claim.study and "stream for each logical core" in claim.substitute]
OF_SIZE = {"unlocked-worse-by-ten", "arc4-slower-at-once"}
BY_KEY = {claim.key: claim for claim in CLAIMS}


@pytest.mark.parametrize("claim", PARALLEL, ids=lambda claim: claim.key)
def test_claims_use_at_most_as_many_streams_as_cores(claim: Claim, paper: Paper) -> None:
    for cores, reason in ((1, "2 or more logical cores, this machine has 1"), (None, "the number of logical cores")):
        finding = evaluate(claim, paper("generators", cores=cores))
        assert (finding.verdict, reason in finding.reason) == ("inconclusive", True)
    # On two cores the claims use two streams, so the times of four streams have no effect.
    two = evaluate(claim, paper("generators", cores=2))
    assert two.estimate is not None
    slow = evaluate(claim, paper("generators", cores=2, change=slowed("*", 1000, threads=4)))
    assert slow.estimate == two.estimate


def test_claims_about_parallel_streams_are_found() -> None:
    assert len(PARALLEL) == 7


@pytest.mark.parametrize("claim", PARALLEL, ids=lambda claim: claim.key)
def test_two_streams_decide_the_direction_only(claim: Claim, paper: Paper) -> None:
    two, four = (evaluate(claim, paper("generators", cores=cores)) for cores in (2, 4))
    assert two.aspect and four.aspect
    if claim.key in OF_SIZE:
        assert (two.verdict, two.aspect.name) == ("inconclusive", "direction")
        assert two.reason == "2 streams decide the direction only, the document has 4"
        assert four.verdict == "reproduced"
        assert two.aspect.verdict == "reproduced"
    else:
        assert (two.verdict, two.aspect.name, two.aspect.verdict) == ("reproduced", "size", "inconclusive")
        assert four.aspect.verdict == "reproduced"
    assert two.measured.endswith("; 2 streams of 16 MiB") and four.measured.endswith("; 4 streams of 16 MiB")


def test_the_length_of_a_stream_is_stated(paper: Paper) -> None:
    for claim in CLAIMS:
        if claim.study:
            measured = evaluate(claim, paper("generators", cores=4)).measured
            assert (" of 16 MiB" in measured) == ("instead of 4 GB" in claim.substitute)
    alone = evaluate(BY_KEY["lock-costs-little-when-long"], paper("generators"))
    assert alone.measured.endswith("; one stream of 16 MiB")


def test_a_relative_scaling_shows_the_times_alone(paper: Paper) -> None:
    finding = evaluate(BY_KEY["unlocked-worse-by-ten"], paper("generators", cores=4))
    assert finding.measured.split("; ")[1].startswith("ratio of the parallel times alone 5.")


def test_almost_as_fast_has_two_bounds(paper: Paper) -> None:
    claim = BY_KEY["unlocked-nearly-like-hc128"]
    for factor, verdict in ((1, "reproduced"), (0.6, "not reproduced"), (1.6, "not reproduced")):
        assert evaluate(claim, paper("generators", change=slowed(PRIVATE, factor, threads=1))).verdict == verdict


@pytest.mark.parametrize(
    ("name", "threads", "compared"),
    [
        *[(UNLOCKED, 1, False), (PRIVATE, 1, True), (LOCKED, 1, True), (PER_CPU, 1, True)],
        *[(PRIVATE, 4, False), (UNLOCKED, 4, True), (LOCKED, 4, True), (PER_CPU, 4, True)],
    ],
)
def test_hc128_is_compared_with_the_forms_of_the_document(
    name: str, threads: int, compared: bool, paper: Paper
) -> None:
    """One stream has a private state without a lock, several share one."""
    finding = evaluate(BY_KEY["hc128-faster"], paper("generators", change=slowed(name, 0.01, threads=threads)))
    assert finding.verdict == ("not reproduced" if compared else "reproduced")


def test_scaling_of_four_streams_requires_four_cores(paper: Paper) -> None:
    (claim,) = (claim for claim in CLAIMS if claim.key == "own-state-scales")
    finding = evaluate(claim, paper("generators", cores=2))
    assert finding.reason == "requires 4 or more logical cores, this machine has 2"
    # The document's own numbers lie within the margin of the bound, which they define.
    on_four = evaluate(claim, paper("generators", cores=4))
    assert on_four.estimate is not None
    assert on_four.estimate.value == pytest.approx(on_four.published, rel=0.02)
    slow = evaluate(claim, paper("generators", cores=4, change=slowed(PER_CPU, 2, threads=4)))
    assert slow.verdict == "not reproduced"


@pytest.mark.parametrize("key", ["lock-costs", "lock-costs-little-when-long", "unlocked-nearly-like-hc128"])
def test_atomic_numbers_decide_nothing_about_one_stream(key: str, paper: Paper) -> None:
    (claim,) = (claim for claim in CLAIMS if claim.key == key)
    plain, slow = (
        evaluate(claim, paper("generators", change=slowed(UNLOCKED, factor, threads=1))) for factor in (1, 1.84)
    )
    assert plain.estimate and slow.estimate and slow.verdict == "reproduced"
    assert (slow.estimate.value, slow.estimate.low) == (plain.estimate.value, plain.estimate.low)
    if key != "unlocked-nearly-like-hc128":
        assert "over a shared atomic state" in slow.measured and slow.measured != plain.measured


def test_contention_is_relative_to_one_stream(paper: Paper) -> None:
    (claim,) = (claim for claim in CLAIMS if claim.key == "unlocked-worse-by-ten")
    slow = evaluate(claim, paper("generators", change=slowed(UNLOCKED, 1.84)))
    assert slow.estimate and slow.estimate.value == pytest.approx(2338.92 / 42.12 / (398.83 / 42.58), rel=0.01)
