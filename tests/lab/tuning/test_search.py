from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from aeadlab import ArgumentError, AuthenticationError, BusyError, ParSplit, VerificationError, paths
from aeadlab.bench import lock
from aeadlab.catalogue import Implementation
from aeadlab.lab.measurement import verify
from aeadlab.lab.tuning import Row, Tuned, search, stages, store, tune
from aeadlab.stats import smallest_count
from aeadlab.stats.processes import FEWEST
from aeadlab.verify import Report

ALLOW = ["openssl/aes-256-gcm", "rustcrypto/aes-256-gcm"]
KIB = 1024
MEASURED: dict[tuple[object, ...], Tuned] = {}


@pytest.fixture(autouse=True)
def quiet(own_folders: Path, session_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Isolate the folders, share the verification cache, make the machine look idle, and start few processes."""
    for subfolder in ("examined", "lengths", "verified"):
        (session_cache / subfolder).mkdir(exist_ok=True)
        own = own_folders / "cache" / subfolder
        shutil.rmtree(own, ignore_errors=True)
        own.symlink_to(session_cache / subfolder)
    monkeypatch.setattr(stages, "busy_cores", lambda: 0.0)
    monkeypatch.setattr(stages, "_PROCESSES", FEWEST)
    monkeypatch.setattr("aeadlab.lab.tuning.tuned.MAX_NOISE", float("inf"))


def small(**changes: Any) -> Tuned:
    """Tune for messages of 16 KiB in 0.1 s."""
    return tune(**{"allow": ALLOW, "bytes": 16 * KIB, "seconds": 0.1, **changes})


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> list[Tuned]:
    """Collect the results of all measurements; of equal requests only the first of all tests really measures."""
    results: list[Tuned] = []
    original = search.measure_candidates

    def spy(implementations: Sequence[Implementation], *arguments: Any) -> Tuned:
        request = (*(i.name for i in implementations), *arguments[:3])
        if request not in MEASURED:
            MEASURED[request] = original(implementations, *arguments)
        results.append(MEASURED[request])
        return results[-1]

    monkeypatch.setattr(search, "measure_candidates", spy)
    return results


@pytest.fixture
def asked(measured: list[Tuned], monkeypatch: pytest.MonkeyPatch) -> list[Tuned]:
    """As `measured`, with the result of the first measurement for all."""
    measure = search.measure_candidates

    def first(*arguments: Any) -> Tuned:
        if measured:
            measured.append(measured[0])
        else:
            measure(*arguments)
        return measured[0]

    monkeypatch.setattr(search, "measure_candidates", first)
    return measured


def cached() -> list[Path]:
    return list((paths.cache() / "tuned").glob("*.json"))


def test_chooses_a_measured_candidate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stages, "_PROCESSES", smallest_count())
    tuned = tune(ALLOW, 2 << 20, seconds=0.3)
    assert tuned.settings.implementation in ALLOW
    assert tuned.settings in [row.settings for row in tuned.rows]
    assert {row.implementation for row in tuned.rows} == set(ALLOW)
    assert [row.gib_per_s for row in tuned.rows] == sorted((row.gib_per_s for row in tuned.rows), reverse=True)
    for row in tuned.rows:
        assert 0 < row.low <= row.gib_per_s <= row.high
        assert row.memcpy_share is not None
        assert 0 < row.memcpy_share < 2
    assert tuned.rounds >= 6
    assert tuned.why.startswith(tuned.settings.implementation)
    cipher = tuned.parsplit()
    assert (cipher.implementation, cipher.block_size, cipher.threads) == tuned.settings


def test_remembers_the_result(measured: list[Tuned]) -> None:
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
def test_measures_another_request(asked: list[Tuned], change: dict[str, Any]) -> None:
    small(threads=2)
    small(**{"threads": 2, **change})
    assert len(asked) == 2


def test_lengths_between_two_powers_of_two_share_a_result(measured: list[Tuned]) -> None:
    small(bytes=16 * KIB)
    assert small(bytes=32 * KIB - 1).bytes == 16 * KIB
    assert len(measured) == 1


@pytest.mark.parametrize(
    ("part", "value"), [("cpu", {"model name": "another"}), ("cores", 999), ("affinity", [7]), ("extension", "0")]
)
def test_measures_again_on_another_machine(
    measured: list[Tuned], monkeypatch: pytest.MonkeyPatch, part: str, value: object
) -> None:
    small()
    original = store.machine_identity
    monkeypatch.setattr(store, "machine_identity", lambda candidates: {**original(candidates), part: value})
    small()
    assert len(measured) == 2


def test_ignores_a_result_copied_from_another_machine(measured: list[Tuned]) -> None:
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
def test_measures_again_if_the_stored_file_is_damaged(measured: list[Tuned], damage: Callable[[str], str]) -> None:
    small()
    (file,) = cached()
    file.write_text(damage(file.read_text()))
    assert not small().remembered
    assert len(measured) == 2
    assert small().remembered, "the damaged file was replaced"


def test_measures_again_if_the_choice_is_no_longer_verified(
    measured: list[Tuned], monkeypatch: pytest.MonkeyPatch
) -> None:
    small()
    monkeypatch.setattr(search, "cached_reports", lambda implementations, catalogue: {})
    small()
    assert len(measured) == 2


@pytest.mark.parametrize("disturbance", ["busy", "noise"])
def test_does_not_remember_results_of_a_busy_machine(
    measured: list[Tuned], monkeypatch: pytest.MonkeyPatch, disturbance: str
) -> None:
    monkeypatch.setitem(globals(), "MEASURED", {})
    monkeypatch.setattr(stages, "busy_cores", lambda: 1.0 if disturbance == "busy" else 0.0)
    monkeypatch.setattr("aeadlab.lab.tuning.tuned.MAX_NOISE", -1.0 if disturbance == "noise" else float("inf"))
    assert not small().reliable
    assert not cached()
    small()
    assert len(measured) == 2


def test_rejects_a_second_measurement(measured: list[Tuned], own_folders: Path) -> None:
    with lock.machine_lock(own_folders / "lock"), pytest.raises(BusyError, match="is measuring on this machine"):
        small()
    assert measured == []


@pytest.mark.parametrize("changes", [{"bytes": 0}, {"bytes": 1 << 40}, {"seconds": 0}, {"seconds": float("nan")},
                                     {"threads": 0}, {"threads": 257}, {"block_size": 0}], ids=str)  # fmt: skip
def test_rejects_numbers_out_of_range(measured: list[Tuned], changes: dict[str, Any]) -> None:
    with pytest.raises(ArgumentError, match="given"):
        small(**changes)
    assert measured == []


def test_lists_the_reasons_if_no_candidate_is_left(measured: list[Tuned]) -> None:
    with pytest.raises(
        ArgumentError, match="no allowed .* rocca/rocca-s: it is marked research; pyca/aes-256-gcm: it is"
    ):
        small(allow=["rocca/rocca-s", "pyca/aes-256-gcm"])
    assert measured == []


def test_never_times_an_unverified_implementation(monkeypatch: pytest.MonkeyPatch) -> None:
    original, wrong = verify.verified, "rustcrypto/aes-256-gcm"
    failed = Report(wrong, "1", (), unverifiable=False, reason="it computes something else")
    monkeypatch.setattr(verify, "verified", lambda *given, **options: {**original(*given, **options), wrong: failed})
    tuned = small()
    assert tuned.excluded == {wrong: "it computes something else"}
    assert {row.implementation for row in tuned.rows} | tuned.screened.keys() == {ALLOW[0]}
    with pytest.raises(VerificationError, match=f"no allowed implementation passes verification: {wrong}: it computes"):
        small(allow=[wrong])


def test_a_plugin_that_is_wrong_at_a_tuned_length_is_not_chosen(compiled: Callable[..., Path]) -> None:
    """Only blocks of 12 KiB are wrong, a length that verification does not try."""
    plugins = [compiled("faulty", WRONG="(bytes==12288)"), compiled("faulty", LIBRARY='"third"')]
    tuned = small(allow=["faulty/ascon-aead128", *ALLOW], plugins=plugins, block_size=12288)
    assert {row.implementation for row in tuned.rows} <= set(ALLOW)
    assert "its result differs from that of" in tuned.excluded["faulty/ascon-aead128"]


def test_does_not_verify_a_plugin_marked_as_research(compiled: Callable[..., Path]) -> None:
    broken = compiled("toy", ON_MESSAGE="abort()")
    tuned = small(allow=["toy/xor-tag", *ALLOW], plugins=[broken])
    assert tuned.excluded == {"toy/xor-tag": "it is marked research"}


def test_short_message_uses_one_thread() -> None:
    assert small(threads=8).settings.threads == 1


def test_parsplit_auto_uses_the_tuned_settings(measured: list[Tuned]) -> None:
    cipher = ParSplit("auto", allow=ALLOW, message_bytes=16 * KIB)
    assert len(measured) == 1
    assert (cipher.implementation, cipher.block_size, cipher.threads) == measured[0].settings
    key, nonce = bytes(cipher.key_bytes), bytes(cipher.nonce_bytes)
    sealed = cipher.encrypt(key, nonce, b"text")
    named = ParSplit(cipher.implementation, cipher.block_size)
    assert named.decrypt(key, nonce, sealed) == b"text", "the chosen name and block size open it"
    with pytest.raises(AuthenticationError):
        named.decrypt(key, nonce, bytes(len(sealed)))
    ParSplit("auto", allow=ALLOW, message_bytes=16 * KIB)
    assert len(measured) == 1


def test_parsplit_auto_keeps_given_block_size_and_threads(measured: list[Tuned]) -> None:
    cipher = ParSplit("auto", 4096, 1, allow=ALLOW, message_bytes=2 << 20)
    assert (cipher.block_size, cipher.threads) == (4096, 1)


def test_rejects_tuning_arguments_without_auto() -> None:
    with pytest.raises(ArgumentError, match='"auto" only'):
        ParSplit("openssl/aes-256-gcm", allow=["aes-256-gcm"])
    with pytest.raises(ArgumentError, match='"auto" only'):
        ParSplit("openssl/aes-256-gcm", message_bytes=5)


def test_row_survives_json() -> None:
    row = Row("a/b", 1, 1, 1.0, 1.0, 1.0, None, equal=True, cores=1.0)
    assert Row(**json.loads(json.dumps(row.__dict__))) == row


@pytest.mark.usefixtures("measured")
@pytest.mark.parametrize(
    ("threads", "cores", "length", "reliable"),
    [(2, 1.9, 64 << 20, True), (2, 1.0, 64 << 20, False), (2, 1.0, 1 << 20, True), (1, 0.6, 64 << 20, True)],
)
def test_threads_that_shared_a_core_are_unreliable(threads: int, cores: float, length: int, reliable: bool) -> None:
    rows = (Row("a/b", 65536, threads, 1.0, 1.0, 1.0, None, equal=True, cores=cores),)
    assert replace(small(), rows=rows, bytes=length).reliable == reliable
