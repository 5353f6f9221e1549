"""Verdicts on claims, by themselves and together with those on the other claims of a document."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from math import isnan, log, nan, sqrt

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from aeadlab.studies.claims import claims_of
from aeadlab.verdicts.claim import Claim, Finding
from aeadlab.verdicts.estimate import Estimate, Quantity, with_limitations
from aeadlab.verdicts.evaluation import at_once, evaluate, evaluate_all
from aeadlab.verdicts.evidence import Evidence, Inconclusive
from aeadlab.verdicts.findings import Findings
from aeadlab.verdicts.ranges import Criterion, above, at_least, below, similar_effect, within
from aeadlab.verdicts.text import as_json, as_markdown, as_markdown_rows, as_text

NOISE = log(1.01)
SUITABLE = Evidence(pd.DataFrame(), "study")


def timed(
    distance: float, processes: int = 12, noise: float = NOISE, rounds: int = 48, cannot_confirm: str = ""
) -> Quantity:
    """Return a ratio whose normal interval, widened, begins `distance` standard errors of 1 % above 1."""

    def quantity(confidence: float) -> Estimate:
        reach = scipy.stats.norm.ppf((1 + confidence) / 2) * 0.01
        value = distance * 0.01 + noise
        low, high = np.exp([value - reach, value + reach])
        return Estimate(float(np.exp(value)), low, high, noise, processes, rounds, cannot_confirm)

    return quantity


def computed(value: float) -> Quantity:
    return lambda _: Estimate(value, value, value)


def claim_of(quantity: Quantity, document: str = "ETH", key: str = "claim") -> Claim:
    changes = {"document": document, "key": key, "estimator": lambda *_: quantity, "criterion": above(1)}
    return replace(claims_of()[0], study="study", numbers=(), expected=None, statement="It is slower.", **changes)


def judged(*claims: Claim) -> tuple[Finding, ...]:
    return evaluate_all(claims, {"study": ("record.parquet", SUITABLE)})


def p_of(distance: float) -> float:
    return float(2 * scipy.stats.norm.sf(distance))


ROUNDED = 1.13
"""Factor by which `smallest_error` may exceed a p-value."""


@pytest.mark.parametrize(
    ("distance", "verdict"), [(2.5, "reproduced"), (1.5, "inconclusive"), (-2.5 - 2 * NOISE / 0.01, "not reproduced")]
)
def test_a_verdict_has_the_p_value_of_its_interval(distance: float, verdict: str) -> None:
    finding = evaluate(claim_of(timed(distance)), SUITABLE)
    assert finding.verdict == verdict
    if verdict == "inconclusive":
        assert isnan(finding.p_value)
        assert "widened by 1 %," in finding.reason and "overlaps a bound" in finding.reason
    else:
        assert p_of(2.5) <= finding.p_value <= ROUNDED * p_of(2.5)
    assert isnan(finding.p_adjusted), "only together with others"


@pytest.mark.parametrize(("processes", "words"), [(1, "one process"), (2, "2 processes")])
def test_fewer_than_three_processes_are_inconclusive(processes: int, words: str) -> None:
    (finding,) = judged(claim_of(timed(9.0, processes)))
    unit = f"within {words}, 48 rounds"
    assert finding.verdict == "inconclusive"
    assert finding.reason == f"the interval holds {unit}: verdicts require 3 processes or more"
    assert isnan(finding.p_value) and isnan(finding.p_adjusted)
    assert judged(claim_of(timed(9.0, 3)))[0].verdict == "reproduced"


def test_computed_quantities_have_a_verdict_without_processes() -> None:
    (finding,) = judged(claim_of(computed(2.0)))
    assert (finding.verdict, finding.basis) == ("reproduced", "")
    assert isnan(finding.p_value)


def test_verdicts_of_a_document_are_corrected_by_holm() -> None:
    # p-values of 0.0124 and 0.0027: with two claims 2 * 0.0027 and 0.0124.
    one, other = judged(claim_of(timed(2.5), key="a"), claim_of(timed(3.0), key="b"))
    assert (one.verdict, other.verdict) == ("reproduced", "reproduced")
    assert other.p_adjusted == pytest.approx(2 * other.p_value)
    assert one.p_adjusted == pytest.approx(one.p_value)
    assert one.reason == other.reason == ""


def test_a_verdict_that_does_not_hold_with_the_others_is_inconclusive() -> None:
    # The last two are inconclusive by themselves, and count: 5 * 1e-8, 4 * 0.0027 and 3 * 0.0357.
    undecided = [claim_of(timed(0.0), key=key) for key in "de"]
    findings = judged(
        *(claim_of(timed(distance), key=key) for distance, key in ((9.0, "a"), (2.1, "b"), (3.0, "c"))), *undecided
    )
    verdicts = [finding.verdict for finding in findings]
    assert verdicts == ["reproduced", "inconclusive", "reproduced", "inconclusive", "inconclusive"]
    first, second, third = findings[:3]
    assert first.p_adjusted == pytest.approx(5e-8)
    assert third.p_adjusted == pytest.approx(4 * third.p_value)
    assert second.p_adjusted == pytest.approx(3 * second.p_value)
    assert second.reason == (
        f"reproduced alone (p = {second.p_value:.2g}), not after Holm's correction for the document's 5 verdicts "
        f"(p = {second.p_adjusted:.2g})"
    )
    assert all(isnan(finding.p_adjusted) for finding in findings[3:])
    (alone,) = judged(claim_of(timed(2.1)))
    assert alone.verdict == "reproduced"


def test_each_document_is_a_family() -> None:
    claims = [claim_of(timed(2.5), document, str(i)) for document in ("ETH", "Tor") for i in range(3)]
    for finding in judged(*claims):
        assert finding.p_adjusted == pytest.approx(3 * finding.p_value)
        assert finding.verdict == "reproduced"
    for finding in judged(*(replace(claim, document="ETH") for claim in claims)):
        assert finding.p_adjusted == pytest.approx(6 * finding.p_value)
        assert finding.verdict == "inconclusive"


def test_a_document_is_not_corrected_for_another_one() -> None:
    first = [claim_of(timed(2.1), "ETH", "a"), claim_of(timed(0.0), "ETH", "b")]
    alone, *_ = judged(*first)
    assert alone.reason == (
        f"reproduced alone (p = {alone.p_value:.2g}), not after Holm's correction for the document's 2 verdicts "
        f"(p = {alone.p_adjusted:.2g})"
    )
    others = [claim_of(timed(9.0), "Tor", str(i)) for i in range(3)]
    for claims in ([*first, *others], [*others, *first]):
        together = next(finding for finding in judged(*claims) if finding.claim is first[0])
        assert (together.verdict, together.reason) == ("inconclusive", alone.reason)


def absent(message: str) -> Claim:
    def estimator(*_: object) -> Quantity:
        raise Inconclusive(message)

    return replace(claim_of(timed(0.0), key="absent"), estimator=estimator)


def test_claims_without_a_timed_quantity_do_not_count() -> None:
    timed_claim = claim_of(timed(2.5), key="timed")
    others = [claim_of(computed(2.0), key="computed"), absent("no case"), replace(timed_claim, study="other")]
    found, counted, missing, without = judged(timed_claim, *others)
    assert found.p_adjusted == pytest.approx(found.p_value)
    assert (counted.verdict, missing.reason) == ("reproduced", "no case")
    assert without.reason.startswith("no record of study other") and without.record == ""


def test_a_limitation_has_no_p_value() -> None:
    (finding,) = judged(claim_of(timed(9.0, cannot_confirm="one is absent")))
    assert (finding.verdict, finding.reason) == ("inconclusive", "one is absent")
    assert isnan(finding.p_value)


def test_basis_states_unit_margin_and_levels() -> None:
    (finding,) = judged(claim_of(timed(2.5)))
    both = f"p = {finding.p_value:.2g}, corrected {finding.p_value:.2g}"
    assert finding.basis == f"12 processes, 48 rounds; margin 1 %; {both}"
    assert replace(finding, p_adjusted=nan).basis == "12 processes, 48 rounds; margin 1 %"
    (without_margin,) = judged(claim_of(timed(2.5, noise=0.0)))
    assert without_margin.basis.startswith("12 processes, 48 rounds; p = ")
    assert evaluate(absent("no case"), SUITABLE).basis == ""


def test_short_rows_state_unit_margin_and_corrected_level() -> None:
    findings = judged(claim_of(timed(2.5), key="a"), claim_of(timed(0.0), key="b"), claim_of(computed(2.0), key="c"))
    assert findings[0].short_basis == f"12/48; 1 %; {2 * findings[0].p_value:.2g}"
    assert [finding.short_basis for finding in findings[1:]] == ["12/48; 1 %; -", "-"]
    assert evaluate(absent("no case"), SUITABLE).short_basis == "-"
    shown = as_markdown_rows(Findings(findings, {}), ["a", "b"])
    assert "| n; margin; p |" in shown and "n: processes/rounds; margin: widens" in shown
    assert all(f"| {finding.short_basis} |" in shown for finding in findings[:2])


def test_rows_hold_both_p_values() -> None:
    findings = judged(claim_of(timed(2.5), key="a"), claim_of(timed(0.0), key="b"))
    row, undecided = (finding.as_dict() for finding in findings)
    assert (row["p_value"], row["p_adjusted"]) == (findings[0].p_value, 2 * findings[0].p_value)
    assert (row["processes"], row["rounds"], row["noise"]) == (12, 48, NOISE)
    assert undecided["p_value"] is None and undecided["p_adjusted"] is None


@pytest.mark.parametrize("form", [as_text, as_markdown, as_json, Findings._repr_html_])
def test_every_form_states_the_basis(form: Callable[[Findings], str]) -> None:
    findings = judged(claim_of(timed(2.5), key="a"), claim_of(timed(3.5), key="b"))
    shown = " ".join(form(Findings(findings, {})).split())
    if form is as_json:
        assert '"p_adjusted": ' in shown and '"processes": 12' in shown
    else:
        for finding in findings:
            assert finding.basis in shown


def test_simulated_documents_have_wrong_verdicts_in_5_percent() -> None:
    """Twenty claims whose truth is the bound itself: any verdict is wrong."""
    random = np.random.default_rng(7)
    claim = claim_of(timed(0.0))
    wrong = corrected = 0
    for _ in range(100):
        claims = [
            replace(claim, key=str(i), estimator=lambda *_, at=at: timed(at, noise=0.0))
            for i, at in enumerate(random.normal(0, 1, 20))
        ]
        wrong += any(evaluate(each, SUITABLE).verdict != "inconclusive" for each in claims)
        corrected += any(finding.verdict != "inconclusive" for finding in judged(*claims))
    assert wrong > 40, "without the correction"
    assert corrected <= 5 + 2 * sqrt(5)


def of_size(published_value: float, quantity: Quantity, criterion: Criterion) -> Claim:
    changes = {"criterion": criterion, "expected": lambda *_: published_value, "unit": "times"}
    return replace(claim_of(quantity), **changes)


def ratio_of(value: float) -> Quantity:
    return lambda _: Estimate(value, value * 0.99, value * 1.01, NOISE, 12, 48)


@pytest.mark.parametrize(
    ("published_value", "value", "criterion", "verdict", "aspect"),
    [
        (16.3, 1.6, above(1), "reproduced", ("size", "not reproduced")),
        (16.3, 14.0, above(1), "reproduced", ("size", "reproduced")),
        (16.3, 8.65, above(1), "reproduced", ("size", "inconclusive")),
        (16.3, 0.8, above(1), "not reproduced", ("size", "not reproduced")),
        (35.0, 6.0, above(5), "reproduced", ("size", "not reproduced")),
        (0.5, 0.6, below(1), "reproduced", ("size", "reproduced")),
        (1.3, 1.9, similar_effect, "not reproduced", ("direction", "reproduced")),
        (1.3, 0.9, similar_effect, "not reproduced", ("direction", "not reproduced")),
        (1.05, 1.04, below(1.25), "reproduced", None),
        (1.02, 1.03, within(1.1), "reproduced", None),
        (5.0, 7.0, at_least, "reproduced", None),
        (0.9, 1.5, above(1), "reproduced", None),
    ],
)
def test_direction_and_size_are_two_verdicts(
    published_value: float, value: float, criterion: Criterion, verdict: str, aspect: tuple[str, str] | None
) -> None:
    (finding,) = judged(of_size(published_value, ratio_of(value), criterion))
    assert finding.verdict == verdict
    assert (finding.aspect and (finding.aspect.name, finding.aspect.verdict)) == aspect
    row = finding.as_dict()
    if aspect is None:
        assert (row["direction"], row["size"]) == (None, None)
    else:
        other = {"size": "direction", "direction": "size"}[aspect[0]]
        assert (row[aspect[0]], row[other]) == (aspect[1], verdict)
        assert finding.verdicts == f"{verdict}; {aspect[0]} {aspect[1]}"


@pytest.mark.parametrize(
    ("criterion", "verdicts", "reason"),
    [
        (similar_effect, "inconclusive; direction reproduced", "two streams of four"),
        (above(1), "reproduced; size inconclusive", ""),
    ],
)
def test_a_limitation_of_size_leaves_the_direction(criterion: Criterion, verdicts: str, reason: str) -> None:
    assert judged(of_size(1.3, ratio_of(1.3), criterion))[0].verdicts == verdicts.replace("inconclusive", "reproduced")
    limited = with_limitations(ratio_of(1.3), no_size="two streams of four")
    (finding,) = judged(of_size(1.3, limited, criterion))
    assert (finding.verdicts, finding.reason) == (verdicts, reason)
    assert finding.why == (reason or "size: two streams of four")


OVERLAP = (
    "the interval, widened by 1 %, is 8.48 to 8.82 and overlaps a bound of the accepted range, 8.65 to 31.6; the value "
    "is within the margin of the bound, so that more processes alone do not decide"
)


@pytest.mark.parametrize(("standard_errors", "processes"), [(1.4, "24"), (0.7, "95"), (0.05, "more than 10,000")])
def test_an_overlap_states_how_many_processes_would_decide(standard_errors: float, processes: str) -> None:
    """A normal interval reaches 1.96 standard errors: (1.96 / 1.4)² of 12 processes are 23.5, rounded up."""
    (finding,) = judged(claim_of(timed(standard_errors)))
    words = processes if processes.startswith("more") else f"about {processes}"
    assert finding.reason.endswith(f", above 1.00; {words} processes would decide it alone, if the value stays")
    number = int(processes.split()[-1].replace(",", ""))
    narrower = timed(standard_errors * sqrt(number / 12))
    assert evaluate(claim_of(narrower), SUITABLE).verdict == ("reproduced" if number < 10_000 else "inconclusive")


def test_an_overlap_states_what_else_would_limit_the_verdict() -> None:
    (finding,) = judged(claim_of(timed(1.4, cannot_confirm="it has one core")))
    assert finding.reason.endswith(", above 1.00; it has one core")
    (finding,) = judged(claim_of(timed(-1.4 - 2 * NOISE / 0.01, cannot_confirm="it has one core")))
    assert finding.reason.endswith("processes would decide it alone, if the value stays")


def test_a_count_or_share_of_zero_is_a_known_end() -> None:
    count = replace(claim_of(lambda _: Estimate(1, 0, 1, 0, 12, 48)), unit="counts", criterion=below(0.5))
    (finding,) = judged(count)
    assert finding.measured == "1 (0 to 1)"
    assert finding.reason == "the interval is 0 to 1 and overlaps a bound of the accepted range, below 0.5"
    (share,) = judged(replace(count, unit="percent"))
    assert share.measured == "100 % (at most 100 %)" and "is 0.00 % to 100 %" in share.reason
    (ratio,) = judged(replace(count, unit="times"))
    assert ratio.reason == "an end of the interval is unknown: too few rounds, or too much noise"


def test_an_inconclusive_second_verdict_has_a_reason() -> None:
    claim = of_size(16.3, ratio_of(8.65), above(1))
    (finding,) = judged(claim)
    assert finding.aspect and finding.aspect.reason == OVERLAP and finding.reason == ""
    assert finding.why == f"size: {OVERLAP}"
    row = finding.as_dict()
    assert (row["reason"], row["aspect_reason"]) == ("", OVERLAP)
    (refuted,) = judged(replace(claim, criterion=above(9), differs="It has fewer cores."))
    assert refuted.why == f"It has fewer cores. Size: {OVERLAP}."
    (decided,) = judged(of_size(16.3, ratio_of(14.0), above(1)))
    assert decided.aspect and decided.aspect.reason == decided.why == ""


def test_a_second_verdict_that_does_not_hold_with_the_others_has_a_reason() -> None:
    # The distance from 1 is 9 standard errors, that from half of the published size 2.1.
    claim = of_size(1 + 2 * np.expm1(0.069), timed(9.0), above(1))
    (alone,) = judged(claim)
    assert alone.verdicts == "reproduced; size reproduced" and alone.why == ""
    finding, _ = judged(claim, claim_of(timed(0.0), key="other"))
    second = finding.aspect
    assert second and finding.verdicts == "reproduced; size inconclusive"
    assert finding.why == f"size: {second.reason}" and second.reason == (
        f"reproduced alone (p = {second.p_value:.2g}), not after Holm's correction for the document's 3 verdicts "
        f"(p = {second.p_adjusted:.2g})"
    )


def test_a_reason_against_both_verdicts_is_stated_once() -> None:
    claim = of_size(16.3, ratio_of(8.65), above(1))
    smoke = replace(SUITABLE, profile="smoke")
    short = of_size(16.3, with_limitations(ratio_of(14.0), "one is absent", "one is absent"), above(1))
    for finding in (evaluate(claim, None), evaluate(claim, smoke), evaluate(short, SUITABLE)):
        assert finding.aspect and finding.aspect.reason == finding.reason == finding.why != ""


@pytest.mark.parametrize("form", [as_text, as_markdown, Findings._repr_html_])
def test_second_verdicts_have_the_unit_of_the_first(form: Callable[[Findings], str]) -> None:
    quantities = ratio_of(1.25), ratio_of(0.995)
    claims = [
        replace(of_size(1.5, quantity, criterion), unit="percent more", key=str(index))
        for index, (quantity, criterion) in enumerate(zip(quantities, (above(1), similar_effect), strict=True))
    ]
    findings = judged(*claims)
    assert [finding.verdicts for finding in findings] == [
        "reproduced; size inconclusive",
        "not reproduced; direction inconclusive",
    ]
    shown = " ".join(form(Findings(findings, {})).replace("\N{NO-BREAK SPACE}", " ").split())
    for text in ("+50.0 %", "+22.5 % to +27.5 % and overlaps", "accepted range, +25.0 % to +100.0 %", "above +0.0 %"):
        assert text in shown
    assert not re.search(r"\b[01]\.\d\d\b", re.sub(r"p = [^)]*", "", shown)), "a ratio beside percent"


def test_second_verdicts_count_as_tests() -> None:
    alone = judged(claim_of(timed(2.5)))[0]
    with_size = judged(of_size(1.07, timed(2.5), above(1)))[0]
    assert with_size.p_value == pytest.approx(alone.p_value)
    assert alone.p_adjusted == pytest.approx(alone.p_value)
    assert with_size.p_adjusted == pytest.approx(2 * alone.p_value)
    assert with_size.aspect is not None
    assert with_size.aspect.verdict == "inconclusive"


def test_a_substitute_is_stated_wherever_the_claim_is() -> None:
    claim = replace(claim_of(timed(9.0)), substitute="Measured with two streams, the document has four.")
    findings = Findings(judged(claim), {})
    flat = " ".join(as_text(findings).split())
    for text in (flat, as_markdown(findings), findings._repr_html_()):
        assert claim.substitute in text
    rows = as_markdown_rows(findings, ["claim"])
    assert "It is slower\N{DAGGER}; " in rows and "\N{DAGGER}: substitute" in rows
    assert findings.table["substitute"][0] == claim.substitute


def test_verdicts_that_hold_in_their_document_may_not_hold_in_all() -> None:
    # Alone in its document 0.0357 holds; among four verdicts 4 * 0.0027 does, and 3 * 0.0357 does not.
    weak, strong = claim_of(timed(2.1), "Tor", "weak"), claim_of(timed(3.0), "ETH", "strong")
    undecided = [claim_of(timed(0.0), "Rust", key) for key in "ab"]
    findings = judged(weak, strong, *undecided)
    assert [finding.verdict for finding in findings[:2]] == ["reproduced", "reproduced"]
    assert at_once(findings) == (4, ["Tor weak"])
    assert at_once(findings[:1]) == (1, [])
    # A verdict that is inconclusive in its own document is not counted again.
    beside = [replace(claim, document="Tor") for claim in undecided]
    assert at_once(judged(weak, strong, *beside)) == (4, [])
