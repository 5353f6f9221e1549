"""The dimensions of a case: the one declaration that records, tables, filters and names of cases follow.

A new dimension is an entry here, a field of `aeadlab.bench.case.Case`, and the code that applies it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from aeadlab.display.units import size_name

_ENGINES: Final = {"whole": "whole message", "parsplit": "ParSplit", "python": "from Python", "cells": "cell by cell"}


@dataclass(frozen=True)
class Dimension:
    """One dimension of a case, and a column of records.

    Attributes
    ----------
    name
        Of the column and of the field of a case.
    default
        Value of cases that do not set it, and of records without the column; None if there is none.
    heading
        Of a column in tables; ``""`` stands for the name.
    words
        A value in words, ``""`` for one that is left out.
    condition
        Whether it is a condition of the measurement: labels of cases omit its default, and most figures contain only
        cases with the default.
    changes_result
        Whether the output depends on it. Results of cases that agree in these dimensions are compared.
    changes_limit
        Whether the speed of memory depends on it. The memory limit of a case agrees with it in these dimensions.
    """

    name: str
    default: Any = None
    heading: str = ""
    words: Callable[[Any], str] = str
    condition: bool = False
    changes_result: bool = False
    changes_limit: bool = False


DIMENSIONS: Final = (
    Dimension("implementation"),
    Dimension("engine", "whole", words=lambda engine: _ENGINES.get(engine, engine), changes_result=True),
    Dimension("model", "keyed"),
    Dimension("op", changes_result=True),
    Dimension(
        "bytes", heading="size", words=lambda size: size_name(int(size)), changes_result=True, changes_limit=True
    ),
    Dimension(
        "block_size",
        0,
        heading="blocks",
        words=lambda size: f"blocks of {size_name(int(size))}" if size else "",
        changes_result=True,
    ),
    Dimension("threads", 1, words=lambda count: "1 thread" if count == 1 else f"{count} threads", changes_limit=True),
    Dimension("schedule", ""),
    Dimension("tags", "concatenated", words=lambda tags: f"{tags} tags", condition=True, changes_result=True),
    Dimension(
        "placement",
        "separate",
        words=lambda placement: placement.replace("-", " "),
        condition=True,
        changes_result=True,
        changes_limit=True,
    ),
    Dimension(
        "aad_bytes",
        0,
        heading="associated data",
        words=lambda size: f"{size_name(int(size))} of associated data" if size else "",
        condition=True,
        changes_result=True,
    ),
    Dimension(
        "cache", "warm", heading="caches", words=lambda cache: f"{cache} caches", condition=True, changes_limit=True
    ),
    Dimension(
        "mask", "", heading="hidden features", words=lambda mask: f"without {mask}" if mask else "", condition=True
    ),
    Dimension("replica", 0, words=lambda replica: "A/A" if replica else "", condition=True),
)

BY_NAME: Final = {dimension.name: dimension for dimension in DIMENSIONS}
NAMES: Final = tuple(BY_NAME)
BASELINE: Final = "baseline/"
"""Start of the names of baselines, such as memcpy, which protect nothing and which memory limits."""

DEFAULT_CONDITIONS: Final = {dimension.name: dimension.default for dimension in DIMENSIONS if dimension.condition}
"""Separate buffers, no associated data, warm caches, no mask, and the first arm of an A/A pair."""
