"""Plugins made on the spot, and folders of a test's own for what aeadlab remembers and writes."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from aeadlab import parsplit, paths
from aeadlab.catalogue import plugins
from aeadlab.parsplit import ParSplit

SOURCES = Path(__file__).parent / "plugins"
INCLUDE = Path(__file__).resolve().parents[1] / "native/include"

Compiled = Callable[..., Path]


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Compiled:
    """``compiled("toy", ABI=7)``: a shared library made of a file of tests/plugins with these macros."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("there is no C compiler to make plugins with")
    made: dict[tuple[object, ...], Path] = {}

    def compile(source: str, **macros: object) -> Path:
        what = (source, *sorted(macros.items()))
        if what not in made:
            target = tmp_path_factory.mktemp("plugin") / f"{source}.so"
            command = [compiler, "-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", f"-I{INCLUDE}"]
            defines = [f"-D{name}={value}" for name, value in macros.items()]
            subprocess.run([*command, *defines, SOURCES / f"{source}.c", "-o", target], check=True)
            made[what] = target
        return made[what]

    return compile


@pytest.fixture
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with what aeadlab remembers and writes during a test; no plugins but those the test gives."""
    monkeypatch.setenv("AEADLAB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv(paths.RESULTS, str(tmp_path / "results"))
    monkeypatch.delenv(plugins.VARIABLE, raising=False)
    return tmp_path


@pytest.fixture
def toy(
    compiled: Compiled, monkeypatch: pytest.MonkeyPatch, own_folders: Path
) -> Iterator[Callable[..., Callable[..., ParSplit]]]:
    """``toy(FLAGS=0)(threads=1)``: a ParSplit over the toy plugin made with these macros."""

    def make(**macros: object) -> Callable[..., ParSplit]:
        monkeypatch.setenv(plugins.VARIABLE, str(compiled("toy", **macros)))
        parsplit._catalogue.cache_clear()
        return lambda **arguments: ParSplit("toy/xor-tag", **arguments)

    yield make
    parsplit._catalogue.cache_clear()
