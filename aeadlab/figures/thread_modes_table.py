"""What figures of run times with two modes are drawn from: a row per thread count, schedule and number of blocks."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from pandas import DataFrame, Series

from aeadlab.errors import EmptyFigureError
from aeadlab.figures.plain import plain
from aeadlab.stats import disturbed, mode_ratio, modes, share_interval, upper_count
from aeadlab.stats.selection import usable
from aeadlab.stealing import levels

COLUMNS: Final = (
    "implementation", "schedule", "threads", "bytes", "block_size", "blocks", "status", "n", "undisturbed", "seconds",
    "over_even", "p95_over_median", "undisturbed_p95_over_median", "kind", "lower_seconds", "upper_seconds", "ratio",
    "ratio_low", "ratio_high", "upper_share", "upper_share_low", "upper_share_high", "predicted_over_even",
    "predicted_ratio",
)  # fmt: skip

HALVING: Final = {"rayon": 0.0, "rayon-new-pool": 0.0, "rayon-pinned": 0.0, "rayon-late": 0.5, "rayon-too-late": 1.5}
"""Schedules of which `aeadlab.stealing.levels` says what their modes are, and the leaves for which thieves are held."""

_LEVELS: Final = ("lower_seconds", "upper_seconds")
_MODES: Final = ("ratio", "ratio_low", "ratio_high", "upper_share", "upper_share_low", "upper_share_high")
_BY: Final = ["implementation", "schedule", "threads", "bytes", "block_size", "op", "model"]


def mode_table(samples: DataFrame, schedules: Collection[str] | None = None) -> DataFrame:
    """Tabulate the cases under ParSplit by thread count, with their modes.

    Parameters
    ----------
    samples
        One row per sample, as a record gives when it is loaded: separate buffers, warm caches, nothing masked,
        replica 0.
    schedules
        Which ones; None means all.

    Returns
    -------
    DataFrame
        One row per case: `COLUMNS`. Times in seconds. ``over_even`` is the median over that of one thread, divided
        evenly; ``kind`` and the modes are those of `aeadlab.stats.modes`, of the samples that `aeadlab.stats.disturbed`
        does not set aside (``undisturbed`` of ``n``); rare ones are looked for with every schedule; intervals are of
        95 %, that of the ratio from the medians' with half the error each, that of the share Clopper's and Pearson's;
        ``predicted_over_even`` (of the lower mode) and ``predicted_ratio`` are those of `aeadlab.stealing.levels` where
        the schedule halves as Rayon does. NaN for what is not known.

    Raises
    ------
    aeadlab.errors.EmptyFigureError
        If no case is under ParSplit.
    """
    rows = plain(samples, largest=False)
    split = rows[rows["engine"] == "parsplit"]
    alone = _alone(split)
    if schedules is not None:
        split = split[split["schedule"].isin(list(schedules))]
    if split.empty:
        which = f" with schedule {' or '.join(schedules)}" if schedules else ""
        raise EmptyFigureError(f"the samples hold no case under ParSplit{which}: measure the study thread-modes")
    counted = usable(split, [*_BY, "order", "seconds"])
    # Whatever else ran has a say as well, on the whole message or masked.
    counted = counted.assign(disturbed=disturbed(samples).reindex(counted.index))
    times = {key: group for key, group in counted.groupby(_BY, observed=True)}
    found = []
    for key, group in split.groupby(_BY, observed=True, sort=True):
        own = times.get(key)
        status = sorted(group["status"].unique())[0]
        found.append(dict(zip(_BY, key, strict=True)) | {"status": status} | _numbers(key, own))
    table = DataFrame(found)
    even = table["implementation"].map(alone).to_numpy(np.float64) * table["bytes"] / table["threads"]
    table["over_even"] = table["seconds"] / even
    return table[list(COLUMNS)]


def _numbers(key: tuple[Any, ...], own: DataFrame | None) -> dict[str, Any]:
    _, schedule, threads, length, block, *_ = key
    blocks = max(-(-length // block), 1)
    nan = float("nan")
    known = levels(threads, blocks, late=HALVING[schedule]) if schedule in HALVING else None
    facts: dict[str, Any] = {
        "blocks": blocks,
        "predicted_over_even": nan if known is None else known.lower,
        "predicted_ratio": nan if known is None else known.ratio,
        "n": 0,
        "undisturbed": 0,
        "kind": "",
    }
    facts |= dict.fromkeys(("seconds", "p95_over_median", "undisturbed_p95_over_median", *_LEVELS, *_MODES), nan)
    if own is None or own.empty:
        return facts
    seconds = own["seconds"].to_numpy(np.float64)
    facts |= {"n": len(own), "seconds": float(np.median(seconds)), "p95_over_median": _spread(seconds)}
    quiet = own[~own["disturbed"].astype(bool)]
    seconds, order = quiet["seconds"].to_numpy(np.float64), quiet["order"].to_numpy(np.float64)
    facts |= {"undisturbed": len(quiet), "undisturbed_p95_over_median": _spread(seconds)}
    if quiet.empty:
        return facts | {"kind": "too few"}
    found = modes(seconds, order, rare=True, brief=True)
    facts |= {"kind": found.kind}
    if found.kind == "two":
        share = share_interval(upper_count(seconds, found), seconds.size)
        facts |= dict(zip((*_LEVELS, *_MODES), (*found.medians, *mode_ratio(seconds, found), *share), strict=True))
    return facts


def _spread(seconds: NDArray[np.float64]) -> float:
    return float(np.quantile(seconds, 0.95) / np.median(seconds)) if seconds.size else float("nan")


def _alone(split: DataFrame) -> Series:
    """Seconds per byte of one thread by implementation: the least median over schedules, which differ by waking."""
    one = usable(split[split["threads"] == 1], [*_BY, "seconds"])
    medians = (one["seconds"] / one["bytes"]).groupby([one["implementation"], one["schedule"]], observed=True).median()
    found: Series = medians.groupby(level=0, observed=True).min()
    return found
