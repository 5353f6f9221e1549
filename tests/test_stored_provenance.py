from __future__ import annotations

import json
from typing import Any

import pytest

from aeadlab.bench.case import Case
from aeadlab.stored_provenance import as_text, condensed, from_text, packed
from aeadlab.verify.report import Check, Report

REPORT = Report(
    "openssl/aes-256-gcm",
    "3.6.3",
    (Check("known answers", 510, 0, (), {}, {"NIST CAVP": 510}), Check("tamper", 9, 2, ("bit 3",), {"no tag": 1}, {})),
    False,
    "tamper: 2 of 9 failed",
)
CASES = (
    Case("openssl/aes-256-gcm", "seal", 0),
    Case(
        "openssl/aes-256-gcm", "open", 1 << 20, "parsplit", "oneshot", 4096, 3, "rayon", "in-place", "cold", "zen2", 1
    ),
)


def provenance(**changes: Any) -> dict[str, Any]:
    return {
        "schema": 2,
        "machine": {"cpu_steal": 0, "cpu_governor": None, "mitigations": "", "cpu_smt_active": False},
        "refused": {},
        "plan": {"study": "aeads", "plugins": [], "cases": [case.row() for case in CASES]},
        "implementations": {"openssl/aes-256-gcm": {"kind": "aead", "kernel": "", "flags": [], "version": "3.6.3"}},
        "verified": {"openssl/aes-256-gcm": REPORT.as_dict()},
        **changes,
    }


def test_facts_of_the_machine_are_all_kept() -> None:
    """There, unknown, none and zero are different things."""
    assert condensed(provenance())["machine"] == provenance()["machine"]
    assert condensed(provenance())["refused"] == {}
    assert condensed(provenance())["plan"]["plugins"] == []


def test_a_report_says_what_was_checked_and_what_failed() -> None:
    report = condensed(provenance())["verified"]["openssl/aes-256-gcm"]
    assert report == {
        "ok": False,
        "reason": "tamper: 2 of 9 failed",
        "checks": [
            {"name": "known answers", "run": 510, "sources": {"NIST CAVP": 510}},
            {"name": "tamper", "run": 9, "failed": 2, "failures": ["bit 3"], "skipped": {"no tag": 1}},
        ],
    }


def test_what_passed_says_so() -> None:
    passed = Report("blake3/blake3", "1.8.7", REPORT.checks[:1], False, "").as_dict()
    assert condensed(provenance(verified={"blake3/blake3": passed}))["verified"]["blake3/blake3"]["ok"] is True


def test_cases_are_the_same_again() -> None:
    rows = from_text(as_text(provenance()))["plan"]["cases"]
    assert tuple(map(Case.from_row, rows)) == CASES
    assert "block_size" not in rows[0]


def test_text_and_back() -> None:
    assert from_text(as_text(provenance())) == condensed(provenance())


def test_once_is_enough() -> None:
    assert condensed(condensed(provenance())) == condensed(provenance())


def test_what_is_given_stays_as_it_is() -> None:
    given = provenance()
    as_text(given)
    assert given == provenance()


def test_earlier_records_read_alike() -> None:
    """They had every value, indented by one."""
    assert from_text(json.dumps(provenance(), indent=1)) == from_text(as_text(provenance()))


def test_a_line_for_each_entry_of_many() -> None:
    many = {f"library/{number}": {"kind": "aead", "version": "1"} for number in range(100)}
    lines = as_text(provenance(implementations=many)).splitlines()
    assert sum('"library/' in line for line in lines) == 100
    assert max(map(len, lines)) < 600


@pytest.mark.parametrize("key", ["plan", "implementations", "verified"])
@pytest.mark.parametrize("value", [None, 7, "text", [1], {"cases": 3}, {"a": None}])
def test_parts_of_another_shape_are_left_alone(key: str, value: Any) -> None:
    assert from_text(as_text(provenance(**{key: value})))["schema"] == 2


def test_packed_and_back_as_text_that_is_much_shorter() -> None:
    many = provenance(implementations={f"library/{number}": {"kind": "aead"} for number in range(1000)})
    small = packed(as_text(many))
    assert small.isascii()
    assert len(small) < len(as_text(many)) / 4
    assert from_text(small) == from_text(as_text(many))


@pytest.mark.parametrize("text", ["", "[]", "3", "{", b"\xff", packed("{}")[:-4], packed("[]"), b"QUJD"])
def test_what_is_no_object_is_refused(text: str | bytes) -> None:
    with pytest.raises((TypeError, ValueError)):
        from_text(text)
