"""The medians of a record as a table for a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan
from typing import Any

import pandas as pd

from aeadlab import dimensions
from aeadlab.display.conditions import HEADINGS, shared, varied
from aeadlab.display.terminal import WIDTH, fill
from aeadlab.display.units import duration, significant, size_name
from aeadlab.errors import ArgumentError
from aeadlab.stats.ablation import mask_ratios
from aeadlab.stats.medians import medians

_CASE = list(dimensions.NAMES)
_ENGINE = ("engine", "block_size", "threads", "schedule", "placement")
"""Conditions that share one column."""


def medians_table(samples: pd.DataFrame) -> str:
    """Return the median of each case with every condition that varies, as one table for each mask.

    The conditions that all cases share are in the first line. The interval is that of the speed; under a mask it is
    that of the speed relative to the unmasked case.
    """
    try:
        table = medians(samples)
    except ArgumentError:
        return "no case has a counted sample"
    columns = [column for column in varied(table) if column != "mask"]
    lines = [fill(shared(table))]
    ratios = mask_ratios(samples).rename(columns={"low": "ratio_low", "high": "ratio_high"})
    on = [column for column in _CASE if column in table.columns and column in ratios.columns]
    table = table.merge(ratios[[*on, "ratio", "ratio_low", "ratio_high"]], on=on, how="left")
    for mask in sorted(set(table["mask"])):
        title = [f"\nunder mask {mask}; ratio: speed relative to the unmasked case"] if mask else []
        lines += [*title, _table(table[table["mask"] == mask], columns, _MASKED if mask else _PLAIN)]
    return "\n".join(lines)


# Headings and columns. Under a mask the interval is that of the ratio, since both do not fit into 80 columns.
_PLAIN = {"GiB/s": "gib_per_s", "from": "gib_per_s_low", "to": "gib_per_s_high"}
_MASKED = {"GiB/s": "gib_per_s", "ratio": "ratio", "from": "ratio_low", "to": "ratio_high"}


def _table(table: pd.DataFrame, columns: Sequence[str], numbers: Mapping[str, str]) -> str:
    labels = list(dict.fromkeys("engine" if column in _ENGINE else column for column in columns))
    head = ["implementation", *(HEADINGS[label] for label in labels)]
    rows, times = [[*head, *numbers, "n"]], ["time"]
    for row in table.to_dict("records"):
        values = [_number(row[name]) for name in numbers.values()]
        rows.append([row["implementation"], *(_label(row, label) for label in labels), *values, str(row["n"])])
        times.append(duration(row["seconds"])[0])
    wide = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    if sum(wide) + 2 * len(wide) + max(map(len, times)) <= WIDTH:
        rows = [[*row[: len(head)], time, *row[len(head) :]] for row, time in zip(rows, times, strict=True)]
        wide.insert(len(head), max(map(len, times)))
    aligned = ["<"] * len(head) + [">"] * (len(wide) - len(head))
    return "\n".join(
        "  ".join(f"{cell:{side}{w}}" for cell, side, w in zip(row, aligned, wide, strict=True)) for row in rows
    )


def _label(row: Mapping[Any, Any], column: str) -> str:
    if column == "engine":
        return _engine(row)
    return size_name(row[column]) if column == "bytes" else str(row[column])


def _number(value: float) -> str:
    """Format a number with two decimals, or with two significant digits below 0.1."""
    return "-" if isnan(value) else f"{value:.2f}" if value >= 0.1 else significant(value, 2)


def _engine(row: Mapping[Any, Any]) -> str:
    """Return the engine in the few characters of a column: ``whole``, or ``64 KiB x2 static`` for ParSplit."""
    if row["engine"] != "parsplit":
        return f"{row['engine']}{'' if row['placement'] == 'separate' else ' in place'}"
    return f"{size_name(row['block_size'])} x{row['threads']} {row['schedule']}"
