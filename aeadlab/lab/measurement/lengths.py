"""Verification of the lengths that a run measures: each result is compared with that of another library."""

from __future__ import annotations

from collections.abc import Iterable
from threading import Event
from typing import Any

from aeadlab.bench.case import Case
from aeadlab.bench.masks.masks import find_mask
from aeadlab.bench.masks.switches import environment
from aeadlab.catalogue import Catalogue, Implementation
from aeadlab.catalogue.kinds import DELAY
from aeadlab.display.progress import bar
from aeadlab.errors import MeasurementError
from aeadlab.verify.lengths import drawn
from aeadlab.verify.lengths.answers import Answers
from aeadlab.verify.lengths.comparison import compare
from aeadlab.verify.lengths.question import Question


def verify_lengths(
    cases: Iterable[Case], catalogue: Catalogue, seed: int, stop: Event | None = None
) -> tuple[dict[str, str], dict[Case, str], dict[str, Any]]:
    """Compare the results of cases at their lengths, and at random lengths of `seed`, with those of other libraries.

    Answers are cached until the code changes, so that a second run of the study compares without computing.

    Returns
    -------
    dict
        Reasons against implementations, by name.
    dict
        Reasons against masked cases.
    dict
        For the provenance: the seed, the number of compared results, and the lengths without a second library.

    Raises
    ------
    aeadlab.errors.MeasurementError
        When another thread sets `stop`.
    """
    groups = _groups(cases, catalogue, seed)
    failed: dict[str, str] = {}
    masked: dict[Case, str] = {}
    facts: dict[str, Any] = {"seed": seed}

    def check_stop() -> None:
        if stop is not None and stop.is_set():
            raise MeasurementError("stopped before the first sample")

    plain = Answers(poll=check_stop)
    work = sum(_blocks(each) for asked in groups.values() for questions in asked.values() for each in questions)
    with bar(work, "verifying", "MiB block", resumes=True) as shown:
        for (mask, *variables), asked in groups.items():
            hidden = Answers(dict(variables), poll=check_stop) if mask else plain
            comparison = compare(asked, catalogue, hidden, plain, lambda pair: shown.update(_blocks(pair[1])))
            if not mask:
                failed, facts = comparison.failed, facts | comparison.as_dict()
                continue
            for case in cases:
                if case.mask == mask and case.implementation in comparison.failed:
                    masked[case] = f"under mask {mask}: {comparison.failed[case.implementation]}"
    return failed, masked, facts


def _groups(cases: Iterable[Case], catalogue: Catalogue, seed: int) -> dict[Any, dict[Implementation, list[Question]]]:
    """Return the questions to each implementation, by mask and its variables; those without a mask are first."""
    groups: dict[Any, dict[Implementation, list[Question]]] = {("",): {}}
    for case in sorted(cases, key=lambda case: case.mask):
        implementation = catalogue.find(case.implementation)
        # A file differs each time: its driver opens it with the reference of its format.
        if case.implementation == DELAY or case.op == "generate" or implementation.description.kind == "file":
            continue
        variables = environment(implementation, find_mask(case.mask)) if case.mask else {}
        asked = groups.setdefault((case.mask, *sorted(variables.items())), {})
        if implementation not in asked:
            asked[implementation] = (
                [] if case.mask else [*drawn.questions(implementation.description, seed, drawn.SHORT)]
            )
        if (question := _question(case)) not in asked[implementation]:
            asked[implementation].append(question)
    return groups


def _blocks(question: Question) -> int:
    """Return the extent of the work for progress; counted by results, the last few would take most of it."""
    return 1 + (question.bytes >> 20)


def _question(case: Case) -> Question:
    if case.engine == "cells":
        return Question(case.op, case.block_size, placement=case.placement)
    split = case.engine == "parsplit"
    threads = 1 if split else case.threads
    return Question(case.op, case.bytes, split, case.block_size, threads, case.placement, case.aad_bytes, case.tags)
