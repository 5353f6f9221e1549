"""The Makefile of the plugins: a plugin that cannot be built is absent with its reason, and the build continues."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from pathlib import Path

import pytest

NATIVE = Path(__file__).resolve().parents[2] / "native"
GOOD = (
    '#include "aeadlab.h"\nAEADLAB_EXPORT const char *build(void);\nconst char *build(void) { return AEADLAB_BUILD; }\n'
)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The files of a checkout that the Makefiles of the plugins need, without a plugin."""
    (tmp_path / "native/plugins").mkdir(parents=True)
    shutil.copytree(NATIVE / "include", tmp_path / "native/include")
    for name in ("Makefile", "base.mk"):
        shutil.copy(NATIVE / "plugins" / name, tmp_path / "native/plugins" / name)
    return tmp_path


def add(checkout: Path, name: str, source: str, settings: str = "") -> None:
    folder = checkout / "native/plugins" / name
    folder.mkdir()
    (folder / f"{name}.c").write_text(source)
    (folder / "Makefile").write_text(f"{settings}include ../base.mk\n")


def build(checkout: Path, *arguments: str) -> list[str]:
    """Return the lines that the build prints; it must not fail."""
    command = ["make", "--silent", "-C", checkout / "native/plugins", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def built_files(checkout: Path) -> dict[str, float]:
    return {path.name: path.stat().st_mtime_ns for path in (checkout / "aeadlab/plugins").iterdir()}


def test_folders_of_another_makefile_change_no_plugin(checkout: Path) -> None:
    add(checkout, "good", GOOD)
    assert build(checkout, "FOLDERS=records") == []
    assert built_files(checkout).keys() == {"good.so"}


def test_plugin_reports_its_build_and_hides_other_symbols(checkout: Path) -> None:
    add(checkout, "good", GOOD + "int hidden(void);\nint hidden(void) { return 1; }\n")
    assert build(checkout) == []
    library = ctypes.CDLL(str(checkout / "aeadlab/plugins/good.so"))
    library.build.restype = ctypes.c_char_p
    assert b"-O3 -march=native" in library.build()
    assert not hasattr(library, "hidden")


def test_missing_library_removes_the_old_plugin(checkout: Path) -> None:
    settings = "REQUIRE_HEADER := no/such.h\nREQUIRE_LIBS := -lnosuch\nCONDA := nosuch\n"
    add(checkout, "bad", GOOD, settings)
    add(checkout, "good", GOOD)
    old = checkout / "aeadlab/plugins/bad.so"
    old.parent.mkdir(parents=True)
    old.write_bytes(b"")
    os.utime(old, (0, 0))
    (line,) = build(checkout)
    assert line.startswith("plugin bad is absent: found neither header nor library (no/such.h -lnosuch)")
    assert built_files(checkout).keys() == {"bad.absent", "good.so"}
    assert line.endswith(old.with_suffix(".absent").read_text().rstrip("\n"))


def test_accepts_any_of_the_required_headers(checkout: Path) -> None:
    add(checkout, "good", GOOD, "REQUIRE_HEADER := no/such.h stdlib.h\n")
    assert build(checkout) == []


def test_prepare_step_sets_the_compiler_environment(checkout: Path) -> None:
    (checkout / "more").mkdir()
    (checkout / "more/only_here.h").write_text("")
    settings = 'PREPARE = export CPATH="$$PWD/$(ROOT)/more"\n'
    add(checkout, "good", "#include <only_here.h>\n" + GOOD, settings)
    assert build(checkout) == []


def test_failed_prepare_step_reports_its_own_reason(checkout: Path) -> None:
    add(checkout, "bad", GOOD, "PREPARE = false\nMISSING = found no oven: install one\n")
    assert build(checkout) == ["plugin bad is absent: found no oven: install one"]


def test_source_may_be_in_another_folder(checkout: Path) -> None:
    (checkout / "shared.c").write_text(GOOD)
    add(checkout, "good", "", "SHARED_SOURCE := ../../../shared.c\n")
    assert build(checkout) == []
    assert hasattr(ctypes.CDLL(str(checkout / "aeadlab/plugins/good.so")), "build")


def test_compiler_error_is_the_reason_of_absence(checkout: Path) -> None:
    add(checkout, "bad", "int f(void) { return missing; }\n")
    (line,) = build(checkout)
    assert line.startswith("plugin bad is absent: does not compile: bad.c:1")
    assert "missing" in line


def test_builds_a_corrected_plugin_once(checkout: Path) -> None:
    add(checkout, "mended", "int f(void) { return missing; }\n")
    build(checkout)
    (checkout / "native/plugins/mended/mended.c").write_text(GOOD)
    assert build(checkout) == []
    first = built_files(checkout)
    assert first.keys() == {"mended.so"}
    build(checkout)
    assert built_files(checkout) == first


@pytest.fixture
def apt_log(checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let the build run as root where no package can be installed, and return the file of the calls of apt-get."""
    commands, log = tmp_path / "commands", tmp_path / "apt.log"
    commands.mkdir()
    scripts = {"id": "echo 0", "dpkg": "exit 1", "apt-get": f'echo "$@" >>{log}; exit 1'}
    for name, script in scripts.items():
        (commands / name).write_text(f"#!/bin/sh\n{script}\n")
        (commands / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{commands}:{os.environ['PATH']}")
    for name in ("CONDA_PREFIX", "APT", "MAKEFLAGS"):
        monkeypatch.delenv(name, raising=False)
    add(checkout, "absent", GOOD, "REQUIRE_HEADER := no/such.h\nDEBIAN := libnosuch-dev\nCONDA :=\n")
    return log


def test_names_the_packages_before_it_installs_them_once(checkout: Path, apt_log: Path) -> None:
    assert build(checkout, "debian") == ["libnosuch-dev"]
    assert not apt_log.exists()
    first = build(checkout)
    assert first[0] == "Installing libnosuch-dev with apt-get"
    assert "install -y --no-install-recommends libnosuch-dev" in apt_log.read_text()
    apt_log.unlink()
    assert build(checkout, "debian") == []
    assert build(checkout) == first[1:]
    assert not apt_log.exists()


def test_apt_0_installs_nothing(checkout: Path, apt_log: Path) -> None:
    assert build(checkout, "debian", "APT=0") == []
    (line,) = build(checkout, "APT=0")
    assert line.endswith("install libnosuch-dev with apt")
    assert not apt_log.exists()


def test_all_plugins_with_an_available_library_compile() -> None:
    absent = {path.stem: path.read_text() for path in (NATIVE.parent / "aeadlab/plugins").glob("*.absent")}
    assert {name: reason for name, reason in absent.items() if "does not compile" in reason} == {}
