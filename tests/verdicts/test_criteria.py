"""Versions of criteria: which records a criterion may decide."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from math import inf
from pathlib import Path

import pandas as pd
import pytest

from aeadlab import paths
from aeadlab.errors import ArgumentError, Error
from aeadlab.studies.claims import claims_of
from aeadlab.verdicts.claim import Claim, estimator, revised
from aeadlab.verdicts.criteria import CHANGED, COLUMNS, described, key_of, objection, standing, versions
from aeadlab.verdicts.estimate import Estimate, Quantity
from aeadlab.verdicts.evaluation import evaluate
from aeadlab.verdicts.evidence import Evidence
from aeadlab.verdicts.ranges import Range, above
from tools.criteria import main, new_versions

FIRST, SECOND = (datetime(2026, 1, day, tzinfo=UTC) for day in (1, 10))
ACCEPTED, OTHER = Range(1, inf), Range(1.5, inf)
MINUTE = timedelta(minutes=1)


@pytest.fixture
def claim() -> Claim:
    quantity = Estimate(2.0, 1.9, 2.1, 0.01, 12, 48)
    claim = replace(claims_of()[0], numbers=(), expected=None, statement="It is slower.", criterion=above(1))
    return replace(claim, estimator=lambda *_: lambda _: quantity)


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    path = tmp_path / "criteria.csv"
    monkeypatch.setattr(paths, "criteria", lambda: path)
    yield path
    versions.cache_clear()


def write(table: Path, claim: Claim, *rows: tuple[datetime, Range]) -> None:
    table.write_text(",".join(COLUMNS) + "\n")
    add(table, claim, *rows)


def add(table: Path, claim: Claim, *rows: tuple[datetime, Range], second: str = "") -> None:
    with table.open("a") as lines:
        for number, (fixed, accepted) in enumerate(rows, 1):
            row = (
                claim.document,
                key_of(claim, second),
                number,
                fixed.isoformat(),
                *described(claim, accepted),
                "reason",
            )
            lines.write(",".join(map(str, row)) + "\n")


def test_a_criterion_decides_records_that_were_taken_later(claim: Claim, table: Path) -> None:
    write(table, claim, (FIRST, ACCEPTED))
    assert objection(claim, ACCEPTED, FIRST) == objection(claim, ACCEPTED, None) == ""
    early = objection(claim, ACCEPTED, FIRST - MINUTE)
    assert early.startswith("criterion fixed after measurement: version 1 is of 2026-01-01 00:00 UTC")
    assert early.endswith(", the record of 2025-12-31 23:59 UTC")


def test_a_changed_criterion_decides_nothing_until_it_is_registered(claim: Claim, table: Path) -> None:
    write(table, claim, (FIRST, OTHER))
    assert standing(claim, ACCEPTED) is None
    assert objection(claim, ACCEPTED, SECOND).startswith(CHANGED)
    other_quantity = replace(claim, measure="time of something else")
    assert objection(other_quantity, OTHER, SECOND).startswith(CHANGED)


def test_a_later_version_does_not_decide_earlier_records(claim: Claim, table: Path) -> None:
    write(table, claim, (FIRST, OTHER), (SECOND, ACCEPTED))
    assert objection(claim, ACCEPTED, SECOND) == ""
    assert objection(claim, ACCEPTED, SECOND - MINUTE).startswith(f"{CHANGED}: version 2 is of 2026-01-10 00:00 UTC")
    assert objection(claim, ACCEPTED, None).endswith("the record of an unknown time")


def test_a_restored_criterion_is_as_old_as_its_first_version(claim: Claim, table: Path) -> None:
    write(table, claim, (FIRST, ACCEPTED), (SECOND, OTHER), (SECOND + MINUTE, ACCEPTED))
    assert objection(claim, ACCEPTED, FIRST) == ""
    assert objection(claim, OTHER, FIRST).startswith(CHANGED), "it is no longer the last"


def test_the_verdict_names_the_version_and_the_change(claim: Claim, table: Path) -> None:
    write(table, claim, (FIRST, OTHER), (SECOND, ACCEPTED))
    evidence = Evidence(pd.DataFrame(), claim.study, taken=SECOND)
    after = evaluate(claim, evidence)
    assert (after.verdict, after.version, after.reason) == ("reproduced", 2, "")
    before = evaluate(claim, replace(evidence, taken=FIRST))
    assert (before.verdict, before.version) == ("inconclusive", 2)
    assert before.reason.startswith(CHANGED)
    assert before.reason.endswith("; this criterion gives: reproduced")
    assert before.as_dict()["criterion_version"] == 2


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("ETH,key,1,yesterday,digest,1 to inf,", "line 2: Invalid isoformat string"),
        ("ETH,key,2,2026-01-01T00:00:00Z,digest,1 to inf,", "line 2: version 2 of key is not in order"),
        ("ETH,key,1,2026-01-01T00:00:00,digest,1 to inf,", "line 2: version 1 of key is not in order"),
        ("ETH,key,one,2026-01-01T00:00:00Z,digest,1 to inf,", "line 2: invalid literal"),
        ("ETH,key", "line 2: "),
    ],
)
def test_a_damaged_table_names_the_line(table: Path, line: str, fault: str) -> None:
    table.write_text(f"{','.join(COLUMNS)}\n{line}\n")
    with pytest.raises(Error, match=fault):
        versions(table)


def test_a_missing_table_is_an_error(table: Path) -> None:
    with pytest.raises(Error, match="restore it from the repository"):
        versions(table)


def test_no_criterion_of_the_repository_is_unregistered() -> None:
    assert new_versions("reason", SECOND) == []


def test_an_unknown_claim_is_named_and_no_version_written(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table.write_text(before := f"{','.join(COLUMNS)}\n")
    known = next(claim.key for claim in claims_of() if claim.study)
    with pytest.raises(SystemExit) as ended:
        main(["reason", known, "nope"])
    assert ended.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("criteria: no claim of a study has the key nope: see ")
    assert table.read_text() == before


def test_a_claim_without_a_place_is_named() -> None:
    with pytest.raises(ArgumentError, match="claim 'fastest-aead' of ETH has no place"):
        replace(claims_of()[0], place=" ")


def test_a_revised_estimator_is_another_criterion() -> None:
    def quantity(evidence: object, numbers: object, name: str) -> Quantity:
        return lambda _: Estimate(1, 1, 1)

    first = repr(estimator(quantity)("a"))
    assert first == "quantity('a')"
    assert repr(estimator(revised(2)(quantity))("a")) == "quantity version 2('a')"


def test_a_second_verdict_has_a_criterion_of_its_own(claim: Claim, table: Path) -> None:
    claim = replace(claim, expected=lambda: 2.0)
    size, before = Range(1.5, 3), Range(1.5, 4)
    write(table, claim, (FIRST, ACCEPTED))
    add(table, claim, (FIRST, before), (SECOND, size), second="size")
    evidence = Evidence(pd.DataFrame(), claim.study, taken=SECOND)
    for taken, verdict in ((SECOND, "reproduced"), (SECOND - MINUTE, "inconclusive"), (None, "inconclusive")):
        finding = evaluate(claim, replace(evidence, taken=taken))
        assert (finding.verdict, finding.version) == ("reproduced", 1)
        assert finding.aspect and (finding.aspect.verdict, finding.aspect.version) == (verdict, 2)
        assert finding.as_dict()["aspect_version"] == 2
        if verdict == "inconclusive":
            assert finding.aspect.reason.startswith(f"{CHANGED}: version 2 is of 2026-01-10 00:00 UTC, the record of ")
            assert finding.aspect.reason.endswith("; this criterion gives: reproduced")
    unregistered = evaluate(replace(claim, expected=lambda: 3.0), evidence)
    assert unregistered.verdict == "reproduced"
    assert unregistered.aspect and unregistered.aspect.version == 0
    assert unregistered.aspect.reason.startswith(f"{CHANGED}: this criterion is not the last one of data/criteria.csv")


def test_a_new_criterion_leaves_the_second_verdict(claim: Claim, table: Path) -> None:
    claim = replace(claim, expected=lambda: 2.0)
    write(table, claim, (FIRST, OTHER), (SECOND, ACCEPTED))
    add(table, claim, (FIRST, Range(1.5, 3)), second="size")
    finding = evaluate(claim, Evidence(pd.DataFrame(), claim.study, taken=FIRST))
    assert finding.aspect and (finding.verdict, finding.aspect.verdict) == ("inconclusive", "reproduced")


def test_both_criteria_of_a_claim_get_a_version(table: Path) -> None:
    table.write_text(f"{','.join(COLUMNS)}\n")
    added = new_versions("reason", FIRST, ["evp-slower", "o3-around-openssl"])
    assert {version.key: (version.version, version.reason) for version in added} == dict.fromkeys(
        ("evp-slower", "evp-slower (size)", "o3-around-openssl", "o3-around-openssl (direction)"), (1, "")
    )
    assert len({version.quantity for version in added}) == 2, "both are of the same quantity"
    assert len({version.accepted for version in added}) == 4 - 1, "above 1 twice"
