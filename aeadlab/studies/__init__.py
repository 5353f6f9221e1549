"""All studies, one file each."""

from __future__ import annotations

import difflib
import pkgutil
from functools import cache
from importlib import import_module

from aeadlab.errors import UnknownNameError
from aeadlab.studies.selection import Selection
from aeadlab.studies.study import Study

__all__ = ["Selection", "Study", "all_studies", "find_study"]


@cache
def all_studies() -> dict[str, Study]:
    """Every study by name: each file of this folder that has a ``STUDY``."""
    modules = [import_module(f"{__name__}.{m.name}") for m in pkgutil.iter_modules(__path__)]
    studies = [module.STUDY for module in modules if hasattr(module, "STUDY")]
    return {study.name: study for study in studies}


def find_study(name: str) -> Study:
    """The study called `name`.

    Raises
    ------
    aeadlab.errors.UnknownNameError
        If there is none; the message names the nearest.
    """
    studies = all_studies()
    if name not in studies:
        near = difflib.get_close_matches(name, studies, n=1, cutoff=0.4)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(studies)}"
        raise UnknownNameError(f"no study is called {name!r}; {hint}")
    return studies[name]
