"""Every notebook shows the reference records: its cells are executed in this process, without a kernel."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from aeadlab.bench.profile import REFERENCE
from aeadlab.lab import measurement, prepared
from aeadlab.lab.illustrated import Illustrated
from aeadlab.lab.prepared import Absent

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "notebooks").glob("*.ipynb"))
LIVE = {"04-thread-count-modes": 3, "05-message-size": 1}
"""Results that are absent, because they are measured in the notebook itself."""


def cells(notebook: Path) -> list[dict[str, Any]]:
    return list(json.loads(notebook.read_text(encoding="utf-8"))["cells"])


def source(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


@pytest.fixture
def measures_nothing(own_folders: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def fail(*_: object, **__: object) -> None:
        pytest.fail("profile reference measures")

    monkeypatch.setenv("AEADLAB_WIDGETS", "0")
    monkeypatch.setattr(prepared, "measure", fail)
    monkeypatch.setattr(measurement, "measure", fail)
    # Files of each figure are written by the tests of aeadlab.figures; a notebook writes 20.
    monkeypatch.setattr(prepared.Prepared, "_export", lambda self, name, pair, about: pair[0])
    yield
    assert not list(own_folders.rglob("records/*.parquet"))


def executed(notebook: Path) -> list[tuple[Any, str]]:
    """Execute the code cells; return the displayed result of each, and what a front end shows of it."""
    names: dict[str, Any] = {}
    results = []
    for cell in cells(notebook):
        if cell["cell_type"] != "code":
            continue
        module = ast.parse(source(cell))
        last = module.body.pop() if isinstance(module.body[-1], ast.Expr) else None
        exec(compile(module, cell["id"], "exec"), names)
        if isinstance(last, ast.Expr):
            result = eval(compile(ast.Expression(last.value), cell["id"], "eval"), names)
            shown = result._repr_html_() if hasattr(result, "_repr_html_") else repr(result)
            assert shown is None or isinstance(shown, str)
            results.append((result, shown or ""))
    assert names["profile"] == REFERENCE
    return results


@pytest.mark.usefixtures("measures_nothing")
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_shows_the_reference_record(notebook: Path) -> None:
    results = executed(notebook)
    if notebook.stem != "00-start-here":
        answer, shown = next(pair for pair in results if isinstance(pair[0], Illustrated))
        assert len(answer.sentences) >= 3 and '<img src="data:image/png;base64,iVBOR' in shown
    absent = [result.name for result, _ in results if isinstance(result, Absent)]
    assert len(absent) == LIVE.get(notebook.stem, 0), absent


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_code_cell_follows_a_sentence_and_solutions_are_collapsed(notebook: Path) -> None:
    stored = cells(notebook)
    for before, cell in zip([None, *stored], stored, strict=False):
        if cell["cell_type"] == "code":
            assert before is not None and before["cell_type"] == "markdown", cell["id"]
    solutions = [cell for cell in stored if cell["metadata"].get("jupyter", {}).get("source_hidden")]
    assert [cell["id"] for cell in solutions] == ["solution-1", "solution-2"]
    titles = [source(cell).splitlines()[0] for cell in stored if cell["cell_type"] == "markdown"]
    assert titles[0].startswith("# ") and titles[0].endswith("?"), "a notebook is named by its question"
    headings = [title for title in titles if title.startswith("## ")]
    assert headings[0] == "## Answer" and headings[1].startswith("## Evidence")
    assert "## Try it" in "\n".join(source(cell) for cell in stored) and "## Exercises" in headings
