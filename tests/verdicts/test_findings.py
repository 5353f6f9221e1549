"""Findings from stored records: their sources and their forms of output."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import aeadlab
from aeadlab import paths
from aeadlab.display.markup import escape
from aeadlab.errors import ArgumentError, RecordError, UnknownNameError
from aeadlab.studies.claims import all_claims, claims, claims_of
from aeadlab.studies.eth.claims import PRESENTED
from aeadlab.verdicts import published
from aeadlab.verdicts.evaluation import evaluate
from aeadlab.verdicts.evidence import Evidence
from aeadlab.verdicts.findings import VERDICTS, Findings
from aeadlab.verdicts.sources import Source
from aeadlab.verdicts.text import as_json, as_markdown, as_text
from tests.fixtures.journals import rewritten

WriteRecord = Callable[..., Path]
GIB = 1 << 30
LATER = "2100-01-01T00:00:00Z"
"""A time after all criteria were fixed."""


@pytest.fixture
def write(write_record: WriteRecord) -> WriteRecord:
    """A record of study baselines with large messages."""
    names = ("baseline/memcpy", *PRESENTED)
    factors = dict(zip(PRESENTED, (1.0, 2.0, 3.0, 4.0), strict=True))
    given = {"study": "baselines", "names": names, "size": GIB, "factors": factors, "date": LATER}
    return lambda stamp="20260102T030405Z", **other: write_record(stamp, **{**given, **other})


def only(findings: Findings, key: str) -> aeadlab.claims.Finding:
    (finding,) = (finding for finding in findings.findings if finding.claim.key == key)
    return finding


def test_document_names_are_case_insensitive() -> None:
    assert list(all_claims()) == list(published.DOCUMENTS)
    assert claims_of("eth") == claims_of("ETH") == claims_of()[: len(claims_of("ETH"))]
    assert {claim.document for claim in claims_of("netbsd")} == {"NetBSD"}
    with pytest.raises(UnknownNameError, match="no claims of a document 'RFC'; there are claims of ETH, Tor"):
        claims_of("RFC")


def test_the_newest_record_of_each_study_decides(write: WriteRecord) -> None:
    write("20260101T000000Z", factors={"openssl/aes-256-gcm": 9.0})
    newest = write("20260102T000000Z")
    findings = aeadlab.claims("ETH")
    finding = only(findings, "fastest-aead")
    assert (finding.verdict, finding.record) == ("reproduced", newest.name)
    assert only(findings, "xor-ends-early").reason == "no record of study speedup: run `aeadlab measure speedup`"
    assert list(findings.sources) == ["baselines"]


def test_own_records_are_used_instead_of_reference_records(write: WriteRecord, own_folders: Path) -> None:
    reference = write("20260109T000000Z", folder=own_folders / "reference")
    assert claims().sources["baselines"].record == reference.name
    own = write("20260101T000000Z")
    assert claims().sources["baselines"].record == own.name


def as_smoke(path: Path) -> Path:
    """The same record as if its profile had been smoke."""
    record = aeadlab.load_record(path)
    record.provenance["plan"]["profile"]["name"] = "smoke"
    return rewritten(path, text=json.dumps(record.provenance).encode())


def test_smoke_records_do_not_replace_others(write: WriteRecord) -> None:
    usable = write("20260101T000000Z")
    as_smoke(write("20260102T000000Z"))
    assert claims().sources["baselines"].record == usable.name
    usable.unlink()
    result = only(claims(), "fastest-aead")
    assert (result.verdict, result.reason) == (
        "inconclusive",
        "measured with profile smoke, which supports no conclusion",
    )
    assert result.estimate is not None


def test_given_records_replace_stored_ones(write: WriteRecord) -> None:
    write("20260102T000000Z")
    other = write("20260101T000000Z", study="blocks")
    findings = claims(records=[other])
    assert list(findings.sources) == ["blocks"]
    assert only(findings, "order").reason.startswith("no record of study baselines")
    assert claims(records=[aeadlab.load_record(other)]).sources["blocks"].record == other.name
    with pytest.raises(ArgumentError, match="are both of study blocks: give one record"):
        claims(records=[other, other])
    with pytest.raises(RecordError, match="there is no record"):
        claims(records=["none.parquet"])


def test_findings_name_the_records_of_their_own_studies_only(write: WriteRecord, own_folders: Path) -> None:
    reference = own_folders / "reference"
    baselines = write("20260101T000000Z", folder=reference, processes=1)
    blocks = write("20260102T000000Z", folder=reference, study="blocks")
    cells = write("20260103T000000Z", folder=reference, study="cells", processes=1)
    findings = claims("ETH", records=[baselines, blocks, cells])
    assert {study: source.record for study, source in findings.sources.items()} == {
        "baselines": baselines.name,
        "blocks": blocks.name,
    }
    expected = {"baselines": baselines.name, "blocks": blocks.name}
    for finding in findings.findings:
        assert finding.record == expected.get(finding.claim.study, "")
    assert [caution.partition(": ")[0] for caution in findings.cautions()] == [baselines.name]
    assert "baselines and blocks" in findings.reference_record
    assert "cells" not in findings.reference_record
    shown = findings._repr_html_()
    assert baselines.name in shown and blocks.name in shown and cells.name not in shown


def test_warnings_about_records_are_shown(write: WriteRecord) -> None:
    path = write(quality=["!load", "turbo"], processes=1)
    source = Source.from_record(aeadlab.load_record(path))
    assert source.about == "baselines, profile tiny, messages of 4 KiB and 1 GiB, Test CPU, 2 logical cores"
    conditions, layout = claims().cautions()
    assert conditions == f"{path.name}: measured under critical conditions: load"
    assert "all rounds ran in one process" in layout
    assert f"WARNING: {path.name}:" in as_text(claims())


@pytest.mark.parametrize(("processes", "words"), [(1, "one process"), (2, "2 processes"), (3, "")])
def test_records_of_few_processes_have_a_warning(write: WriteRecord, processes: int, words: str) -> None:
    cautions = Source.from_record(aeadlab.load_record(write(processes=processes))).cautions
    found = [text for text in cautions if text.startswith("all rounds ran in")]
    expected = f"all rounds ran in {words}, and verdicts require 3 or more: a difference below about 5 % may come from"
    assert [text[: len(expected)] for text in found] == [expected] * bool(words)


def test_table_has_a_row_per_claim(write: WriteRecord) -> None:
    write()
    findings = claims()
    table = findings.table
    assert list(table["key"]) == [claim.key for claim in claims_of()]
    row = table.set_index("key").loc["fastest-aead"]
    assert row["low"] <= row["value"] <= row["high"]
    assert row["value"] == pytest.approx(2, rel=0.02)
    assert (row["counts_from"], row["published"]) == (1, pytest.approx(1.41, abs=0.01))
    assert sum(findings.counts().values()) == len(table)
    assert set(table["verdict"]) <= set(VERDICTS)
    assert repr(findings) == f"{len(table)} claims: {findings.summary()}"


def test_html_has_all_findings_and_escapes_text(write: WriteRecord) -> None:
    write(refused={"rustcrypto/ghash": "<b>bad</b>"})
    findings = claims()
    shown = findings._repr_html_()
    assert shown.count("<tr") == len(findings.findings) + 1
    assert all(escape(finding.claim.measure) in shown for finding in findings.findings)
    assert "..." not in shown
    assert "<b>bad" not in shown
    assert "&lt;b&gt;bad" in shown


def test_text_fits_80_columns_and_has_every_number(write: WriteRecord) -> None:
    write()
    shown = as_text(claims())
    assert max(map(len, shown.splitlines())) <= 80
    flat = " ".join(shown.split())
    for text in (
        "reproduced fastest-aead (ETH, Section 5, Single-Threaded AEAD Encryption and Hashes)",
        "time of the fastest other over OpenSSL's: published 1.41; measured ",
        "accepted above 1.00",
        "-> no record of study speedup: run `aeadlab measure speedup`",
        "baselines, profile tiny, messages of 4 KiB and 1 GiB, Test CPU, 2 logical cores.",
    ):
        assert text in flat


def test_markdown_has_a_row_per_claim(write: WriteRecord) -> None:
    write()
    shown = as_markdown(claims())
    rows = [line for line in shown.splitlines() if line.startswith("|")]
    assert len(rows) == len(claims_of()) + 2 * len(all_claims())
    assert {row.replace("\\|", "").count("|") for row in rows} == {7}
    assert as_markdown(claims()) == shown


def test_json_has_no_infinity(write: WriteRecord) -> None:
    write()

    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is no JSON")

    content = json.loads(as_json(claims()), parse_constant=refuse)
    assert len(content["findings"]) == sum(content["counts"].values()) == len(claims_of())
    assert content["records"][0]["about"].startswith("baselines, ")


def test_one_sided_intervals_are_marked() -> None:
    claim = claims_of()[0]

    def measured(low: float, high: float) -> str:
        def test(*_: object) -> object:
            return lambda _: aeadlab.verdicts.estimate.Estimate(2.0, low, high)

        return evaluate(replace(claim, estimator=test), Evidence.empty()).measured  # type: ignore[arg-type]

    assert measured(1.5, 2.5) == "2.00 (1.50 to 2.50)"
    assert measured(-1.5, 2.5) == "2.00 (\N{MINUS SIGN}1.50 to 2.50)", "a share can be negative"
    assert measured(0.0, 2.5) == "2.00 (at most 2.50)"
    assert measured(1.5, float("inf")) == "2.00 (at least 1.50)"
    assert measured(0.0, float("inf")) == "2.00 (interval unknown)"
    assert measured(2.0, 2.0) == "2.00"


def test_reference_records_reproduce_claims(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(paths.RESULTS, str(tmp_path))
    assert claims().counts()["reproduced"] > 1
