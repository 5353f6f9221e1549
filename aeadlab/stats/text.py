"""The medians of a record as a table for a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan
from typing import Any

import pandas as pd

from aeadlab import dimensions
from aeadlab.display.conditions import HEADINGS, shared, varied
from aeadlab.display.terminal import WIDTH, fill
from aeadlab.display.units import count_noun, duration, significant, size_name
from aeadlab.errors import ArgumentError
from aeadlab.stats.ablation import mask_ratios
from aeadlab.stats.interval import within_processes
from aeadlab.stats.medians import medians

_CASE = list(dimensions.NAMES)
_ENGINE = ("engine", "block_size", "threads", "schedule", "placement")
"""Conditions that share one column."""
_HEADINGS = {"mask": "mask", "aad_bytes": "associated"}
"""Headings that are shorter than those of `HEADINGS`."""


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
    if equal := int((table["gib_per_s_low"] == table["gib_per_s_high"]).sum()):
        lines.append(fill(f"{count_noun(equal, 'case')} with equal samples, whose interval has no width"))
    if few := within_processes(int(table["processes"].max())):
        lines.append(fill(few))
    return "\n".join(lines)


# Headings and columns. Under a mask the interval is that of the ratio, since both do not fit into 80 columns.
_PLAIN = {"GiB/s": "gib_per_s", "from": "gib_per_s_low", "to": "gib_per_s_high"}
_MASKED = {"GiB/s": "gib_per_s", "ratio": "ratio", "from": "ratio_low", "to": "ratio_high"}


def _table(table: pd.DataFrame, columns: Sequence[str], numbers: Mapping[str, str]) -> str:
    texts = {heading: [number(value) for value in table[column]] for heading, column in numbers.items()}
    times = {"time": [duration(seconds)[0] for seconds in table["seconds"]]}
    counts = {"n": [str(n) for n in table["n"]]}
    lines = case_lines(table, columns, {**times, **texts, **counts})
    if len(lines[0]) > WIDTH:
        lines = case_lines(table, columns, {**texts, **counts})
    return "\n".join(lines)


def case_lines(
    table: pd.DataFrame, columns: Sequence[str], numbers: Mapping[str, Sequence[str]], gap: int = 2
) -> list[str]:
    """Return a line with the headings and one for each case, all of the same width.

    Parameters
    ----------
    table
        Cases with ``implementation`` and `CONDITIONS`.
    columns
        The conditions to show; those of the engine share one column.
    numbers
        Headings of further columns, each with one text for each case.
    gap
        Spaces between columns.
    """
    labels = list(dict.fromkeys("engine" if column in _ENGINE else column for column in columns))
    named = {"implementation": table["implementation"].tolist()}
    cases = table.to_dict("records")
    shows_schedule = "schedule" in columns
    for label in labels:
        heading = _HEADINGS.get(label) or HEADINGS.get(label, label)
        named[heading] = [_label(case, label, shows_schedule) for case in cases]
    texts = [[heading, *cells] for heading, cells in {**named, **numbers}.items()]
    sides = ["<"] * len(named) + [">"] * len(numbers)
    wide = [max(map(len, cells)) for cells in texts]
    return [
        (" " * gap).join(f"{cell:{side}{w}}" for cell, side, w in zip(row, sides, wide, strict=True))
        for row in zip(*texts, strict=True)
    ]


def _label(row: Mapping[Any, Any], column: str, shows_schedule: bool) -> str:
    if column == "engine":
        return _engine(row, shows_schedule)
    return size_name(row[column]) if column in ("bytes", "aad_bytes") else str(row[column])


def number(value: float) -> str:
    """Format a number with two decimals, or with two significant digits below 0.1."""
    return "-" if isnan(value) else f"{value:.2f}" if value >= 0.1 else significant(value, 2)


def _engine(row: Mapping[Any, Any], shows_schedule: bool) -> str:
    """Return the engine in the few characters of a column: ``whole x2``, or ``64 KiB x2 static`` for ParSplit."""
    place = "" if row["placement"] == "separate" else " in place"
    if row["engine"] == "parsplit":
        schedule = f" {row['schedule']}" if shows_schedule else ""
        return f"{size_name(row['block_size'])} x{row['threads']}{schedule}{place}"
    blocks = f" {size_name(row['block_size'])}" if row["block_size"] else ""
    threads = f" x{row['threads']}" if row["threads"] > 1 else ""
    return f"{row['engine']}{blocks}{threads}{place}"
