"""A record's medians as text for a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from aeadlab.figures.units import size_name
from aeadlab.stats import summary

_CASE = [
    *("implementation", "op", "engine", "model", "bytes"),
    *("block_size", "threads", "schedule", "placement", "replica"),
]


def medians(samples: pd.DataFrame) -> str:
    """Median speed of each case with its interval, the fastest first, at most 80 columns."""
    table = summary(samples, _CASE)
    table = table[table["replica"] == 0].sort_values("median")
    if table.empty:
        return "no case has a sample"
    rows = [("implementation", "op", "how", "GiB/s", "from", "to", "n")]
    for row in table.to_dict("records"):
        low, high = row["gib_per_s_low"], row["gib_per_s_high"]
        speed = [f"{value:.2f}" if value == value else "-" for value in (row["gib_per_s"], low, high)]
        rows.append((row["implementation"], row["op"], _how(row), *speed, str(row["n"])))
    wide = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    aligned = ["<"] * 3 + [">"] * 4
    return "\n".join(
        "  ".join(f"{cell:{side}{w}}" for cell, side, w in zip(row, aligned, wide, strict=True)) for row in rows
    )


def _how(row: Mapping[Any, Any]) -> str:
    if row["engine"] != "parsplit":
        return f"{row['engine']}{'' if row['placement'] == 'separate' else ' in place'}"
    return f"{size_name(row['block_size'])} x{row['threads']} {row['schedule']}"
