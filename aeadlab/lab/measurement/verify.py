"""Verification before timing: the cases of a run that may be timed, and the reasons against the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from threading import Event
from typing import Any

from aeadlab.bench.case import Case
from aeadlab.bench.masks.verification import check_memory, examine_masked
from aeadlab.catalogue import Catalogue, Implementation
from aeadlab.display import listing
from aeadlab.display.progress import bar
from aeadlab.errors import MeasurementError, VerificationError
from aeadlab.lab.measurement.lengths import verify_lengths
from aeadlab.lab.measurement.select import find_implementations
from aeadlab.studies import Selection, Study
from aeadlab.verify.cached import verified
from aeadlab.verify.report import Report


@dataclass(frozen=True)
class VerifiedCases:
    """The cases that may be timed, and the results of the verification."""

    cases: list[Case]
    """Cases of verified implementations."""
    failed: dict[Case, str]
    """The masked ones among them that must not be timed, with the reasons."""
    implementations: list[Implementation]
    """The available implementations, whether they passed or not."""
    reports: dict[str, Report]
    """The report of each available implementation, by name."""
    refused: dict[str, str]
    """Reasons against the implementations that are absent or failed, by name."""
    masks: dict[str, Any]
    """Facts about each mask for the provenance."""
    lengths: dict[str, Any] = field(default_factory=dict)
    """Facts about the comparison at the measured lengths for the provenance."""


def verify_cases(
    study: Study,
    cases: Sequence[Case],
    selection: Selection,
    catalogue: Catalogue,
    machine: Mapping[str, Any],
    stop: Event | None = None,
    seed: int = 1,
) -> VerifiedCases:
    """Verify the implementations of cases, at the lengths of the cases and under each mask too.

    Requires the machine lock. `seed` draws further lengths. `machine` is from `aeadlab.host.machine.facts`, for the
    available memory; `stop` is that of `aeadlab.measure`.
    """
    available, absent = find_implementations(cases, catalogue)
    implementations = list(available.values())
    reports = verify_with_progress(implementations, catalogue, stop)
    refused = {name: report.reason for name, report in reports.items() if not report.ok} | absent
    passed = [case for case in cases if case.implementation not in refused]
    _check_some_passed(study, passed, selection, refused)
    check_memory(passed, machine, catalogue)
    wrong, masked, lengths = verify_lengths(passed, catalogue, seed, stop)
    if wrong:
        refused |= wrong
        passed = [case for case in passed if case.implementation not in refused]
        _check_some_passed(study, passed, selection, refused)
    failed, masks = examine_masked(passed, catalogue)
    return VerifiedCases(passed, masked | failed, implementations, reports, refused, masks, lengths)


def _check_some_passed(study: Study, passed: Sequence[Case], selection: Selection, refused: Mapping[str, str]) -> None:
    named = {*(selection.implementations or ())}
    if not passed or (named and named.isdisjoint(case.implementation for case in passed)):
        reasons = "; ".join(listing.named_reasons(refused))
        raise VerificationError(f"no implementation of study {study.name} can be timed: {reasons}")


def verify_with_progress(
    implementations: Sequence[Implementation], catalogue: Catalogue, stop: Event | None = None
) -> dict[str, Report]:
    """Return the verification report of each implementation by name; raise when another thread sets `stop`."""
    with bar(len(implementations), "verifying", "implementation", resumes=True) as shown:

        def advance(_: str) -> None:
            if stop is not None and stop.is_set():
                raise MeasurementError("stopped before the first sample")
            shown.update()

        return verified(implementations, catalogue, done=advance)
