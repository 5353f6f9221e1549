"""Coverage, false positives and power of the public procedures, by simulation with fixed seeds.

The rates are shares of runs. Every procedure is called as users call it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from aeadlab import stats
from aeadlab.bench.case import Case
from aeadlab.stats.noise_floor import MARGIN, NoiseFloor
from aeadlab.stats.ranking import ranking
from aeadlab.verdicts.claim import Claim
from aeadlab.verdicts.evaluation import evaluate_all
from aeadlab.verdicts.evidence import Evidence
from aeadlab.verdicts.pairs import Operation, smallest_ratio
from aeadlab.verdicts.ranges import above
from tools.calibrate.models import MODELS, WITHOUT_MEDIAN, Floats, true_median

TRUE_RATIO = 1.03
EQUAL_IMPLEMENTATIONS = 20
FLOOR = NoiseFloor(MARGIN, 0)


@dataclass(frozen=True)
class Design:
    """The numbers of processes and of rounds in each, and those of simulated runs of fast and of slow procedures."""

    processes: int
    rounds: int
    runs: int
    slow_runs: int

    @property
    def indices(self) -> tuple[Floats, Floats]:
        """Round and process of each sample, in order."""
        process = np.repeat(np.arange(self.processes), self.rounds)
        return np.arange(process.size), process


def simulate(name: str, design: Design) -> dict[str, float]:
    """Return the rates of all procedures under a model; NaN where a rate is not defined."""
    model, rng = MODELS[name], np.random.default_rng([len(name), design.processes, design.rounds])
    round, process = design.indices
    median = float("nan") if name in WITHOUT_MEDIAN else np.exp(true_median(model))
    covered, covered_median, found, widths = [], [], [], []
    for _ in range(design.runs):
        a, b = np.exp(model(rng, 2, design.processes, design.rounds)).reshape(2, -1)
        _, low, high = stats.ratio_interval(b, a, round, process)
        covered.append(low <= 1 <= high)
        widths.append(high - low)
        # Multiplied by a constant, both ends of the interval are.
        found.append(TRUE_RATIO * low > FLOOR.high)
        _, low, high = stats.median_interval(a, round, process)
        covered_median.append(low <= median <= high)
    shape = EQUAL_IMPLEMENTATIONS, design.processes, design.rounds
    slow = [_slow(model(rng, *shape), design) for _ in range(design.slow_runs)]
    return {
        "coverage of a ratio": float(np.mean(covered)),
        "coverage of a median": float("nan") if name in WITHOUT_MEDIAN else float(np.mean(covered_median)),
        "width of a ratio's interval": float(np.median(widths)),
        "power, 3 %": float(np.mean(found)),
        **{key: float(np.mean([run[key] for run in slow])) for key in slow[0]},
    }


def _slow(logs: Floats, design: Design) -> dict[str, bool]:
    """Return for one run whether each procedure wrongly finds something in the times of equal implementations."""
    samples = _frame(logs, design)
    first, second = (samples[samples["implementation"] == f"equal/{number:02}"] for number in (0, 1))
    findings = evaluate_all([_CLAIM], {"study": ("record", Evidence(pd.concat([first, second]), "study", cores=2))})
    trend = stats.drift(first["seconds"], first["order"], first["process"])
    return {
        "false difference": stats.compare(first, second, FLOOR).verdict != "no credible difference",
        "false verdict of a claim": findings[0].verdict != "inconclusive",
        "false places": ranking(samples, ["op", "bytes"], _preset).table["place"].max() > 1,
        "drift found": trend.found,
    }


def _preset(cases: pd.DataFrame) -> Floats:
    return np.full(len(cases), MARGIN)


_CLAIM = Claim(
    "document", "key", "place", "statement", "ratio", "study",
    smallest_ratio([(Operation("equal/01", "seal"), Operation("equal/00", "seal"))]), above(1), "",
)  # fmt: skip
"""The claim that one of two equal implementations is slower: every verdict on it is false."""


def _frame(logs: Floats, design: Design) -> pd.DataFrame:
    """Return log times of shape (cases, processes, rounds) as the samples of a record."""
    round, process = design.indices
    names = [f"equal/{number:02}" for number in range(len(logs))]
    case = Case(names[0], "seal", 64 << 20).row()
    facts = {"library": "equal", "algorithm": "equal", "kind": "aead", "status": "ok", "warmup": False}
    index = {"round": np.tile(round, len(names)), "process": np.tile(process, len(names))}
    seconds = np.exp(logs).ravel()
    order = {"order": np.concatenate([round * len(names) + k for k in range(len(names))])}
    return pd.DataFrame(
        {**case, **facts, **index, **order, "implementation": np.repeat(names, round.size), "seconds": seconds}
    )
