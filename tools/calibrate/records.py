"""A/A tests of real records: two cases whose times are exchanged at random, so that any difference is false."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from aeadlab import stats
from aeadlab.records.reading import load_record
from aeadlab.stats.noise_floor import driving_class
from aeadlab.stats.pairing import round_times
from aeadlab.stats.processes import FEWEST, successive_correlation
from aeadlab.stats.selection import CASE_COLUMNS, usable
from tools.calibrate.models import Floats
from tools.calibrate.procedures import FLOOR

PAIRS = 400
"""Largest number of pairs of cases of one record."""


def exchanged(path: Path) -> dict[str, float]:
    """Return coverage and false differences for pairs of cases of one driving class in a record.

    The times of a pair are exchanged within rounds, which leaves no difference of any kind, or within whole processes,
    which leaves the differences between processes. The correlation is that of successive processes' median log ratios,
    without the exchange: the mean over the pairs of estimates corrected for their bias (Kendall).
    """
    samples = load_record(path).samples
    rates: dict[str, list[tuple[bool, bool]]] = {"rounds": [], "processes": []}
    rng = np.random.default_rng(1)
    counts, correlations = [], []
    for over, under, round, process in _pairs(samples, rng):
        _, number = np.unique(process, return_inverse=True)
        counts.append(number.max() + 1)
        signs = {"rounds": rng.random(round.size) < 0.5, "processes": (rng.random(counts[-1]) < 0.5)[number]}
        correlations.append(_correlation(np.log(over / under), number))
        for unit, exchange in signs.items():
            a, b = np.where(exchange, over, under), np.where(exchange, under, over)
            _, low, high = stats.ratio_interval(a, b, round, process)
            false = stats.verdict(low, high, FLOOR, int(counts[-1])) != "no credible difference"
            rates[unit].append((low <= 1 <= high, false))
    result = {"pairs": float(len(counts))} | {
        name: float(mean(values)) if values else float("nan")
        for name, mean, values in (("processes", np.median, counts), ("correlation", np.nanmean, correlations))
    }
    for unit, found in rates.items():
        means = np.mean(found, axis=0) if found else np.full(2, np.nan)
        names = f"coverage, {unit} exchanged", f"false differences, {unit} exchanged"
        result |= dict(zip(names, means.tolist(), strict=True))
    return result


def _correlation(logs: Floats, process: NDArray[np.intp]) -> float:
    medians = np.array([np.median(logs[process == number]) for number in range(process.max() + 1)])
    centred = medians - medians.mean()
    if not centred.any():
        return float("nan")
    products = (centred[1:] * centred[:-1]).sum()
    return float(successive_correlation((centred**2).sum(), products, medians.size))


def _pairs(samples: pd.DataFrame, rng: np.random.Generator) -> Iterator[tuple[Floats, Floats, Floats, Floats]]:
    by = list(CASE_COLUMNS)
    rows = usable(samples, [*by, "process", "round", "seconds"])
    rows = rows.assign(case=rows.groupby(by, observed=True).ngroup(), group=driving_class(rows))
    times = round_times(rows, ["case"]).pivot(index=["process", "round"], columns="case", values="seconds")
    classes = rows.drop_duplicates("case").groupby("group")["case"]
    pairs = [pair for _, cases in classes for pair in combinations(sorted(cases), 2)]
    for index in rng.permutation(len(pairs))[:PAIRS]:
        both = times[list(pairs[index])].dropna()
        process = both.index.get_level_values("process").to_numpy()
        if np.unique(process).size >= FEWEST:
            # In ratio to their medians, since the ratio of two cases may be far from 1.
            over, under = (both / both.median()).to_numpy().T
            yield over, under, both.index.get_level_values("round").to_numpy(), process
