from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import nbformat
import pytest

from aeadlab.display.progress_line import ProgressLine
from aeadlab.lab import notebook_files, notebooks
from aeadlab.lab.notebooks import Outcome

Command = Callable[..., Any]


@pytest.fixture
def executed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[tuple[object, ...]]:
    """Record the calls of `execute` for notebooks 01-good and 02-bad instead of executing them."""
    calls: list[tuple[object, ...]] = []

    def execute(notebook: Path, parameters: Mapping[str, Any], output: Path | None, _: ProgressLine) -> Outcome:
        calls.append((notebook.stem, dict(parameters), output))
        error = "Traceback\nZeroDivisionError: division by zero" if notebook.stem == "02-bad" else None
        return Outcome(
            notebook.stem, 12.3, error, [Path("out") / f"{notebook.stem}{end}" for end in (".ipynb", ".html")]
        )

    monkeypatch.setattr(notebook_files, "folder", lambda: tmp_path)
    monkeypatch.setattr(notebooks, "execute", execute)
    for name in ("01-good", "02-bad"):
        (tmp_path / f"{name}.ipynb").write_text("{}")
    return calls


def test_a_failing_notebook_does_not_stop_the_others(command: Command, executed: list[tuple[object, ...]]) -> None:
    result = command("run", "02", "01")
    assert (result.code, result.err) == (1, "")
    assert [stem for stem, _, _ in executed] == ["02-bad", "01-good"]
    assert result.out.splitlines() == [
        *("failed: 02-bad in 12 s", "Traceback", "ZeroDivisionError: division by zero"),
        *("done: 01-good in 12 s", "", "pages: out"),
    ]
    executed.clear()
    assert command("run").code == 1
    assert executed == [("01-good", {"profile": "quick"}, None), ("02-bad", {"profile": "quick"}, None)]
    result = command("run", "01")
    assert (result.code, result.out) == (0, "done: 01-good in 12 s\n\npage: out/01-good.html\n")
    assert command("run", "01", "--files").out.splitlines()[1:3] == ["  out/01-good.ipynb", "  out/01-good.html"]


def test_reads_parameters_as_json_or_text(command: Command, executed: list[tuple[object, ...]]) -> None:
    words = ("-p", "size", "4096", "-p", "names", '["a", "b"]', "-p", "venue", "ieee", "-p", "speed", "null")
    assert command("run", "01", "--profile", "smoke", *words, "--output", "here").code == 0
    given = {"profile": "smoke", "size": 4096, "names": ["a", "b"], "venue": "ieee", "speed": None}
    assert executed == [("01-good", given, Path("here"))]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("03",), "no notebook is called '03'; "),
        (("01-goood",), "no notebook is called '01-goood'; did you mean 01-good?"),
        (("01", "-p", "size", "1", "-p", "size", "2"), "a parameter is given twice"),
    ],
    ids=str,
)
def test_wrong_use_prints_one_line_and_runs_nothing(
    command: Command, executed: list[tuple[object, ...]], words: tuple[str, ...], message: str
) -> None:
    result = command("run", *words)
    assert result.is_invalid_use()
    assert result.err.startswith(f"aeadlab run: {message}")
    assert executed == []


def test_executes_a_real_notebook(command: Command, own_folders: Path, tmp_path: Path) -> None:
    cells = [
        nbformat.v4.new_code_cell('profile: str = "quick"\nsize: int = 0', metadata={"tags": ["parameters"]}),
        nbformat.v4.new_code_cell("from aeadlab import paths\n(paths.results() / f'{profile}-{size}.txt').touch()"),
    ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    path = tmp_path / "mine.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel}), path)
    for words, message in (
        (("--profile", "fast"), "no profile is called 'fast'"),
        (("-p", "sizes", "1"), "mine.ipynb has no parameter 'sizes'; did you mean size?"),
        (("--output", "/proc/no/such"), "output folder /proc/no/such/notebooks cannot be written"),
    ):
        result = command("run", path, *words)
        assert result.is_invalid_use()
        assert result.err.startswith(f"aeadlab run: {message}")
    result = command("run", path, "--profile", "smoke", "-p", "size", "5", "--files")
    assert result.code == 0
    results = own_folders / "results"
    head, *listed, last = result.out.splitlines()
    assert head.startswith("done: mine in ") and last == f"page: {results / 'notebooks/mine.html'}"
    written = [Path(line.strip()) for line in listed if line]
    assert written == [results / "notebooks/mine.ipynb", results / "notebooks/mine.html", results / "smoke-5.txt"]
    assert all(file.is_file() for file in written)
    kept = json.loads(written[0].read_text())
    assert kept["metadata"]["papermill"]["parameters"] == {"profile": "smoke", "size": 5}
