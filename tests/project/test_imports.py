"""Data flows one way through the package, and starting the command line stays cheap."""

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
FLOW = [tuple(re.findall(r"`(\w+)`", line.split("|")[1])) for line in TABLE.strip().splitlines()[2:]]
AGAINST_THE_FLOW = {("parsplit/parsplit.py", "lab")}
"""`ParSplit("auto")` loads tuning when called, which measures ParSplit."""
SOURCES = sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")
NAMES = {path.stem if path.suffix else path.name for path in PACKAGE.iterdir()} | {"_native"}


def place(name: str) -> int:
    """Row of a folder in the table; the extension comes before all."""
    return next((row for row, names in enumerate(FLOW) if name in names), -1)


def imported(source: Path) -> Iterator[tuple[int, str]]:
    """Line and top-level module of each import from the package, those inside functions as well."""
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


def against_the_flow(source: Path) -> list[str]:
    inside = source.relative_to(PACKAGE)
    own = inside.parts[0].removesuffix(".py")
    return [
        f"{inside}:{line} imports {name}"
        for line, name in imported(source)
        if (name not in NAMES or place(name) > place(own)) and (inside.as_posix(), name) not in AGAINST_THE_FLOW
    ]


def test_the_table_names_every_folder_and_no_other() -> None:
    folders = {path.relative_to(PACKAGE).parts[0].removesuffix(".py") for path in SOURCES}
    assert sorted(sum(FLOW, ())) == sorted(folders)


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_imports_go_one_way(source: Path) -> None:
    assert against_the_flow(source) == []


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
def test_the_rule_sees_each_way_of_breaking_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, where: str, line: str
) -> None:
    source = tmp_path / where
    source.parent.mkdir(exist_ok=True)
    source.write_text(line)
    monkeypatch.setitem(globals(), "PACKAGE", tmp_path)
    assert len(against_the_flow(source)) == 1


def test_the_command_line_starts_without_the_heavy_packages() -> None:
    code = "import sys; from aeadlab.cli import main; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert {"pandas", "matplotlib", "numba", "numpy", "scipy", "pyarrow", "papermill"}.isdisjoint(loaded)


def test_the_measuring_process_starts_without_packages_that_bring_threads() -> None:
    code = "import sys; from aeadlab.bench import worker; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert {"pandas", "numpy", "scipy", "pyarrow"}.isdisjoint(loaded)
