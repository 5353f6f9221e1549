"""Wrong settings of make are reported in one line, before anything is built."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WAIT = 20.0
"""Time limit in seconds of each command, of which none is expected to take one."""


def run(*command: str) -> subprocess.CompletedProcess[str]:
    """Run a command in the repository, without the settings of a make that runs the tests."""
    kept = {name: text for name, text in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL", "FUZZ_SECONDS")}
    return subprocess.run(command, cwd=ROOT, env=kept, capture_output=True, text=True, timeout=WAIT, check=False)


@pytest.mark.parametrize("seconds", ["x", "", "0", "-1", "1.5", "10s", "1 2", "10000000000"])
@pytest.mark.parametrize("target", ["fuzz", "fuzz-random"])
def test_fuzz_seconds_must_be_a_positive_whole_number(target: str, seconds: str) -> None:
    ended = run("make", "-n", target, f"FUZZ_SECONDS={seconds}")
    (line,) = ended.stderr.splitlines()
    assert f"FUZZ_SECONDS={seconds} is not a whole number from 1 to 999999999" in line
    assert (ended.returncode, ended.stdout) == (2, "")


@pytest.mark.parametrize("seconds", ["1", "600", "999999999"])
def test_fuzz_seconds_reach_the_tools(seconds: str) -> None:
    ended = run("make", "-n", "fuzz-native", f"FUZZ_SECONDS={seconds}")
    assert (ended.returncode, ended.stdout) == (0, f"native/fuzz/run.sh {seconds}\n")


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (("x",), "SECONDS is x and not a whole number from 1 to 999999999"),
        (("0", "edits"), "SECONDS is 0 and not a whole number from 1 to 999999999"),
        (("1", "edits", "nope"), "there is no target nope; there are age cobblestone edits "),
        (("1", "edit"), "there is no target edit; there are age cobblestone edits "),
    ],
)
def test_the_script_of_fuzz_native_names_a_wrong_argument(arguments: tuple[str, ...], fault: str) -> None:
    ended = run("native/fuzz/run.sh", *arguments)
    (line,) = ended.stderr.splitlines()
    assert line.startswith(f"native/fuzz/run.sh: {fault}")
    assert (ended.returncode, ended.stdout) == (2, "")
