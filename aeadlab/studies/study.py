"""What a study is: a question, the cases that answer it, its figures and its notebook."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from aeadlab.bench.case import Case
from aeadlab.bench.profile import Profile
from aeadlab.catalogue import Catalogue
from aeadlab.studies.selection import Selection

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

Draw: TypeAlias = "Callable[[pd.DataFrame, str], tuple[Figure, pd.DataFrame]]"
"""From samples and a venue to a figure and the table that it shows."""

Cases: TypeAlias = Callable[[Catalogue, Profile, Selection], list[Case]]
"""From what is here, how much effort and what was chosen to the cases of a study."""


def _computes(case: Case) -> bool:
    return not case.implementation.startswith("baseline/")


@dataclass(frozen=True)
class Study:
    """A named question.

    Attributes
    ----------
    cases
        Makes the cases for what the catalogue has, the profile and the choice. A name that the catalogue does not have
        still gives its cases, so that the record can say why it is absent.
    figures
        Name of each figure, and what draws it.
    notebook
        File name in ``notebooks/``; ``""`` where it has none.
    masks
        CPU features that the question is about: cases whose library can be told run under these as well.
    masked
        Which cases; all but reference lines where it is left out.
    named
        Implementations that the document names; in profile ``paper`` these get its effort and others fewer samples.
        Empty for all.
    """

    name: str
    question: str
    cases: Cases
    figures: dict[str, Draw]
    notebook: str
    masks: tuple[str, ...] = ()
    masked: Callable[[Case], bool] = _computes
    named: tuple[str, ...] = ()
