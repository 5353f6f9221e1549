"""Which rows count as measurements, and the checks that every statistic makes on its numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from aeadlab.errors import ArgumentError

CASE_COLUMNS: tuple[str, ...] = (
    "implementation",
    "library",
    "algorithm",
    "kind",
    "engine",
    "model",
    "op",
    "bytes",
    "block_size",
    "threads",
    "schedule",
    "placement",
    "cache",
    "mask",
    "replica",
)


def require_columns(samples: pd.DataFrame, columns: Sequence[str]) -> None:
    """Check that a frame of samples has these columns.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If any is missing.
    """
    missing = [column for column in columns if column not in samples.columns]
    if missing:
        raise ArgumentError(
            f"the samples have no column {', '.join(missing)} (given: {', '.join(map(str, samples.columns))}); "
            "pass the frame that a record gives when it is loaded"
        )


def counted(samples: pd.DataFrame) -> NDArray[np.bool_]:
    """Which rows are neither warm-up nor failed, shape (rows,)."""
    ok: NDArray[np.bool_] = samples["status"].eq("ok").to_numpy(dtype=np.bool_)
    warm_up: NDArray[np.bool_] = samples["warmup"].to_numpy(dtype=np.bool_)
    return ok & ~warm_up


def usable(samples: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """Rows that are neither warm-up nor failed, with only the named columns and the index kept.

    Parameters
    ----------
    samples : pandas.DataFrame
        One row per sample; needs ``warmup`` (bool), ``status`` and `columns`.
    columns : sequence of str
        What to keep. ``seconds`` among them must be finite and above zero in the rows that are kept.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If a column is missing, or a time that counts is NaN, infinite, zero or negative.
    """
    require_columns(samples, ["warmup", "status", *columns])
    mask = counted(samples)
    # Only the wanted columns are copied: a record has twice as many, and strings dominate the cost of a copy.
    kept = samples[list(columns)]
    if not mask.all():
        kept = kept.loc[mask]
    if "seconds" in columns:
        positive("seconds", kept["seconds"].to_numpy(dtype=np.float64))
    return kept


def finite(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """One-dimensional float64 copy or view of `values`, shape (n,).

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
        raise ArgumentError(f"{name} have {array.ndim} dimensions, one is wanted; pass the values of one case")
    bad = np.flatnonzero(~np.isfinite(array))
    if bad.size:
        raise ArgumentError(
            f"{name} hold {bad.size} of {array.size} values that are NaN or infinite (first at position {bad[0]}); "
            "leave out the failed samples"
        )
    return array


def positive(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """Like `finite`, and every value is above zero, so that logarithms exist.

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
            f"position {bad[0]}); a clock that gave them did not measure, so batch more executions per sample"
        )
    return array


def same_length(first_name: str, first: NDArray[np.float64], second_name: str, second: NDArray[np.float64]) -> None:
    """Check that two arrays can be read as pairs.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If they differ in length.
    """
    if first.size != second.size:
        raise ArgumentError(
            f"{first_name} has {first.size} values and {second_name} has {second.size}; pass one of each per sample"
        )
