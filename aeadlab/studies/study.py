"""What a study is: a question, the cases that answer it, its figures and its notebook."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from aeadlab.bench.case import Case
from aeadlab.bench.profile import Profile
from aeadlab.catalogue import Catalogue

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

Draw: TypeAlias = "Callable[[pd.DataFrame, str], tuple[Figure, pd.DataFrame]]"
"""From samples and a venue to a figure and the table that it shows."""


@dataclass(frozen=True)
class Study:
    """A named question.

    Attributes
    ----------
    cases
        Makes the cases for what the catalogue has, the profile and the implementations chosen (None: all).
    figures
        Name of each figure, and what draws it.
    notebook
        File name in ``notebooks/``.
    """

    name: str
    question: str
    cases: Callable[[Catalogue, Profile, Sequence[str] | None], list[Case]]
    figures: dict[str, Draw]
    notebook: str
