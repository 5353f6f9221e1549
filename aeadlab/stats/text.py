"""The medians of a record as a table for a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from math import isnan
from typing import Any

import pandas as pd

from aeadlab import dimensions
from aeadlab.display.units import significant, size_name
from aeadlab.stats import mask_ratios, summary

_CASE = list(dimensions.NAMES)


def medians_table(samples: pd.DataFrame) -> str:
    """Return the median speed of each case by ascending median time, as one table for each mask.

    The interval is that of the speed; under a mask it is that of the speed relative to the unmasked case.
    """
    table = summary(samples, _CASE)
    table = table[table["replica"] == 0].sort_values("median")
    if table.empty:
        return "no case has a counted sample"
    ratios = mask_ratios(samples).rename(columns={"low": "ratio_low", "high": "ratio_high"})
    table = table.merge(ratios[[*_CASE, "ratio", "ratio_low", "ratio_high"]], on=_CASE, how="left")
    blocks = []
    for mask in sorted(set(table["mask"])):
        title = [f"\nunder mask {mask}; ratio: speed relative to the unmasked case"] if mask else []
        blocks += [*title, _table(table[table["mask"] == mask], _MASKED if mask else _PLAIN)]
    return "\n".join(blocks)


# Headings and columns. Under a mask the interval is that of the ratio, since both do not fit into 80 columns.
_PLAIN = {"GiB/s": "gib_per_s", "from": "gib_per_s_low", "to": "gib_per_s_high"}
_MASKED = {"GiB/s": "gib_per_s", "ratio": "ratio", "from": "ratio_low", "to": "ratio_high"}


def _table(table: pd.DataFrame, numbers: Mapping[str, str]) -> str:
    rows = [("implementation", "op", "engine", *numbers, "n")]
    for row in table.to_dict("records"):
        values = [_number(row[name]) for name in numbers.values()]
        rows.append((row["implementation"], row["op"], _engine(row), *values, str(row["n"])))
    wide = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    aligned = ["<"] * 3 + [">"] * (len(rows[0]) - 3)
    return "\n".join(
        "  ".join(f"{cell:{side}{w}}" for cell, side, w in zip(row, aligned, wide, strict=True)) for row in rows
    )


def _number(value: float) -> str:
    """Format a number with two decimals, or with two significant digits below 0.1."""
    return "-" if isnan(value) else f"{value:.2f}" if value >= 0.1 else significant(value, 2)


def _engine(row: Mapping[Any, Any]) -> str:
    """Return the engine in the few characters of a column: ``whole``, or ``64 KiB x2 static`` for ParSplit."""
    if row["engine"] != "parsplit":
        return f"{row['engine']}{'' if row['placement'] == 'separate' else ' in place'}"
    return f"{size_name(row['block_size'])} x{row['threads']} {row['schedule']}"
