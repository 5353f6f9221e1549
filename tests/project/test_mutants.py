"""What `make mutants` does besides Cosmic Ray, which is not installed with the other packages."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import signal
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = '''LIMIT: int | None = 3


def bounded(
    value: int | None,
) -> int:
    """Return a value, or the limit."""
    if value is None or (
        value > LIMIT
    ):
        return LIMIT
    return value
'''
FINALIZER = """import pytest


class Open:
    def __del__(self):
        raise ResourceWarning("unclosed file")


@pytest.mark.filterwarnings("error")
def test_leaves_a_file_open():
    Open()
"""


@pytest.fixture
def mutants(monkeypatch: pytest.MonkeyPatch) -> Any:
    spec = importlib.util.spec_from_file_location("mutants_of_aeadlab", ROOT / "tools/mutants.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    return module


def test_statement_is_the_innermost_one_without_its_body(mutants: Any) -> None:
    tree = ast.parse(SOURCE)
    lines = {line: mutants.statement(tree, line) for line in (1, 5, 9, 11, 12)}
    assert lines == {1: range(1, 2), 5: range(4, 7), 9: range(8, 11), 11: range(11, 12), 12: range(12, 13)}


def test_annotations_are_no_places_of_changes(mutants: Any) -> None:
    shown = [(start[0], end[1] - start[1]) for start, end in mutants.annotation_ranges(ast.parse(SOURCE))]
    assert sorted(shown) == [(1, len("int | None")), (5, len("int | None")), (6, len("int"))]


def test_a_change_concerns_the_tests_of_its_statement(mutants: Any, tmp_path: Path) -> None:
    path = tmp_path / "bounded.py"
    path.write_text(SOURCE)
    lines = {1: [""], 4: [""], 8: ["tests/a.py::one", "tests/b.py"], 11: ["tests/a.py::one"]}
    tests = {"tests/a.py::one": 2.0, "tests/a.py::two": 1.0, "tests/b.py::three": 3.0}
    traces = mutants.Traces({(str(path), line): contexts for line, contexts in lines.items()}, tests)

    def concerned(line: int) -> set[str]:
        return set(mutants.selected(mutants.Mutant(path, "", 0, line), traces))

    # A file stands for its fixtures, which all of its tests may share; "" for the import of the module.
    assert concerned(9) == {"tests/a.py::one", "tests/b.py::three"}
    assert concerned(11) == {"tests/a.py::one"}
    assert concerned(1) == concerned(5) == tests.keys()
    assert concerned(12) == set()


def test_import_of_a_changed_module_leaves_its_file(
    mutants: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "bounded.py"
    path.write_text(SOURCE)
    monkeypatch.setattr(mutants, "ROOT", tmp_path)
    monkeypatch.setattr(mutants.Mutant, "source", lambda _: SOURCE.replace("> LIMIT", ">= LIMIT - 1"))
    monkeypatch.setattr(sys, "meta_path", [mutants.Changed(mutants.Mutant(path, "", 0, 9)), *sys.meta_path])
    try:
        assert importlib.import_module("bounded").bounded(2) == 3
    finally:
        sys.modules.pop("bounded", None)
    assert path.read_text() == SOURCE


def test_a_child_that_fails_or_does_not_end_returns_nothing(
    mutants: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mutants, "BUILD", tmp_path)
    assert mutants.forked(lambda: b"passed", 60) == b"passed"
    assert mutants.forked(lambda: b"%d" % (1 // 0), 60) is None
    assert mutants.forked(lambda: __import__("time").sleep(60) or b"passed", 0.2) is None


def test_an_error_in_a_finalizer_ends_no_test(mutants: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mutants, "BUILD", tmp_path)
    path = tmp_path / "test_finalizer.py"
    path.write_text(FINALIZER)
    assert mutants.forked(lambda: b"%d" % mutants.run_pytest([str(path)], object()), 60) == b"0"


def test_an_unknown_folder_is_named_with_the_known_ones(
    mutants: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["mutants.py", "records", "nope", "--sample=1"])
    with pytest.raises(SystemExit) as ended:
        mutants.main()
    assert ended.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("mutants: there is no folder nope with tests; there are bench, ")
    assert {"records", "verdicts", "stats"} <= {*line.partition("there are ")[2].split(", ")}


def test_a_test_that_takes_too_long_is_skipped_while_it_is_traced(
    mutants: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The package coverage is installed for `make mutants` only.
    monkeypatch.setitem(sys.modules, "coverage", MagicMock())
    tracer, item = mutants.Tracer(0.05), SimpleNamespace(nodeid="tests/a.py::one")
    previous = signal.getsignal(signal.SIGPROF)
    try:
        call = tracer.pytest_runtest_call(item)
        next(call)
        with pytest.raises(pytest.skip.Exception, match="too long"):
            while True:
                pass
        call.close()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, previous)
    assert tracer.seconds["tests/a.py::one"] >= 0.04
    tracer.coverage.switch_context.assert_called_once_with("tests/a.py::one")
