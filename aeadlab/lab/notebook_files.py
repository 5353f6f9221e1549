"""The notebooks by their names.

The imports are few, so that an unknown name is reported before papermill is loaded.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from aeadlab import paths
from aeadlab.display.nearest import hint
from aeadlab.errors import UnknownNameError


def folder() -> Path:
    """Return the folder of the notebooks: in the checkout, otherwise in the current folder."""
    return (paths.checkout() or Path.cwd()) / "notebooks"


def find(names: Sequence[str]) -> list[Path]:
    """Return the notebooks of these names: paths, file names, unique prefixes of file names, or ``all``."""
    known = {path.stem: path for path in sorted(folder().glob("*.ipynb"))}
    notebooks: list[Path] = []
    for name in names:
        if name == "all":
            notebooks += known.values()
        elif Path(name).is_file():
            notebooks.append(Path(name))
        elif (stem := name.removesuffix(".ipynb")) in known:
            notebooks.append(known[stem])
        elif len(matches := [path for other, path in known.items() if other.startswith(stem)]) == 1:
            notebooks += matches
        else:
            listed = f"there are {', '.join(known) or 'none'} in {folder()}"
            raise UnknownNameError(f"no notebook is called {name!r}; {hint(name, known, listed)}")
    return list(dict.fromkeys(notebooks))
