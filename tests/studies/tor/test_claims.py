from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import inf

import pytest

from aeadlab.studies.tor.claims import CLAIMS
from aeadlab.studies.tor.study import LOW_LEVEL_O2
from aeadlab.verdicts.claim import Claim, aspect_of
from aeadlab.verdicts.evaluation import evaluate
from aeadlab.verdicts.evidence import Evidence
from aeadlab.verdicts.ranges import Range
from tests.fixtures.changes import slowed

MEASURED = [claim for claim in CLAIMS if claim.study]
BY_KEY = {claim.key: claim for claim in CLAIMS}


@pytest.mark.parametrize("claim", MEASURED, ids=lambda claim: claim.key)
def test_runs_decide_and_not_single_cells(claim: Claim, paper: Callable[..., Evidence]) -> None:
    found = evaluate(claim, paper("cells")).estimate
    assert found
    slow = evaluate(claim, paper("cells", change=slowed("*-o2", 100, engine="whole"))).estimate
    assert slow and (slow.value, slow.low, slow.high) == (found.value, found.low, found.high)
    runs = evaluate(claim, paper("cells", change=slowed("*-o2", 100, engine="cells"))).estimate
    levels = {"o3-helps-everywhere", "o3-helps-much-somewhere", "o3-around-openssl", "evp-before-own"}
    same_level = claim.key not in levels
    assert runs and (runs.value == pytest.approx(found.value)) == same_level


def test_each_ratio_is_counted_once() -> None:
    assert len({repr(claim.estimator) for claim in MEASURED}) == len(MEASURED) == 7


@pytest.mark.parametrize("claim", MEASURED, ids=lambda claim: claim.key)
def test_substitutes_are_stated(claim: Claim) -> None:
    assert "Cells of 509 bytes" in claim.substitute
    quantity = repr(claim.estimator)
    assert ("not rijndael-alg-fst.c" in claim.substitute) == ("rijndael/" in quantity)
    assert ("OpenSSL is of the version" in claim.substitute) == ("openssl/" in quantity)


def test_percentages_are_relative_to_the_own_code() -> None:
    """No other base gives all four percentages that the document computes from its tables."""
    share, own, encrypt, older_own, older_encrypt = BY_KEY["aes-encrypt-before-own"].published_numbers()
    assert share == round(100 * (1 - encrypt / own)) == round(100 * (1 - older_encrypt / older_own)) == 37
    less, more, newer, own, old = BY_KEY["own-before-openssl-on-powerpc"].published_numbers()
    assert (less, more) == (round(100 * (newer / own - 1)), round(100 * (old / own - 1))) == (8, 16)
    around, own, old = BY_KEY["own-before-old-openssl"].published_numbers()
    assert 100 * (old / own - 1) == pytest.approx(around, abs=2)
    for key in ("aes-encrypt-before-own", "own-before-openssl-on-powerpc", "own-before-old-openssl"):
        assert "percentages are relative to the time of Tor's own code" in BY_KEY[key].statement


def test_a_lot_is_the_smaller_of_the_largest_published_gains(paper: Callable[..., Evidence]) -> None:
    claim = BY_KEY["o3-helps-much-somewhere"]
    finding = evaluate(claim, paper("cells"))
    assert finding.published == pytest.approx(10.9 / 10.0)
    assert (finding.accepted.low, finding.accepted.high) == (pytest.approx(1.09), inf)
    for factor, verdict in ((0.97, "reproduced"), (1.03, "not reproduced")):
        assert evaluate(claim, paper("cells", change=slowed("*-o3", factor))).verdict == verdict


def test_one_computer_cannot_decide_where_unrolling_helps() -> None:
    finding = evaluate(BY_KEY["unrolling-helps-in-places"], Evidence.empty())
    assert (finding.verdict, finding.published) == ("inconclusive", pytest.approx(2 / 3))
    assert finding.reason.startswith("requires several computers")


def test_a_missing_case_is_named_in_words(paper: Callable[..., Evidence]) -> None:
    evidence = paper("cells")
    without = evidence.samples[evidence.samples["implementation"] != LOW_LEVEL_O2]
    reason = evaluate(BY_KEY["evp-slower"], replace(evidence, samples=without)).reason
    assert reason == "OpenSSL AES-128-CTR aes-encrypt -O2 has no matching case (cells encrypt 509 MB)"


@pytest.mark.parametrize("key", ["counter-optimization-helps", "evp-slower"])
def test_the_size_is_accepted_from_that_of_each_computer(key: str) -> None:
    (claim,) = (claim for claim in CLAIMS if claim.key == key)
    times = claim.published_numbers()
    ratios = [times[0] / times[1], times[2] / times[3], times[4] / times[5]]
    aspect = aspect_of(claim, min(ratios), claim.accepted(min(ratios)))
    assert aspect and aspect.name == "size"
    assert aspect.accepted == Range(1 + (min(ratios) - 1) / 2, 1 + 2 * (max(ratios) - 1))


def test_a_gain_is_accepted_from_that_of_both_computers(paper: Callable[..., Evidence]) -> None:
    finding = evaluate(BY_KEY["o3-around-openssl"], paper("cells"))
    assert finding.published == pytest.approx(4.6 / 4.4)
    assert (finding.accepted.low, finding.accepted.high) == pytest.approx((1 + 0.1 / 4.4, 1 + 2 * 0.9 / 10.0))
