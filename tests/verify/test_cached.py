from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from aeadlab.catalogue import Implementation, load
from aeadlab.verify import Report, cached
from aeadlab.verify.cached import verified

pytestmark = pytest.mark.usefixtures("own_folders")

OPENSSL, RUSTCRYPTO, MEMCPY = "openssl/aes-256-gcm", "rustcrypto/aes-256-gcm", "baseline/memcpy"

Compiled = Callable[..., Path]
Verified = list[tuple[str, list[str]]]


@pytest.fixture
def verifications(monkeypatch: pytest.MonkeyPatch) -> Verified:
    """Name of each implementation that is verified in this process, and those it is compared with; all pass."""
    calls: Verified = []

    def verify(implementation: Implementation, others: Sequence[Implementation]) -> Report:
        calls.append((implementation.name, [o.name for o in others]))
        return Report(implementation.name, implementation.description.version, (), False, "")

    monkeypatch.setattr(cached, "verify", verify)
    return calls


def names(calls: Verified) -> list[str]:
    return [name for name, _ in calls]


def check(*wanted: str, plugins: Sequence[Path] = (), **options: Any) -> dict[str, Report]:
    catalogue = load(plugins)
    return verified([catalogue.find(name) for name in wanted], catalogue, **options)


def test_a_verdict_is_remembered(verifications: Verified) -> None:
    first = check(OPENSSL, MEMCPY)
    assert list(first) == [OPENSSL, MEMCPY]
    assert check(OPENSSL, MEMCPY) == first
    assert names(verifications) == [OPENSSL, MEMCPY]


def test_fresh_verifies_again_and_is_remembered(verifications: Verified, own_folders: Path) -> None:
    check(MEMCPY)
    (remembered,) = (own_folders / "cache").glob("verified-*")
    remembered.write_text(remembered.read_text().replace('"reason": ""', '"reason": "an old fault"'))
    assert check(MEMCPY)[MEMCPY].reason == "an old fault"
    assert check(MEMCPY, fresh=True)[MEMCPY].ok
    assert check(MEMCPY)[MEMCPY].ok
    assert names(verifications) == [MEMCPY] * 2


def test_who_waits_is_told_of_each_verdict_remembered_or_not(verifications: Verified) -> None:
    told: list[str] = []
    check(OPENSSL)
    reports = check(OPENSSL, RUSTCRYPTO, done=told.append)
    assert told == [OPENSSL, RUSTCRYPTO] == [report.implementation for report in reports.values()]


@pytest.mark.parametrize("what", ["_checker", "_extension"])
def test_another_checker_or_extension_verifies_again(
    verifications: Verified, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    check(OPENSSL)
    monkeypatch.setattr(cached, what, lambda: "another")
    check(OPENSSL)
    assert names(verifications) == [OPENSSL] * 2


def test_another_version_of_it_or_of_what_it_is_compared_with_verifies_again(
    verifications: Verified, double: Callable[..., Implementation], gcm: Implementation
) -> None:
    one, updated = double(gcm), double(gcm, facts={"version": "newer"})
    peer, newer = double(gcm, facts={"library": "peer"}), double(gcm, facts={"library": "peer", "version": "newer"})
    unlike = double(gcm, facts={"library": "unlike", "algorithm": "rot13"})

    def times(implementation: Implementation, *others: Implementation) -> int:
        before = len(verifications)
        verified([implementation], [implementation, *others])  # type: ignore[arg-type]
        return len(verifications) - before

    assert times(one) == 1
    assert times(updated) == 1
    assert times(one, peer) == 1
    assert times(one, newer) == 1
    assert times(one, peer, unlike) == times(one, newer) == times(updated) == times(one) == 0


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"implementation": "baseline/memcpy"}'])
def test_a_damaged_memory_is_found_out_again(verifications: Verified, own_folders: Path, text: str) -> None:
    check(MEMCPY)
    (remembered,) = (own_folders / "cache").glob("verified-*")
    remembered.write_text(text)
    assert check(MEMCPY)[MEMCPY].ok
    assert names(verifications) == [MEMCPY] * 2


def test_a_cache_that_cannot_be_written_costs_only_time(
    verifications: Verified, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("AEADLAB_CACHE", str(tmp_path / "file"))
    assert check(MEMCPY)[MEMCPY].ok
    assert check(MEMCPY)[MEMCPY].ok
    assert names(verifications) == [MEMCPY] * 2


def test_nothing_is_compared_with_a_plugin_in_this_process(verifications: Verified, compiled: Compiled) -> None:
    liar = compiled("toy", ALGORITHM='"aes-256-gcm"', ON_MESSAGE="abort()")
    check(OPENSSL, plugins=[liar])
    ((_, others),) = verifications
    assert "toy/aes-256-gcm" not in others
    assert {RUSTCRYPTO, "pyca/aes-256-gcm"} <= set(others)


def test_a_plugin_is_verified_in_a_child_whatever_it_prints(verifications: Verified, compiled: Compiled) -> None:
    toy = compiled("toy", ON_MESSAGE='(void)!write(1,"{}\\n",3);(void)!write(2,"noise\\n",6)')
    report = check("toy/xor-tag", plugins=[toy])["toy/xor-tag"]
    assert names(verifications) == []
    assert (report.implementation, report.version, report.unverifiable) == ("toy/xor-tag", "1.2.3", True)
    assert "no source has known answers for xor-tag" in report.reason
    for name in ("round trip", "tamper"):
        found = report.check(name)
        assert found is not None
        assert found.ok


def test_a_plugin_that_computes_something_else_fails(compiled: Compiled) -> None:
    name = "toy/aes-256-gcm"
    report = check(name, plugins=[compiled("toy", ALGORITHM='"aes-256-gcm"')])[name]
    assert not report.ok
    assert not report.unverifiable
    assert report.reason.startswith("known answers: ")
    agreement = report.check("agreement")
    assert agreement is not None
    assert agreement.failed == agreement.run > 0
    assert not agreement.sources


ENDINGS = {
    "crashes": ("abort()", "it crashes while being verified (SIGABRT)"),
    "exits": ("exit(0)", "its verification ended with status 0: no reason given"),
    "exits with a word": ('(void)!write(2,"enough\\n",7);_exit(4)', "its verification ended with status 4: enough"),
    "hangs": ("for(;;)pause()", "it hangs while being verified (over 2 s)"),
}


@pytest.mark.parametrize("what", ENDINGS)
def test_a_plugin_that_ends_its_process_fails_alone(
    compiled: Compiled, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    statement, reason = ENDINGS[what]
    monkeypatch.setattr(cached, "TIME_LIMIT", 2.0 if what == "hangs" else 60.0)
    told: list[str] = []
    reports = check("toy/xor-tag", MEMCPY, plugins=[compiled("toy", ON_MESSAGE=statement)], done=told.append)
    report = reports["toy/xor-tag"]
    assert (report.ok, report.unverifiable, report.checks, report.reason) == (False, False, (), reason)
    assert report.version == "1.2.3"
    assert reports[MEMCPY].ok
    assert told == ["toy/xor-tag", MEMCPY]


def test_a_plugin_that_changed_is_verified_again(
    compiled: Compiled, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    children: list[str] = []

    def in_child(implementation: Implementation) -> Report:
        children.append(implementation.name)
        return Report(implementation.name, "1.2.3", (), False, "")

    monkeypatch.setattr(cached, "_in_child", in_child)
    # Not overwritten but replaced, as a linker does: what is loaded stays whole.
    path = tmp_path / "toy.so"
    shutil.copy(compiled("toy"), path)
    for _ in range(2):
        check("toy/xor-tag", plugins=[path])
    path.unlink()
    shutil.copy(compiled("toy", FLAGS=0), path)
    for _ in range(2):
        check("toy/xor-tag", plugins=[path])
    assert children == ["toy/xor-tag"] * 2
