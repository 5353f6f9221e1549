from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from aeadlab.studies import all_studies

Command = Callable[..., Any]


def test_lists_each_study_with_question_effort_and_notebook(command: Command) -> None:
    result = command("studies")
    assert (result.code, result.err) == (0, "")
    assert max(map(len, result.out.splitlines())) <= 80
    blocks = result.out.split("\n\n")
    assert [block.split()[0] for block in blocks] == list(all_studies())
    for block, study in zip(blocks, all_studies().values(), strict=True):
        words = " ".join(block.split())
        assert study.question in words and "quick: " in words and "at most 2 min" in words
        assert "last record: " in words, "every study has a reference record"
        assert study.notebook.removesuffix(".ipynb") in words


def test_prints_json(command: Command) -> None:
    (first, *_) = json.loads(command("studies", "--json").out)
    assert first["name"] == "baselines"
    assert [effort["profile"] for effort in first["efforts"]] == ["smoke", "quick", "paper"]
    assert all(effort["cases"] > 0 for effort in first["efforts"]) and first["efforts"][2]["seconds"] is None


def test_measure_names_the_studies(command: Command) -> None:
    words = " ".join(command("measure", "--help").out.split())
    assert "`aeadlab studies`" in words
