"""Verification before timing: the cases of a run that may be timed, and the reasons against the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Event
from typing import Any

from aeadlab.bench.case import Case
from aeadlab.bench.masks.verification import check_memory, examine_masked
from aeadlab.catalogue import Catalogue, Implementation
from aeadlab.display import listing
from aeadlab.display.progress import bar
from aeadlab.errors import MeasurementError, VerificationError
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


def verify_cases(
    study: Study,
    cases: Sequence[Case],
    selection: Selection,
    catalogue: Catalogue,
    machine: Mapping[str, Any],
    stop: Event | None = None,
) -> VerifiedCases:
    """Verify the implementations of cases, under each mask too; requires the machine lock.

    `machine` is from `aeadlab.host.machine.facts`, for the available memory; `stop` is that of `aeadlab.measure`.
    """
    available, absent = find_implementations(cases, catalogue)
    implementations = list(available.values())
    reports = verify_with_progress(implementations, catalogue, stop)
    refused = {name: report.reason for name, report in reports.items() if not report.ok} | absent
    passed = [case for case in cases if case.implementation not in refused]
    named = {*(selection.implementations or ())}
    if not passed or (named and named.isdisjoint(case.implementation for case in passed)):
        reasons = "; ".join(listing.named_reasons(refused))
        raise VerificationError(f"no implementation of study {study.name} can be timed: {reasons}")
    check_memory(passed, machine, catalogue)
    failed, masks = examine_masked(passed, catalogue)
    return VerifiedCases(passed, failed, implementations, reports, refused, masks)


def verify_with_progress(
    implementations: Sequence[Implementation], catalogue: Catalogue, stop: Event | None = None
) -> dict[str, Report]:
    """Return the verification report of each implementation by name; raise when another thread sets `stop`."""
    with bar(len(implementations), "verifying", "implementation") as shown:

        def advance(_: str) -> None:
            if stop is not None and stop.is_set():
                raise MeasurementError("stopped before the first sample")
            shown.update()

        return verified(implementations, catalogue, done=advance)
