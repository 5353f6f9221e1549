from __future__ import annotations

from collections.abc import Callable

import pytest

from aeadlab.studies.tor import claims as tor
from aeadlab.verdicts.evaluation import evaluate
from aeadlab.verdicts.evidence import Evidence
from tests.fixtures.changes import slowed


def test_a_slower_replacement_saves_a_negative_share(paper: Callable[..., Evidence]) -> None:
    (claim,) = (claim for claim in tor.CLAIMS if claim.key == "saves-at-most")
    finding = evaluate(claim, paper("cells", change=slowed(tor.LOW_LEVEL, 2)))
    assert finding.estimate is not None
    assert finding.estimate.value == pytest.approx(0.2 * (1 - 9.2 / 7.3), rel=0.02)
    assert finding.measured.startswith("\N{MINUS SIGN}5")
