"""Texts of estimators and findings, which criteria and pages contain."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from math import inf, isnan, log, nan
from typing import Any

import pytest

from aeadlab.errors import ArgumentError
from aeadlab.studies.claims import claims_of
from aeadlab.verdicts import expected
from aeadlab.verdicts.claim import Aspect, Claim, Finding, Number, aspect_of, estimator, revised
from aeadlab.verdicts.estimate import Estimate, Quantity
from aeadlab.verdicts.pairs import Operation
from aeadlab.verdicts.ranges import Criterion, Range, above, at_least, at_most, below, similar_effect, within

ONE = Estimate(1, 1, 1)


def quantity(evidence: Any, numbers: Any, *args: Any, **kwargs: Any) -> Quantity:
    return lambda _: replace(ONE, detail=repr((evidence, numbers, args, kwargs)))


def claim_of(**changes: Any) -> Claim:
    return replace(claims_of()[0], **{"numbers": (), "expected": None, "unit": "times", **changes})


def finding_of(estimate: Estimate | None = None, **changes: Any) -> Finding:
    claim = claim_of(differs="the computer has fewer cores")
    fields = {"statement": "It is slower.", "published": nan, "accepted": Range(1, inf), "verdict": "reproduced"}
    return Finding(**{"claim": claim, **fields, "estimate": estimate, **changes})  # type: ignore[arg-type]


def test_an_estimator_passes_its_parameters_on() -> None:
    given = estimator(quantity)("seal", length=3)
    assert given("evidence", (1.0,))(0.95).detail == "('evidence', (1.0,), ('seal',), {'length': 3})"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("args", "text"),
    [
        (((1, "a"),), "quantity((1, 'a'))"),
        (([1, 2],), "quantity((1, 2))"),
        (({"b", "a"},), "quantity(('a', 'b'))"),
        ((frozenset((2, 1)),), "quantity((1, 2))"),
        ((expected.percent,), "quantity(percent)"),
        ((Operation("openssl/aes-256-gcm", "seal"),), "quantity((name='openssl/aes-256-gcm', op='seal'))"),
        ((Operation("x/y", "open", 64, mask="zen2"),), "quantity((name='x/y', op='open', length=64, mask='zen2'))"),
        ((None, 0.5), "quantity(None, 0.5)"),
    ],
    ids=["tuple", "list", "set", "frozenset", "function", "operation", "operation with a mask", "constants"],
)
def test_text_of_an_estimator_is_that_of_its_arguments(args: tuple[Any, ...], text: str) -> None:
    assert repr(estimator(quantity)(*args)) == text


def test_text_of_an_estimator_sorts_named_arguments_and_states_revisions() -> None:
    assert repr(estimator(quantity)(z=1, a=[2])) == "quantity(a=(2), z=1)"

    def other(evidence: Any, numbers: Any) -> Quantity:
        return lambda _: ONE

    assert revised(3)(other) is other
    assert repr(estimator(other)()) == "other version 3()"
    assert " at 0x" in repr(partial(other)), "what the text must not have"


def test_a_number_is_found_by_the_columns_that_are_given() -> None:
    place = "Section 5, Single-Threaded AEAD Encryption and Hashes"
    number = Number(place, "median time", "openssl/aes-256-gcm", "seal")
    assert number.value("ETH") == 310
    assert Number("Results, Catbus", "time for a million cells", variant="plain -O2").value("Tor") == 7.4
    assert claim_of(numbers=(number, replace(number, operation="open"))).published_numbers() == (310, 306)
    with pytest.raises(ArgumentError, match="prints no number"):
        replace(number, bytes=7).value("ETH")


@pytest.mark.parametrize("name", ["document", "key", "place", "statement", "measure"])
def test_a_claim_requires_its_texts(name: str) -> None:
    with pytest.raises(ArgumentError, match=f"has no {name}"):
        claim_of(**{name: " "})


@pytest.mark.parametrize(
    ("unit", "value", "text"),
    [
        ("times", 1.2345, "1.23"),
        ("percent more", 1.25, "+25.0 %"),
        ("percent", 0.25, "25.0 %"),
        ("threads", 12.0, "12"),
        ("counts", 3.0, "3"),
        ("times", inf, "-"),
        ("counts", nan, "-"),
    ],
)
def test_values_have_the_unit_of_the_claim(unit: Any, value: float, text: str) -> None:
    assert claim_of(unit=unit).format_value(value).replace("\N{NO-BREAK SPACE}", " ") == text


@pytest.mark.parametrize(
    ("published", "criterion", "expected"),
    [
        (1.3, similar_effect, Aspect("direction", Range(1, inf))),
        (0.7, similar_effect, Aspect("direction", Range(-inf, 1))),
        (1.3, above(1), Aspect("size", similar_effect(1.3))),
        (9.0, above(5), Aspect("size", similar_effect(9.0))),
        (0.7, below(1), Aspect("size", similar_effect(0.7))),
        (0.7, below(0.9), Aspect("size", similar_effect(0.7))),
        (1.05, above(0.9), None),
        (0.95, above(0.9), None),
        (0.95, below(1.1), None),
        (0.95, above(1), None),
        (1.3, within(2), None),
        (1.3, lambda _: Range(1, 2), None),
        (1.3, at_least, None),
        (0.7, at_most, None),
        (1.0, above(0.5), None),
        (1.0, similar_effect, None),
        (nan, above(1), None),
        (-0.5, below(1), None),
        (0.0, below(1), None),
    ],
)
def test_a_second_verdict_is_on_size_or_direction(
    published: float, criterion: Criterion, expected: Aspect | None
) -> None:
    for unit, aspect in (("times", expected), ("percent more", expected), ("percent", None), ("counts", None)):
        assert aspect_of(claim_of(criterion=criterion, unit=unit), published, criterion(published)) == aspect


def test_the_reason_is_that_of_the_verdict() -> None:
    verdicts = ("reproduced", "not reproduced", "inconclusive")
    findings = [finding_of(verdict=verdict, reason="no case") for verdict in verdicts]
    assert [finding.why for finding in findings] == ["", "the computer has fewer cores", "no case"]


def test_details_and_predictions_are_shown() -> None:
    measured = Estimate(2.0, 1.5, 2.5, detail="two streams")
    finding = finding_of(measured, prediction=Estimate(3.0, 0.0, inf))
    assert (finding.measured, finding.interval) == ("2.00 (1.50 to 2.50); two streams", "2.00 (1.50 to 2.50)")
    assert finding.predicted == "3.00 (interval unknown)"
    nothing = finding_of()
    assert (nothing.measured, nothing.interval, nothing.predicted) == ("-", "-", "-")


def test_an_estimate_beside_another_has_its_unit() -> None:
    measured = Estimate(1.25, 1.2, 1.3, detail="two streams", beside=("over a copy {}", Estimate(0.5, 0.4, inf)))
    shown = {unit: finding_of(measured, claim=claim_of(unit=unit)).measured for unit in ("times", "percent more")}
    assert {unit: text.replace("\N{NO-BREAK SPACE}", " ") for unit, text in shown.items()} == {
        "times": "1.25 (1.20 to 1.30); over a copy 0.500 (at least 0.400); two streams",
        "percent more": "+25.0 % (+20.0 % to +30.0 %); over a copy \N{MINUS SIGN}50.0 % (at least "
        "\N{MINUS SIGN}60.0 %); two streams",
    }


def test_a_row_has_the_numbers_of_the_estimate() -> None:
    measured = Estimate(2.0, 1.5, 2.5, 0.25, 12, 48)
    prediction = Estimate(3.0, 2.0, 4.0)
    finding = finding_of(measured, prediction=prediction, record="r.parquet", version=2, published=1.5)
    row = finding.as_dict()
    names = ("value", "low", "high", "noise", "processes", "rounds", "predicted", "predicted_low", "predicted_high")
    assert [row[name] for name in names] == [2.0, 1.5, 2.5, 0.25, 12, 48, 3.0, 2.0, 4.0]
    assert (row["counts_from"], row["counts_to"], row["published"]) == (1, None, 1.5)
    assert (row["record"], row["criterion_version"], row["verdict"]) == ("r.parquet", 2, "reproduced")
    assert (row["direction"], row["size"], row["aspect_version"], row["aspect_p_value"]) == (None, None, 0, None)
    second = Aspect("size", Range(1, 2), "not reproduced", "", 0.01, 0.02, 3)
    row = finding_of(measured, aspect=second).as_dict()
    assert [row[f"aspect_{name}"] for name in ("version", "p_value", "p_adjusted")] == [3, 0.01, 0.02]
    nothing = finding_of(Estimate(2.0, 0.0, inf)).as_dict()
    assert (nothing["low"], nothing["high"], nothing["noise"], nothing["predicted"]) == (None, None, 0.0, None)
    assert finding_of().as_dict()["value"] is None and finding_of().as_dict()["processes"] == 0
    assert isnan(Aspect("size", Range(1, 2)).p_value) and Aspect("size", Range(1, 2)).verdict == "inconclusive"


def test_the_basis_states_the_margin_with_two_digits() -> None:
    finding = finding_of(Estimate(2.0, 1.5, 2.5, log(1.234), 12, 48), p_value=0.01234, p_adjusted=0.04321)
    assert finding.basis == "12 processes, 48 rounds; margin 23 %; p = 0.012, corrected 0.043"
    assert finding.short_basis == "12/48; 23 %; 0.043"
    assert replace(finding, estimate=Estimate(2, 1, 3, 0.0, 12, 48)).short_basis == "12/48; -; 0.043"
