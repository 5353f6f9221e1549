"""The script of the browser tests: it runs them, installs a browser, or reports that they were skipped."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BASIC = ("bash", "dirname", "env", "mkdir")


def run(folder: Path, **tools: str) -> subprocess.CompletedProcess[str]:
    """Run a copy of the script with only `BASIC` and `tools`, given as shell scripts, in PATH."""
    (folder / "tools").mkdir()
    for script in ("test_lab.sh", "debian.sh"):
        shutil.copy(ROOT / "tools" / script, folder / "tools")
    programs = folder / "bin"
    programs.mkdir()
    for name in BASIC:
        (programs / name).symlink_to(shutil.which(name) or name)
    for name, body in tools.items():
        (programs / name).write_text(f"#!{programs}/bash\n{body}\n")
        (programs / name).chmod(0o755)
    environment = {"PATH": str(programs), **{k: v for k, v in os.environ.items() if k == "HOME"}}
    command = [programs / "bash", folder / "tools/test_lab.sh", programs / "python"]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


def test_with_a_browser_the_status_is_that_of_its_tests(tmp_path: Path) -> None:
    done = run(tmp_path, chromium="", python='echo "$@"; exit 3')
    assert (done.returncode, done.stdout.strip()) == (3, "-m pytest -m lab tests/browser")


def test_without_a_browser_the_tests_are_reported_as_skipped(tmp_path: Path) -> None:
    done = run(tmp_path, id="echo 1000", python="exit 3")
    assert done.returncode == 0
    assert done.stdout.startswith("skipped: the notebooks were not opened, because there is no Chromium or Chrome")
    assert "passed" not in done.stdout


@pytest.mark.parametrize("installed", [True, False])
def test_root_installs_a_browser_with_apt_get(tmp_path: Path, installed: bool) -> None:
    chromium = tmp_path / "bin/chromium"
    install = f": >{chromium}; chmod +x {chromium}" if installed else "exit 100"
    tools = {"id": "echo 0", "flock": 'shift; "$@"', "apt-get": install, "python": "echo tested", "chmod": ""}
    tools["chmod"] = f'exec {shutil.which("chmod")} "$@"'
    done = run(tmp_path, **tools)
    assert done.returncode == 0 and "Installing chromium with apt-get" in done.stdout
    assert ("tested" in done.stdout) == installed
    assert ("apt-get could not install Chromium" in done.stdout) != installed
