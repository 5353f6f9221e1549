"""Build and tests name the Debian packages that they install as root, and with APT=0 install none."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

BASE = Path("native/plugins/base.mk").resolve()


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    """Return the folder of a plugin whose library is in a Debian package, with stand-ins for root's commands."""
    folder, commands = tmp_path / "native/plugins/absent", tmp_path / "commands"
    folder.mkdir(parents=True)
    commands.mkdir()
    (folder / "Makefile").write_text(
        f"REQUIRE_HEADER := no/such/header.h\nDEBIAN := libabsent-dev\ninclude {BASE}\n", encoding="utf-8"
    )
    (folder / "absent.c").write_text("", encoding="utf-8")
    for name, line in (("id", "echo 0"), ("dpkg", "exit 1"), ("apt-get", f'echo "$@" >>"{tmp_path}/installed"')):
        (commands / name).write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
        (commands / name).chmod(0o755)
    return folder


def make(plugin: Path, *words: str) -> str:
    root = plugin.parents[2]
    environment = {
        name: value for name, value in os.environ.items() if name not in ("CONDA_PREFIX", "MAKEFLAGS", "APT")
    }
    environment["PATH"] = f"{root / 'commands'}:{environment['PATH']}"
    command = ["make", "--no-print-directory", "-C", str(plugin), f"ROOT={root}", *words]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_names_the_packages_before_it_installs_them(plugin: Path) -> None:
    assert make(plugin, "debian") == "libabsent-dev\n"
    assert "Installing libabsent-dev with apt-get" in make(plugin)
    assert "install -y --no-install-recommends libabsent-dev" in (plugin.parents[2] / "installed").read_text()


def test_installs_nothing_with_apt_0(plugin: Path) -> None:
    assert make(plugin, "debian", "APT=0") == ""
    assert make(plugin, "APT=0").startswith("plugin absent is absent: found neither header nor library")
    assert not (plugin.parents[2] / "installed").exists()
    assert "install libabsent-dev with apt" in (plugin.parents[2] / "aeadlab/plugins/absent.absent").read_text()


@pytest.mark.parametrize(("apt", "user", "installs"), [("", 0, True), ("0", 0, False), ("", 1000, False)])
def test_the_shells_of_the_tests_are_installed(tmp_path: Path, apt: str, user: int, installs: bool) -> None:
    (tmp_path / "tools").mkdir()
    script = shutil.copy("tools/debian.sh", tmp_path / "tools")
    commands = {
        "id": f"echo {user}",
        "apt-get": f'echo "$@" >>"{tmp_path}/installed"',
        "zsh": "",
        "flock": 'shift; "$@"',
    }
    folder = tmp_path / "commands"
    folder.mkdir()
    for name in ("bash", "dirname", "env", "mkdir"):
        (folder / name).symlink_to(shutil.which(name) or name)
    for name, line in commands.items():
        (folder / name).write_text(f"#!{folder}/bash\n{line}\n", encoding="utf-8")
        (folder / name).chmod(0o755)
    done = subprocess.run(
        [script, "build/log", "zsh", "fish"],
        env={"PATH": str(folder), "APT": apt},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == ("Installing fish with apt-get\n" if installs else "")
    assert (tmp_path / "installed").exists() == installs
    assert not installs or (tmp_path / "installed").read_text().endswith("--no-install-recommends fish\n")


def test_make_test_installs_the_shells() -> None:
    done = subprocess.run(["make", "-n", "test-python"], capture_output=True, text=True, check=True)
    assert "tools/debian.sh build/shells/apt.log zsh fish" in done.stdout
