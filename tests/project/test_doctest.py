"""What docstrings show is what happens."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "aeadlab"
SHOWING = [path for path in sorted(PACKAGE.rglob("*.py")) if ">>>" in path.read_text(encoding="utf-8")]


def test_parsplit_shows_how_it_is_used() -> None:
    assert PACKAGE / "parsplit/parsplit.py" in SHOWING


@pytest.mark.parametrize("path", SHOWING, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_examples_give_what_they_say(path: Path) -> None:
    module = import_module(".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts))
    results = doctest.testmod(module)
    assert results.attempted > 0
    assert results.failed == 0
