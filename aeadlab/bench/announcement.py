"""The effort of a profile or plan in words, with what its comparisons are expected to show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from aeadlab.bench.plan import Plan
from aeadlab.bench.profile import Profile
from aeadlab.display.units import count_noun
from aeadlab.stats.resolution import NOISE, Resolution, resolution


def effort(profile: Profile) -> str:
    """Return the numbers of processes and rounds: ``14 processes with 4 rounds each``."""
    shares = profile.shares
    most, least = len(shares[0]), len(shares[-1])
    rounds = count_noun(most, "round") if most == least else f"{least} or {most} rounds"
    return f"{count_noun(len(shares), 'process', 'processes')} with {rounds}{' each' * (len(shares) > 1)}"


def expected(profile: Profile) -> Resolution:
    """Return what comparisons of cases are expected to show if the budget allows all rounds."""
    shares = profile.shares
    return resolution(len(shares), max(1, profile.rounds // len(shares)))


def announcement(plan: Plan, notes: Iterable[Mapping[str, Any]] = ()) -> str:
    """Return the rounds and processes of a plan's cases, with what their comparisons are expected to show.

    Parameters
    ----------
    notes
        Those of the journal of a run that resumes: if its budget cut the rounds of a process, later ones have as many.
    """
    budget, shares = plan.profile.budget_seconds, plan.profile.shares
    taken = ((note["rounds"], len(shares[note["share"]])) for note in notes if "share" in note)
    cut = min((rounds for rounds, planned in taken if rounds < planned), default=None)
    most = plan.profile.rounds if cut is None else cut * len(shares)
    groups = Counter(min(plan.rounds_of(index), most) for index, case in enumerate(plan.cases) if not case.replica)
    parts, has_verdicts = [], False
    for rounds, cases in sorted(groups.items(), reverse=True):
        processes = min(rounds, len(shares))
        shown = resolution(processes, rounds // processes)
        has_verdicts |= shown.width == shown.width
        size = f"{count_noun(cases, 'case')} with {count_noun(rounds, 'round')}"
        parts.append(f"{size} in {count_noun(processes, 'process', 'processes')}: {shown}")
    text = f"{'; '.join(parts)}."
    if has_verdicts:
        fits = budget is not None and cut is None
        condition = f", and the budget of {budget:g} s allows all rounds" if fits else ""
        text += f" This is expected if {NOISE}{condition}."
    if cut is not None:
        text += f" The budget of {budget:g} s allows {cut} of {len(shares[0])} rounds in each process."
    return text
