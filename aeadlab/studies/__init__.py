"""Studies: one folder for each question, with its cases, figures and claims."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path

from aeadlab.display.nearest import hint
from aeadlab.errors import UnknownNameError
from aeadlab.studies.selection import Selection
from aeadlab.studies.study import Study

__all__ = ["Selection", "Study", "all_studies", "find_study"]


@cache
def all_studies() -> dict[str, Study]:
    """Return every study by name, in alphabetical order: the ``STUDY`` of each ``study.py`` below this folder."""
    folder = Path(__file__).parent
    files = [file.relative_to(folder).parent for file in folder.rglob("*/study.py")]
    studies = [import_module(".".join((__name__, *file.parts, "study"))).STUDY for file in files]
    return {study.name: study for study in sorted(studies, key=lambda study: str(study.name))}


def find_study(name: str) -> Study:
    """Return the study with this name.

    Raises
    ------
    aeadlab.errors.UnknownNameError
        If there is none; the message suggests the most similar name.
    """
    studies = all_studies()
    if name not in studies:
        listed = f"the studies are {', '.join(studies)}"
        raise UnknownNameError(f"no study {name!r}; {hint(name, studies, listed)}")
    return studies[name]
