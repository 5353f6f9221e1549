"""The columns of a record that identify a case and an implementation."""

from __future__ import annotations

from typing import Final

import pandas as pd

from aeadlab.display.conditions import varied
from aeadlab.stats import CASE_COLUMNS

KEY: Final = tuple(column for column in CASE_COLUMNS if column != "replica")
"""The columns of a case without ``replica``, which distinguishes the arms of an A/A pair."""

IDENTITY: Final = ("implementation", "library", "algorithm")
"""The columns of `KEY` that name an implementation."""


def label_columns(cases: pd.DataFrame) -> list[str]:
    """Return the conditions that label the rows of a table: those that vary, or the operation if none does."""
    return varied(cases) or ["op"]
