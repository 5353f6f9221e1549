"""Cells: time for a million, from single cells and from whole runs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from aeadlab.bench.case import Case
from aeadlab.errors import EmptyFigureError, UnknownNameError
from aeadlab.figures.style import VENUES
from aeadlab.studies.tor.figures import COLUMNS, cell_table, cell_times
from tests.fixtures.drawing import contents

OfCases = Callable[..., pd.DataFrame]
Check = Callable[[Figure, str], None]
Written = Callable[[Figure], list[str]]
Noted = Callable[[Figure], str]
# Microseconds for one cell of 509 bytes. Chosen, not measured, and long, so that nanoseconds do not round them.
CELLS = {
    "openssl/aes-128-ctr": 20.0,
    "aws-lc/aes-128-ctr": 30.0,
    "openssl/aes-128-ctr.aes-encrypt-o2": 200.0,
    "rijndael/aes-128-ctr.counter-optimization-o2": 260.0,
    "rijndael/aes-128-ctr.plain-o2": 300.0,
    "pyca/aes-128-ctr": 900.0,
}
WHOLE = 1.1
"""Time of a cell in a whole run relative to a single cell."""


def whole(name: str, cells: int) -> Case:
    return Case(name, "encrypt", 509 * cells, "cells", block_size=509)


def times_of(cells: int = 1_000_000) -> dict[Case, float]:
    times = {}
    for name, time in CELLS.items():
        python = name.startswith("pyca")
        for size in (509, 512):
            times[Case(name, "encrypt", size, "python" if python else "whole")] = time * 1e-6 * size / 509
        if not python:
            times[whole(name, cells)] = WHOLE * time * 1e-6 * cells
    times[Case("baseline/memcpy", "encrypt", 509)] = 1e-6
    times[Case("baseline/memcpy", "encrypt", 512)] = 1e-6
    times[Case("openssl/aes-128-ctr", "encrypt", 1 << 20)] = 1e-3
    times[Case("openssl/aes-256-gcm", "seal", 509)] = 1e-6
    return times


def record(of_cases: OfCases, cells: int = 1_000_000, runs: int = 3) -> pd.DataFrame:
    """Return samples of eight rounds, with fewer whole runs."""
    samples = of_cases(times_of(cells), rounds=8, noise=0.002)
    return samples[samples["engine"].ne("cells") | samples["round"].lt(runs)]


@pytest.fixture(scope="module")
def samples(of_cases: OfCases) -> pd.DataFrame:
    return record(of_cases)


def test_a_row_is_a_cipher_and_a_cell_length(samples: pd.DataFrame) -> None:
    table = cell_table(samples)
    assert tuple(table.columns) == COLUMNS
    assert table["implementation"].tolist() == [*CELLS, *CELLS], "the fastest first"
    assert table["bytes"].tolist() == [509] * len(CELLS) + [512] * len(CELLS)
    rows = table.set_index(["implementation", "bytes"])
    result = rows.loc[("rijndael/aes-128-ctr.plain-o2", 509)]
    assert result["seconds"] == pytest.approx(300e-6, rel=0.003)
    assert result["million_seconds"] == pytest.approx(300, rel=0.003) == 1e6 * result["seconds"]
    assert (result["n"], result["status"]) == (8, "ok")
    assert result["gib_per_s"] == pytest.approx(509 / 2**30 / 300e-6, rel=0.003)
    assert rows.loc[("aws-lc/aes-128-ctr", 512), "million_seconds"] == pytest.approx(30 * 512 / 509, rel=0.003)


@pytest.mark.parametrize("cells", [1_000_000, 1024, 1])
def test_whole_runs_are_scaled_to_a_million_cells(cells: int, of_cases: OfCases) -> None:
    table = cell_table(record(of_cases, cells)).set_index(["implementation", "bytes"])
    for name, time in CELLS.items():
        result = table.loc[(name, 509)]
        if name.startswith("pyca"):
            assert (result["whole_runs"], np.isnan(result["whole_run_seconds"])) == (0, True)
        else:
            assert result["whole_run_seconds"] == pytest.approx(WHOLE * time, rel=0.005)
            assert result["whole_runs"] == 3
        other = table.loc[(name, 512)]
        assert (other["whole_runs"], np.isnan(other["whole_run_seconds"])) == (0, True), "only the shorter cell"


def test_whole_runs_of_each_cell_length_have_a_median(of_cases: OfCases) -> None:
    times: dict[Case, float | np.ndarray] = {Case("a/aes-128-ctr", "encrypt", 100): 1e-5}
    times[Case("a/aes-128-ctr", "encrypt", 100_000, "cells", block_size=100)] = np.array([9e-3, 2e-2, 1.1e-2])
    table = cell_table(of_cases(times, rounds=3, noise=0))
    assert table["whole_run_seconds"].tolist() == pytest.approx([11.0])


def test_a_failed_whole_run_keeps_its_cells(of_cases: OfCases) -> None:
    times = times_of()
    failed = (whole("aws-lc/aes-128-ctr", 1_000_000), Case("openssl/aes-128-ctr", "encrypt", 509))
    samples = of_cases({case: time for case, time in times.items() if case not in failed}, 3, failed=failed)
    rows = cell_table(samples).set_index(["implementation", "bytes"])
    assert rows.loc[("aws-lc/aes-128-ctr", 509), "status"] == "ok"
    assert np.isnan(rows.loc[("aws-lc/aes-128-ctr", 509), "whole_run_seconds"])
    assert rows.loc[("openssl/aes-128-ctr", 509), "status"] == "failed: it crashed"
    assert rows.loc[("openssl/aes-128-ctr", 512), "status"] == "ok"


def lengths(figure: Figure) -> list[float]:
    """Return the lengths of the bars from the top."""
    patches = [patch for patch in figure.axes[0].patches if isinstance(patch, Rectangle)]
    return [patch.get_width() for patch in sorted(patches, key=lambda patch: patch.get_y())]


def marks(figure: Figure) -> list[float]:
    """Return the positions of the vertical lines."""
    ends = [np.asarray(line.get_xdata()) for line in figure.axes[0].lines]
    return [float(x[0]) for x in ends if len(x) == 2 and x[0] == x[1]]


def test_bars_are_cells_and_vertical_lines_whole_runs(samples: pd.DataFrame, written: Written, noted: Noted) -> None:
    figure, table = cell_times(samples)
    assert lengths(figure) == pytest.approx(list(CELLS.values()), rel=0.005), "the shorter cell, fastest first"
    assert marks(figure) == pytest.approx([WHOLE * time for time in list(CELLS.values())[:-1]], rel=0.005)
    assert len(table) == 2 * len(CELLS)
    words = written(figure)
    assert {name.replace("-o2", " -O2") for name in CELLS} <= set(words) and not any("-o2" in word for word in words)
    assert {"s", "cycles", "/byte", "time for a million cells (s)"} <= set(words)
    note = noted(figure)
    assert note.startswith("openssl/aes-128-ctr is fastest: ")
    assert "Vertical lines: the median of 3 whole runs of 1,000,000 cells each." in note


def test_the_note_states_the_cells_of_whole_runs(of_cases: OfCases, noted: Noted) -> None:
    few, _ = cell_times(record(of_cases, 1024, 2))
    assert "the median of 2 whole runs of 1,024 cells each, as for a million." in noted(few)
    samples = record(of_cases)
    none, _ = cell_times(samples[samples["engine"].ne("cells")])
    assert "Vertical lines" not in noted(none) and marks(none) == []


def test_the_note_states_the_least_and_the_most_whole_runs(samples: pd.DataFrame, noted: Noted) -> None:
    slow = samples["implementation"].eq("rijndael/aes-128-ctr.plain-o2") & samples["engine"].eq("cells")
    figure, _ = cell_times(samples[~slow | samples["round"].lt(2)])
    assert "Vertical lines: the median of 2 to 3 whole runs of 1,000,000 cells each." in noted(figure)


def test_failed_cases_are_last_with_their_reason(of_cases: OfCases, written: Written, check_layout: Check) -> None:
    times = times_of()
    crashed = tuple(case for case in times if case.implementation.startswith("openssl/aes-128"))
    figure, _ = cell_times(of_cases({c: t for c, t in times.items() if c not in crashed}, 3, failed=crashed))
    assert len(lengths(figure)) == len(CELLS) - 2 and len(marks(figure)) == len(CELLS) - 3
    assert written(figure).count("failed") == 2 and "openssl/aes-128-ctr" in written(figure)
    check_layout(figure, "lncs")


@pytest.mark.parametrize("venue", VENUES)
def test_layout_fits_every_venue(samples: pd.DataFrame, venue: str, check_layout: Check) -> None:
    check_layout(cell_times(samples, venue)[0], venue)


def test_the_same_record_gives_the_same_bytes(samples: pd.DataFrame) -> None:
    assert contents(*cell_times(samples)) == contents(*cell_times(samples))


def test_rejects_samples_without_matching_cases(samples: pd.DataFrame) -> None:
    for other in (
        samples[samples["op"].eq("seal")],
        samples[samples["bytes"].gt(1024)],
        samples[samples["engine"].eq("cells")],
        samples[samples["library"].eq("baseline")],
    ):
        with pytest.raises(EmptyFigureError, match="^the samples hold no cipher over a cell: measure the study cells$"):
            cell_times(other)
    with pytest.raises(EmptyFigureError, match="^every cell of 509 bytes failed: see the status of each in cell_table"):
        cell_times(samples.assign(status="failed: it crashed"))
    with pytest.raises(UnknownNameError, match="there is no venue 'natur'"):
        cell_times(samples, "natur")
