"""Checks of the arrays that statistics are computed from."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aeadlab.errors import ArgumentError


def finite(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """Return values as a one-dimensional array of float64, shape (n,).

    Parameters
    ----------
    name
        Name of the values in error messages, a plural.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If the values are not numbers in one dimension, or any is NaN or infinite.
    """
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"{name} are not numbers: {error}; pass a one-dimensional array of numbers") from error
    if array.ndim != 1:
        raise ArgumentError(f"{name} have {array.ndim} dimensions instead of 1; pass the values of one case")
    bad = np.flatnonzero(~np.isfinite(array))
    if bad.size:
        raise ArgumentError(
            f"{name} hold {bad.size} of {array.size} values that are NaN or infinite (first at position {bad[0]}); "
            "remove the failed samples"
        )
    return array


def positive(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """Return values as `finite` does, all above zero, so that their logarithms exist.

    Raises
    ------
    aeadlab.errors.ArgumentError
        As `finite`, and for a value of zero or below.
    """
    array = finite(name, values)
    bad = np.flatnonzero(array <= 0)
    if bad.size:
        raise ArgumentError(
            f"{name} hold {bad.size} of {array.size} values that are zero or negative (first: {array[bad[0]]:g} at "
            f"position {bad[0]}); the clock did not resolve them, so batch more executions per sample"
        )
    return array


def same_length(first_name: str, first: NDArray[np.float64], second_name: str, second: NDArray[np.float64]) -> None:
    """Check that two arrays can be read as pairs."""
    if first.size != second.size:
        raise ArgumentError(
            f"{first_name} has {first.size} values and {second_name} has {second.size}; pass one of each per sample"
        )
