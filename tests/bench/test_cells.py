"""The engine ``cells``: messages in sequence under one key, measured in whole runs."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from aeadlab.bench.case import LONG_OUTPUT, MAX_BYTES, Case
from aeadlab.bench.drivers import CellsDriver, NativeDriver, driver, share_arena
from aeadlab.bench.journal import Journal
from aeadlab.bench.plan import CELL_RUNS, WHOLE_RUNS, with_noise_pairs
from aeadlab.bench.runner import run
from aeadlab.catalogue import Catalogue, load
from aeadlab.errors import ArgumentError

from .conftest import MakePlan

Compiled = Callable[..., Path]
CELL, COUNT = 509, 1000
NAME = "rustcrypto/aes-128-ctr"
CELLS = Case(NAME, "encrypt", CELL * COUNT, "cells", block_size=CELL)
WHOLE = Case(NAME, "encrypt", CELL)


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load()


def ready(case: Case, catalogue: Catalogue) -> NativeDriver:
    made = driver(case, catalogue, 1)
    share_arena([made], [case], 1)
    assert isinstance(made, NativeDriver)
    return made


class Counts:
    """Return the calls of the counting plugin since the last time."""

    def __init__(self, path: Path) -> None:
        library = ctypes.CDLL(str(path))
        self._numbers = [ctypes.c_uint64.in_dll(library, name) for name in ("keys", "messages", "bytes_in_all")]

    def since(self) -> tuple[int, ...]:
        found = tuple(number.value for number in self._numbers)
        for number in self._numbers:
            number.value = 0
        return found


@pytest.mark.parametrize(("model", "keys"), [("keyed", 0), ("oneshot", 3 * COUNT)])
def test_an_execution_processes_each_cell_under_one_key(
    compiled: Compiled, own_folders: Path, model: Any, keys: int
) -> None:
    path = compiled("counted")
    case = Case("toy/xor-tag", "seal", CELL * COUNT, "cells", model=model, block_size=CELL)
    cells = ready(case, load([path]))
    counts = Counts(path)
    cells.sample(1)
    counts.since()
    cells.sample(3)
    made, messages, bytes_in_all = counts.since()
    assert (made, messages, bytes_in_all) == (keys, 3 * COUNT, 3 * COUNT * CELL)


def test_time_is_proportional_to_the_number_of_cells(catalogue: Catalogue) -> None:
    # A single message has other addresses, at which a processor may take twice as long.
    many, few = ready(CELLS, catalogue), ready(replace(CELLS, bytes=CELL * COUNT // 4), catalogue)
    pairs = [(many.sample(20)[0], few.sample(80)[0]) for _ in range(25)]
    # Each takes two milliseconds, in which other tests may have the processor.
    of_many, of_few = map(min, zip(*pairs, strict=True))
    assert 0.67 < of_many / of_few < 1.5


def test_calibration_counts_whole_executions(catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch) -> None:
    cells = driver(CELLS, catalogue, 1)
    assert isinstance(cells, CellsDriver) and cells.cells == COUNT
    for messages, batch in ((1, 1), (COUNT, 1), (COUNT + 1, 2), (10 * COUNT, 10)):
        monkeypatch.setattr(NativeDriver, "calibrate", lambda *_, found=messages: found)
        assert cells.calibrate(10**9) == batch


def test_the_arena_has_the_length_of_a_cell(catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    monkeypatch.setattr("aeadlab._native.Arena", lambda size, *_: made.append(size))
    share_arena([driver(CELLS, catalogue, 1)], [CELLS], 1)
    assert made == [CELL]
    assert CELLS.message_bytes == CELL
    assert replace(CELLS, bytes=CELL * 10**8).message_bytes == CELL, "only the cell is in memory"
    assert 10**8 * CELL > MAX_BYTES


def test_the_result_equals_that_of_one_message(catalogue: Catalogue) -> None:
    others = [replace(CELLS, implementation="openssl/aes-128-ctr"), replace(CELLS, bytes=CELL), WHOLE]
    drivers = [ready(case, catalogue) for case in (CELLS, *others)]
    for one in drivers:
        one.sample(1)
    assert len({one.fingerprint for one in drivers}) == 1


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"block_size": 0}, "cells a block size"),
        ({"block_size": -CELL}, "cells a block size"),
        ({"schedule": "rayon"}, "cells a block size"),
        ({"bytes": CELL * COUNT + 1}, f"a multiple of the cell.s {CELL} bytes expected"),
        ({"threads": 2}, "2 threads given for engine 'cells'"),
        ({"bytes": -CELL}, "bytes given"),
        ({"block_size": MAX_BYTES + 1, "bytes": MAX_BYTES + 1}, "bytes given"),
    ],
)
def test_rejects_impossible_cells(changes: dict[str, Any], why: str) -> None:
    with pytest.raises(ArgumentError, match=why):
        replace(CELLS, **changes)


def test_python_implementations_have_no_cells(catalogue: Catalogue) -> None:
    with pytest.raises(ArgumentError, match="use engine python"):
        driver(replace(CELLS, implementation="pyca/aes-128-ctr"), catalogue, 1)


def test_the_label_has_total_length_and_cell_length() -> None:
    assert CELLS.label == f"{NAME} encrypt 509000 B cells in 509 B blocks, keyed"
    assert Case.from_row(CELLS.row()) == CELLS


LONG = Case("generators/rc4.locked", "generate", 8 * LONG_OUTPUT, block_size=256, threads=4)
SHORT = replace(LONG, bytes=4 * LONG_OUTPUT)


@pytest.mark.parametrize("case", [CELLS, LONG])
@pytest.mark.parametrize("rounds", [1, 2, 3, 4, 36])
def test_whole_runs_have_few_samples(make_plan: MakePlan, case: Case, rounds: int) -> None:
    plan = make_plan([WHOLE, case, SHORT], rounds=rounds)
    taken = min(CELL_RUNS if case is CELLS else WHOLE_RUNS, rounds)
    assert [plan.rounds_of(index) for index in range(3)] == [rounds, taken, rounds]
    assert plan.samples == 2 * rounds + taken
    others = replace(plan, profile=replace(plan.profile, others=2), named=("nobody/nothing",))
    assert others.rounds_of(1) == taken


def test_cells_have_their_own_noise_pair() -> None:
    """One, since each sample takes seconds."""
    cases = with_noise_pairs([WHOLE, CELLS, replace(CELLS, implementation="openssl/aes-128-ctr")])
    assert [case for case in cases if case.replica] == [replace(WHOLE, replica=1), replace(CELLS, replica=1)]


def rounds(journal: Journal, case: int) -> list[int]:
    return [row[1] for row in journal.samples if row[0] == case and not row[2]]


def test_a_run_interleaves_cells_with_other_cases(tmp_path: Path, make_plan: MakePlan) -> None:
    cases = (WHOLE, CELLS, replace(CELLS, implementation="openssl/aes-128-ctr"))
    journal = run(make_plan(cases, rounds=7), tmp_path / "journal")
    assert not journal.failures
    assert [rounds(journal, case) for case in range(3)] == [[*range(7)]] * 3


def test_whole_runs_have_one_sample_in_each_process(tmp_path: Path, make_plan: MakePlan) -> None:
    journal = run(make_plan([WHOLE, CELLS], rounds=20, processes=10), tmp_path / "journal")
    assert rounds(journal, 0) == [*range(20)]
    assert rounds(journal, 1) == [0, 2, 4, 6, 8, 10, 12, 14]
    assert [row[-1] for row in journal.samples if row[0] == 1 and not row[2]] == [*range(8)]
    assert {row[-1] for row in journal.samples if row[0] == 1} == {*range(8)}, "the others do not prepare it"
