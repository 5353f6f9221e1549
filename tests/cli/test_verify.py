from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from aeadlab.catalogue import Catalogue, Description, Implementation
from aeadlab.cli import main
from aeadlab.verify import Report
from tests.verify.test_summary import ALONE, BROKEN, REPORTS, RIGHT


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
def verified_names(monkeypatch: pytest.MonkeyPatch, own_folders: Path) -> list[tuple[list[str], bool]]:
    """Replace the catalogue by one of three implementations; return the verified names and whether they were fresh."""
    calls = []

    def verified(
        chosen: Sequence[Implementation], catalogue: Catalogue, *, fresh: bool, **_: object
    ) -> dict[str, Report]:
        names = [i.name for i in chosen]
        calls.append((names, fresh))
        return {name: REPORTS[name] for name in names}

    monkeypatch.setattr("aeadlab.verify.cached.verified", verified)
    monkeypatch.setattr("aeadlab.verify.lengths.check.with_lengths", lambda reports, *_: reports)
    monkeypatch.setattr("aeadlab.verify.summary.load", lambda plugins: Few([ALONE, BROKEN, RIGHT]))
    return calls


def test_fails_if_an_implementation_failed(verified_names: object, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", RIGHT]) == 0
    assert main(["verify", ALONE]) == 0, "nothing failed"
    assert main(["verify", RIGHT, BROKEN]) == 1
    out = " ".join(capsys.readouterr().out.split())
    assert "FAILED a/aes-256-gcm" in out and "tcId 7: open accepted" in out


def test_verifies_all_implementations_by_default(verified_names: list[tuple[list[str], bool]]) -> None:
    assert main(["verify"]) == main(["verify", "all"]) == 1
    assert verified_names == [([BROKEN, RIGHT, ALONE], True)] * 2, "sorted by algorithm, without the cache"


def test_verifies_a_repeated_name_once(verified_names: list[tuple[list[str], bool]]) -> None:
    main(["verify", RIGHT, RIGHT])
    assert verified_names == [([RIGHT], True)]


def test_rejects_unknown_names(verified_names: object, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "b/aes-256-gmc"]) == 2
    assert "the nearest: b/aes-256-gcm" in capsys.readouterr().err


def test_json_has_counts_and_reasons(verified_names: object, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "--json"]) == 1
    printed = json.loads(capsys.readouterr().out)
    assert printed["absent"] == {"cryptopp": "libcryptopp is not installed"}
    by_name = {r["implementation"]: r for r in printed["reports"]}
    assert by_name[RIGHT]["ok"] and not by_name[BROKEN]["ok"] and by_name[ALONE]["unverifiable"]
    assert by_name[BROKEN]["checks"][0]["failed"] == 2


def test_shows_no_progress_without_a_terminal(verified_names: object, capsys: pytest.CaptureFixture[str]) -> None:
    main(["verify", RIGHT])
    assert capsys.readouterr().err == ""


def test_verifies_real_implementations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("aeadlab.paths.cache", lambda: tmp_path)
    assert main(["verify", "openssl/aes-256-gcm", "aeadlab/aes-256-ctr+blake3", "--json"]) == 0
    ours, openssl = json.loads(capsys.readouterr().out)["reports"]
    assert [c["name"] for c in ours["checks"]] == ["agreement", "round trip", "tamper", "contexts", "lengths"]
    assert ours["checks"][4]["skipped"] == {"not compared at this length: no second library": 6}
    assert ours["checks"][0]["sources"]["reference/aes-256-ctr+blake3"] == ours["checks"][0]["run"]
    assert openssl["checks"][0]["sources"]["Wycheproof"] > 60


@pytest.mark.parametrize(
    ("macros", "why"),
    [({"ABI": "7u"}, "it has ABI version 7"), ({"ON_LOAD": "abort()"}, "it crashes (SIGABRT) when loaded")],
    ids=["refused", "crashes"],
)
@pytest.mark.parametrize("verb", [("verify",), ("measure", "baselines", "--profile", "smoke", "--implementation")])
def test_says_why_a_named_plugin_is_absent(
    command: Callable[..., Any],
    compiled: Callable[..., Path],
    tmp_path: Path,
    macros: dict[str, str],
    why: str,
    verb: tuple[str, ...],
) -> None:
    path = Path(shutil.copy(compiled("toy", **macros), tmp_path / "file.so"))
    result = command(*verb, "toy/xor-tag", "--plugins", path)
    assert result.is_invalid_use()
    assert f"absent plugins: {path} is not a plugin: {why}" in result.err


def test_long_and_seed_are_options(
    command: Callable[..., Any], compiled: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    name, edges = "faulty/ascon-aead128", (1 << 17, (1 << 17) + 17)
    from aeadlab.verify.lengths import long

    real = long.verify_long
    monkeypatch.setattr(long, "verify_long", lambda names, plugins: real(names, plugins, edges))
    for macros, status in (({}, 0), ({"WRONG": "(bytes>(1<<17))"}, 1)):
        result = command("verify", name, "--long", "--json", "--plugins", compiled("faulty", **macros))
        assert result.code == status
        (report,) = json.loads(result.out)["reports"]
        assert report["verdict"] == ("FAILED" if status else "ok")
    result = command("verify", name, "--seed", "7", "--plugins", compiled("faulty"))
    assert result.code == 0 and "random lengths: seed 7" in result.out
    result = command("verify", name, "--seed", "-1", "--plugins", compiled("faulty"))
    assert result.code == 2 and "seed -1 given, 0 to 2^64 - 1 expected" in result.err
