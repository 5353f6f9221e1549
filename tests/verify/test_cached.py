"""The cache of verifications, and the processes in which implementations run."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import psutil
import pytest

from aeadlab.catalogue import Implementation, load
from aeadlab.catalogue.plugins import VARIABLE
from aeadlab.verify import Report, cached, child, verification
from aeadlab.verify.cached import cached_reports, verified
from aeadlab.verify.cases import cases
from aeadlab.verify.examination import Examination

pytestmark = pytest.mark.usefixtures("own_folders")

OPENSSL, RUSTCRYPTO, MEMCPY = "openssl/aes-256-gcm", "rustcrypto/aes-256-gcm", "baseline/memcpy"

Compiled = Callable[..., Path]
Names = list[str]


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> Names:
    """Names of examined implementations, which all give equal answers."""
    names: Names = []

    def examined(wanted: Sequence[str], plugins: Sequence[str], *_: object) -> Iterator[Examination]:
        catalogue = load([Path(plugin) for plugin in plugins])
        for name in wanted:
            names.append(name)
            # A double is not in the catalogue; all are of one AEAD.
            known = {i.name: i for i in catalogue}
            description = known.get(name, known["pyca/aes-256-gcm"]).description
            yield Examination(name, (), tuple("00" for _ in cases(description)))

    monkeypatch.setattr(child, "examined", examined)
    return names


def check(*names: str, plugins: Sequence[Path] = (), **options: Any) -> dict[str, Report]:
    catalogue = load(plugins)
    return verified([catalogue.find(name) for name in names], catalogue, **options)


@pytest.fixture(scope="module")
def peers(tried_plugins: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the examinations of every implementation of AES-256-GCM, which take seconds."""
    folder = tmp_path_factory.mktemp("peers")
    shutil.copytree(tried_plugins, folder, dirs_exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AEADLAB_CACHE", str(folder))
        patch.delenv(VARIABLE, raising=False)
        check(OPENSSL)
    return folder / "examined"


def test_reports_are_cached(seen: Names) -> None:
    first = check(OPENSSL, RUSTCRYPTO)
    assert list(first) == [OPENSSL, RUSTCRYPTO]
    examined = list(seen)
    assert set(first) < set(examined)
    assert check(OPENSSL, RUSTCRYPTO) == first
    assert seen == examined
    catalogue = load()
    chosen = [catalogue.find(name) for name in (OPENSSL, RUSTCRYPTO, MEMCPY)]
    assert cached_reports(chosen, catalogue) == first


def test_examinations_of_peers_are_cached(seen: Names) -> None:
    check(OPENSSL)
    assert {RUSTCRYPTO, "pyca/aes-256-gcm"} < set(seen)
    seen.clear()
    check(RUSTCRYPTO)
    assert seen == []


def test_fresh_examines_again_and_updates_the_cache(seen: Names, own_folders: Path) -> None:
    check(MEMCPY)
    (place,) = (own_folders / "cache" / "verified").iterdir()
    stored = json.loads(place.read_text())
    stored["content"]["reason"] = "an old fault"
    place.write_text(json.dumps(stored))
    assert check(MEMCPY)[MEMCPY].reason == "an old fault"
    seen.clear()
    assert not check(MEMCPY, fresh=True)[MEMCPY].reason.startswith("an old")
    assert not check(MEMCPY)[MEMCPY].reason.startswith("an old")
    assert seen == [MEMCPY]


def test_each_implementation_is_reported_once(seen: Names) -> None:
    reported: Names = []
    check(OPENSSL)
    reports = check(OPENSSL, RUSTCRYPTO, MEMCPY, done=reported.append)
    assert sorted(reported) == sorted(reports)


def test_another_checker_examines_again(seen: Names, monkeypatch: pytest.MonkeyPatch) -> None:
    check(OPENSSL)
    examined = list(seen)
    monkeypatch.setattr(cached, "_checker", lambda: "another")
    check(OPENSSL)
    assert seen == examined * 2


def test_another_extension_examines_again(seen: Names, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    check(OPENSSL)
    linked = [name for name in seen if load().find(name).description.origin == "linked"]
    examined = list(seen)
    (tmp_path / "other").write_bytes(b"other")
    monkeypatch.setattr(cached._native, "__file__", str(tmp_path / "other"))
    check(OPENSSL)
    assert seen == examined + linked


def test_another_version_of_a_peer_examines_again(
    seen: Names, double: Callable[..., Implementation], gcm: Implementation
) -> None:
    one, updated = double(gcm), double(gcm, facts={"version": "newer"})
    peer, newer = double(gcm, facts={"library": "peer"}), double(gcm, facts={"library": "peer", "version": "newer"})
    unlike = double(gcm, facts={"library": "unlike", "algorithm": "rot13"})

    def number_examined(implementation: Implementation, *others: Implementation) -> int:
        before = len(seen)
        verified([implementation], [implementation, *others])  # type: ignore[arg-type]
        return len(seen) - before

    assert number_examined(one) == 1
    assert number_examined(one) == 0
    assert number_examined(updated) == 1
    assert number_examined(updated, peer) == 1
    assert number_examined(updated, peer, unlike) == 0
    assert number_examined(updated, newer) == 1


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"identity": "", "content": {}}', '{"content": 3}'])
@pytest.mark.parametrize("what", ["verified", "examined"])
def test_a_damaged_cache_file_is_ignored(seen: Names, own_folders: Path, what: str, text: str) -> None:
    first = check(MEMCPY)
    for kind in {"verified", what}:
        for place in (own_folders / "cache" / kind).iterdir():
            place.write_text(text)
    assert check(MEMCPY) == first
    assert seen == [MEMCPY] * (2 if what == "examined" else 1)


def test_a_cache_file_without_content_is_ignored(seen: Names, own_folders: Path) -> None:
    first = check(MEMCPY)
    for place in (own_folders / "cache").rglob("*.json"):
        if place.parent.name in ("verified", "examined"):
            place.write_text(json.dumps({**json.loads(place.read_text()), "content": {"implementation": MEMCPY}}))
    assert check(MEMCPY) == first
    assert seen == [MEMCPY] * 2


def test_an_unwritable_cache_is_ignored(seen: Names, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    # Without a cache, each catalogue loads all plugins in child processes.
    catalogue = load()
    monkeypatch.setitem(globals(), "load", lambda _: catalogue)
    monkeypatch.setenv("AEADLAB_CACHE", str(tmp_path / "file"))
    assert check(MEMCPY) == check(MEMCPY)
    assert seen == [MEMCPY] * 2


def test_every_implementation_is_examined_once(seen: Names) -> None:
    hashes = [i.name for i in load().select("hash") if i.description.origin == "linked"]
    assert list(check(*hashes)) == hashes
    assert set(hashes) < set(seen)
    assert len(set(seen)) == len(seen)


def test_linked_libraries_are_not_compared_with_plugins(seen: Names, compiled: Compiled) -> None:
    crashing = compiled("toy", ALGORITHM='"aes-256-gcm"', ON_MESSAGE="abort()")
    check(OPENSSL, plugins=[crashing])
    assert "toy/aes-256-gcm" not in seen
    assert {RUSTCRYPTO, "pyca/aes-256-gcm"} <= set(seen)


def test_plugins_without_other_peers_are_compared(compiled: Compiled, tmp_path: Path) -> None:
    shutil.copy(compiled("toy"), tmp_path / "toy.so")
    shutil.copy(compiled("toy", LIBRARY='"twin"'), tmp_path / "twin.so")
    report = check("toy/xor-tag", plugins=[tmp_path])["toy/xor-tag"]
    agreement = report.check("agreement")
    assert report.ok and agreement is not None
    assert agreement.sources == {"twin/xor-tag": agreement.run}


@pytest.mark.parametrize("name", [MEMCPY, "toy/xor-tag"])
def test_nothing_is_examined_in_this_process(compiled: Compiled, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Only child processes guard the buffers, so that no other examination may be cached."""

    def examine(_: Implementation) -> Examination:
        raise AssertionError("examined without guard pages")

    monkeypatch.setattr(verification, "examine", examine)
    assert check(name, plugins=[compiled("toy")])[name].checks


def test_printed_text_does_not_disturb_verification(compiled: Compiled) -> None:
    toy = compiled("toy", ON_MESSAGE='(void)!write(1,"{}\\n",3);(void)!write(2,"noise\\n",6)')
    report = check("toy/xor-tag", plugins=[toy])["toy/xor-tag"]
    assert (report.implementation, report.version, report.unverifiable) == ("toy/xor-tag", "1.2.3", True)
    assert "no source has known answers for xor-tag" in report.reason
    for name in ("round trip", "tamper"):
        found = report.check(name)
        assert found is not None
        assert found.ok


def test_a_plugin_that_computes_something_else_fails(compiled: Compiled, peers: Path, own_folders: Path) -> None:
    shutil.copytree(peers, own_folders / "cache/examined")
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
    monkeypatch.setattr(child, "TIME_LIMIT", 2.0 if what == "hangs" else 60.0)
    reported: list[str] = []
    reports = check("toy/xor-tag", MEMCPY, plugins=[compiled("toy", ON_MESSAGE=statement)], done=reported.append)
    report = reports["toy/xor-tag"]
    assert (report.ok, report.unverifiable, report.checks, report.reason) == (False, False, (), reason)
    assert report.version == "1.2.3"
    assert reports[MEMCPY].ok
    assert sorted(reported) == [MEMCPY, "toy/xor-tag"]


CAUSES = {
    "SIGSEGV": ("raise(SIGSEGV)", "it crashes while being verified (SIGSEGV)", True),
    "SIGSYS": ("raise(SIGSYS)", "it crashes while being verified (SIGSYS)", True),
    "SIGKILL": ("raise(SIGKILL)", "its verification ended with SIGKILL: no reason given", False),
    "SIGTERM": ("raise(SIGTERM)", "its verification ended with SIGTERM: no reason given", False),
    "exit": ("_exit(3)", "its verification ended with status 3: no reason given", False),
}


@pytest.mark.parametrize("cause", CAUSES)
def test_only_failures_that_the_plugin_causes_are_cached(
    compiled: Compiled, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cause: str
) -> None:
    statement, reason, lasting = CAUSES[cause]
    monkeypatch.setenv("TOY_FAULT", str(tmp_path / "fault"))
    plugins = [compiled("toy", ON_MESSAGE=f'if(access(getenv("TOY_FAULT"),F_OK)==0){statement}')]
    (tmp_path / "fault").touch()
    assert check("toy/xor-tag", plugins=plugins)["toy/xor-tag"].reason == reason
    (tmp_path / "fault").unlink()
    assert (check("toy/xor-tag", plugins=plugins)["toy/xor-tag"].reason == reason) is lasting


Change = Callable[[Examination], Examination]


def with_changed(monkeypatch: pytest.MonkeyPatch, name: str, change: Change) -> None:
    """Replace the examination of one implementation by a changed one."""
    right = child.examined

    def examined(wanted: Sequence[str], *arguments: Any) -> Iterator[Examination]:
        for examination in right(wanted, *arguments):
            yield change(examination) if examination.implementation == name else examination

    monkeypatch.setattr(child, "examined", examined)


def test_reports_that_compare_with_a_temporary_failure_are_not_cached(
    seen: Names, monkeypatch: pytest.MonkeyPatch
) -> None:
    def without_memory(examination: Examination) -> Examination:
        return replace(examination, answers=("MemoryError: no memory",) * len(examination.answers))

    with monkeypatch.context() as patch:
        with_changed(patch, RUSTCRYPTO, without_memory)
        check(OPENSSL)
    seen.clear()
    assert check(OPENSSL)[OPENSSL].ok
    assert seen == [RUSTCRYPTO], "the others are cached"


@pytest.mark.parametrize("limited", [False, True])
def test_failures_of_python_libraries_and_under_limits_are_not_cached(
    seen: Names, monkeypatch: pytest.MonkeyPatch, limited: bool
) -> None:
    """A file in the current folder, such as `.numba_config.yaml`, can make a Python library fail."""
    name = OPENSSL if limited else "pyca/aes-256-gcm"

    def failing(examination: Examination) -> Examination:
        return replace(examination, answers=("ValueError: x",) * len(examination.answers))

    with monkeypatch.context() as patch:
        with_changed(patch, name, failing)
        patch.setattr(cached, "is_limited", lambda: limited)
        assert not check(name)[name].ok
    assert check(name)[name].ok


def verifying(parent: int) -> list[psutil.Process]:
    """Return the children of a process that verify; a child may end while they are listed."""
    found = psutil.process_iter(["ppid", "cmdline"])
    return [p for p in found if p.info["ppid"] == parent and "aeadlab.verify" in (p.info["cmdline"] or ())]


def test_an_interrupt_ends_the_children(compiled: Compiled, own_folders: Path) -> None:
    code = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from aeadlab.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    plugin = compiled("toy", ON_MESSAGE='for(;;){(void)!write(2,"",0);pause();}')
    command = [sys.executable, "-c", code, "verify", "toy/xor-tag", "--plugins", str(plugin)]
    with subprocess.Popen(command, start_new_session=True, stderr=subprocess.PIPE, text=True) as process:
        try:
            end = time.monotonic() + 60
            while not (children := verifying(process.pid)):
                assert time.monotonic() < end
                time.sleep(0.05)
            time.sleep(1)
            os.kill(process.pid, signal.SIGINT)
            _, errors = process.communicate(timeout=60)
        finally:
            process.kill()
    assert (process.returncode, errors.splitlines()[-1]) == (
        130,
        "aeadlab verify: interrupted after 0 of 1 implementation; the same command resumes",
    )
    assert not any(psutil.pid_exists(child.pid) for child in children)
    assert not list((own_folders / "cache").rglob("toy*")), "an interrupted examination is not cached"


def test_a_plugin_that_changed_is_examined_again(compiled: Compiled, tmp_path: Path, seen: Names) -> None:
    # The file is replaced, as by a linker, because overwriting would damage the loaded library.
    path = tmp_path / "toy.so"
    shutil.copy(compiled("toy"), path)
    for _ in range(2):
        check("toy/xor-tag", plugins=[path])
    path.unlink()
    shutil.copy(compiled("toy", FLAGS=0), path)
    for _ in range(2):
        check("toy/xor-tag", plugins=[path])
    assert seen == ["toy/xor-tag"] * 2


def test_examination_continues_after_a_crash(compiled: Compiled) -> None:
    crashing = compiled("toy", ON_MESSAGE="abort()")
    found = list(child.examined(["toy/xor-tag", MEMCPY, "toy/xor-tag", RUSTCRYPTO], [str(crashing)]))
    assert [e.implementation for e in found] == ["toy/xor-tag", MEMCPY, "toy/xor-tag", RUSTCRYPTO]
    assert [bool(e.failure) for e in found] == [True, False, True, False]


def test_reports_depend_on_the_environment(compiled: Compiled) -> None:
    """A library that crashes only if a feature is hidden from it."""
    plugin = compiled("toy", ON_MESSAGE='if (getenv("HIDE") != NULL && getenv("HIDE")[0] == \'1\') abort()')
    names = ("toy/xor-tag",)

    def reason(**environment: str) -> str:
        return check(*names, plugins=[plugin], environment=environment)["toy/xor-tag"].reason

    unmasked = reason()
    assert "cannot be verified" in unmasked, "no other library has the algorithm, but no check failed"
    crash = "it crashes while being verified (SIGABRT)"
    for _ in range(2):
        assert (reason(HIDE="1"), reason(HIDE="2"), reason()) == (crash, unmasked, unmasked)
    assert "HIDE" not in os.environ


def test_peers_run_without_hidden_features(monkeypatch: pytest.MonkeyPatch, peers: Path, own_folders: Path) -> None:
    shutil.copytree(peers, own_folders / "cache/examined")
    seen: dict[str, list[str]] = {}
    right = child.examined

    def examined(wanted: Names, plugins: Names, environment: dict[str, str], stop: Event) -> Iterator[Examination]:
        seen.setdefault(json.dumps(dict(environment)), []).extend(wanted)
        return right(wanted, plugins, environment, stop)

    monkeypatch.setattr(child, "examined", examined)
    environment = {"OPENSSL_ia32cap": "~0x200000000000000:~0x0:~0x0:~0x0:~0x0"}
    report = check(OPENSSL, environment=environment)[OPENSSL]
    assert report.ok and (agreed := report.check("agreement")) is not None
    assert agreed.sources[RUSTCRYPTO] > 0
    assert seen[json.dumps(environment)] == [OPENSSL]
    assert OPENSSL not in seen.get("{}", [])
