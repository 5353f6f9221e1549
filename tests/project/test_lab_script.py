"""Without a browser the notebooks are not tested, and that is what is said."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PLAIN = ("bash", "dirname", "mkdir")


def run(folder: Path, **tools: str) -> subprocess.CompletedProcess[str]:
    """Run a copy of the script where only `tools`, given as shell scripts, and the plainest commands exist."""
    (folder / "tools").mkdir()
    shutil.copy(ROOT / "tools/test_lab.sh", folder / "tools")
    programs = folder / "bin"
    programs.mkdir()
    for name in PLAIN:
        (programs / name).symlink_to(shutil.which(name) or name)
    for name, body in tools.items():
        (programs / name).write_text(f"#!{programs}/bash\n{body}\n")
        (programs / name).chmod(0o755)
    environment = {"PATH": str(programs), **{k: v for k, v in os.environ.items() if k == "HOME"}}
    command = [programs / "bash", folder / "tools/test_lab.sh", programs / "python"]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


def test_where_there_is_a_browser_its_tests_decide(tmp_path: Path) -> None:
    done = run(tmp_path, chromium="", python='echo "$@"; exit 3')
    assert (done.returncode, done.stdout.strip()) == (3, "-m pytest -m lab tests/browser")


def test_where_none_can_be_had_it_is_said_that_nothing_was_tested(tmp_path: Path) -> None:
    done = run(tmp_path, id="echo 1000", python="exit 3")
    assert done.returncode == 0
    assert done.stdout.startswith("skipped: the notebooks were not opened in a browser: there is no Chromium")
    assert "passed" not in done.stdout


@pytest.mark.parametrize("comes", [True, False])
def test_root_gets_one_from_the_packages(tmp_path: Path, comes: bool) -> None:
    chromium = tmp_path / "bin/chromium"
    install = f": >{chromium}; chmod +x {chromium}" if comes else "exit 100"
    tools = {"id": "echo 0", "flock": 'shift; "$@"', "apt-get": install, "python": "echo tested", "chmod": ""}
    tools["chmod"] = f'exec {shutil.which("chmod")} "$@"'
    done = run(tmp_path, **tools)
    assert done.returncode == 0 and "Installing chromium with apt-get" in done.stdout
    assert ("tested" in done.stdout) == comes
    assert ("apt-get did not bring one" in done.stdout) != comes
