"""Before a build, each missing or unsuitable tool is reported in one line."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

PREFLIGHT = Path(__file__).resolve().parents[2] / "tools/preflight.sh"
GOOD = {
    "python3": 'case "$2" in *venv*) exit 0 ;; *) echo 3.12 ;; esac',
    "rustc": "echo 'rustc 1.89.0 (29483883e 2025-08-04)'",
    "cargo": "echo 'cargo 1.90.0'",
    "cc": "cat >/dev/null",
    "c++": "cat >/dev/null",
    "make": "exit 0",
    "perl": "exit 0",
}


def preflight(folder: Path, tools: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run the script with only sed, cat, env and `tools`, given as shell scripts, in PATH."""
    for name in ("sed", "cat", "env"):
        (folder / name).symlink_to(shutil.which(name) or name)
    for name, body in tools.items():
        path = folder / name
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)
    clean = {key: value for key, value in os.environ.items() if key not in {"CC", "CXX"}} | {"PATH": str(folder)}
    return subprocess.run(["/bin/sh", PREFLIGHT], env=clean, capture_output=True, text=True, check=False)


def test_prints_the_python_to_use(tmp_path: Path) -> None:
    result = preflight(tmp_path, GOOD)
    assert (result.returncode, result.stdout, result.stderr) == (0, f"{tmp_path}/python3\n", "")


@pytest.mark.parametrize("name", GOOD)
def test_each_missing_tool_is_one_line(tmp_path: Path, name: str) -> None:
    result = preflight(tmp_path, {tool: body for tool, body in GOOD.items() if tool != name})
    assert result.returncode == 1
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith("aeadlab needs")
    assert {"python3": "Python", "cc": "C compiler", "c++": "C++ compiler"}.get(name, name) in line


@pytest.mark.parametrize(
    ("name", "body", "words"),
    [
        ("rustc", "echo 'rustc 1.63.0 (Debian)'", ["rustc 1.89", "found 1.63"]),
        ("cargo", "exit 1", ["cargo 1.89", "no cargo that runs"]),
        ("python3", "echo 3.10", ["Python 3.11", "found python3, version 3.10"]),
        ("python3", 'case "$2" in *venv*) exit 1 ;; *) echo 3.11 ;; esac', ["lacks venv", "python3.11-venv"]),
        ("cc", "exit 1", ["cannot compile", "stdlib.h"]),
        ("c++", "exit 1", ["cannot compile", "vector"]),
        ("perl", 'case "$*" in *IPC::Cmd*) exit 2 ;; esac', ["perl with", "IPC::Cmd"]),
    ],
)
def test_an_unsuitable_tool_is_one_line_with_its_defect(tmp_path: Path, name: str, body: str, words: list[str]) -> None:
    result = preflight(tmp_path, GOOD | {name: body})
    assert result.returncode == 1
    (line,) = result.stderr.splitlines()
    assert [word for word in words if word not in line] == []


def test_a_newer_python_is_used_instead_of_an_old_one(tmp_path: Path) -> None:
    result = preflight(
        tmp_path, GOOD | {"python3.14": "exit 127", "python3.13": GOOD["python3"], "python3": "echo 3.9"}
    )
    assert result.stdout == f"{tmp_path}/python3.13\n"
