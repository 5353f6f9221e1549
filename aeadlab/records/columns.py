"""The columns of a record: their types, the values that they may have, and those that older records lack."""

from __future__ import annotations

from typing import Final, get_args

import pyarrow as pa

from aeadlab.bench.case import Cache, Engine, Model, Op, Placement, Tags
from aeadlab.dimensions import DIMENSIONS

TEXTS: Final = (
    *("implementation", "library", "algorithm", "kind", "engine", "model", "op"),
    *("schedule", "tags", "placement", "cache", "mask", "flags", "status"),
)
"""Columns of text, in any order; the others are `INTEGERS` and ``warmup``, which is bool."""

INTEGERS: Final = {
    **{"order": -1, "round": -1, "threads": 1},
    **dict.fromkeys(("bytes", "block_size", "aad_bytes", "replica", "batch", "process"), 0),
    **dict.fromkeys(("wall_ns", "cpu_ns", "tsc_ticks"), 0),
    **dict.fromkeys(("minor_faults", "major_faults", "voluntary_switches", "involuntary_switches"), 0),
}
"""The smallest value of each column of 64-bit integers. The largest is `LARGEST`."""
LARGEST: Final = 1 << 53
"""104 days in nanoseconds; larger integers are not exact as floating-point numbers."""

CHOICES: Final = {
    "engine": get_args(Engine),
    "model": get_args(Model),
    "op": get_args(Op),
    "placement": get_args(Placement),
    "cache": get_args(Cache),
    "tags": get_args(Tags),
}
"""All values of a column of text."""

TYPES: Final = {
    **dict.fromkeys(TEXTS, pa.dictionary(pa.int32(), pa.string())),
    **dict.fromkeys(INTEGERS, pa.int64()),
    "warmup": pa.bool_(),
}
"""The Arrow type of each column as it is read: text is a dictionary, so that a text is in memory once."""

OPTIONAL: Final = {"flags": "", **{d.name: d.default for d in DIMENSIONS if d.default is not None}}
"""Values of the columns that a record of an older version may lack."""
