"""Imports follow the order in ARCHITECTURE.md, and the command line starts without heavy packages."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "aeadlab"
ARCHITECTURE = PACKAGE.parent / "ARCHITECTURE.md"
TABLE = ARCHITECTURE.read_text(encoding="utf-8").split("<!-- import order -->")[1].split("<!-- /import order -->")[0]
# One tuple of folders for each row of the table; the names are in backquotes in its first column.
ORDER = [tuple(re.findall(r"`(\w+)`", line.split("|")[1])) for line in TABLE.strip().splitlines()[2:]]
EXCEPTIONS = {
    *(("parsplit/parsplit.py", "lab"), ("parsplit/parsplit.py", "files")),
    *((f"catalogue/adapters/{name}.py", "files") for name in ("aeadlab", "go_age", "pyrage")),
}
"""When called, `ParSplit("auto")` loads tuning, which measures ParSplit, `ParSplit.encrypt_file` the formats, and the
adapters of files the formats and the keys of age."""
SOURCES = sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")
NAMES = {path.stem if path.suffix else path.name for path in PACKAGE.iterdir()} | {"_native"}


def position(name: str) -> int:
    """Return the row of a folder in the table, and -1 for the extension, which every folder may import."""
    return next((row for row, names in enumerate(ORDER) if name in names), -1)


def imported(source: Path) -> Iterator[tuple[int, str]]:
    """Yield line and top-level module of each import from the package, including those inside functions."""
    parents = ("aeadlab", *source.relative_to(PACKAGE).parts[:-1])
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            paths = [alias.name.split(".") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = list(parents[: len(parents) + 1 - node.level]) if node.level else []
            base += node.module.split(".") if node.module else []
            paths = [[*base, alias.name] for alias in node.names]
        else:
            continue
        for path in paths:
            if path[0] == "aeadlab":
                yield node.lineno, path[1] if len(path) > 1 else "__init__"


def violations(source: Path) -> list[str]:
    inside = source.relative_to(PACKAGE)
    own = inside.parts[0].removesuffix(".py")
    return [
        f"{inside}:{line} imports {name}"
        for line, name in imported(source)
        if (name not in NAMES or position(name) > position(own)) and (inside.as_posix(), name) not in EXCEPTIONS
    ]


def test_the_table_names_every_folder_and_no_other() -> None:
    folders = {path.relative_to(PACKAGE).parts[0].removesuffix(".py") for path in SOURCES}
    assert sorted(sum(ORDER, ())) == sorted(folders)


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_imports_follow_the_order(source: Path) -> None:
    assert violations(source) == []


@pytest.mark.parametrize(
    ("where", "line"),
    [
        ("catalogue/x.py", "from aeadlab.bench.case import Case"),
        ("catalogue/x.py", "from ..verify import report"),
        ("bench/x.py", "def f():\n    import aeadlab.records.record"),
        ("errors.py", "from aeadlab import catalogue"),
        ("figures/x.py", "from aeadlab import ParSplit"),
    ],
)
def test_each_form_of_import_is_checked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, where: str, line: str) -> None:
    source = tmp_path / where
    source.parent.mkdir(exist_ok=True)
    source.write_text(line)
    monkeypatch.setitem(globals(), "PACKAGE", tmp_path)
    assert len(violations(source)) == 1


def test_the_command_line_starts_without_the_heavy_packages() -> None:
    code = "import sys; from aeadlab.cli import main; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert {"pandas", "matplotlib", "numba", "numpy", "scipy", "pyarrow", "papermill"}.isdisjoint(loaded)


def test_the_worker_imports_no_package_that_starts_threads() -> None:
    code = "import sys; from aeadlab.bench import worker; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert {"pandas", "numpy", "scipy", "pyarrow"}.isdisjoint(loaded)


def test_the_package_is_imported_quickly_and_without_plotting() -> None:
    code = "import time; t = time.process_time(); import aeadlab, sys; print(time.process_time() - t, *sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    seconds, *loaded = result.stdout.split()
    assert float(seconds) < 0.35
    assert {"matplotlib", "seaborn", "ipywidgets", "pandas"}.isdisjoint(loaded)
