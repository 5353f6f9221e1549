"""Groups of rows, compared with loops over the groups."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from aeadlab.stats import groups, median_interval
from aeadlab.stats.groups import Groups


@pytest.fixture
def frame(rng: np.random.Generator) -> pd.DataFrame:
    """Return rows of groups with 1 to 40 rows and 1 to 8 processes, mixed."""
    parts = []
    for key, (rows, processes) in enumerate([(40, 8), (40, 8), (40, 4), (12, 8), (1, 1), (24, 2), (40, 8)]):
        process = 100 - 7 * np.arange(rows) % processes
        parts.append(
            pd.DataFrame({"key": f"k{key}", "other": key % 2, "process": process, "value": rng.normal(0, 1, rows)})
        )
    return pd.concat(parts).sample(frac=1, random_state=1, ignore_index=True)


def test_rows_of_a_group_are_together(frame: pd.DataFrame) -> None:
    found = Groups.of(frame, ["other", "key"])
    assert found.keys["key"].tolist() == ["k0", "k2", "k4", "k6", "k1", "k3", "k5"]
    assert len(found) == 7 and found.sizes.tolist() == [40, 40, 1, 40, 40, 12, 24]
    for key, start, size in zip(found.keys["key"], found.starts, found.sizes, strict=True):
        rows = found.order[start : start + size]
        assert (frame["key"].iloc[rows] == key).all() and (np.diff(rows) > 0).all()


def test_without_columns_or_rows() -> None:
    rows = pd.DataFrame({"a": [3, 1, 2]})
    assert (len(Groups.of(rows, [])), Groups.of(rows, []).sizes.tolist()) == (1, [3])
    for by in ([], ["a"]):
        empty = Groups.of(rows.head(0), by)
        assert len(empty) == 0 and empty.keys.columns.tolist() == by
        numbers, counts = empty.process_numbers(np.zeros(0, dtype=np.int64))
        assert numbers.size == counts.size == 0


def test_a_missing_value_is_a_group() -> None:
    found = Groups.of(pd.DataFrame({"a": ["x", None, "x", None, None]}), ["a"])
    assert found.sizes.tolist() == [2, 3]


@pytest.mark.parametrize("number", [1 << 16, (1 << 16) + 1])
def test_more_groups_than_a_short_integer_counts(number: int) -> None:
    found = Groups.of(pd.DataFrame({"a": np.arange(number)[::-1]}), ["a"])
    assert (found.order == np.arange(number)[::-1]).all() and len(found) == number


def test_sorted_rows_are_ascending_in_each_group(frame: pd.DataFrame) -> None:
    found, values = Groups.of(frame, ["key"]), frame["value"].to_numpy()
    shapes = []
    for which, rows in found.sorted_rows(values):
        shapes.append(rows.shape)
        for group, row in zip(which, rows, strict=True):
            assert row.tolist() == sorted(values[frame["key"] == f"k{group}"])
    assert shapes == [(1, 1), (1, 12), (1, 24), (4, 40)]


def test_processes_are_numbered_within_each_group(frame: pd.DataFrame) -> None:
    found, process = Groups.of(frame, ["key"]), frame["process"].to_numpy()
    numbers, counts = found.process_numbers(process)
    assert counts.tolist() == [8, 8, 4, 8, 1, 2, 8]
    for start, size, count in zip(found.starts, found.sizes, counts, strict=True):
        own = process[found.order[start : start + size]]
        assert numbers[start : start + size].tolist() == np.unique(own, return_inverse=True)[1].tolist()
        assert np.unique(own).size == count


@pytest.mark.parametrize("elements", [4_000_000, 41 * 8, 2 * 41 * 8, 1])
def test_intervals_of_groups_do_not_depend_on_the_memory(
    frame: pd.DataFrame, monkeypatch: pytest.MonkeyPatch, elements: int
) -> None:
    monkeypatch.setattr(groups, "_CHUNK_ELEMENTS", elements)
    found = Groups.of(frame, ["key"])
    process = frame["process"].to_numpy()
    table = np.transpose(found.median_intervals(frame["value"].to_numpy(), process, 0.9))
    for group, row in enumerate(table):
        own = frame[frame["key"] == f"k{group}"]
        expected = median_interval(own["value"], np.arange(len(own)), own["process"], 0.9)
        assert tuple(row) == pytest.approx(tuple(expected), nan_ok=True)
    sizes = [len(which) for which, _ in found.by_process(frame["value"].to_numpy(), process)]
    # Three groups have 40 rows of 8 processes.
    largest = min(3, max(1, elements // (41 * 8)))
    assert max(sizes) == largest and sum(sizes) == 7
