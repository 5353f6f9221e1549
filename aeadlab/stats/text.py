"""A record's medians as text for a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from math import isnan
from typing import Any

import pandas as pd

from aeadlab.stats import mask_ratios, summary
from aeadlab.units import significant, size_name

_CASE = [
    *("implementation", "op", "engine", "model", "bytes"),
    *("block_size", "threads", "schedule", "placement", "cache", "mask", "replica"),
]


def medians(samples: pd.DataFrame) -> str:
    """Median speed of each case with its interval, the fastest first, at most 80 columns; a table for each mask."""
    table = summary(samples, _CASE)
    table = table[table["replica"] == 0].sort_values("median")
    if table.empty:
        return "no case has a sample"
    ratios = mask_ratios(samples).rename(columns={"low": "ratio_low", "high": "ratio_high"})
    table = table.merge(ratios[[*_CASE, "ratio", "ratio_low", "ratio_high"]], on=_CASE, how="left")
    blocks = []
    for mask in sorted(set(table["mask"])):
        title = [f"\nunder mask {mask}; ratio: speed relative to that without"] if mask else []
        blocks += [*title, _table(table[table["mask"] == mask], _MASKED if mask else _PLAIN)]
    return "\n".join(blocks)


# Headings and columns. The interval of the speed gives way to that of the ratio, which is what a mask is for.
_PLAIN = {"GiB/s": "gib_per_s", "from": "gib_per_s_low", "to": "gib_per_s_high"}
_MASKED = {"GiB/s": "gib_per_s", "ratio": "ratio", "from": "ratio_low", "to": "ratio_high"}


def _table(table: pd.DataFrame, numbers: Mapping[str, str]) -> str:
    rows = [("implementation", "op", "how", *numbers, "n")]
    for row in table.to_dict("records"):
        values = [_number(row[name]) for name in numbers.values()]
        rows.append((row["implementation"], row["op"], _how(row), *values, str(row["n"])))
    wide = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    aligned = ["<"] * 3 + [">"] * (len(rows[0]) - 3)
    return "\n".join(
        "  ".join(f"{cell:{side}{w}}" for cell, side, w in zip(row, aligned, wide, strict=True)) for row in rows
    )


def _number(value: float) -> str:
    """Two digits after the point, and two digits of what is too slow for these."""
    return "-" if isnan(value) else f"{value:.2f}" if value >= 0.1 else significant(value, 2)


def _how(row: Mapping[Any, Any]) -> str:
    if row["engine"] != "parsplit":
        return f"{row['engine']}{'' if row['placement'] == 'separate' else ' in place'}"
    return f"{size_name(row['block_size'])} x{row['threads']} {row['schedule']}"
