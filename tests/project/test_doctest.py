"""The examples in docstrings give the results shown."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "aeadlab"
WITH_EXAMPLES = [path for path in sorted(PACKAGE.rglob("*.py")) if ">>>" in path.read_text(encoding="utf-8")]


def test_parsplit_has_an_example() -> None:
    assert PACKAGE / "parsplit/parsplit.py" in WITH_EXAMPLES


@pytest.mark.parametrize("path", WITH_EXAMPLES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_examples_give_the_shown_results(path: Path) -> None:
    module = import_module(".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts))
    results = doctest.testmod(module)
    assert results.attempted > 0
    assert results.failed == 0
