from __future__ import annotations

from pathlib import Path

import pytest

from aeadlab.bench.case import Case
from aeadlab.bench.journal import Journal
from aeadlab.bench.plan import Plan
from aeadlab.bench.profile import PROFILES
from aeadlab.display.progress import Work, show_on
from aeadlab.lab.measurement import run

PLAN = Plan("tiny", PROFILES["smoke"].with_changes(budget=60.0), (Case("baseline/memcpy", "encrypt", 4096),))


class Shown:
    """A display that keeps the work that it shows."""

    def __init__(self) -> None:
        self.works: list[Work] = []

    def add(self, work: Work) -> None:
        self.works.append(work)

    def remove(self, work: Work) -> None:
        assert work in self.works


@pytest.mark.parametrize(
    ("plan", "notes", "limit"),
    [
        (PLAN, (), 60.0),
        (PLAN, ({"start": 1.0}, {"spent": 12.5}, {"spent": 7.5}), 40.0),
        (PLAN, ({"spent": 61.0},), 0.0),
        (Plan("tiny", PROFILES["paper"], PLAN.cases), ({"spent": 61.0},), None),
    ],
    ids=["new", "resumed", "spent", "no budget"],
)
def test_the_time_left_respects_the_budget_of_all_processes(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    plan: Plan,
    notes: tuple[dict[str, float], ...],
    limit: float | None,
) -> None:
    path, shown = tmp_path / "journal", Shown()
    journal = Journal.create(path, plan)
    for note in notes:
        journal.append(note)
    monkeypatch.setattr(run, "run", lambda *_: journal)
    with show_on(shown):
        run.run_plan(plan, path, 0)
    (work,) = shown.works
    assert (work.name, work.total, work.limit) == ("measuring", plan.samples, limit)


def test_an_interrupt_has_the_number_of_samples_without_warm_ups(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    message = "^interrupted after 0 of 5 samples; the same command resumes$"
    with pytest.raises(KeyboardInterrupt, match=message), run.counted_interrupts(PLAN, path):
        raise KeyboardInterrupt
    journal = Journal.create(path, PLAN)
    for round, warm_up in ((-1, 1), (0, 0), (1, 0)):
        journal.append([0, round, warm_up, *[1] * 9])
    message = "^interrupted after 2 of 5 samples; the same command resumes$"
    with pytest.raises(KeyboardInterrupt, match=message), run.counted_interrupts(PLAN, path):
        raise KeyboardInterrupt
