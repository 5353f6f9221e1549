"""Counts of outliers by Tukey's fences, which describe a sample; no sample is removed because of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from aeadlab.stats.interval import Floats, sorted_quantile

OUTLIER_CLASSES: tuple[str, ...] = ("low_severe", "low_mild", "none", "high_mild", "high_severe")


def outlier_counts(rows: Floats) -> NDArray[np.intp]:
    """Return the number of values of each row in each class.

    Mild is beyond 1.5 interquartile ranges from the nearer quartile, severe beyond 3 [1]_, as in Criterion. A row
    of one or two values has no outliers.

    Parameters
    ----------
    rows : ndarray, shape (groups, n)
        Ascending within each row; n of at least one.

    Returns
    -------
    ndarray of int, shape (groups, 5)
        In the order of `OUTLIER_CLASSES`; each row sums to n.

    References
    ----------
    .. [1] J. W. Tukey, Exploratory Data Analysis, Addison-Wesley 1977, section 2D.
    """
    first, third = sorted_quantile(rows, 0.25), sorted_quantile(rows, 0.75)
    spread = third - first
    below_severe, below_mild = ((first - factor * spread)[:, np.newaxis] for factor in (3, 1.5))
    above_mild, above_severe = ((third + factor * spread)[:, np.newaxis] for factor in (1.5, 3))
    classes: NDArray[np.intp] = np.full(rows.shape, OUTLIER_CLASSES.index("none"), dtype=np.intp)
    classes -= (rows < below_mild).astype(np.intp) + (rows < below_severe)
    classes += (rows > above_mild).astype(np.intp) + (rows > above_severe)
    return np.stack([np.count_nonzero(classes == code, axis=1) for code in range(len(OUTLIER_CLASSES))], axis=1)
