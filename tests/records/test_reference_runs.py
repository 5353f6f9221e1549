"""`make reference`: which studies are measured, and what happens to the records before."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from aeadlab import paths
from aeadlab.records.reading import load_record
from aeadlab.studies import all_studies
from aeadlab.studies.claims import claims_of
from tests.fixtures.repository import git
from tools import reference

FILES = ("parquet", "json", "b3")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a record of cells, which is current, and one of blocks."""
    for study in ("cells", "blocks"):
        for ending in FILES:
            (tmp_path / f"{study}-1.{ending}").touch()
    monkeypatch.setattr(paths, "checkout", lambda: tmp_path)
    monkeypatch.setattr(paths, "reference_records", lambda: tmp_path)
    runs = (reference.Run("cells", 5, "quick"), reference.Run("blocks", 70, "paper", ("--samples=24",)))
    monkeypatch.setattr(reference, "RUNS", runs)
    monkeypatch.setattr(reference, "records_of", lambda study, place: sorted(place.glob(f"{study}-*.parquet")))
    monkeypatch.setattr(reference, "is_current", lambda record, checkout: record.name.startswith("cells"))
    monkeypatch.setattr(reference, "changed_files", lambda checkout: [])
    return tmp_path


def test_a_changed_tree_is_refused_with_its_files(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reference, "changed_files", lambda checkout: ["aeadlab/errors.py", "new.py"])
    monkeypatch.setattr(reference.subprocess, "run", lambda *_, **__: pytest.fail("it measured"))
    with pytest.raises(
        SystemExit, match=r"uncommitted changes, commit or remove them first: aeadlab/errors.py, new.py"
    ):
        reference.main()


@pytest.mark.parametrize(("excesses", "runs"), [([0.19], 1), ([0.21, 0.1], 2), ([0.21, 0.3], 2)])
def test_only_what_is_not_current_is_measured_and_replaced(
    folder: Path, monkeypatch: pytest.MonkeyPatch, excesses: list[float], runs: int
) -> None:
    """A run that was disturbed as a whole is repeated once, and the second one counts."""
    commands: list[tuple[list[str], str]] = []

    def run(words: Sequence[str], check: bool, env: dict[str, str] | None = None) -> None:
        commands.append(([*words[1:]], (env or {}).get(paths.RESULTS, "")))
        if words[1] == "measure":
            (folder / f"blocks-{len(commands) + 1}.parquet").touch()

    monkeypatch.setattr(reference.subprocess, "run", run)
    monkeypatch.setattr(reference, "excess", lambda record: excesses[int(record.stem.removeprefix("blocks-")) - 2])
    reference.main()
    measure = ["measure", "blocks", "--profile", "paper", "--samples=24", "--output", str(folder)]
    assert commands[:runs] == [(measure, "")] * runs
    # Figures and findings are of these records, not of others in the results folder.
    assert [(words[0], results) for words, results in commands[runs:]] == [
        ("figure", str(folder / "build/none")), ("claims", str(folder / "build/none")),
    ]  # fmt: skip
    left = {file.name for file in folder.iterdir()}
    assert left == {*(f"cells-1.{ending}" for ending in FILES), f"blocks-{runs + 1}.parquet"}


@pytest.mark.parametrize(("hours", "studies"), [(0.5, ["cells"]), (1.2, ["cells"]), (1.3, ["cells", "blocks"])])
def test_no_study_begins_that_would_end_later(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    hours: float,
    studies: list[str],
) -> None:
    """The studies take 5 and 70 minutes."""
    commands: list[Sequence[str]] = []
    clock = [1000.0]

    def run(words: Sequence[str], **_: object) -> None:
        commands.append(words)
        if words[1] == "measure":
            clock[0] += 300 if words[2] == "cells" else 4200
            (folder / f"{words[2]}-2.parquet").touch()

    monkeypatch.setattr(reference.subprocess, "run", run)
    monkeypatch.setattr(reference.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(reference, "is_current", lambda record, checkout: False)
    monkeypatch.setattr(reference, "excess", lambda record: 0.1)
    reference.main(hours)
    assert [words[2] for words in commands if words[1] == "measure"] == studies
    left = "blocks: left, since it takes about 70 minutes\nrun make reference again"
    assert (left in capsys.readouterr().out) == (len(studies) == 1)
    # Writing the README's table would change the tree, and records of a changed tree are refused.
    assert [words[1] for words in commands[len(studies) :]] == ["figure", "claims"] * (len(studies) == 2)


def test_the_excess_is_that_of_the_median_case(write_record: Callable[..., Path]) -> None:
    quiet = write_record()
    assert 0 < reference.excess(quiet) < 0.05
    samples = load_record(quiet).samples
    # Half of the samples of every case take 1.5 times as long.
    slow = samples.assign(seconds=samples["seconds"].where(samples["round"] % 5 < 2, 1.5 * samples["seconds"]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reference, "load_record", lambda record: replace(load_record(record), samples=slow))
        assert reference.excess(quiet) == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize(
    ("changed", "current"),
    [
        ("README.md", True),
        ("docs/FINDINGS.md", True),
        ("tests/test_new.py", True),
        ("data/records/cells-1.json", True),
        ("data/criteria.csv", False),
        ("aeadlab/errors.py", False),
        ("native/parsplit/new.rs", False),
        ("requirements.lock", False),
    ],
)
def test_a_record_stays_current_until_code_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changed: str, current: bool
) -> None:
    """Both in the working tree and in a later commit, which a series of calls with HOURS has between its records."""

    def write(name: str, text: str) -> None:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)

    git(tmp_path, "init", "-q")
    for name in ("README.md", "aeadlab/errors.py", "data/criteria.csv", "requirements.lock"):
        write(name, "before")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "a")
    provenance: dict[str, Any] = {"commit": {"id": git(tmp_path, "rev-parse", "HEAD"), "dirty": False}}
    monkeypatch.setattr(reference, "provenance_of", lambda record: provenance)
    assert reference.is_current(tmp_path / "cells-1.parquet", tmp_path)
    write(changed, "after")
    assert reference.is_current(tmp_path / "cells-1.parquet", tmp_path) == current
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "b")
    assert reference.is_current(tmp_path / "cells-1.parquet", tmp_path) == current
    for commit in (None, {"id": git(tmp_path, "rev-parse", "HEAD"), "dirty": True}, {"id": "c0ffee", "dirty": False}):
        provenance["commit"] = commit
        assert not reference.is_current(tmp_path / "cells-1.parquet", tmp_path)


def test_every_study_has_a_run() -> None:
    assert {run.study for run in reference.RUNS} == {*all_studies()}


def test_the_makefile_states_the_records_of_the_first_hours_and_the_calls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    makefile = (Path(__file__).parents[2] / "Makefile").read_text()
    stated = r"first ([\d.]+) hours are records for (\d+) of (\d+) claims, after (\w+) such"
    ((hours, claims, of, calls),) = re.findall(stated, makefile)
    minutes = {run.study: run.minutes for run in reference.RUNS}
    measured: list[set[str]] = []
    clock = [0.0]

    def run(words: Sequence[str], **_: object) -> None:
        if words[1] == "measure":
            clock[0] += 60 * minutes[words[2]]
            measured[-1].add(words[2])

    monkeypatch.setattr(reference.subprocess, "run", run)
    monkeypatch.setattr(reference.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(reference, "changed_files", lambda checkout: [])
    monkeypatch.setattr(paths, "reference_records", lambda: tmp_path)
    monkeypatch.setattr(reference, "records_of", lambda study, place: [Path(f"{study}-1.parquet")])
    monkeypatch.setattr(reference, "is_current", lambda record, checkout: record.stem[:-2] in set().union(*measured))
    monkeypatch.setattr(reference, "excess", lambda record: 0.1)
    while set().union(*measured) != {*minutes}:
        measured.append(set())
        reference.main(float(hours))
        assert measured[-1], "a study takes longer than a call"
    studies = [claim.study for claim in claims_of() if claim.study]
    assert (sum(study in measured[0] for study in studies), len(studies)) == (int(claims), int(of))
    assert len(measured) == {"two": 2, "three": 3, "four": 4}[calls]
