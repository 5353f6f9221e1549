"""Classes of outliers by Tukey's fences. They describe a sample; nothing is ever removed because of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aeadlab.stats.interval import Floats, sorted_quantile
from aeadlab.stats.selection import finite

OUTLIER_CLASSES: tuple[str, ...] = ("low_severe", "low_mild", "none", "high_mild", "high_severe")


def outlier_classes(values: ArrayLike) -> NDArray[np.str_]:
    """Class of each value, one of `OUTLIER_CLASSES`.

    Mild is beyond 1.5 interquartile ranges from the nearer quartile, severe beyond 3 [1]_; Criterion uses the same.
    One or two values are never outliers.

    Parameters
    ----------
    values : array_like, shape (n,)
        Any unit; none of them NaN or infinite.

    Returns
    -------
    ndarray of str, shape (n,)
        In the order of `values`.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If a value is NaN or infinite.

    References
    ----------
    .. [1] J. W. Tukey, Exploratory Data Analysis, Addison-Wesley 1977, section 2D.
    """
    array = finite("values", values)
    names = np.array(OUTLIER_CLASSES)
    if array.size == 0:
        return names[:0]
    fences = _fences(np.sort(array)[np.newaxis, :])[:, 0]
    return names[_class_of(array, fences)]


def outlier_counts(rows: Floats) -> NDArray[np.intp]:
    """How many values of each row fall in each class.

    Parameters
    ----------
    rows : ndarray, shape (groups, n)
        Ascending within each row.

    Returns
    -------
    ndarray of int, shape (groups, 5)
        In the order of `OUTLIER_CLASSES`; each row sums to n.
    """
    classes = _class_of(rows, _fences(rows)[:, :, np.newaxis])
    return np.stack([np.count_nonzero(classes == code, axis=1) for code in range(len(OUTLIER_CLASSES))], axis=1)


def _fences(rows: Floats) -> Floats:
    first, third = sorted_quantile(rows, 0.25), sorted_quantile(rows, 0.75)
    spread = third - first
    return np.stack([first - 3 * spread, first - 1.5 * spread, third + 1.5 * spread, third + 3 * spread])


def _class_of(values: Floats, fences: Floats) -> NDArray[np.intp]:
    below_severe, below_mild, above_mild, above_severe = fences
    codes: NDArray[np.intp] = np.full(values.shape, OUTLIER_CLASSES.index("none"), dtype=np.intp)
    codes -= (values < below_mild).astype(np.intp) + (values < below_severe)
    codes += (values > above_mild).astype(np.intp) + (values > above_severe)
    return codes
