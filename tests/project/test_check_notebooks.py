"""The check that stored notebooks contain no outputs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "tools/check_notebooks.py"
CLEAN = {"cell_type": "code", "source": "1 + 1", "outputs": [], "execution_count": None}
SHOWN = {"output_type": "stream", "name": "stdout", "text": "2"}


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        (CLEAN, 0),
        ({"cell_type": "markdown", "source": "text"}, 0),
        (CLEAN | {"execution_count": 3}, 1),
        (CLEAN | {"outputs": [SHOWN]}, 1),
    ],
)
def test_outputs_in_a_notebook_are_reported(tmp_path: Path, cell: dict[str, object], expected: int) -> None:
    (tmp_path / "00-clean.ipynb").write_text(json.dumps({"cells": [CLEAN]}))
    (tmp_path / "01-this.ipynb").write_text(json.dumps({"cells": [CLEAN, cell]}))
    result = subprocess.run([sys.executable, SCRIPT, tmp_path], capture_output=True, text=True, check=False)
    assert result.returncode == expected
    assert ["01-this.ipynb" in line for line in result.stderr.splitlines()] == [True] * expected
