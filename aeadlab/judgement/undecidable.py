"""What no record of this lab can decide."""

from __future__ import annotations

from aeadlab.judgement.claim import Numbers, Test
from aeadlab.judgement.estimate import Quantity
from aeadlab.judgement.evidence import Evidence, Undecided


def undecidable(why: str) -> Test:
    """No quantity, for this reason."""

    def test(_: Evidence, __: Numbers) -> Quantity:
        raise Undecided(why)

    return test
