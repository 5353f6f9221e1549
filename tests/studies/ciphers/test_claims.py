"""Claims about block ciphers: lengths, CPU time, masked cases, and the document's own table."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from aeadlab.bench.masks.masks import CONTROL
from aeadlab.studies.ciphers.claims import NO_AES, QUITE_A_BIT
from aeadlab.studies.claims import claims_of
from aeadlab.verdicts import published
from aeadlab.verdicts.claim import Claim
from aeadlab.verdicts.evaluation import evaluate
from aeadlab.verdicts.evidence import Evidence
from tests.fixtures.changes import slowed
from tests.fixtures.documents import evidence_of

Paper = Callable[..., Evidence]
CLAIMS = {claim.key: claim for claim in claims_of()}
CIPHERS = [claim for claim in CLAIMS.values() if claim.document == "Ciphers"]
MASKED = [claim for claim in CIPHERS if claim.substitute]
NUMBER_IN_THE_TEXT = {
    "3des-at-least-five", "3des-at-most-ten", "3des-over-camellia", "des-over-camellia", "3des-over-des",
}  # fmt: skip


def test_claims_about_masked_cases_are_found() -> None:
    assert len(MASKED) == 4


@pytest.fixture(scope="module")
def shorter() -> Evidence:
    """The simulated record with messages of a thousandth of the lengths."""
    evidence = evidence_of("block-ciphers")
    return replace(evidence, samples=evidence.samples.assign(bytes=evidence.samples["bytes"] // 1000))


@pytest.fixture(scope="module")
def disturbed() -> Evidence:
    """The simulated record with waiting times, which are no CPU time."""
    evidence = evidence_of("block-ciphers")
    waiting = np.random.default_rng(3).uniform(1, 20, len(evidence.samples))
    return replace(evidence, samples=evidence.samples.assign(seconds=evidence.samples["seconds"] * waiting))


@pytest.mark.parametrize("claim", CIPHERS, ids=lambda claim: claim.key)
def test_claims_require_the_lengths_of_the_document(claim: Claim, shorter: Evidence) -> None:
    finding = evaluate(claim, shorter)
    assert (finding.verdict, finding.estimate) == ("inconclusive", None)
    assert re.search(r"^OpenSSL .* has no matching case \(whole .*(100 MB|1 GB)\)$", finding.reason)


@pytest.mark.parametrize("claim", CIPHERS, ids=lambda claim: claim.key)
def test_claims_are_about_cpu_time(claim: Claim, paper: Paper, disturbed: Evidence) -> None:
    assert evaluate(claim, disturbed).estimate == evaluate(claim, paper("block-ciphers")).estimate


def test_samples_below_the_resolution_of_cpu_time_are_left_out(paper: Paper) -> None:
    evidence = paper("block-ciphers")
    samples = evidence.samples.assign(cpu_ns=evidence.samples["cpu_ns"].where(evidence.samples["round"].ne(3), 0))
    finding = evaluate(CLAIMS["aria-slower"], replace(evidence, samples=samples))
    assert finding.verdict == "reproduced"
    assert finding.estimate is not None and finding.estimate.rounds == 15


def test_counted_exceptions_are_those_of_the_table() -> None:
    """The statements count exceptions, which are no published numbers."""
    table = published.lookup("Ciphers", quantity="CPU time")
    table = table[table["place"].eq("Table 1")]
    names = table["algorithm"].str.extract(r"(?P<cipher>[a-z]+)-(?P<bits>[0-9]+)-(?P<mode>[a-z]+)")
    table = table.assign(**{str(name): column for name, column in names.items()})
    keys = table.pivot_table(index=["cipher", "mode", "operation", "bytes"], columns="bits", values="seconds")
    exceptions = keys["256"] < keys["128"]
    small = exceptions.xs(10**8, level="bytes")
    counts = f"{exceptions.sum()} exceptions of {len(keys)}, {small.sum()} of them at 100 MB"
    assert counts in CLAIMS["longer-keys-slower"].statement
    modes = table.pivot_table(index=["cipher", "bits", "operation", "bytes"], columns="mode", values="seconds")
    exceptions = modes.idxmin(axis=1) != "ecb"
    assert f"{exceptions.sum()} exceptions of {len(modes)}" in CLAIMS["ecb-fastest"].statement
    slowest = modes.idxmax(axis=1) == "cbc"
    assert f"the slowest in {slowest.sum()} of {len(modes)}" in CLAIMS["cbc-slowest"].statement


@pytest.mark.parametrize("claim", CIPHERS, ids=lambda claim: claim.key)
def test_the_table_has_no_case_beyond_the_stated_one(claim: Claim, paper: Paper) -> None:
    """The published value is the extreme of both lengths and directions, not only near it."""
    if claim.expected is None or claim.key in NUMBER_IN_THE_TEXT:
        pytest.skip("no published value of the table")
    finding = evaluate(claim, paper("block-ciphers", rounds=8, jitter=0))
    assert finding.estimate is not None
    assert finding.estimate.value == pytest.approx(finding.published, rel=1e-6)


def test_quite_a_bit_is_the_smallest_difference_of_the_table() -> None:
    table = published.lookup("Ciphers", quantity="CPU time", place="Table 1")
    aes = table[table["algorithm"].str.startswith("aes-")]
    times = aes.pivot_table(index=["algorithm", "bytes"], columns="operation", values="seconds")
    assert round(float((times["decrypt"] / times["encrypt"]).min()), 2) == QUITE_A_BIT


def test_generally_is_three_of_four_cases(paper: Paper) -> None:
    """One case of Triple-DES may decrypt more slowly, two may not; of AES most differ quite a bit."""
    small_cbc = slowed("openssl/3des-cbc", 1.1, op="decrypt", bytes=10**8)
    assert evaluate(CLAIMS["3des-decrypts-faster"], paper("block-ciphers", change=small_cbc)).verdict == "reproduced"
    cbc = slowed("openssl/3des-cbc", 1.1, op="decrypt")
    assert evaluate(CLAIMS["3des-decrypts-faster"], paper("block-ciphers", change=cbc)).verdict == "not reproduced"
    ctr = slowed("openssl/aes-*-ctr", 0.9, op="decrypt", mask="")
    assert evaluate(CLAIMS["aes-decrypts-slower"], paper("block-ciphers", change=ctr)).verdict == "not reproduced"
    assert evaluate(CLAIMS["aes-decrypts-quite-a-bit-slower"], paper("block-ciphers", change=ctr)).verdict != (
        "not reproduced"
    )


def test_instructions_explain_no_difference_that_is_not_there(paper: Paper) -> None:
    faster = paper("block-ciphers", change=slowed("openssl/aes-*-cbc", 0.2, op="decrypt", mask=""))
    finding = evaluate(CLAIMS["aes-decryption-by-instructions"], faster)
    assert (finding.verdict, "leaves nothing to explain there" in finding.reason) == ("inconclusive", True)


@pytest.mark.parametrize("claim", MASKED, ids=lambda claim: claim.key)
def test_masked_cases_require_a_control_with_little_noise(claim: Claim, paper: Paper) -> None:
    evidence = paper("block-ciphers")
    finding = evaluate(claim, replace(evidence, samples=evidence.samples[evidence.samples["mask"].ne(CONTROL)]))
    assert (finding.verdict, "the record has no control" in finding.reason) == ("inconclusive", True)
    noisy = paper("block-ciphers", change=slowed("openssl/*", 60, mask=CONTROL))
    assert evaluate(claim, noisy).verdict == "inconclusive"


def test_a_failed_or_missing_masked_case_is_named(paper: Paper) -> None:
    evidence = paper("message-sizes")
    samples = evidence.samples.copy()
    masked = samples["mask"].eq(NO_AES)
    samples.loc[masked, "status"] = "failed: under mask no-aes: wrong result"
    finding = evaluate(CLAIMS["gcm-by-instructions"], replace(evidence, samples=samples))
    assert finding.reason == "OpenSSL AES-256-GCM failed: under mask no-aes: wrong result"
    finding = evaluate(CLAIMS["gcm-by-instructions"], replace(evidence, samples=samples[~masked]))
    assert finding.reason == "OpenSSL AES-256-GCM has no matching case (whole seal no-aes 100 MB)"
