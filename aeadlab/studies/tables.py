"""Ratios to a reference, as columns of the tables that figures show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pandas import DataFrame

from aeadlab.parsplit.schedules import ETH_PAPER
from aeadlab.stats.pairing import relative_speed
from aeadlab.stats.processes import CONFIDENCE
from aeadlab.stats.selection import CASE_COLUMNS, is_baseline

AS_PUBLISHED: Final = "as published"
"""ParSplit as the ETH paper has it: Rayon's schedule, and a key set-up for each block."""


def ratio_columns(name: str) -> dict[str, str]:
    """Return the names of a ratio and the ends of its interval in the table of a figure."""
    return {"ratio": name, "low": f"{name}_low", "high": f"{name}_high"}


def relative_time(
    cases: DataFrame,
    reference: DataFrame,
    on: list[str],
    name: str,
    by: Sequence[str] = CASE_COLUMNS,
    *,
    percent: bool = False,
    confidence: float = CONFIDENCE,
) -> DataFrame:
    """Return `by`, and the time of each case relative to its reference in the columns of `ratio_columns`.

    The other parameters are those of `aeadlab.stats.pairing.relative_speed`; with `percent` the ratio is given as the
    time beyond the reference in percent.
    """
    speed = relative_speed(cases, reference, list(by), on, confidence)
    times = {name: 1 / speed["ratio"], f"{name}_low": 1 / speed["high"], f"{name}_high": 1 / speed["low"]}
    return speed[list(by)].assign(**{key: 100 * (time - 1) if percent else time for key, time in times.items()})


def is_as_published(rows: DataFrame) -> bool:
    """Return whether rows of one implementation and condition are of ParSplit as the ETH paper has it."""
    first = rows.iloc[0]
    return bool(
        first["schedule"] == ETH_PAPER and (first["model"] == "rekeyed" or is_baseline(first["implementation"]))
    )
