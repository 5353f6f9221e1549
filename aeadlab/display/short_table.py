"""A table that shows what varies and the results with their intervals, and holds all columns."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from math import nan
from typing import Any, Final

import pandas as pd

from aeadlab.dimensions import DIMENSIONS
from aeadlab.display.markup import Cell, join, paragraph, table
from aeadlab.display.units import DASH, count_noun, duration, interval, percent, significant, size_name

MOST_COLUMNS: Final = 10
MOST_ROWS: Final = 40
_UNSTATED: Final = ("", 0, None)

_SIZES: Final = ("bytes", "block_size", "half_bytes", "published_bytes")
_HEADINGS: Final = {dimension.name: dimension.heading or dimension.name for dimension in DIMENSIONS}
_TEXTS: Final = {**_HEADINGS, "block_size": "block size", "gib_per_s": "GiB/s", "seconds": "time", "n": "samples"}
_IDENTIFYING: Final = frozenset({*_HEADINGS, "library", "algorithm", "kind", "streams", "request", "bits", "blocks"})
"""Numeric columns that identify a row, as columns of text do."""


class ShortTable(pd.DataFrame):
    """A data frame that is shown with at most ten formatted columns; the constant ones are stated above it.

    What is computed or selected from it is a plain data frame with all columns, as is `all_columns`.
    """

    @property
    def shown(self) -> pd.DataFrame:
        """The columns as shown, formatted: those that vary, then the results with their intervals."""
        columns: dict[str, list[str]] = {}
        names = [*map(str, self.columns)]
        ends = {f"{name}{end}" for name in names for end in ("_low", "_high")}
        several = {name for name in names if self[name].nunique(dropna=False) > 1}
        varying = [name for name in names if _identifies(self, name) and name in several]
        results = [name for name in names if not _identifies(self, name) and name not in ends]
        results = [name for name in results if self[name].notna().any() and name in several]
        # Numbers of a publication and of this computer come first, then those with an interval.
        results.sort(key=lambda name: (name != "seconds", f"{name}_low" not in names))
        for name in [*varying, *results][:MOST_COLUMNS]:
            formatted = _formatter(name)
            columns[_heading(name)] = [formatted(row) for row in self.to_dict("records")]
        return pd.DataFrame(columns)

    @property
    def all_columns(self) -> pd.DataFrame:
        """The table as a plain data frame."""
        return pd.DataFrame(self)

    @property
    def shared(self) -> str:
        """The columns with one value, in words."""
        constant = [
            f"{_heading(str(name))}: {_formatter(str(name))(self.iloc[0].to_dict())}"
            for name in self.columns
            if _identifies(self, str(name))
            and self[name].nunique(dropna=False) == 1
            and self[name].iloc[0] not in _UNSTATED
        ]
        return ", ".join(constant)

    def _repr_html_(self) -> str:
        shown = self.shown
        rows = [[Cell(text) for text in row] for row in shown.head(MOST_ROWS).itertuples(index=False)]
        return join(
            [
                paragraph(self.shared, ".") if self.shared else None,
                table(list(shown.columns), rows, "numbers"),
                paragraph(self._rest()),
            ]
        )

    def __repr__(self) -> str:
        if self.empty:
            return super().__repr__()
        text = self.shown.head(MOST_ROWS).to_string(index=False)
        return "\n".join(filter(None, [self.shared, text, self._rest()]))

    def _rest(self) -> str:
        rows = f"{count_noun(len(self) - MOST_ROWS, 'further row')}; " if len(self) > MOST_ROWS else ""
        return f"{rows}{len(self.columns)} columns in all, which .all_columns shows."


def _identifies(frame: pd.DataFrame, name: str) -> bool:
    if name == "status" or name.startswith("published"):
        return False
    return name in _IDENTIFYING or bool(not pd.api.types.is_numeric_dtype(frame[name]))


def _heading(name: str) -> str:
    return _TEXTS.get(name, name.replace("_", " ").replace("percent", "%"))


def _formatter(name: str) -> Callable[[dict[Hashable, Any]], str]:
    """Return the function from a row to the text of a column, with its interval if the row has one."""

    def text(row: dict[Hashable, Any]) -> str:
        value = row[name]
        if value is None or value is pd.NA or value != value:
            return DASH
        if name in _SIZES:
            return size_name(int(value))
        if isinstance(value, bool | str) or not hasattr(value, "__float__"):
            return str(value)
        low, high = (float(row.get(f"{name}{end}", nan)) for end in ("_low", "_high"))
        if low == high == value:
            # The case that others are relative to.
            low = high = nan
        if name.endswith("seconds"):
            shown, within = duration(float(value), low, high)
        elif "share" in name:
            shown, within = percent(float(value)), interval(100 * low, 100 * high)
        else:
            whole = float(value).is_integer()
            shown, within = f"{int(value):,}" if whole else significant(float(value)), interval(low, high)
        return f"{shown} ({within})" if within else shown

    return text
