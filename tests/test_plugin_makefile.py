"""A plugin that cannot be built is absent with its reason, and the build goes on."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from pathlib import Path

import pytest

NATIVE = Path(__file__).resolve().parents[1] / "native"
GOOD = (
    '#include "aeadlab.h"\nAEADLAB_EXPORT const char *build(void);\nconst char *build(void) { return AEADLAB_BUILD; }\n'
)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """What the plugins' Makefiles need of a checkout, with no plugin in it."""
    (tmp_path / "native/plugins").mkdir(parents=True)
    shutil.copytree(NATIVE / "include", tmp_path / "native/include")
    for name in ("Makefile", "base.mk"):
        shutil.copy(NATIVE / "plugins" / name, tmp_path / "native/plugins" / name)
    return tmp_path


def add(checkout: Path, name: str, source: str, differs: str = "") -> None:
    folder = checkout / "native/plugins" / name
    folder.mkdir()
    (folder / f"{name}.c").write_text(source)
    (folder / "Makefile").write_text(f"{differs}include ../base.mk\n")


def build(checkout: Path) -> list[str]:
    """Lines that the build prints; it must not fail."""
    command = ["make", "--silent", "-C", checkout / "native/plugins"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def made(checkout: Path) -> dict[str, float]:
    return {path.name: path.stat().st_mtime_ns for path in (checkout / "aeadlab/plugins").iterdir()}


def test_a_plugin_knows_its_compiler_and_flags_and_exports_only_what_it_says(checkout: Path) -> None:
    add(checkout, "good", GOOD + "int hidden(void);\nint hidden(void) { return 1; }\n")
    assert build(checkout) == []
    library = ctypes.CDLL(str(checkout / "aeadlab/plugins/good.so"))
    library.build.restype = ctypes.c_char_p
    assert b"-O3 -march=native" in library.build()
    assert not hasattr(library, "hidden")


def test_a_missing_library_is_one_line_and_takes_the_old_plugin_away(checkout: Path) -> None:
    differs = "REQUIRE_HEADER := no/such.h\nREQUIRE_LIBS := -lnosuch\nCONDA := nosuch\n"
    add(checkout, "bad", GOOD, differs)
    add(checkout, "good", GOOD)
    old = checkout / "aeadlab/plugins/bad.so"
    old.parent.mkdir(parents=True)
    old.write_bytes(b"")
    os.utime(old, (0, 0))
    (line,) = build(checkout)
    assert line.startswith("plugin bad is absent: found neither header nor library (no/such.h -lnosuch)")
    assert made(checkout).keys() == {"bad.absent", "good.so"}
    assert line.endswith(old.with_suffix(".absent").read_text().rstrip("\n"))


def test_any_one_of_the_headers_will_do(checkout: Path) -> None:
    add(checkout, "good", GOOD, "REQUIRE_HEADER := no/such.h stdlib.h\n")
    assert build(checkout) == []


def test_what_it_prepares_reaches_the_compiler(checkout: Path) -> None:
    (checkout / "more").mkdir()
    (checkout / "more/only_here.h").write_text("")
    differs = 'PREPARE = export CPATH="$$PWD/$(ROOT)/more"\n'
    add(checkout, "good", "#include <only_here.h>\n" + GOOD, differs)
    assert build(checkout) == []


def test_what_it_cannot_prepare_is_a_reason_of_its_own(checkout: Path) -> None:
    add(checkout, "bad", GOOD, "PREPARE = false\nMISSING = found no oven: install one\n")
    assert build(checkout) == ["plugin bad is absent: found no oven: install one"]


def test_a_source_may_lie_elsewhere(checkout: Path) -> None:
    (checkout / "shared.c").write_text(GOOD)
    add(checkout, "good", "", "SHARED_SOURCE := ../../../shared.c\n")
    assert build(checkout) == []
    assert hasattr(ctypes.CDLL(str(checkout / "aeadlab/plugins/good.so")), "build")


def test_a_source_that_does_not_compile_is_absent_with_the_error(checkout: Path) -> None:
    add(checkout, "bad", "int f(void) { return missing; }\n")
    (line,) = build(checkout)
    assert line.startswith("plugin bad is absent: does not compile: bad.c:1")
    assert "missing" in line


def test_it_comes_back_when_mended_and_is_not_made_twice(checkout: Path) -> None:
    add(checkout, "mended", "int f(void) { return missing; }\n")
    build(checkout)
    (checkout / "native/plugins/mended/mended.c").write_text(GOOD)
    assert build(checkout) == []
    first = made(checkout)
    assert first.keys() == {"mended.so"}
    build(checkout)
    assert made(checkout) == first


def test_every_plugin_of_the_lab_whose_library_is_here_compiles() -> None:
    absent = {path.stem: path.read_text() for path in (NATIVE.parent / "aeadlab/plugins").glob("*.absent")}
    assert {name: reason for name, reason in absent.items() if "does not compile" in reason} == {}
