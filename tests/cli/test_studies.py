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
        assert study.question in words and "quick: " in words
        assert "14 processes with 4 rounds each, at most 5 min" in words and "no verdicts" in words
        assert "at the speed of the last record" in words and "no time limit" not in words
        assert "last record: " in words, "every study has a reference record"
        assert study.notebook.removesuffix(".ipynb") in words
        assert ("message lengths: " in words) == bool(study.fixed_lengths) and study.fixed_lengths in words


def test_prints_json(command: Command) -> None:
    (first, *_) = json.loads(command("studies", "--json").out)
    assert first["name"] == "baselines"
    assert [effort["profile"] for effort in first["efforts"]] == ["smoke", "quick", "paper"]
    assert all(effort["cases"] > 0 for effort in first["efforts"]) and first["efforts"][2]["seconds"] is None
    assert [effort["expected_seconds"] is None for effort in first["efforts"]] == [True, True, False]
    smoke, quick, paper = first["efforts"]
    assert [(one["processes"], one["rounds"]) for one in (smoke, quick, paper)] == [(1, 5), (14, 56), (20, 100)]
    assert smoke["width"] is smoke["difference"] is None
    assert 0 < paper["difference"] < quick["difference"] < 0.05 and 0 < paper["width"] < quick["width"] < 0.05


def test_measure_names_the_studies(command: Command) -> None:
    words = " ".join(command("measure", "--help").out.split())
    assert f"{', '.join(all_studies())}; `aeadlab studies` lists their questions and efforts" in words
