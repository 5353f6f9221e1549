"""Fail if a stored notebook has outputs or execution counts: `python tools/check_notebooks.py FOLDER`."""

from __future__ import annotations

import json
import sys
from pathlib import Path


def has_results(notebook: Path) -> bool:
    """Return whether any code cell of a notebook has outputs or an execution count."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return any(cell.get("outputs") or cell.get("execution_count") for cell in cells)


def main(folder: str) -> int:
    """Print the path of each notebook with outputs to standard error; return 1 if there is one, else 0."""
    found = [path for path in sorted(Path(folder).glob("*.ipynb")) if has_results(path)]
    for path in found:
        print(f"{path} is stored with outputs: clear all outputs and save", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
