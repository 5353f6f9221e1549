"""Parts of the sentences with which a study answers its question from a record.

Tables are typed ``Any``, because the types of pandas do not know the columns of a row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from aeadlab.display.names import in_words
from aeadlab.display.units import duration, interval, significant
from aeadlab.errors import ArgumentError
from aeadlab.stats.compare import ratio
from aeadlab.stats.processes import joint_level
from aeadlab.stats.selection import default_cases, samples_of


def rows_of(table: Any, **values: Any) -> Any:
    """Return the rows with these values, the fastest first; of a table with a status those of successful cases."""
    for column, value in values.items():
        table = table[table[column].isin(value if isinstance(value, list | tuple) else [value])]
    if "status" in table:
        table = table[table["status"] == "ok"]
    return table.sort_values("seconds", kind="stable") if "seconds" in table else table


def libraries(table: Any) -> Any:
    """Return the rows of a table that are of no baseline."""
    return table[~table["implementation"].str.partition("/")[0].isin(["baseline", "numba"])]


def timed(row: Any) -> str:
    """Return the time of a row with its interval: ``117.0 ms (113.2 to 125.0)``."""
    time, within = duration(row.seconds, row.seconds_low, row.seconds_high)
    return f"{time} ({within})" if within else time


def number(row: Any, column: str, unit: str = "") -> str:
    """Return a number of a row with its interval: ``30.8 % (24.6 to 37.4)``."""
    low, high = (getattr(row, f"{column}{end}", float("nan")) for end in ("_low", "_high"))
    within = interval(low, high)
    text = f"{significant(getattr(row, column))}{unit}"
    return f"{text} ({within})" if within else text


def over(samples: Any, case: Any, reference: Any, confidence: float) -> str:
    """Return the time of a row's case over that of another row, with an interval: ``1.07 (1.02 to 1.12)``.

    Where the samples choose the two of several cases, the level has to hold for all pairs or ratios at once
    (`aeadlab.stats.confidence_of_chosen`, `aeadlab.stats.processes.joint_level`). Without a round that has both, or
    where the row names several cases, the text is the ratio of the medians.
    """
    rows = default_cases(samples, largest=False, ignore=["mask"])
    case, reference = (
        {"mask": ""} | dict(row if isinstance(row, Mapping) else row._asdict()) for row in (case, reference)
    )
    try:
        found = ratio(samples_of(rows, reference), samples_of(rows, case), confidence)
    except ArgumentError:
        return significant(case["seconds"] / reference["seconds"])
    within = interval(found.low, found.high)
    return f"{significant(found.ratio)} ({within})" if within else significant(found.ratio)


def range_over(samples: Any, pairs: Sequence[tuple[Any, Any]]) -> str:
    """Return the smallest and the largest of the time ratios of pairs of rows, as `over`: ``1.07 (…) to 2.3 (…)``.

    The two are those of the medians. The samples choose them, so their intervals have the level of all pairs at once.
    """
    level = joint_level(len(pairs))
    ascending = sorted(pairs, key=lambda pair: pair[0]["seconds"] / pair[1]["seconds"])
    ends = [over(samples, *pair, level) for pair in (ascending[0], ascending[-1])]
    return " to ".join(ends[: len(pairs)])


def named(row: Any) -> str:
    """Return the implementation of a row in words."""
    return in_words(row.implementation)


def listed(words: list[str], most: int = 4) -> str:
    """Return words joined by commas and *and*; further ones are counted."""
    words = [*words[:most], f"{len(words) - most} more"] if len(words) > most else words
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
