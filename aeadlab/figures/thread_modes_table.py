"""What figures of run times with two modes are drawn from: a row per thread count, schedule and number of blocks."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from pandas import DataFrame

from aeadlab.errors import EmptyFigureError
from aeadlab.figures.plain import plain
from aeadlab.stats import mode_ratio, modes, share_interval, upper_count
from aeadlab.stats.selection import usable
from aeadlab.stealing import busiest

COLUMNS: Final = (
    "implementation", "schedule", "threads", "bytes", "block_size", "blocks", "status", "n", "seconds", "over_even",
    "p95_over_median", "kind", "lower_seconds", "upper_seconds", "ratio", "ratio_low", "ratio_high", "upper_share",
    "upper_share_low", "upper_share_high", "predicted_ratio",
)  # fmt: skip

HALVING: Final = ("rayon", "rayon-new-pool", "rayon-pinned", "rayon-late")
"""Schedules of which `aeadlab.stealing.busiest` says how far the modes are apart."""

_BY: Final = ["implementation", "schedule", "threads", "bytes", "block_size"]


def mode_table(samples: DataFrame) -> DataFrame:
    """Tabulate the cases under ParSplit by thread count, with their modes.

    Parameters
    ----------
    samples
        One row per sample, as a record gives when it is loaded: separate buffers, warm caches, nothing masked,
        replica 0.

    Returns
    -------
    DataFrame
        One row per case: `COLUMNS`. Times in seconds. ``over_even`` is the median over that of one thread, divided
        evenly; ``kind`` and the modes are those of `aeadlab.stats.modes` with ``rare=True``; intervals are of 95 %,
        that of the ratio from the medians' with half the error each, that of the share Clopper's and Pearson's;
        ``predicted_ratio`` is `aeadlab.stealing.busiest` where the schedule halves as Rayon does. NaN for what is not
        known.

    Raises
    ------
    aeadlab.errors.EmptyFigureError
        If no case is under ParSplit.
    """
    rows = plain(samples, largest=False)
    split = rows[rows["engine"] == "parsplit"]
    if split.empty:
        raise EmptyFigureError("the samples hold no case under ParSplit: measure the study thread-modes")
    counted = usable(split, [*_BY, "order", "seconds"])
    times = {key: group for key, group in counted.groupby(_BY, observed=True)}
    found = []
    for key, group in split.groupby(_BY, observed=True, sort=True):
        own = times.get(key)
        status = sorted(group["status"].unique())[0]
        found.append(dict(zip(_BY, key, strict=True)) | {"status": status} | _numbers(key, own))
    table = DataFrame(found)
    table["over_even"] = table["seconds"] / _even(table)
    return table[list(COLUMNS)]


def _numbers(key: tuple[Any, ...], own: DataFrame | None) -> dict[str, Any]:
    _, schedule, threads, length, block = key
    blocks = max(-(-length // block), 1)
    nan = float("nan")
    predicted = busiest(threads, blocks) if schedule in HALVING else nan
    facts = {"blocks": blocks, "predicted_ratio": predicted, "n": 0 if own is None else len(own)}
    if own is None or own.empty:
        names = ("seconds", "p95_over_median", "lower_seconds", "upper_seconds", *_MODE_NAMES)
        return facts | dict.fromkeys(names, nan) | {"kind": ""}
    seconds = own["seconds"].to_numpy(np.float64)
    median = float(np.median(seconds))
    spread = float(np.quantile(seconds, 0.95)) / median
    facts |= {"seconds": median, "p95_over_median": spread}
    return facts | _modes(seconds, own["order"].to_numpy(np.float64))


_MODE_NAMES: Final = ("ratio", "ratio_low", "ratio_high", "upper_share", "upper_share_low", "upper_share_high")


def _modes(seconds: NDArray[np.float64], order: NDArray[np.float64]) -> dict[str, Any]:
    found = modes(seconds, order, rare=True)
    nan = float("nan")
    numbers: dict[str, Any] = dict.fromkeys(("lower_seconds", "upper_seconds", *_MODE_NAMES), nan)
    numbers["kind"] = found.kind
    if found.kind != "two":
        return numbers
    ratio, share = mode_ratio(seconds, found), share_interval(upper_count(seconds, found), seconds.size)
    return (
        numbers
        | dict(zip(("lower_seconds", "upper_seconds"), found.medians, strict=True))
        | dict(zip(_MODE_NAMES, (*ratio, *share), strict=True))
    )


def _even(table: DataFrame) -> NDArray[np.float64]:
    """The time of one thread, a byte, divided by the threads: the least over schedules, which differ by waking."""
    alone = table[table["threads"] == 1]
    each = (alone["seconds"] / alone["bytes"]).groupby(alone["implementation"]).min()
    per_byte = table["implementation"].map(each).to_numpy(np.float64)
    even: NDArray[np.float64] = per_byte * table["bytes"].to_numpy(np.float64) / table["threads"].to_numpy(np.float64)
    return even
