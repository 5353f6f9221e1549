"""Findings from the user's records: which are asked, what is shown of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import aeadlab
from aeadlab import paths, published
from aeadlab.errors import ArgumentError, RecordError, UnknownNameError
from aeadlab.judgement import Findings, claims, claims_of, judged
from aeadlab.judgement.documents import all_claims
from aeadlab.judgement.documents.eth import PRESENTED
from aeadlab.judgement.evidence import Evidence
from aeadlab.judgement.findings import VERDICTS
from aeadlab.judgement.sources import Source
from aeadlab.judgement.text import as_json, markdown, text

WriteRecord = Callable[..., Path]
GIB = 1 << 30


@pytest.fixture
def write(write_record: WriteRecord) -> WriteRecord:
    """A record of study baselines with large messages."""
    names = ("baseline/memcpy", *PRESENTED)
    factors = dict(zip(PRESENTED, (1.0, 2.0, 3.0, 4.0), strict=True))
    given = {"study": "baselines", "names": names, "size": GIB, "factors": factors}
    return lambda stamp="20260102T030405Z", **other: write_record(stamp, **{**given, **other})


def only(found: Findings, key: str) -> aeadlab.judgement.Finding:
    (finding,) = (finding for finding in found.findings if finding.claim.key == key)
    return finding


def test_documents_with_claims_are_found_by_any_case_of_letters() -> None:
    assert list(all_claims()) == list(published.DOCUMENTS)
    assert claims_of("eth") == claims_of("ETH") == claims_of()[: len(claims_of("ETH"))]
    assert {claim.document for claim in claims_of("netbsd")} == {"NetBSD"}
    with pytest.raises(UnknownNameError, match="no claims of a document 'RFC' are known; there are those of ETH, Tor"):
        claims_of("RFC")


def test_the_newest_record_of_each_study_is_asked(write: WriteRecord) -> None:
    write("20260101T000000Z", factors={"openssl/aes-256-gcm": 9.0})
    newest = write("20260102T000000Z")
    found = aeadlab.claims("ETH")
    finding = only(found, "fastest-aead")
    assert (finding.verdict, finding.record) == ("reproduced", newest.name)
    assert only(found, "xor-ends-early").reason == "no record of study speedup: run `aeadlab measure speedup`"
    assert list(found.sources) == ["baselines"]


def test_reference_records_count_and_ones_own_come_first(write: WriteRecord, own_folders: Path) -> None:
    reference = write("20260109T000000Z", folder=own_folders / "reference")
    assert claims().sources["baselines"].record == reference.name
    own = write("20260101T000000Z")
    assert claims().sources["baselines"].record == own.name


def as_smoke(path: Path) -> Path:
    """The same record as if its profile had been smoke."""
    record = aeadlab.load_record(path)
    import pyarrow.parquet as pq

    record.provenance["plan"]["profile"]["name"] = "smoke"
    table = pq.read_table(path)
    metadata = {**(table.schema.metadata or {}), b"aeadlab": json.dumps(record.provenance).encode()}
    path.unlink()
    pq.write_table(table.replace_schema_metadata(metadata), path)
    return path


def test_a_smoke_run_does_not_hide_one_that_proves_something(write: WriteRecord) -> None:
    proof = write("20260101T000000Z")
    as_smoke(write("20260102T000000Z"))
    assert claims().sources["baselines"].record == proof.name
    proof.unlink()
    found = only(claims(), "fastest-aead")
    assert (found.verdict, found.reason) == ("inconclusive", "measured with profile smoke, which proves nothing")
    assert found.estimate is not None


def test_records_that_are_given_are_the_only_ones(write: WriteRecord) -> None:
    write("20260102T000000Z")
    other = write("20260101T000000Z", study="blocks")
    found = claims(records=[other])
    assert list(found.sources) == ["blocks"]
    assert only(found, "order").reason.startswith("no record of study baselines")
    assert claims(records=[aeadlab.load_record(other)]).sources["blocks"].record == other.name
    with pytest.raises(ArgumentError, match="are both of study blocks: give one"):
        claims(records=[other, other])
    with pytest.raises(RecordError, match="there is no record"):
        claims(records=["none.parquet"])


def test_what_speaks_against_a_record_is_said(write: WriteRecord) -> None:
    path = write(quality=["!load", "turbo"], processes=1)
    source = Source.of(aeadlab.load_record(path))
    assert source.about == "baselines, profile tiny, 1 GiB, Test CPU, 2 logical cores"
    spoilt, layout = claims().cautions()
    assert spoilt == f"{path.name}: measured under conditions that spoil measurements: load"
    assert "all rounds are of one process" in layout
    assert f"CAUTION: {path.name}:" in text(claims())


def test_the_table_has_a_row_per_claim_and_numbers(write: WriteRecord) -> None:
    write()
    found = claims()
    table = found.table
    assert list(table["key"]) == [claim.key for claim in claims_of()]
    row = table.set_index("key").loc["fastest-aead"]
    assert row["low"] <= row["value"] <= row["high"]
    assert row["value"] == pytest.approx(2, rel=0.02)
    assert (row["counts_from"], row["published"]) == (1, pytest.approx(1.41, abs=0.01))
    assert sum(found.counts().values()) == len(table)
    assert set(table["verdict"]) <= set(VERDICTS)
    assert repr(found) == f"{len(table)} claims: {found.summary()}"


def test_a_notebook_shows_all_of_it_and_text_stays_text(write: WriteRecord) -> None:
    write(refused={"rustcrypto/ghash": "<b>bad</b>"})
    found = claims()
    shown = found._repr_html_()
    assert shown.count("<tr") == len(found.findings) + 1
    assert all(finding.claim.measure.split()[0] in shown for finding in found.findings)
    assert "..." not in shown
    assert "<b>bad" not in shown
    assert "&lt;b&gt;bad" in shown


def test_text_fits_a_terminal_and_says_every_number(write: WriteRecord) -> None:
    write()
    shown = text(claims())
    assert max(map(len, shown.splitlines())) <= 80
    flat = " ".join(shown.split())
    for said in (
        "reproduced fastest-aead (ETH, Section 5, Results)",
        "time of the fastest other over OpenSSL's: published 1.41; here ",
        "counts above 1.00",
        "-> no record of study speedup: run `aeadlab measure speedup`",
        "baselines, profile tiny, 1 GiB, Test CPU, 2 logical cores.",
    ):
        assert said in flat


def test_markdown_is_a_table_with_a_row_per_claim(write: WriteRecord) -> None:
    write()
    shown = markdown(claims())
    rows = [line for line in shown.splitlines() if line.startswith("|")]
    assert len(rows) == len(claims_of()) + 2
    assert {row.replace("\\|", "").count("|") for row in rows} == {7}
    assert markdown(claims()) == shown


def test_json_has_no_infinities(write: WriteRecord) -> None:
    write()

    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is no JSON")

    found = json.loads(as_json(claims()), parse_constant=refuse)
    assert len(found["findings"]) == sum(found["counts"].values()) == len(claims_of())
    assert found["records"][0]["about"].startswith("baselines, ")


def test_an_interval_with_one_end_says_so() -> None:
    claim = claims_of()[0]

    def measured(low: float, high: float) -> str:
        def test(*_: object) -> object:
            return lambda _: aeadlab.judgement.estimate.Estimate(2.0, low, high)

        return judged(replace(claim, test=test), Evidence.nothing()).measured  # type: ignore[arg-type]

    assert measured(1.5, 2.5) == "2.00 (1.50 to 2.50)"
    assert measured(0.0, 2.5) == "2.00 (at most 2.50)"
    assert measured(1.5, float("inf")) == "2.00 (at least 1.50)"
    assert measured(0.0, float("inf")) == "2.00 (interval unknown)"
    assert measured(2.0, 2.0) == "2.00"


def test_the_reference_records_of_the_checkout_decide_something(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(paths.RESULTS, str(tmp_path))
    assert claims().counts()["reproduced"] > 1
