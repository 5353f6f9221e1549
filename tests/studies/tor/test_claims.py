from __future__ import annotations

from collections.abc import Callable

import pytest

from aeadlab.studies.tor.claims import CLAIMS
from aeadlab.verdicts.claim import Claim
from aeadlab.verdicts.evaluation import evaluate
from aeadlab.verdicts.evidence import Evidence
from tests.fixtures.changes import slowed

MEASURED = [claim for claim in CLAIMS if claim.study]


@pytest.mark.parametrize("claim", MEASURED, ids=lambda claim: claim.key)
def test_runs_decide_and_not_single_cells(claim: Claim, paper: Callable[..., Evidence]) -> None:
    found = evaluate(claim, paper("cells")).estimate
    assert found
    slow = evaluate(claim, paper("cells", change=slowed("*-o2", 100, engine="whole"))).estimate
    assert slow and (slow.value, slow.low, slow.high) == (found.value, found.low, found.high)
    runs = evaluate(claim, paper("cells", change=slowed("*-o2", 100, engine="cells"))).estimate
    same_level = claim.key not in {"o3-helps-everywhere", "o3-helps-much-somewhere", "o3-around-openssl"}
    assert runs and (runs.value == pytest.approx(found.value)) == same_level


def test_each_ratio_is_counted_once() -> None:
    assert len({repr(claim.estimator) for claim in MEASURED}) == len(MEASURED) == 7
