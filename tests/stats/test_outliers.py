from __future__ import annotations

import numpy as np
import pytest

from aeadlab.stats import OUTLIER_CLASSES
from aeadlab.stats.outliers import outlier_counts


def counts_of(values: list[float]) -> dict[str, int]:
    (counts,) = outlier_counts(np.sort(np.array(values))[np.newaxis, :])
    return {name: int(count) for name, count in zip(OUTLIER_CLASSES, counts, strict=True) if count}


def test_classes_follow_the_fences() -> None:
    # 0 to 100 has quartiles 25 and 75, which two more values on each side do not move far; the fences follow.
    values = [*map(float, range(101)), -140.0, -60.0, 160.0, 240.0]
    first, third = np.quantile(values, [0.25, 0.75])
    reach = third - first
    assert counts_of(values) == {"low_severe": 1, "low_mild": 1, "none": 101, "high_mild": 1, "high_severe": 1}
    for fence, inner, outer, direction in (
        (first - 3 * reach, "low_mild", "low_severe", -1),
        (first - 1.5 * reach, "none", "low_mild", -1),
        (third + 1.5 * reach, "none", "high_mild", 1),
        (third + 3 * reach, "high_mild", "high_severe", 1),
    ):
        # Replacing an extreme by another beyond the same quartile does not move the quartiles.
        others = [value for value in values if value != (-140.0 if direction < 0 else 240.0)]
        inside, outside = (counts_of([*others, fence + direction * off]) for off in (-1e-6, 1e-6))
        assert outside.get(outer, 0) == inside.get(outer, 0) + 1
        assert outside.get(inner, 0) == inside.get(inner, 0) - 1


@pytest.mark.parametrize("values", [[1.0], [1.0, 1000.0], [5.0] * 20])
def test_few_or_equal_values_have_no_outliers(values: list[float]) -> None:
    assert counts_of(values) == {"none": len(values)}


def test_counts_sum_to_the_sample_size(rng: np.random.Generator) -> None:
    counts = outlier_counts(np.sort(rng.standard_cauchy((20, 200)), axis=1))
    assert counts.sum(axis=1).tolist() == [200] * 20
    assert (counts[:, 0] + counts[:, 4] > 0).all()
