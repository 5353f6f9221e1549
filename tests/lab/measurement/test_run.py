from __future__ import annotations

from pathlib import Path

import pytest

from aeadlab.bench.case import Case
from aeadlab.bench.journal import Journal
from aeadlab.bench.plan import Plan
from aeadlab.bench.profile import PROFILES
from aeadlab.bench.runner import Progress, WarmUpProgress
from aeadlab.display.progress import Work, show_on
from aeadlab.lab.measurement import run

PLAN = Plan("tiny", PROFILES["smoke"].with_changes(budget=60.0), (Case("baseline/memcpy", "encrypt", 4096),))


class Shown:
    """A display that keeps the work that it shows."""

    def __init__(self) -> None:
        self.works: list[Work] = []
        self.removed: list[Work] = []

    def __str__(self) -> str:
        return str([work for work in self.works if work not in self.removed][-1])

    def add(self, work: Work) -> None:
        self.works.append(work)

    def remove(self, work: Work) -> None:
        assert work in self.works
        self.removed.append(work)


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


def test_warm_ups_are_shown_until_the_first_samples_of_each_process(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path, shown, texts = tmp_path / "journal", Shown(), list[str]()
    journal = Journal.create(path, PLAN)

    def report(plan: Plan, path: Path, progress: Progress, lock: int, stop: None, warm_up: WarmUpProgress) -> Journal:
        texts.append(str(shown))
        # The third process takes no sample in time for a report.
        for call, done, total in (
            (warm_up, 0, 769), (warm_up, 30, 769), (progress, 1, 5), (progress, 2, 5), (warm_up, 0, 12),
            (warm_up, 11, 12), (warm_up, 1, 10), (progress, 5, 5), (warm_up, 2, 10),
        ):  # fmt: skip
            call(done, total)
            texts.append(str(shown))
        raise KeyboardInterrupt

    monkeypatch.setattr(run, "run", report)
    message = "^interrupted after 5 of 5 samples; the same command resumes$"
    with show_on(shown), pytest.raises(KeyboardInterrupt, match=message):
        run.run_plan(PLAN, path, 0)
    assert texts == [
        "measuring 0 of 5", "warming up 0 of 769", "warming up 30 of 769", "measuring 1 of 5", "measuring 2 of 5",
        "warming up 0 of 12", "warming up 11 of 12", "warming up 1 of 10", "measuring 5 of 5", "warming up 2 of 10",
    ]  # fmt: skip
    assert len(shown.removed) == len(shown.works) == 5
    assert journal.failures == {}


def test_a_given_callback_receives_samples_only(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    given: list[object] = []
    monkeypatch.setattr(run, "run", lambda *arguments: given.append(arguments) or Journal.create(tmp_path / "j", PLAN))

    def progress(taken: int, planned: int) -> None: ...

    run.run_plan(PLAN, tmp_path / "journal", 0, progress=progress)
    assert given == [(PLAN, tmp_path / "journal", progress, 0, None)]


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
