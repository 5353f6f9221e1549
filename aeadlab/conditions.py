"""What an implementation may be measured under: which conditions a table's rows share, and all of them in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from aeadlab.units import size_name

if TYPE_CHECKING:
    # The measuring process loads the catalogue, and shall not load this.
    import pandas as pd

CONDITIONS: Final = (
    *("bytes", "op", "engine", "block_size", "threads", "schedule", "model", "placement", "cache", "mask"),
)
"""Columns of a table of cases."""

HEADINGS: Final = {"bytes": "size", "block_size": "blocks", "cache": "caches", "mask": "hidden features"}
"""What a column is called where its own name says too little."""

_ENGINES: Final = {"whole": "whole message", "parsplit": "ParSplit", "python": "from Python", "cells": "cell by cell"}

_WORDS: Final[dict[str, Callable[[Any], str]]] = {
    "bytes": size_name,
    "engine": lambda engine: _ENGINES.get(engine, engine),
    "block_size": lambda size: f"blocks of {size_name(size)}" if size else "",
    "threads": lambda threads: "1 thread" if threads == 1 else f"{threads} threads",
    "placement": lambda placement: "" if placement == "separate" else placement.replace("-", " "),
    "cache": lambda cache: "" if cache == "warm" else f"{cache} caches",
    "mask": lambda mask: f"without {mask}" if mask else "",
}


def varied(table: pd.DataFrame) -> list[str]:
    """The conditions that were varied: those in which two rows of one implementation differ.

    What differs only from one implementation to another is their nature, such as being called from Python.

    Parameters
    ----------
    table
        With ``implementation`` and `CONDITIONS`.
    """
    counts = table.groupby("implementation", observed=True)[list(CONDITIONS)].nunique()
    several = [condition for condition in CONDITIONS if (counts[condition] > 1).any()]
    if "schedule" in several and table.loc[table["schedule"] != "", "schedule"].nunique() == 1:
        # It only differs from having none.
        several.remove("schedule")
    return several


def shared(table: pd.DataFrame) -> str:
    """The conditions that all rows but the baselines share, in words."""
    own = table[~table["implementation"].str.startswith("baseline/")]
    own = table if own.empty else own
    return in_words(own.iloc[0], [condition for condition in CONDITIONS if own[condition].nunique() == 1])


def in_words(row: Any, conditions: Sequence[str]) -> str:
    """These conditions of a row, ordinary ones left out: ``1 MiB, ParSplit, blocks of 64 KiB, 2 threads``."""
    words = (_WORDS.get(condition, str)(row[condition]) for condition in conditions)
    return ", ".join(word for word in words if word)
