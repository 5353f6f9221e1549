"""Runs of plans with a journal and their progress, and their records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from threading import Event
from typing import Any

from aeadlab.bench.case import Case
from aeadlab.bench.journal import Journal
from aeadlab.bench.plan import Plan
from aeadlab.bench.runner import Progress, run
from aeadlab.display.progress import Bar, bar
from aeadlab.display.units import count_noun
from aeadlab.lab.measurement.verify import VerifiedCases
from aeadlab.records import provenance
from aeadlab.records.record import Record
from aeadlab.records.storing import store_journal


def run_plan(
    plan: Plan, path: Path, lock: int, *, progress: Progress | None = None, stop: Event | None = None
) -> Journal:
    """Take all samples of a plan under the machine lock of descriptor `lock`; a run whose journal is at `path` resumes.

    `progress` and `stop` are those of `aeadlab.measure`.
    """
    limit = _seconds_left(plan, path)
    with bar(plan.samples, "measuring", "sample", limit, resumes=True) as shown, closing(ExitStack()) as warming:
        if progress is not None:
            return run(plan, path, progress, lock, stop)
        cases: Bar | None = None

        def warm_up(warmed: int, due: int) -> None:
            nonlocal cases
            # Each process warms up its own cases.
            if cases is None or warmed < cases.n:
                warming.close()
                cases = warming.enter_context(bar(due, "warming up", "case"))
            cases.update(warmed - cases.n)

        def measure(taken: int, _: int) -> None:
            nonlocal cases
            warming.close()
            cases = None
            shown.update(taken - shown.n)

        return run(plan, path, measure, lock, stop, warm_up)


@contextmanager
def counted_interrupts(plan: Plan, path: Path) -> Iterator[None]:
    """Give a `KeyboardInterrupt` within this context a message with the number of samples in the journal at `path`."""
    try:
        yield
    except KeyboardInterrupt:
        taken = len(Journal.read(path).done()) if path.exists() else 0
        counted = f"{taken:,} of {count_noun(plan.samples, 'sample')}"
        raise KeyboardInterrupt(f"interrupted after {counted}; the same command resumes") from None


def _seconds_left(plan: Plan, path: Path) -> float | None:
    """Return the time budget without the time that earlier processes of a resumed run used; None for no budget."""
    budget = plan.profile.budget_seconds
    if budget is None or not path.exists():
        return budget
    spent: float = sum(note.get("spent", 0.0) for note in Journal.read(path).notes)
    return max(budget - spent, 0.0)


def exclude_cases(plan: Plan, path: Path, failed: Mapping[Case, str]) -> None:
    """Record failed cases with their reasons in the journal at `path`, so that the run skips them."""
    if not failed:
        return
    journal = Journal.read(path) if path.exists() else Journal.create(path, plan)
    journal.repair()
    for index, case in enumerate(plan.cases):
        if case in failed and index not in journal.failures:
            journal.append({"case": index, "failed": failed[case]})


def store_record(
    journal: Journal, verified: VerifiedCases, machine: dict[str, Any], folder: Path, **facts: Any
) -> Record:
    """Store a journal as a record, then remove the journal.

    The provenance has `facts`, and those about this computer from before the run in `machine`.
    """
    reports = {name: report.as_dict() for name, report in verified.reports.items()}
    collected = provenance.collect(verified.implementations, reports, machine)
    record = store_journal(
        journal,
        collected | {"refused": verified.refused, "masks": verified.masks, "lengths": verified.lengths} | facts,
        folder,
    )
    journal.path.unlink()
    return record
