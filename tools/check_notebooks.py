"""Fail when a stored notebook carries outputs or execution counts: `python tools/check_notebooks.py FOLDER`."""

from __future__ import annotations

import json
import sys
from pathlib import Path


def carries_results(notebook: Path) -> bool:
    """Whether any code cell of a notebook has outputs or an execution count."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return any(cell.get("outputs") or cell.get("execution_count") for cell in cells)


def main(folder: str) -> int:
    """Name each such notebook on standard error; 1 when there is one."""
    found = [path for path in sorted(Path(folder).glob("*.ipynb")) if carries_results(path)]
    for path in found:
        print(f"{path} is stored with outputs: clear all outputs and save", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
