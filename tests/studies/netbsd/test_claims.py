from __future__ import annotations

from collections.abc import Callable

import pytest

from aeadlab.studies.netbsd.claims import CLAIMS
from aeadlab.verdicts.claim import Claim
from aeadlab.verdicts.evaluation import evaluate
from aeadlab.verdicts.evidence import Evidence
from tests.fixtures.changes import slowed

Paper = Callable[..., Evidence]
PARALLEL = [claim for claim in CLAIMS if claim.study and "streams as cores" in claim.statement]


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


def test_scaling_of_four_streams_requires_four_cores(paper: Paper) -> None:
    (claim,) = (claim for claim in CLAIMS if claim.key == "own-state-scales")
    finding = evaluate(claim, paper("generators", cores=2))
    assert finding.reason == "requires 4 or more logical cores, this machine has 2"
    assert evaluate(claim, paper("generators", cores=4)).verdict == "reproduced"
