"""A study: a question, the cases that answer it, its figures and its notebook."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from inspect import signature
from typing import TYPE_CHECKING, TypeAlias

from aeadlab.bench.case import Case
from aeadlab.bench.profile import Profile
from aeadlab.catalogue import Catalogue
from aeadlab.dimensions import BASELINE
from aeadlab.studies.selection import Selection

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from aeadlab.records.record import Record

Draw: TypeAlias = "Callable[..., tuple[Figure, pd.DataFrame]]"
"""A figure function.

It takes the samples of a record and a venue, one of `aeadlab.figures.style.VENUES`, and returns a figure as wide as the
venue's column and the table that it shows; see `Study.draw` for further parameters. It raises
`aeadlab.errors.EmptyFigureError` where no sample matches, and `aeadlab.errors.UnknownNameError` where there is no such
venue.

The function of a table takes the samples of a record, of which it uses those that
`aeadlab.stats.selection.default_cases` keeps unless its docstring names others. Its result has one row per case and the
columns of a constant beside it, ``COLUMNS`` or ``..._COLUMNS``. Times are in seconds, ratios are paired by round and
have 95 % intervals in ``_low`` and ``_high``, and a case that failed has the reason in ``status``, and NaN. It raises
`aeadlab.errors.EmptyFigureError` where no sample matches, and `aeadlab.errors.ArgumentError` where a column is missing.
"""

Cases: TypeAlias = Callable[[Catalogue, Profile, Selection], list[Case]]
"""From the catalogue, the profile and the selection to the cases of a study."""

_RUN_FACTS = ("cores", "caches", "refused")


def _is_no_baseline(case: Case) -> bool:
    return not case.implementation.startswith(BASELINE)


@dataclass(frozen=True)
class Study:
    """A named question.

    Attributes
    ----------
    cases
        Returns the cases for a catalogue, a profile and a selection. Names that are absent from the catalogue have
        cases, too, so that the record can state why they are missing.
    notebook
        File name in ``notebooks/``; ``""`` for a study without notebook.
    module
        ``__name__`` of the module that declares the study; the module `figures` beside it has the table ``FIGURES``
        of all figures by name. ``""`` for a study without figures.
    masks
        Names of masks: cases are also measured with these CPU features hidden, where their library supports it.
    masked
        Whether a case is measured under `masks`; by default all cases except baselines.
    named
        Implementations that the document names. In profile ``paper`` these get all samples, others fewer; if empty, all
        implementations get all samples.
    fixed_lengths
        The lengths of a study whose messages have lengths of its own, as text: a user cannot choose another one.
    """

    name: str
    question: str
    cases: Cases
    notebook: str = ""
    module: str = ""
    masks: tuple[str, ...] = ()
    masked: Callable[[Case], bool] = _is_no_baseline
    named: tuple[str, ...] = ()
    fixed_lengths: str = ""

    @property
    def figures(self) -> dict[str, Draw]:
        """Return the function of each figure by its name; the drawing libraries are imported at the first use."""
        if not self.module:
            return {}
        figures: dict[str, Draw] = import_module(f"{self.module.rpartition('.')[0]}.figures").FIGURES
        return figures

    def answer(self, record: Record) -> list[str]:
        """Return sentences that answer the question from a record: the function ``answer`` beside the study.

        Sentences for which the record has no cases are left out.
        """
        return [*import_module(f"{self.module.rpartition('.')[0]}.answer").answer(record)]

    def draw(self, name: str, record: Record, venue: str) -> tuple[Figure, pd.DataFrame]:
        """Draw a figure of a record, and return it with the table that it shows.

        The function of the figure gets the samples, the venue, and those facts of the run that it has parameters for:
        ``cores``, ``caches`` and ``refused``, which are attributes of `aeadlab.records.record.Record`.
        """
        function = self.figures[name]
        facts = {fact: getattr(record, fact) for fact in _RUN_FACTS if fact in signature(function).parameters}
        # The libraries for drawing and statistics are imported at the first use.
        from aeadlab.figures.caption import second_sentence
        from aeadlab.stats.interval import within_processes
        from aeadlab.stats.selection import counted

        processes = record.samples.loc[counted(record.samples), "process"].nunique()
        with second_sentence(within_processes(processes)):
            return function(record.samples, venue, **facts)
