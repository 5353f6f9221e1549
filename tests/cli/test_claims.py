from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from aeadlab.studies.claims import all_claims, claims_of
from aeadlab.studies.eth.claims import PRESENTED
from aeadlab.verdicts.pages import END, START
from aeadlab.verdicts.pairs import Operation, smallest_ratio

Command = Callable[..., Any]
WriteRecord = Callable[..., Path]
GIB = 1 << 30


@pytest.fixture
def baselines(write_record: WriteRecord) -> WriteRecord:
    """Write a record of study baselines with large messages, taken after all criteria were fixed."""
    factors = dict(zip(PRESENTED, (1.0, 2.0, 3.0, 4.0), strict=True))
    given = {"study": "baselines", "names": ("baseline/memcpy", *PRESENTED), "size": GIB, "factors": factors}
    return lambda stamp="20260102T030405Z", **other: write_record(
        stamp, **{**given, "date": "2100-01-01T00:00:00Z", **other}
    )


def test_text_fits_80_columns(command: Command, record: Path) -> None:
    result = command("claims")
    assert (result.code, result.err) == (0, "")
    assert max(map(len, result.out.splitlines())) <= 80
    assert all(claim.key in result.out for claim in claims_of())
    of_one = command("claims", "--document", "eth", "--record", record).out
    assert all((claim.key in of_one) == (claim.document == "ETH") for claim in claims_of())


def test_evaluates_a_given_record(command: Command, record: Path) -> None:
    result = command("claims", "--record", record, "--json")
    found = json.loads(result.out)
    assert [source["record"] for source in found["records"]] == [record.name]
    decided = [finding["key"] for finding in found["findings"] if finding["verdict"] != "inconclusive"]
    # Profile smoke supports no verdict; the size of tags does not depend on a run.
    assert (result.code, decided) == (0, ["tag-space"])
    assert "smoke" in found["findings"][0]["reason"]


def test_writes_only_between_the_markers(command: Command, record: Path, tmp_path: Path) -> None:
    page = tmp_path / "README.md"
    page.write_text(f"before\n{START}\nold\n{END}\nafter\n")
    result = command("claims", "--record", record, "--write", page)
    assert (result.code, result.out, result.err) == (0, f"{page}\n", "")
    written = page.read_text()
    assert written.startswith(f"before\n{START}\n\n")
    assert written.endswith(f"\n{END}\nafter\n")
    assert command("claims", "--record", record, "--markdown").out.strip() in written
    stamp = page.stat().st_mtime_ns
    assert command("claims", "--record", record, "--write", page).code == 0
    assert (page.read_text(), page.stat().st_mtime_ns) == (written, stamp)


@pytest.mark.parametrize("content", ["", f"{START}\n", f"{START}{START}{END}"])
def test_rejects_a_file_without_markers(command: Command, tmp_path: Path, content: str) -> None:
    page = tmp_path / "page.md"
    page.write_text(content)
    assert command("claims", "--write", page).is_invalid_use()
    assert page.read_text() == content


def reasons(command: Command, *words: object) -> dict[str, str]:
    """Return the reasons of inconclusive findings by claim, which the text has, too."""
    result = command("claims", *words, "--json")
    assert (result.code, result.err) == (0, "")
    found = {finding["key"]: finding["reason"] for finding in json.loads(result.out)["findings"]}
    shown = " ".join(command("claims", *words).out.split())
    assert all(f"-> {reason}" in shown for reason in found.values() if reason)
    return found


def test_a_criterion_that_the_record_was_not_measured_for_is_named(command: Command, baselines: WriteRecord) -> None:
    reason = reasons(command, "--record", baselines(date="2020-01-01T00:00:00Z"))["fastest-aead"]
    assert "criterion" in reason and "after measurement: version" in reason
    assert reason.endswith("the record of 2020-01-01 00:00 UTC; this criterion gives: reproduced")


def test_mixed_sizes_are_named(command: Command, baselines: WriteRecord, monkeypatch: pytest.MonkeyPatch) -> None:
    mixed = [(Operation(PRESENTED[1], "seal", GIB), Operation(PRESENTED[0], "seal", 4096))]
    claim = replace(claims_of("ETH")[0], key="mixed", estimator=smallest_ratio(mixed))
    monkeypatch.setattr("aeadlab.studies.claims.all_claims", lambda: {"ETH": (claim,)})
    assert reasons(command, "--record", baselines()) == {
        "mixed": "mixed sizes: cryptopp/aes-256-gcm with 1073741824 B, openssl/aes-256-gcm with 4096 B"
    }


def test_a_missing_a_a_pair_is_named(command: Command, baselines: WriteRecord) -> None:
    assert reasons(command, "--record", baselines())["fastest-aead"] == ""
    assert reasons(command, "--record", baselines("20260103T030405Z", noise_pair=False))["fastest-aead"] == (
        "the record has no A/A pair in 3 processes for whole, one thread, 1073741824 B"
    )


def test_a_claim_without_a_place_is_named(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    claim = claims_of("ETH")[0]
    monkeypatch.setattr("aeadlab.studies.claims.all_claims", all_claims.__wrapped__)
    monkeypatch.setattr(
        "aeadlab.studies.claims.import_module", lambda name: SimpleNamespace(CLAIMS=(replace(claim, place=""),))
    )
    result = command("claims")
    assert result.is_invalid_use()
    assert result.err == "aeadlab claims: claim 'fastest-aead' of ETH has no place\n"


def test_rejects_invalid_arguments(command: Command, record: Path, tmp_path: Path) -> None:
    assert "there are claims of ETH" in command("claims", "--document", "Intel").err
    for words in (
        ("--document", "Intel"),
        ("--record", record, "--record", record),
        ("--write", tmp_path / "none.md"),
    ):
        assert command("claims", *words).is_invalid_use()
    result = command("claims", "--record", tmp_path / "none.parquet")
    assert (result.code, result.out) == (2, "")
