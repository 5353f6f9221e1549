"""Names of cases, as short as the table they stand in allows: what all rows share is said once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import pandas as pd

from aeadlab.stats import CASE_COLUMNS
from aeadlab.units import size_name

KEY: Final = tuple(column for column in CASE_COLUMNS if column != "replica")
"""What makes a case: all its columns but the one that tells the arms of an A/A pair apart."""

NAMED: Final = ("implementation", "library", "algorithm")
"""Those columns that say whose code it is."""

_WORDS: Final[dict[str, Callable[[Any], str]]] = {
    "implementation": str,
    "op": str,
    "bytes": lambda size: size_name(int(size)),
    "engine": str,
    "block_size": lambda size: f"by {size_name(int(size))}" if size else "",
    "threads": lambda threads: "1 thread" if threads == 1 else f"{threads} threads",
    "schedule": str,
    "model": str,
    "placement": str,
    "cache": str,
    "mask": lambda mask: f"without {mask}" if mask else "",
}


def case_name(row: Mapping[Any, Any], columns: Sequence[str]) -> str:
    """A case in words, by these columns only."""
    words = (_WORDS[column](row[column]) for column in _WORDS if column in columns)
    return " ".join(word for word in words if word)


def varying(cases: pd.DataFrame) -> tuple[list[str], str]:
    """The columns in which the cases differ, and in words what all of them share."""
    here = [column for column in _WORDS if column in cases.columns]
    if cases.empty:
        return here, ""
    several = [column for column in here if cases[column].nunique() > 1]
    same = {column: cases[column].iloc[0] for column in here if column not in several}
    shared = ", ".join(word for column in same if (word := case_name(same, [column])))
    return several or here[:1], shared
