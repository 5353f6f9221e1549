from __future__ import annotations

import math
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aeadlab.bench.lock import machine_lock
from aeadlab.catalogue import Catalogue, Implementation, plugins
from aeadlab.errors import (
    ArgumentError,
    BuildError,
    BusyError,
    MeasurementError,
    UnknownNameError,
    VerificationError,
)
from aeadlab.lab import openssl_speed
from aeadlab.lab.openssl_speed import agreement, compare_speeds, explain_difference, parse_speed
from aeadlab.verify.cached import verified

pytestmark = pytest.mark.usefixtures("own_results", "built")

# Output of OpenSSL 3.0.19: standard error, then standard output.
GCM = "+DT:AES-256-GCM:1:16384\n+R:236636:AES-256-GCM:1.000000\n+H:16384\n+F:25:AES-256-GCM:3877044224.00\n"
GCM_CPU_TIME = "+DT:AES-256-GCM:1:16384\n+R:176816:AES-256-GCM:0.760000\n+H:16384\n+F:25:AES-256-GCM:3811780715.79\n"
CHACHA = (
    "+DT:ChaCha20-Poly1305:1:16\n+R:16954108:ChaCha20-Poly1305:1.000000\n+H:16\n+F:25:ChaCha20-Poly1305:271265728.00\n"
)
UNKNOWN = "speed: aes-256-gcm is an unknown cipher or digest"

Command = Callable[..., Path]


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> None:
    """Accept any build of the extension."""
    monkeypatch.setattr(openssl_speed, "check_build", dict)


class Linked(Catalogue):
    """A catalogue with the linked OpenSSL in place of the plugin."""

    def find(self, name: str) -> Implementation:
        return super().find(name.replace("openssl-system/", "openssl/"))


@pytest.fixture
def linked(monkeypatch: pytest.MonkeyPatch) -> Implementation:
    """Return the linked OpenSSL, used in place of the plugin with short samples."""
    monkeypatch.setattr(openssl_speed, "load", Linked)
    monkeypatch.setattr(openssl_speed, "_SAMPLE_NS", 100_000)
    return Linked().find("openssl-system/aes-256-gcm")


@pytest.fixture
def command(linked: Implementation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """``command(speed=...)``: put a shell script in PATH as `openssl`; returns the log of its calls.

    The default of `speed` prints 1 ns per byte. `version` and `build` replace those of the plugin.
    """

    def make(speed: str = "", version: str = "", build: str = "") -> Path:
        description, calls = linked.description, tmp_path / "calls"
        seconds = "$(($5 / 1000)).$(printf %03d $(($5 % 1000)))000"
        result = f'echo "+R:1000000:x:{seconds}" >&2; echo "+H:$5"; echo "+F:25:x:1000000000.00"'
        script = tmp_path / "bin" / "openssl"
        script.parent.mkdir()
        script.write_text(
            f"#!/bin/sh\n"
            f'if [ "$1" = version ]; then\n'
            f'echo "OpenSSL 3.9 (Library: OpenSSL {version or description.version})"\n'
            f"cat <<'END'\n{build or description.build}\nEND\n"
            f'else echo "$@" >> {calls}\n{speed or result}\nfi\n'
        )
        script.chmod(0o755)
        monkeypatch.setenv("PATH", str(script.parent), prepend=":")
        return calls

    return make


def measure(**arguments: Any) -> Any:
    small: dict[str, Any] = {"sizes": [64], "algorithms": ["aes-256-gcm"], "rounds": 1}
    return agreement(**small | arguments)


@pytest.mark.parametrize(
    ("printed", "size", "speed"),
    [(GCM, 16384, 3877044224.0), (GCM_CPU_TIME, 16384, 3811780715.79), (CHACHA, 16, 271265728.0)],
)
def test_parses_the_speed(printed: str, size: int, speed: float) -> None:
    assert parse_speed(printed, size) == speed


@pytest.mark.parametrize(
    "printed",
    [
        "",
        "AES-256-GCM    3877044.22k\n",
        GCM.replace("+R", "+S"),
        GCM.replace("+H", "+S"),
        GCM.replace("+F", "+S"),
        GCM + "+F:25:AES-256-GCM:3877044224.00\n",
        GCM + "+R:236636:AES-256-GCM:1.000000\n",
        GCM.replace("+H:16384", "+H:16384:8192"),
        GCM.replace("+H:16384", "+H:8192"),
        GCM.replace("3877044224.00", "3877044224.00:3877044224.00"),
        GCM.replace("3877044224.00", "3.8.7"),
        GCM.replace("3877044224.00", "inf").replace("1.000000", "0.000000"),
        GCM.replace("3877044224.00", "0.00").replace("236636", "0"),
        GCM.replace("236636", "236736"),
        GCM.replace("1.000000", "1.010000"),
    ],
)
def test_rejects_malformed_output(printed: str) -> None:
    with pytest.raises(MeasurementError, match="one line each of") as raised:
        parse_speed(printed, 16384)
    assert repr(printed) in str(raised.value)


def test_rejects_a_result_of_another_size() -> None:
    with pytest.raises(MeasurementError, match=r"\+H with 8192"):
        parse_speed(GCM, 8192)


def test_compares_speeds_of_the_same_round() -> None:
    row = compare_speeds(1 << 30, [(2**30, 2**31), (2**31, 2**33), (2**33, 2**33)])
    assert row["ratio"] == pytest.approx(2), "the median of the ratios, not the ratio of the medians, which is 4"
    assert (row["speed_gib_per_s"], row["ours_gib_per_s"], row["rounds"]) == (2, 8, 3)
    assert row["difference_ns"] == pytest.approx(0.375e9), "the command takes longer"
    assert math.isnan(row["low"]) and math.isnan(row["high"])


def test_six_rounds_give_an_interval() -> None:
    row = compare_speeds(64, [(1e9, ratio * 1e9) for ratio in (1.0, 1.1, 1.2, 1.3, 1.4, 1.5)])
    assert row["ratio"] == pytest.approx(math.sqrt(1.2 * 1.3))
    assert [row["low"], row["high"]] == pytest.approx([1.0, 1.5])
    assert row["interval"] == "within one process, 6 rounds"


@pytest.mark.parametrize(
    ("algorithm", "mode", "version", "expected"),
    [
        ("aes-256-gcm", "plain", "3.0.16 11 Feb 2025", "the command sets the key"),
        ("aes-256-gcm", "aead", "3.0.19 27 Jan 2026", "the command sets the key and processes 13 bytes"),
        ("aes-128-ocb", "plain", "3.5.6 7 Apr 2026", "the command sets the key"),
        ("chacha20-poly1305", "aead", "3.0.19 27 Jan 2026", "the command sets no nonce"),
        ("aes-256-gcm", "plain", "3.0.15 3 Sep 2024", "the calls of the command of OpenSSL 3.0.15"),
        ("aes-256-gcm", "plain", "3.1.0 14 Mar 2023", "the calls of the command"),
        ("aes-256-gcm", "plain", "3.4.9", "the calls of the command"),
    ],
)
def test_explains_the_difference_for_known_releases(algorithm: str, mode: str, version: str, expected: str) -> None:
    text = explain_difference(algorithm, mode, version)
    assert text.startswith(expected)
    assert ("13 bytes" in text) == ("13 bytes" in expected)


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ({"sizes": []}, "sizes none given, whole numbers 1 to 1073741824 expected"),
        ({"sizes": [16, 0]}, "sizes 16, 0 given"),
        ({"sizes": [16.5]}, "sizes 16.5 given"),
        ({"sizes": [(1 << 30) + 1]}, "sizes 1073741825 given"),
        ({"rounds": 0}, "rounds 0 given, whole numbers 1 to"),
        ({"seconds": 0}, "seconds 0 given, whole numbers 1 to"),
        ({"seconds": 0.5}, "seconds 0.5 given"),
        ({"algorithms": []}, r"algorithms \[\] given"),
        ({"algorithms": "aes-256-gcm"}, "algorithms 'aes-256-gcm' given"),
        ({"algorithms": ["aes-256-gcm", "sha-256"]}, "openssl/sha-256 given, AEADs expected"),
    ],
)
def test_rejects_wrong_arguments_before_any_run(
    linked: Implementation, monkeypatch: pytest.MonkeyPatch, arguments: dict[str, Any], match: str
) -> None:
    monkeypatch.setattr("subprocess.run", lambda *_, **__: pytest.fail("no command should run"))
    with pytest.raises(ArgumentError, match=match):
        measure(**arguments)


def test_rejects_unknown_algorithms(linked: Implementation) -> None:
    with pytest.raises(UnknownNameError, match=r"openssl/aes-256-foo.*the nearest"):
        measure(algorithms=["aes-256-foo"])


def test_names_the_reason_of_an_absent_plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "openssl-system.absent").write_text("libssl-dev is not installed")
    monkeypatch.setattr(plugins, "BUILT", tmp_path)
    with pytest.raises(UnknownNameError, match=r"openssl-system/aes-256-gcm is absent: .*libssl-dev"):
        measure()


def test_rejects_a_stale_build(monkeypatch: pytest.MonkeyPatch) -> None:
    def stale() -> None:
        raise BuildError("stale")

    monkeypatch.setattr(openssl_speed, "check_build", stale)
    with pytest.raises(BuildError):
        measure()


def test_requires_the_command(linked: Implementation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MeasurementError, match="there is no command openssl in PATH: install"):
        measure()


@pytest.mark.parametrize("other", [{"version": "3.0.1 14 Dec 2021"}, {"build": "compiler: cc"}])
def test_rejects_a_command_of_another_library(command: Command, linked: Implementation, other: Any) -> None:
    calls = command(**other)
    with pytest.raises(MeasurementError, match="put the command of the plugin's library first in PATH") as raised:
        measure()
    assert next(iter(other.values())) in str(raised.value)
    assert linked.description.version in str(raised.value) and linked.description.build in str(raised.value)
    assert not calls.exists()


@pytest.mark.parametrize(
    ("speed", "match"),
    [
        (f'echo "{UNKNOWN}" >&2; exit 1', rf"speed -evp aes-256-gcm .* failed \(1\): {UNKNOWN}"),
        ("exit 3", r"failed \(3\): it printed no reason"),
        ("echo rubbish", "expected is one line each of"),
        (r"printf '\377'", "expected is one line each of"),
    ],
)
def test_reports_the_reason_of_a_failed_command(command: Command, speed: str, match: str) -> None:
    command(speed)
    with pytest.raises(MeasurementError, match=match):
        measure()


def test_reports_a_command_that_cannot_be_started(command: Command) -> None:
    script = command().parent / "bin" / "openssl"
    script.write_text("#!/nonexistent\n")
    with pytest.raises(MeasurementError, match="version -v -f could not be run"):
        measure()


def test_reports_a_command_that_does_not_end(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openssl_speed, "_EXTRA_SECONDS", -0.5)
    monkeypatch.setattr(openssl_speed, "_find_command", lambda _: shutil.which("openssl"))
    command("exec sleep 20")
    with pytest.raises(MeasurementError, match="could not be run: .* timed out after 0.5 seconds"):
        measure()


def test_does_not_time_an_unverified_implementation(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(implementations: Sequence[Implementation], catalogue: Catalogue) -> dict[str, Any]:
        reports = verified(implementations, catalogue)
        return {name: replace(report, reason="wrong tag") for name, report in reports.items()}

    monkeypatch.setattr(openssl_speed, "verified", wrong)
    calls = command()
    with pytest.raises(VerificationError, match="openssl/aes-256-gcm is not timed: wrong tag"):
        measure()
    assert not calls.exists()


def test_holds_the_machine_lock(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    command()
    with machine_lock(), pytest.raises(BusyError):
        measure()

    def held(*_: object) -> float:
        with pytest.raises(BusyError), machine_lock():
            pass
        return 1e9

    monkeypatch.setattr(openssl_speed, "_run", held)
    assert len(measure()) == 2


def test_calls_the_command_in_both_modes_and_reverses_rounds(command: Command) -> None:
    calls = command()
    frame = measure(sizes=[64, 1024], algorithms=["aes-256-gcm", "chacha20-poly1305"], rounds=3, seconds=2)
    rows = [
        f"{name} {size}{mode}"
        for name in ("aes-256-gcm", "chacha20-poly1305")
        for size in (64, 1024)
        for mode in ("", " -aead")
    ]
    calls_made = [line.split() for line in calls.read_text().splitlines()]
    assert {" ".join((words[0], words[1], words[3], *words[5:9])) for words in calls_made} == {
        "speed -evp -bytes -seconds 2 -elapsed -mr"
    }
    assert [" ".join((words[2], words[4], *words[9:])) for words in calls_made] == [*rows, *reversed(rows), *rows]

    assert list(frame.columns) == [
        *("algorithm", "bytes", "mode", "speed_gib_per_s", "ours_gib_per_s", "ratio", "low", "high", "interval"),
        *("rounds", "difference_ns", "explained"),
    ]
    shown = frame["algorithm"] + " " + frame["bytes"].astype(str) + frame["mode"].map({"plain": "", "aead": " -aead"})
    assert shown.tolist() == rows
    assert frame["speed_gib_per_s"].tolist() == [pytest.approx(1e9 / 2**30)] * 8
    assert (frame["rounds"] == 3).all() and frame["low"].isna().all()
    assert frame["ratio"].between(0.001, 100).all()


def test_samples_of_the_lab_bracket_each_run(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    command()
    events: list[object] = []

    class Clock:
        """Calibrated to 10 executions, which take 3 us and 1 us in turn."""

        def calibrate(self, target_ns: int) -> int:
            events.append(target_ns)
            return 10

        def sample(self, batch: int) -> tuple[int, ...]:
            events.append(batch)
            return (3000 if len(events) % 3 == 2 else 1000, 0, 0, 0, 0, 0, 0)

    def driver(case: Any, *_: object) -> Clock:
        assert (case.op, case.model, case.engine, case.placement, case.bytes) == (
            "seal",
            "keyed",
            "whole",
            "in-place",
            64,
        )
        return Clock()

    def run(path: str, algorithm: str, size: int, mode: str, seconds: int) -> float:
        events.append(mode)
        return 1e9

    monkeypatch.setattr(openssl_speed, "driver", driver)
    monkeypatch.setattr(openssl_speed, "share_arena", lambda *_: None)
    monkeypatch.setattr(openssl_speed, "_run", run)
    frame = measure(rounds=2)
    assert events == [100_000, *(10, "plain", 10), *(10, "aead", 10), *(10, "aead", 10), *(10, "plain", 10)]
    # 20 messages of 64 bytes in 4 us; the command takes 64 ns for one.
    np.testing.assert_allclose(frame["ours_gib_per_s"] * 2**30, 320e6)
    np.testing.assert_allclose(frame["ratio"], 0.32)
    np.testing.assert_allclose(frame["difference_ns"], 64 - 200)


def test_lab_and_installed_command_agree() -> None:
    try:
        openssl_speed._find_command(Catalogue().find("openssl-system/aes-256-gcm"))
    except (UnknownNameError, MeasurementError) as error:
        pytest.skip(str(error))
    frame = measure(sizes=[16384])
    assert frame["mode"].tolist() == ["plain", "aead"]
    # Wide bounds for a busy computer; a wrong unit, count or loop is beyond them.
    assert frame["ratio"].between(0.6, 1.7).all(), frame.to_string()
