"""The table of run times with two modes: one row per thread count, schedule and block count."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from pandas import DataFrame, Series

from aeadlab.errors import EmptyFigureError
from aeadlab.stats import disturbed, in_upper_mode, mode_ratio, modes, share_interval
from aeadlab.stats.selection import default_cases, usable
from aeadlab.studies.thread_modes.stealing import levels

COLUMNS: Final = (
    "implementation", "schedule", "threads", "bytes", "block_size", "blocks", "status", "n", "undisturbed", "seconds",
    "over_even", "p95_over_median", "undisturbed_p95_over_median", "kind", "lower_seconds", "upper_seconds", "ratio",
    "ratio_low", "ratio_high", "upper_share", "upper_share_low", "upper_share_high", "predicted_over_even",
    "predicted_ratio",
)  # fmt: skip

HALVING: Final = {"rayon": 0.0, "rayon-new-pool": 0.0, "rayon-pinned": 0.0, "rayon-late": 0.5, "rayon-too-late": 1.5}
"""Schedules whose modes `aeadlab.studies.thread_modes.stealing.levels` predicts, and the delay of steals in leaves."""

_LEVELS: Final = ("lower_seconds", "upper_seconds")
_MODES: Final = ("ratio", "ratio_low", "ratio_high", "upper_share", "upper_share_low", "upper_share_high")
_BY: Final = ["implementation", "schedule", "threads", "bytes", "block_size", "op", "model"]


def mode_table(
    samples: DataFrame, schedules: Collection[str] | None = None, *, modes_of: Collection[int] | None = None
) -> DataFrame:
    """Tabulate the cases under ParSplit by thread count, with their modes.

    ``over_even`` is the median relative to the median of one thread divided by the thread count. ``kind`` and the
    modes are those of `aeadlab.stats.modes` for the samples that `aeadlab.stats.disturbed` keeps
    (``undisturbed`` of ``n``). The intervals have the process as their unit (`aeadlab.stats.mode_intervals`); with
    fewer than three processes they hold within these. ``predicted_over_even`` (of the lower mode) and
    ``predicted_ratio`` are those of `aeadlab.studies.thread_modes.stealing.levels` where the schedule splits in halves
    as Rayon does.

    Parameters
    ----------
    schedules
        None means all.
    modes_of
        Thread counts whose modes are searched, which takes most of the time; None means all. Of others ``kind`` is
        empty, and the columns of modes are NaN.
    """
    rows = default_cases(samples, largest=False)
    split = rows[rows["engine"] == "parsplit"]
    one_thread = _one_thread_seconds(split)
    if schedules is not None:
        split = split[split["schedule"].isin(list(schedules))]
    if split.empty:
        which = f" with schedule {' or '.join(schedules)}" if schedules else ""
        raise EmptyFigureError(f"the samples hold no case under ParSplit{which}: measure the study thread-modes")
    columns = [*_BY, "order", "process", "seconds"]
    timed = usable(split, columns)[columns]
    # A disturbance is detected from all samples of the run, whatever their case.
    timed = timed.assign(disturbed=disturbed(samples).reindex(timed.index).astype(bool))
    times = {key: group for key, group in timed.groupby(_BY, observed=True)}
    table_rows = []
    for key, group in split.groupby(_BY, observed=True, sort=True):
        status = sorted(group["status"].unique())[0]
        case = dict(zip(_BY, key, strict=True))
        with_modes = modes_of is None or key[_BY.index("threads")] in modes_of
        table_rows.append(case | {"status": status} | _numbers(key, times.get(key), with_modes))
    table = DataFrame(table_rows)
    even = table["implementation"].map(one_thread).to_numpy(np.float64) * table["bytes"] / table["threads"]
    table["over_even"] = table["seconds"] / even
    return table[list(COLUMNS)]


def _numbers(key: tuple[Any, ...], own: DataFrame | None, with_modes: bool) -> dict[str, Any]:
    _, schedule, threads, length, block, *_ = key
    blocks = max(-(-length // block), 1)
    nan = float("nan")
    predicted = levels(threads, blocks, late=HALVING[schedule]) if schedule in HALVING else None
    numbers: dict[str, Any] = {
        "blocks": blocks,
        "predicted_over_even": nan if predicted is None else predicted.lower,
        "predicted_ratio": nan if predicted is None else predicted.ratio,
        "n": 0,
        "undisturbed": 0,
        "kind": "",
    }
    numbers |= dict.fromkeys(("seconds", "p95_over_median", "undisturbed_p95_over_median", *_LEVELS, *_MODES), nan)
    if own is None or own.empty:
        return numbers
    seconds = own["seconds"].to_numpy(np.float64)
    numbers |= {"n": len(own), "seconds": float(np.median(seconds)), "p95_over_median": _spread(seconds)}
    undisturbed = own[~own["disturbed"]]
    seconds = undisturbed["seconds"].to_numpy(np.float64)
    numbers |= {"undisturbed": len(undisturbed), "undisturbed_p95_over_median": _spread(seconds)}
    if undisturbed.empty or not with_modes:
        return numbers | {"kind": "" if len(undisturbed) else "too few"}
    result = modes(seconds, undisturbed["order"], undisturbed["process"])
    numbers |= {"kind": result.kind}
    if result.kind == "two":
        process = undisturbed["process"].to_numpy(np.int64)
        share = share_interval(in_upper_mode(seconds, result), process)
        ratio = mode_ratio(seconds, result, process)
        numbers |= dict(zip((*_LEVELS, *_MODES), (*result.medians, *ratio, *share), strict=True))
    return numbers


def _spread(seconds: NDArray[np.float64]) -> float:
    return float(np.quantile(seconds, 0.95) / np.median(seconds)) if seconds.size else float("nan")


def _one_thread_seconds(split: DataFrame) -> Series:
    """Return seconds per byte of one thread by implementation: the smallest median over schedules."""
    one = usable(split[split["threads"] == 1], [*_BY, "seconds"])
    medians = (one["seconds"] / one["bytes"]).groupby([one["implementation"], one["schedule"]], observed=True).median()
    fastest: Series = medians.groupby(level=0, observed=True).min()
    return fastest
