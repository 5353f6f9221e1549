"""Every claim: confirmed by the times of its document, refuted by other times, inconclusive without data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from aeadlab import paths
from aeadlab.studies import all_studies
from aeadlab.studies.claims import all_claims, claims_of
from aeadlab.verdicts import published
from aeadlab.verdicts.claim import Claim, Finding, criteria_of
from aeadlab.verdicts.criteria import standing, versions
from aeadlab.verdicts.evaluation import evaluate
from aeadlab.verdicts.evidence import Evidence
from tests.fixtures import documents
from tests.fixtures.changes import CONFIRMING, REFUTING, derived_changes, refuting_finding

Paper = Callable[..., Evidence]

CLAIMS = {claim.key: claim for claim in claims_of()}
MEASURED = [claim for claim in CLAIMS.values() if claim.study]
TIMED = [claim for claim in MEASURED if claim.study != "thread-modes" and claim.key != "low-variability"]
"""Claims about ratios of times. The others are about the samples of one case, to which no noise floor applies."""

PARTS_WITHOUT_NUMBERS = {"Summary", "Results", "Closing thoughts"}

OTHER_COMPUTER = {"o3-helps-everywhere"}
"""The numbers are those of another computer than the simulated one, and contradict the claim."""

EVP_OF_THE_CORE_2 = {"evp-before-own"}
"""The simulated EVP has the ratio of the Athlon XP, which is the smallest, to AES_encrypt."""

WITHIN_THE_MARGIN = {"own-state-scales", "speed-ends-growing", "o3-helps-much-somewhere"}
"""The published value is within 1 % of a bound, so that the document's own numbers decide nothing."""

NUMBER_IN_THE_TEXT = {
    "unlocked-worse-by-ten", "own-state-costs", "arc4-slower-at-once",
    "3des-at-least-five", "3des-at-most-ten", "3des-over-camellia", "des-over-camellia", "ring-gcm-fastest",
}  # fmt: skip
"""The published number is in the text, and the table has another one."""


def each(claims: list[Claim]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("claim", claims, ids=lambda claim: claim.key)


def find(claim: Claim, paper: Paper, **options: Any) -> Finding:
    return evaluate(claim, paper(claim.study, **options), "a record")


def test_keys_are_unique_and_changes_name_claims() -> None:
    assert len(CLAIMS) == sum(map(len, all_claims().values()))
    assert {*REFUTING, *CONFIRMING, *NUMBER_IN_THE_TEXT, *OTHER_COMPUTER} <= CLAIMS.keys()


def test_studies_of_claims_exist() -> None:
    assert {claim.study for claim in MEASURED} <= all_studies().keys()
    assert list(all_claims()) == list(published.DOCUMENTS)


@each([*CLAIMS.values()])
def test_place_and_numbers_are_published(claim: Claim) -> None:
    assert claim.place in {*published.load(claim.document)["place"], *PARTS_WITHOUT_NUMBERS}
    assert claim.statement.format(*claim.published_numbers()).endswith(".")
    assert claim.differs.endswith(".")
    assert all(f"{{{index}}}" in claim.statement for index in range(len(claim.numbers)))


@each([claim for claim in CLAIMS.values() if claim.expected])
def test_published_value_is_accepted_unless_contradicted(claim: Claim) -> None:
    value = claim.published_value()
    accepted = claim.accepted(value).verdict(value, value) == "reproduced"
    contradicted = claim.key in {*CONFIRMING, *OTHER_COMPUTER}
    assert accepted == (not contradicted or claim.key in NUMBER_IN_THE_TEXT)
    assert not contradicted or "document's own" in claim.statement


@each(MEASURED)
def test_times_of_the_document_confirm_the_claim(claim: Claim, paper: Paper) -> None:
    finding = find(claim, paper)
    assert "no matching case" not in finding.reason, f"add simulated times to {documents.__file__}"
    if claim.key in WITHIN_THE_MARGIN:
        assert finding.verdict == "inconclusive" and "widened by 1 %" in finding.reason
    else:
        assert (finding.verdict, finding.reason) == ("not reproduced" if claim.key in CONFIRMING else "reproduced", "")
    assert finding.estimate is not None
    assert finding.estimate.low <= finding.estimate.value <= finding.estimate.high
    # The simulated times are those of the tables, so the estimate is the published value. Many of ETH are modelled.
    others = {*NUMBER_IN_THE_TEXT, *OTHER_COMPUTER, *EVP_OF_THE_CORE_2}
    if claim.expected and claim.document != "ETH" and claim.key not in others:
        assert finding.estimate.value == pytest.approx(finding.published, rel=0.01)


@each([claim for claim in MEASURED if claim.key not in CONFIRMING and claim.key != "low-variability"])
def test_other_times_refute_the_claim(claim: Claim) -> None:
    finding = refuting_finding(claim)
    assert (finding.verdict, finding.reason) == ("not reproduced", "")
    assert finding.why == claim.differs


@pytest.mark.parametrize("key", CONFIRMING)
def test_other_times_confirm_a_contradicted_claim(key: str, paper: Paper) -> None:
    finding = find(CLAIMS[key], paper, change=CONFIRMING[key])
    assert (finding.verdict, finding.reason, finding.why) == ("reproduced", "", "")


@pytest.mark.parametrize("key", ["overhead-openssl", "xor-ends-early", "evp-slower", "linear", "openssl-grows"])
def test_a_claim_without_an_entry_has_a_derived_refutation(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(REFUTING, key)
    assert len(derived_changes(CLAIMS[key])) == 6
    assert refuting_finding(CLAIMS[key]).verdict == "not reproduced"


@each(TIMED)
def test_noise_makes_a_claim_inconclusive(claim: Claim, paper: Paper) -> None:
    noisy = find(claim, paper, pair=50.0)
    assert noisy.verdict == "inconclusive"
    assert any(text in noisy.reason for text in ("overlaps a bound", "too much noise")) or (
        claim.document == "ETH" and noisy.reason
    )


@each(MEASURED)
def test_unsuitable_records_are_inconclusive(claim: Claim, paper: Paper) -> None:
    for options, reason in (
        ({"profile": "smoke*"}, "profile smoke"),
        ({"processes": 2}, ""),
    ):
        finding = find(claim, paper, **options)
        assert finding.verdict == "inconclusive"
        assert finding.reason and reason in finding.reason
    finding = evaluate(claim, None)
    assert (finding.verdict, finding.measured) == ("inconclusive", "-")
    assert finding.reason == f"no record of study {claim.study}: run `aeadlab measure {claim.study}`"


@pytest.fixture(scope="module")
def short_messages() -> Callable[[str], Evidence]:
    """``short_messages("speedup")``: the simulated record of a study with messages of 1 MiB."""

    def shortened(study: str) -> Evidence:
        evidence = documents.evidence_of(study)
        return replace(evidence, samples=evidence.samples.assign(bytes=1 << 20))

    return cache(shortened)


@each([claim for claim in TIMED if claim.document == "ETH" and claim.study != "thread-modes"])
def test_short_messages_are_inconclusive(claim: Claim, paper: Paper, short_messages: Callable[[str], Evidence]) -> None:
    short = evaluate(claim, short_messages(claim.study))
    assert short.verdict == "inconclusive"
    assert short.reason == "measured on messages of 1 MiB, at least 64 MiB are required" or short.estimate is None
    # The profile's nominal length is no measurement.
    assert find(claim, paper, profile="paper").verdict != "inconclusive" or short.estimate is None


@each([claim for claim in CLAIMS.values() if claim.study])
def test_the_criterion_is_registered(claim: Claim) -> None:
    for name, accepted in criteria_of(claim).items():
        version = standing(claim, accepted, name)
        assert version, (
            f"run python tools/criteria.py REASON, and add the reason to docs/CLAIMS.md ({claim.key} {name})"
        )
        assert version.version == 1 or version.reason


def test_changed_criteria_are_in_the_log() -> None:
    log = Path("docs/CLAIMS.md").read_text()
    changed = [v for of_claim in versions(paths.criteria()).values() for v in of_claim if v.version > 1]
    assert changed
    assert [v.key for v in changed if f"`{v.key}`" not in log or v.reason not in log.replace("\n", " ")] == []


@each(MEASURED)
def test_a_record_of_another_study_is_inconclusive(claim: Claim, paper: Paper) -> None:
    finding = evaluate(claim, paper("cells" if claim.study != "cells" else "blocks"))
    assert (finding.verdict, finding.estimate) == ("inconclusive", None)
    missing = "no matching case" in finding.reason or "or more threads" in finding.reason
    assert missing or (claim.document == "ETH" and finding.reason)


@each([claim for claim in CLAIMS.values() if not claim.study and claim.key != "tag-space"])
def test_undecidable_claims_have_a_reason(claim: Claim) -> None:
    finding = evaluate(claim, Evidence.empty())
    assert (finding.verdict, finding.measured) == ("inconclusive", "-")
    assert finding.reason.startswith("requires ") or finding.reason.endswith(" here")
