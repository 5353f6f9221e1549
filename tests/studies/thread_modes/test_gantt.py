from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes

from aeadlab.errors import EmptyFigureError, UnknownNameError
from aeadlab.figures.style import venue
from aeadlab.studies.thread_modes.gantt import COLUMNS, gantt
from aeadlab.studies.thread_modes.stealing import simulate


def leaves(seed: int, threads: int = 5) -> pd.DataFrame:
    run = simulate(threads, 320, 4e-4, seed=seed)
    rows = [(leaf.worker, leaf.first, leaf.length, leaf.start, leaf.end) for leaf in run.leaves]
    return pd.DataFrame(rows, columns=["worker", "first", "blocks", "start", "end"])


def widths(axes: Axes) -> list[float]:
    return [float(np.ptp(path.vertices[:, 0])) for row in axes.collections for path in row.get_paths()]


@pytest.mark.parametrize("name", ["lncs", "ieee"])
def test_each_leaf_is_a_box(name: str) -> None:
    runs = {"one": leaves(1), "other": leaves(2)}
    figure, table = gantt(runs, name, "A word.")
    assert figure.get_size_inches()[0] == pytest.approx(venue(name).width)
    assert tuple(table.columns) == COLUMNS
    for axes, (title, rows) in zip(figure.axes, runs.items(), strict=True):
        spans = widths(axes)
        assert len(spans) == len(rows)
        assert axes.get_title(loc="left") == title
        assert sum(spans) == pytest.approx(1e3 * (rows["end"] - rows["start"]).sum())
        assert axes.get_xlim() == figure.axes[0].get_xlim()
    colours = np.concatenate([row.get_facecolor() for row in figure.axes[0].collections])
    assert len(np.unique(colours, axis=0)) == 3


def test_rejects_samples_without_matching_cases() -> None:
    with pytest.raises(EmptyFigureError, match="trace a run"):
        gantt({})
    with pytest.raises(EmptyFigureError, match="trace a run"):
        gantt({"none": leaves(1).head(0)})
    with pytest.raises(UnknownNameError):
        gantt({"one": leaves(1)}, "nowhere")
