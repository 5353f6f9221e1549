from __future__ import annotations

import numpy as np
import pytest

from aeadlab.stats import OUTLIER_CLASSES, outlier_classes
from aeadlab.stats.outliers import outlier_counts


def test_classes_follow_the_fences() -> None:
    # 0 to 100 has quartiles 25 and 75, which two more values on each side do not move far; the fences follow.
    values = np.array([*range(101), -140.0, -60.0, 160.0, 240.0])
    first, third = np.quantile(values, [0.25, 0.75])
    reach = third - first
    assert outlier_classes(values)[-4:].tolist() == ["low_severe", "low_mild", "high_mild", "high_severe"]
    assert set(outlier_classes(values)[:-4]) == {"none"}
    at_fences = [first - 3 * reach, first - 1.5 * reach, third + 1.5 * reach, third + 3 * reach]
    for fence, inner, outer, away in zip(
        at_fences,
        ["low_mild", "none", "none", "high_mild"],
        ["low_severe", "low_mild", "high_mild", "high_severe"],
        [-1, -1, 1, 1],
        strict=True,
    ):
        # Replacing an extreme by another beyond the same quartile leaves the quartiles alone.
        moved = values.copy()
        place = -4 if away < 0 else -1
        moved[place] = fence - 1e-6 * away
        assert outlier_classes(moved)[place] == inner
        moved[place] = fence + 1e-6 * away
        assert outlier_classes(moved)[place] == outer


@pytest.mark.parametrize("values", [[], [1.0], [1.0, 1000.0], [5.0] * 20])
def test_few_or_equal_values_are_no_outliers(values: list[float]) -> None:
    assert outlier_classes(values).tolist() == ["none"] * len(values)


def test_counts_keep_every_value(rng: np.random.Generator) -> None:
    rows = np.sort(rng.standard_cauchy((20, 200)), axis=1)
    counts = outlier_counts(rows)
    assert counts.sum(axis=1).tolist() == [200] * 20
    for row, count in zip(rows, counts, strict=True):
        classes = outlier_classes(row)
        assert count.tolist() == [np.count_nonzero(classes == name) for name in OUTLIER_CLASSES]
        assert count[0] + count[4] > 0
