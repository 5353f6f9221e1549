"""Selection of the samples that statistics use (counted samples), and of the cases with default conditions."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from aeadlab.dimensions import BY_NAME, DEFAULT_CONDITIONS, NAMES
from aeadlab.errors import ArgumentError
from aeadlab.stats.validation import positive

CASE_COLUMNS: tuple[str, ...] = (NAMES[0], "library", "algorithm", "kind", *NAMES[1:])
"""Columns that identify a case: its dimensions, and facts about its implementation."""

_NUMBERS = {"bytes", *(name for name, dimension in BY_NAME.items() if isinstance(dimension.default, int))}
TEXT_COLUMNS: Final = tuple(column for column in CASE_COLUMNS if column not in _NUMBERS)
"""Those of `CASE_COLUMNS` that hold text, which records store as categories."""

BASELINES: Final = ("memcpy", "copy", "copy-stream", "xor")
"""Algorithms that measure the cost of moving the data."""


def require_columns(samples: pd.DataFrame, columns: Sequence[str]) -> None:
    """Check that a frame of samples has these columns."""
    missing = [column for column in columns if column not in samples.columns]
    if missing:
        raise ArgumentError(
            f"the samples have no column {', '.join(missing)} (given: {', '.join(map(str, samples.columns))}); "
            "pass the frame of a loaded record"
        )


def counted(samples: pd.DataFrame) -> NDArray[np.bool_]:
    """Return which samples are neither warm-up nor failed, shape (rows,)."""
    ok: NDArray[np.bool_] = samples["status"].eq("ok").to_numpy(dtype=np.bool_)
    warm_up: NDArray[np.bool_] = samples["warmup"].to_numpy(dtype=np.bool_)
    return ok & ~warm_up


def usable(samples: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """Return the samples that are neither warm-up nor failed, with these columns and the original index.

    Parameters
    ----------
    samples : pandas.DataFrame
        One row per sample; needs ``warmup`` (bool), ``status`` and `columns`.
    columns : sequence of str
        Columns to keep. ``seconds`` among them must be finite and above zero in the rows that are kept.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If a column is missing, or the time of a kept sample is NaN, infinite, zero or negative.
    """
    require_columns(samples, ["warmup", "status", *columns])
    mask = counted(samples)
    # A record has twice as many columns as are needed here, and copying its strings takes the most time.
    kept = samples[list(columns)]
    if not mask.all():
        kept = kept.loc[mask]
    if "seconds" in columns:
        positive("seconds", kept["seconds"].to_numpy(dtype=np.float64))
    return kept


def numbered(samples: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the cases, and the counted samples with the number of their ``case``, in which they group and merge fast.

    Returns
    -------
    cases : pandas.DataFrame
        `CASE_COLUMNS`, in ascending order; the index, from 0, is the number.
    rows : pandas.DataFrame
        `CASE_COLUMNS`, ``process``, ``round``, ``seconds`` and ``case``; errors are those of `usable`.
    """
    by = list(CASE_COLUMNS)
    rows = usable(samples, [*by, "process", "round", "seconds"])
    rows = rows.assign(case=rows.groupby(by, observed=True, dropna=False).ngroup())
    return rows.drop_duplicates("case").set_index("case").sort_index()[by], rows


def in_cpu_time(samples: pd.DataFrame) -> pd.DataFrame:
    """Return samples with CPU times (user and system, getrusage) of one execution in ``seconds``.

    Samples below the resolution of that clock are left out.
    """
    require_columns(samples, ["status", "cpu_ns", "batch"])
    kept = samples[samples["status"].ne("ok") | samples["cpu_ns"].gt(0)]
    return kept.assign(seconds=kept["cpu_ns"] / kept["batch"] * 1e-9)


def default_conditions(samples: pd.DataFrame, ignore: Collection[str] = ()) -> pd.Series[bool]:
    """Return which rows have the values of `DEFAULT_CONDITIONS`.

    Parameters
    ----------
    ignore
        Columns that may have any value.
    """
    selected = pd.Series(True, index=samples.index)
    for column, value in DEFAULT_CONDITIONS.items():
        if column not in ignore:
            selected &= samples[column].eq(value)
    return selected


def default_cases(samples: pd.DataFrame, *, largest: bool = True, ignore: Collection[str] = ()) -> pd.DataFrame:
    """Return the rows with `default_conditions`.

    Parameters
    ----------
    largest
        Whether to keep only the rows of the largest message among them.
    ignore
        Columns that may have any value.
    """
    require_columns(samples, [*CASE_COLUMNS, "status", "warmup"])
    rows = samples[default_conditions(samples, ignore)]
    return rows[rows["bytes"] == rows["bytes"].max()] if largest else rows


def samples_of(samples: pd.DataFrame, case: Mapping[Any, Any]) -> pd.DataFrame:
    """Return the samples with the values that a row of a table has in `CASE_COLUMNS`, those of A/A copies left out."""
    selected = samples["replica"].eq(0)
    for column in CASE_COLUMNS:
        if column in case and column != "replica":
            selected &= samples[column].eq(case[column])
    return samples[selected]


def is_baseline(implementation: str) -> bool:
    """Return whether an implementation only moves data."""
    return implementation.partition("/")[2] in BASELINES


def named_rows(frame: pd.DataFrame) -> Iterator[Any]:
    """Iterate over the rows of a frame as named tuples, typed `Any` since a cell can have any type."""
    return iter(frame.itertuples())
