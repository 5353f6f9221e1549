"""Tuning from end to end: what is remembered, what is measured again, what is refused."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from aeadlab import ArgumentError, AuthenticationError, BusyError, ParSplit, VerificationError, automatic, paths
from aeadlab.bench import lock
from aeadlab.system_files import SystemFiles
from aeadlab.tuning import Row, Tuned, search, store, tune
from aeadlab.tuning.search import busy_cores
from aeadlab.verify import Report

ALLOW = ["openssl/aes-256-gcm", "rustcrypto/aes-256-gcm"]
KIB = 1024
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def quiet(own_folders: Path, session_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders of the test's own, what was examined in other tests, and a machine that is never too busy to remember."""
    for what in ("examined", "verified"):
        (session_cache / what).mkdir(exist_ok=True)
        (own_folders / "cache" / what).symlink_to(session_cache / what)
    monkeypatch.setattr(search, "busy_cores", lambda: 0.0)
    monkeypatch.setattr("aeadlab.tuning.tuned.TOO_NOISY", float("inf"))


def small(**changes: Any) -> Tuned:
    """A message of 16 KiB, 0.1 s."""
    return tune(**{"allow": ALLOW, "bytes": 16 * KIB, "seconds": 0.1, **changes})


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> list[Tuned]:
    """Everything that is measured, as it happens."""
    seen: list[Tuned] = []
    real = search._measured

    def spied(*given: Any) -> Tuned:
        seen.append(real(*given))
        return seen[-1]

    monkeypatch.setattr(search, "_measured", spied)
    return seen


def cached() -> list[Path]:
    return list((paths.cache() / "tuned").glob("*.json"))


def test_a_real_run() -> None:
    found = tune(ALLOW, 2 << 20, seconds=1)
    assert found.settings.implementation in ALLOW
    assert found.settings in [row.settings for row in found.rows]
    assert {row.implementation for row in found.rows} == set(ALLOW)
    assert [row.gib_per_s for row in found.rows] == sorted((row.gib_per_s for row in found.rows), reverse=True)
    for row in found.rows:
        assert 0 < row.low <= row.gib_per_s <= row.high
        assert row.memcpy_share is not None
        assert 0 < row.memcpy_share < 2
    assert found.rounds >= 6
    assert found.why.startswith(found.settings.implementation)
    cipher = found.parsplit()
    assert (cipher.implementation, cipher.block_size, cipher.threads) == found.settings


def test_what_was_measured_is_remembered(measured: list[Tuned]) -> None:
    first, again = small(), small()
    assert len(measured) == 1
    assert again.remembered
    assert again == replace(first, remembered=True)
    small(fresh=True)
    assert len(measured) == 2


@pytest.mark.parametrize(
    "change",
    [{"bytes": 64 * KIB}, {"threads": 1}, {"block_size": 4 * KIB}, {"allow": ALLOW[:1]}, {"allow": ALLOW[::-1]}],
    ids=str,
)
def test_another_question_is_measured(measured: list[Tuned], change: dict[str, Any]) -> None:
    small(threads=2)
    small(**{"threads": 2, **change})
    assert len(measured) == 2


def test_lengths_of_one_class_share_what_is_remembered(measured: list[Tuned]) -> None:
    small(bytes=16 * KIB)
    assert small(bytes=32 * KIB - 1).bytes == 16 * KIB
    assert len(measured) == 1


@pytest.mark.parametrize(
    ("part", "value"), [("cpu", {"model name": "another"}), ("cores", 999), ("affinity", [7]), ("extension", "0")]
)
def test_another_machine_is_measured(
    measured: list[Tuned], monkeypatch: pytest.MonkeyPatch, part: str, value: object
) -> None:
    small()
    real = store.machine
    monkeypatch.setattr(store, "machine", lambda candidates: {**real(candidates), part: value})
    small()
    assert len(measured) == 2


def test_a_file_that_was_copied_from_another_machine_is_not_believed(measured: list[Tuned]) -> None:
    small()
    (file,) = cached()
    stored = json.loads(file.read_text())
    stored["machine"]["cpu"] = {"model name": "another"}
    file.write_text(json.dumps(stored))
    small()
    assert len(measured) == 2


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: "",
        lambda text: text[: len(text) // 2],
        lambda text: "[]",
        lambda text: json.dumps({**json.loads(text), "rows": []}),
        lambda text: json.dumps({**json.loads(text), "settings": {"implementation": "x"}}),
        lambda text: text.replace("gib_per_s", "speed"),
        lambda text: json.dumps({**json.loads(text), "more": 1}),
    ],
)
def test_a_damaged_file_is_measured_again(measured: list[Tuned], damage: Callable[[str], str]) -> None:
    small()
    (file,) = cached()
    file.write_text(damage(file.read_text()))
    assert not small().remembered
    assert len(measured) == 2
    assert small().remembered, "it was mended"


def test_a_choice_that_no_longer_counts_as_verified_is_made_anew(
    measured: list[Tuned], monkeypatch: pytest.MonkeyPatch
) -> None:
    small()
    monkeypatch.setattr(search, "remembered", lambda implementations, catalogue: {})
    small()
    assert len(measured) == 2


@pytest.mark.parametrize("what", ["busy", "noise"])
def test_what_a_busy_machine_gave_is_not_remembered(
    measured: list[Tuned], monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    monkeypatch.setattr(search, "busy_cores", lambda: 1.0 if what == "busy" else 0.0)
    monkeypatch.setattr("aeadlab.tuning.tuned.TOO_NOISY", -1.0 if what == "noise" else float("inf"))
    assert not small().reliable
    assert not cached()
    small()
    assert len(measured) == 2


def test_nothing_is_measured_while_another_measures(measured: list[Tuned], own_folders: Path) -> None:
    with lock.machine_lock(own_folders / "lock"), pytest.raises(BusyError, match="is measuring on this machine"):
        small()
    assert measured == []


@pytest.mark.parametrize("changes", [{"bytes": 0}, {"bytes": 1 << 40}, {"seconds": 0}, {"seconds": float("nan")},
                                     {"threads": 0}, {"threads": 257}, {"block_size": 0}], ids=str)  # fmt: skip
def test_numbers_out_of_range(measured: list[Tuned], changes: dict[str, Any]) -> None:
    with pytest.raises(ArgumentError, match="given"):
        small(**changes)
    assert measured == []


def test_where_nothing_is_left_the_reasons_are_said(measured: list[Tuned]) -> None:
    with pytest.raises(ArgumentError, match="nothing .* rocca/rocca-s: it is marked research; pyca/aes-256-gcm: it is"):
        small(allow=["rocca/rocca-s", "pyca/aes-256-gcm"])
    assert measured == []


def test_what_fails_verification_is_never_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    real, wrong = search.verified, "rustcrypto/aes-256-gcm"
    failed = Report(wrong, "1", (), unverifiable=False, reason="it computes something else")
    monkeypatch.setattr(search, "verified", lambda *given, **more: {**real(*given, **more), wrong: failed})
    found = small()
    assert found.excluded == {wrong: "it computes something else"}
    assert {row.implementation for row in found.rows} | found.screened.keys() == {ALLOW[0]}
    with pytest.raises(VerificationError, match=f"nothing that is allowed passes verification: {wrong}: it computes"):
        small(allow=[wrong])


def test_a_plugin_that_is_research_is_not_even_verified(compiled: Callable[..., Path]) -> None:
    broken = compiled("toy", ON_MESSAGE="abort()")
    found = small(allow=["toy/xor-tag", *ALLOW], plugins=[broken])
    assert found.excluded == {"toy/xor-tag": "it is marked research"}


def test_a_short_message_takes_one_thread() -> None:
    assert small(threads=8).settings.threads == 1


def test_the_bound_for_short_messages_is_the_engines() -> None:
    source = (ROOT / "native/parsplit/src/engine.rs").read_text()
    found = re.search(r"pub const SERIAL_BELOW: usize = (\d+) << (\d+);", source)
    assert found is not None
    assert int(found[1]) << int(found[2]) == search._SERIAL_BELOW


def test_parsplit_auto_takes_what_tuning_takes(measured: list[Tuned]) -> None:
    cipher = ParSplit("auto", allow=ALLOW, message_bytes=16 * KIB)
    assert len(measured) == 1
    assert (cipher.implementation, cipher.block_size, cipher.threads) == measured[0].settings
    key, nonce = bytes(cipher.key_bytes), bytes(cipher.nonce_bytes)
    sealed = cipher.encrypt(key, nonce, b"text")
    named = ParSplit(cipher.implementation, cipher.block_size)
    assert named.decrypt(key, nonce, sealed) == b"text", "what is kept beside the ciphertext opens it"
    with pytest.raises(AuthenticationError):
        named.decrypt(key, nonce, bytes(len(sealed)))
    ParSplit("auto", allow=ALLOW, message_bytes=16 * KIB)
    assert len(measured) == 1


def test_parsplit_auto_keeps_the_block_size_and_threads_that_are_given(measured: list[Tuned]) -> None:
    cipher = ParSplit("auto", 4096, 1, allow=ALLOW, message_bytes=2 << 20)
    assert (cipher.block_size, cipher.threads) == (4096, 1)


def test_what_is_for_auto_alone_is_refused_elsewhere() -> None:
    with pytest.raises(ArgumentError, match='for "auto"'):
        ParSplit("openssl/aes-256-gcm", allow=["aes-256-gcm"])
    with pytest.raises(ArgumentError, match='for "auto"'):
        ParSplit("openssl/aes-256-gcm", message_bytes=5)


def test_the_package_answers_for_auto() -> None:
    assert automatic.chooser is not None


def test_other_programs_are_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 2}, raising=False)
    (tmp_path / "proc").mkdir()
    stat = tmp_path / "proc/stat"
    stat.write_text(
        "cpu 9 9 9 9 9 9 9 9\ncpu0 0 0 0 0 0 0 0 0 0 0\ncpu1 0 0 0 0 0 0 0 0 0 0\ncpu2 0 0 0 0 0 0 0 0 0 0\n"
    )

    def later(_: float) -> None:
        stat.write_text("cpu0 10 0 0 5 5 0 0 0 0 0\ncpu1 9 0 0 0 0 0 0 0 0 0\ncpu2 0 0 0 20 0 0 0 0 0 0\n")

    monkeypatch.setattr("time.sleep", later)
    assert busy_cores(files=SystemFiles(tmp_path)) == pytest.approx(0.5), "cpu1 is not ours"


def test_a_row_survives_storing() -> None:
    row = Row("a/b", 1, 1, 1.0, 1.0, 1.0, None, equal=True, cores=1.0)
    assert Row(**json.loads(json.dumps(row.__dict__))) == row


@pytest.mark.parametrize(
    ("threads", "cores", "length", "reliable"),
    [(2, 1.9, 64 << 20, True), (2, 1.0, 64 << 20, False), (2, 1.0, 1 << 20, True), (1, 0.6, 64 << 20, True)],
)
def test_threads_that_shared_a_core_say_nothing_of_threads(
    threads: int, cores: float, length: int, reliable: bool
) -> None:
    rows = (Row("a/b", 65536, threads, 1.0, 1.0, 1.0, None, equal=True, cores=cores),)
    assert replace(small(), rows=rows, bytes=length).reliable == reliable
