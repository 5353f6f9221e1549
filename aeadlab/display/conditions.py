"""The conditions of a case, such as its size and thread count, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from aeadlab.dimensions import BASELINE, BY_NAME, DEFAULT_CONDITIONS, DIMENSIONS, NAMES

if TYPE_CHECKING:
    # The measuring process imports this module through the catalogue, and does not load pandas.
    import pandas as pd

_FIRST: Final = ("bytes", "op", "engine", "block_size", "threads", "schedule", "model")
CONDITIONS: Final = (*_FIRST, *(name for name in NAMES if name not in (*_FIRST, "implementation", "replica")))
"""Columns of a table of cases."""

HEADINGS: Final = {dimension.name: dimension.heading or dimension.name for dimension in DIMENSIONS}
"""Headings of these columns."""


def varied(table: pd.DataFrame) -> list[str]:
    """Return the conditions in which two rows of one implementation differ.

    A condition that only differs between implementations, such as the engine ``python``, is a property of them.

    Parameters
    ----------
    table
        Cases with some of `CONDITIONS`, and with ``implementation`` unless all cases are of one.
    """
    conditions = [condition for condition in CONDITIONS if condition in table.columns]
    counts = table[conditions].nunique()
    if "implementation" in table.columns:
        counts = table.groupby("implementation", observed=True)[conditions].nunique().max()
    several = [condition for condition in conditions if counts[condition] > 1]
    if "schedule" in several and table.loc[table["schedule"] != "", "schedule"].nunique() == 1:
        # The rows without a schedule are those of other engines, and the condition `engine` separates them already.
        several.remove("schedule")
    return several


def shared(table: pd.DataFrame) -> str:
    """Return in words the conditions that all rows share; baselines are ignored unless all rows are baselines."""
    if "implementation" in table.columns:
        others = table[~table["implementation"].str.startswith(BASELINE)]
        table = table if others.empty else others
    conditions = [condition for condition in CONDITIONS if condition in table.columns]
    return in_words(table.iloc[0], [condition for condition in conditions if table[condition].nunique() == 1])


def in_words(row: Any, conditions: Sequence[str]) -> str:
    """Return these conditions of a case without default values: ``1 MiB, ParSplit, blocks of 64 KiB, 2 threads``."""
    described = (name for name in conditions if name not in DEFAULT_CONDITIONS or row[name] != DEFAULT_CONDITIONS[name])
    words = (BY_NAME[name].words(row[name]) for name in described)
    return ", ".join(word for word in words if word)


def case_name(row: Any, conditions: Sequence[str]) -> str:
    """Return the implementation of a case, where the case has one, and these conditions in words."""
    return " ".join(part for part in (row.get("implementation", ""), in_words(row, conditions)) if part)
