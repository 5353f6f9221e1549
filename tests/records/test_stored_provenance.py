from __future__ import annotations

import base64
import json
import tracemalloc
import zlib
from typing import Any

import pytest

from aeadlab.bench.case import Case
from aeadlab.records.stored_provenance import MAX_TEXT, pack, parse, to_text, unpack, without_defaults
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
        "openssl/aes-256-gcm",
        "open",
        1 << 20,
        "parsplit",
        "oneshot",
        4096,
        3,
        "rayon",
        "in-place",
        "cold",
        "zen2",
        1,
        13,
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


def test_machine_facts_keep_default_values() -> None:
    """Unknown, empty and zero facts are different."""
    assert without_defaults(provenance())["machine"] == provenance()["machine"]
    assert without_defaults(provenance())["refused"] == {}
    assert without_defaults(provenance())["plan"]["plugins"] == []


def test_a_report_keeps_its_checks_and_failures() -> None:
    report = without_defaults(provenance())["verified"]["openssl/aes-256-gcm"]
    assert report == {
        "ok": False,
        "reason": "tamper: 2 of 9 failed",
        "checks": [
            {"name": "known answers", "run": 510, "sources": {"NIST CAVP": 510}},
            {"name": "tamper", "run": 9, "failed": 2, "failures": ["bit 3"], "skipped": {"no tag": 1}},
        ],
    }


def test_a_passed_report_keeps_ok() -> None:
    passed = Report("blake3/blake3", "1.8.7", REPORT.checks[:1], False, "").as_dict()
    assert without_defaults(provenance(verified={"blake3/blake3": passed}))["verified"]["blake3/blake3"]["ok"] is True


def test_cases_survive_a_round_trip() -> None:
    rows = parse(to_text(provenance()))["plan"]["cases"]
    assert tuple(map(Case.from_row, rows)) == CASES
    assert rows[0] == {"implementation": "openssl/aes-256-gcm", "op": "seal"}


def test_provenance_survives_a_round_trip() -> None:
    assert parse(to_text(provenance())) == without_defaults(provenance())


def test_without_defaults_is_idempotent() -> None:
    assert without_defaults(without_defaults(provenance())) == without_defaults(provenance())


def test_to_text_does_not_change_its_argument() -> None:
    given = provenance()
    to_text(given)
    assert given == provenance()


def test_parses_the_json_of_older_records() -> None:
    """Older records contain every value, indented by one space."""
    assert parse(json.dumps(provenance(), indent=1)) == parse(to_text(provenance()))


def test_writes_one_line_per_entry() -> None:
    many = {f"library/{number}": {"kind": "aead", "version": "1"} for number in range(100)}
    lines = to_text(provenance(implementations=many)).splitlines()
    assert sum('"library/' in line for line in lines) == 100
    assert max(map(len, lines)) < 600


@pytest.mark.parametrize("key", ["plan", "implementations", "verified"])
@pytest.mark.parametrize("value", [None, 7, "text", [1], {"cases": 3}, {"a": None}])
def test_keeps_parts_of_unexpected_shape(key: str, value: Any) -> None:
    assert parse(to_text(provenance(**{key: value})))["schema"] == 2


def test_packing_compresses_and_round_trips() -> None:
    many = provenance(implementations={f"library/{number}": {"kind": "aead"} for number in range(1000)})
    small = pack(to_text(many).encode())
    assert small.isascii()
    assert len(small) < len(to_text(many)) / 4
    assert parse(small) == parse(to_text(many))


@pytest.mark.parametrize("text", ["", "[]", "3", "{", b"\xff", pack(b"{}")[:-4], pack(b"[]"), b"QUJD"])
def test_rejects_text_that_is_not_a_json_object(text: str | bytes) -> None:
    with pytest.raises((TypeError, ValueError)):
        parse(text)


@pytest.mark.parametrize(
    "text",
    [
        b'{"a":' * 40 + b"1" + b"}" * 40,
        b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"a":"' + b"x" * 70_000 + b'"}',
        b'{"a":NaN}',
        b'{"a":-Infinity}',
        b'{"a":1e999}',
        b'{"a":' + b"9" * 30 + b"}",
        b'{"a":' + b"9" * 5000 + b"}",
        b'{"a\x1b":1,"a\x1c":2}'.replace(b"\x1b", b"\\u001b").replace(b"\x1c", b"\\u0007"),
        b'{"a":"\xff"}',
        b"{" + b" " * MAX_TEXT + b"}",
        pack(b"{" + b" " * MAX_TEXT + b"}"),
        pack(b"{}") + pack(b"{}"),
    ],
    ids=lambda text: f"{text[:12]!r} {len(text)}",
)
def test_rejects_json_beyond_its_limits(text: bytes) -> None:
    with pytest.raises(ValueError):
        parse(text)


def test_unpacks_no_more_than_its_limit() -> None:
    """128 MiB of zeros cost the memory of 16 MiB."""
    packer = zlib.compressobj(9)
    packed = b"".join([*(packer.compress(bytes(1 << 24)) for _ in range(8)), packer.flush()])
    tracemalloc.start()
    with pytest.raises(ValueError, match="more than 16777216 bytes"):
        unpack(base64.b64encode(packed))
    assert tracemalloc.get_traced_memory()[1] < 3 * MAX_TEXT
    tracemalloc.stop()


def test_texts_are_printable() -> None:
    assert parse('{"refused": {"a\\u001b[2J": "b\\nc\\ud800"}}') == {"refused": {"a\ufffd[2J": "b c\ufffd"}}


def test_only_long_objects_and_lists_have_several_lines() -> None:
    assert to_text({"b": [1, {"c": None}], "a": "x"}) == '{"a":"x","b":[1,{"c":null}]}'
    long = "x" * 600
    assert to_text({"b": long, "a": [1, 2]}) == f'{{\n "a":[1,2],\n "b":"{long}"\n}}'
    half = "y" * 300
    assert to_text({"a": [half, half]}) == f'{{\n "a":[\n  "{half}",\n  "{half}"\n ]\n}}'
    fits = "z" * (500 - len('{"a":""}'))
    assert "\n" not in to_text({"a": fits}) and "\n" in to_text({"a": f"{fits}z"})
