from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from aeadlab.bench.masks.masks import CONTROL
from aeadlab.studies.ciphers.claims import NO_AES
from aeadlab.studies.claims import claims_of
from aeadlab.verdicts.claim import Claim
from aeadlab.verdicts.evaluation import evaluate
from aeadlab.verdicts.evidence import Evidence
from tests.fixtures.changes import slowed

Paper = Callable[..., Evidence]
CLAIMS = {claim.key: claim for claim in claims_of()}
MASKED = [claim for claim in CLAIMS.values() if "without AES instructions" in claim.measure]


def test_claims_about_masked_cases_are_found() -> None:
    assert len(MASKED) == 5


def test_linearity_requires_two_lengths(paper: Paper) -> None:
    evidence = paper("block-ciphers")
    one_length = replace(evidence, samples=evidence.samples[evidence.samples["bytes"].eq(10**9)])
    finding = evaluate(CLAIMS["linear"], one_length)
    assert finding.reason == "openssl/aes-128-ecb was measured with one message length, two are required"


@pytest.mark.parametrize("claim", MASKED, ids=lambda claim: claim.key)
def test_masked_cases_require_a_control_with_little_noise(claim: Claim, paper: Paper) -> None:
    evidence = paper("block-ciphers")
    finding = evaluate(claim, replace(evidence, samples=evidence.samples[evidence.samples["mask"].ne(CONTROL)]))
    assert (finding.verdict, "no A/A pair" in finding.reason) == ("inconclusive", True)
    noisy = paper("block-ciphers", change=slowed("openssl/*", 60, mask=CONTROL))
    assert evaluate(claim, noisy).verdict == "inconclusive"


def test_a_failed_or_missing_masked_case_is_named(paper: Paper) -> None:
    evidence = paper("block-ciphers")
    samples = evidence.samples.copy()
    masked = samples["mask"].eq(NO_AES)
    samples.loc[masked, "status"] = "failed: under mask no-aes: wrong result"
    finding = evaluate(CLAIMS["gcm-by-instructions"], replace(evidence, samples=samples))
    assert finding.reason == "openssl/aes-256-ctr failed: under mask no-aes: wrong result"
    finding = evaluate(CLAIMS["gcm-by-instructions"], replace(evidence, samples=samples[~masked]))
    assert finding.reason == "openssl/aes-256-ctr has no matching case (whole encrypt no-aes)"
