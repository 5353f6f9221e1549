"""What another cipher would save a program that spends a part of its time in this one."""

from __future__ import annotations

from dataclasses import replace
from math import isnan

from aeadlab.judgement.claim import Numbers, Test
from aeadlab.judgement.estimate import Estimate, Quantity
from aeadlab.judgement.evidence import Evidence
from aeadlab.judgement.pairs import Whole, least_ratio


def saved(other: Whole, own: Whole) -> Test:
    """The share of a program's time that `other` saves it in place of `own`.

    The second of the claim's numbers is the share of its time, in percent, that the program spends in `own`.
    """

    def test(evidence: Evidence, numbers: Numbers) -> Quantity:
        ratio, share = least_ratio([(other, own)])(evidence, numbers), numbers[1] / 100

        def quantity(confidence: float) -> Estimate:
            found = ratio(confidence)
            low, high = found.band
            # A difference of times is no ratio: the noise has done its part already, unless it is unknown.
            return replace(
                found,
                value=share * (1 - found.value),
                low=share * (1 - high),
                high=share * (1 - low),
                noise=found.noise if isnan(found.noise) else 0.0,
            )

        return quantity

    return test
