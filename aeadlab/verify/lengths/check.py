"""The check of random lengths, as a part of the report of an implementation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from aeadlab.catalogue import Catalogue, Implementation
from aeadlab.verify.lengths import drawn
from aeadlab.verify.lengths.answers import Answers
from aeadlab.verify.lengths.comparison import Comparison, compare
from aeadlab.verify.report import Check, Report, Tally

NAME = "lengths"
ALONE = "not compared at this length: no second library"


def with_lengths(
    reports: Mapping[str, Report],
    implementations: Sequence[Implementation],
    catalogue: Catalogue,
    seed: int,
    done: Callable[[str], object] = lambda _: None,
) -> dict[str, Report]:
    """Return the reports with a check at random lengths from 64 KiB to 64 MiB of the implementations that are ok."""
    ranges = (*drawn.SHORT, *drawn.LONG)
    passed = [i for i in implementations if reports[i.name].ok]
    asked = {i: questions for i in passed if (questions := [*drawn.questions(i.description, seed, ranges)])}
    comparison = compare(asked, catalogue, Answers(), done=lambda pair: done(pair[0].name))
    checked = {i.name: _check(comparison, i.name) for i in asked}
    return {name: _extended(report, checked.get(name)) for name, report in reports.items()}


def _check(comparison: Comparison, name: str) -> Check:
    tally = Tally(NAME)
    for others in comparison.equal.get(name, {}).values():
        tally.add("", *others)
    for _ in comparison.alone.get(name, ()):
        tally.skip(ALONE)
    for reasons in (comparison.rejected, comparison.skipped):
        for reason in reasons.get(name, {}).values():
            tally.skip(reason)
    if name in comparison.failed:
        tally.add(comparison.failed[name])
    return tally.check()


def _extended(report: Report, check: Check | None) -> Report:
    if check is None:
        return report
    reason = check.reason if check.failed else ""
    return replace(report, checks=(*report.checks, check), reason=report.reason or reason)
