from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from aeadlab.catalogue import Catalogue, Description, Implementation
from aeadlab.cli import main
from aeadlab.cli.verify import render
from aeadlab.verify import Check, Report

RIGHT, BROKEN, ALONE = "b/aes-256-gcm", "a/aes-256-gcm", "a/rot13"


def check(name: str, run: int, failed: int = 0, **sources: int) -> Check:
    failures = ("Wycheproof aes_gcm tcId 7: open accepted what is invalid",) if failed else ()
    return Check(name, run, failed, failures, {"other tag length": 4500} if failed else {}, sources)


def report(name: str, *checks: Check, unverifiable: bool = False) -> Report:
    reason = next((c.reason for c in checks if c.reason), "no second library" if unverifiable else "")
    return Report(name, "1.0", checks, unverifiable, reason)


REPORTS = {
    RIGHT: report(RIGHT, check("known answers", 300, Wycheproof=300), check("agreement", 131, **{BROKEN: 131})),
    BROKEN: report(BROKEN, check("known answers", 300, 2, Wycheproof=300), check("tamper", 90, tag=90)),
    ALONE: report(ALONE, check("round trip", 39), unverifiable=True),
}


class Named(Implementation):
    def seal(self, *_: object) -> bytes:
        raise NotImplementedError

    open = encrypt = decrypt = digest = seal


class Few(Catalogue):
    def __init__(self, names: Sequence[str]) -> None:
        super().__init__()
        split = (name.split("/") for name in names)
        vars(self)["_native"] = {}
        vars(self)["_python"] = {f"{a}/{b}": Named(Description(a, b, "aead", "1.0")) for a, b in split}
        self._absent = {"cryptopp": "libcryptopp is not installed"}


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[list[str], bool]]:
    """What was verified and whether afresh; the catalogue has three implementations."""
    seen = []

    def verified(
        chosen: Sequence[Implementation], catalogue: Catalogue, *, fresh: bool, done: object
    ) -> dict[str, Report]:
        names = [i.name for i in chosen]
        seen.append((names, fresh))
        return {name: REPORTS[name] for name in names}

    monkeypatch.setattr("aeadlab.verify.cached.verified", verified)
    monkeypatch.setattr("aeadlab.cli.verify.load", lambda plugins: Few([ALONE, BROKEN, RIGHT]))
    return seen


def test_a_failure_is_exit_code_1(asked: object, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", RIGHT]) == 0
    assert main(["verify", ALONE]) == 0, "nothing failed"
    assert main(["verify", RIGHT, BROKEN]) == 1
    out = " ".join(capsys.readouterr().out.split())
    assert "FAILED a/aes-256-gcm" in out and "tcId 7: open accepted" in out


def test_no_name_and_all_mean_everything(asked: list[tuple[list[str], bool]]) -> None:
    assert main(["verify"]) == main(["verify", "all"]) == 1
    assert asked == [([BROKEN, RIGHT, ALONE], True)] * 2, "by algorithm, and nothing remembered"


def test_every_check_that_there_is_has_its_words() -> None:
    names = ("known answers", "agreement", "round trip", "tamper", "randomness")
    one = report("a/rc4.locked", *(check(name, 5, **{"those": 5}) for name in names))
    assert "5 tests of randomness: those 5" in render([one], {})


def test_ways_to_compute_one_thing_are_counted_as_agreeing_on_it() -> None:
    plain = report("a/aes-128-ctr", check("agreement", 39, **{"b/aes-128-ctr.tables": 39}))
    tables = report("b/aes-128-ctr.tables", check("agreement", 39, **{"a/aes-128-ctr": 39}))
    assert render([plain, tables], {}).endswith("agreeing: aes-128-ctr 2")


def test_a_name_twice_is_verified_once(asked: list[tuple[list[str], bool]]) -> None:
    main(["verify", RIGHT, RIGHT])
    assert asked == [([RIGHT], True)]


def test_unknown_names_are_wrong_use(asked: object, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "b/aes-256-gmc"]) == 2
    assert "the nearest: b/aes-256-gcm" in capsys.readouterr().err


def test_json_holds_counts_and_reasons(asked: object, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "--json"]) == 1
    printed = json.loads(capsys.readouterr().out)
    assert printed["absent"] == {"cryptopp": "libcryptopp is not installed"}
    by_name = {r["implementation"]: r for r in printed["reports"]}
    assert by_name[RIGHT]["ok"] and not by_name[BROKEN]["ok"] and by_name[ALONE]["unverifiable"]
    assert by_name[BROKEN]["checks"][0]["failed"] == 2


def test_text_fits_80_columns_and_ends_with_totals() -> None:
    text = render(list(REPORTS.values()), {"cryptopp": "libcryptopp is not installed " * 5})
    assert max(map(len, text.splitlines())) <= 80
    assert "1 ok, 1 failed, 1 cannot be verified" in text
    assert "known answers: Wycheproof 600" in text
    assert "agreeing: aes-256-gcm 2" in text
    assert "not run: other tag length 4500" in text
    assert "absent: cryptopp" in text


def test_nothing_but_results_when_not_a_terminal(asked: object, capsys: pytest.CaptureFixture[str]) -> None:
    main(["verify", RIGHT])
    assert capsys.readouterr().err == ""


def test_the_real_thing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("aeadlab.paths.cache", lambda: tmp_path)
    assert main(["verify", "openssl/aes-256-gcm", "aeadlab/aes-256-ctr+blake3", "--json"]) == 0
    ours, openssl = json.loads(capsys.readouterr().out)["reports"]
    assert [c["name"] for c in ours["checks"]] == ["agreement", "round trip", "tamper"]
    assert ours["checks"][0]["sources"]["reference/aes-256-ctr+blake3"] == ours["checks"][0]["run"]
    assert openssl["checks"][0]["sources"]["Wycheproof"] > 60
