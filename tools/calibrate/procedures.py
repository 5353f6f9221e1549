"""Coverage, false positives and power of the public procedures, by simulation with fixed seeds.

Every procedure is called as users call it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from aeadlab import stats
from aeadlab.bench.case import Case
from aeadlab.stats.noise_floor import MARGIN, NoiseFloor
from aeadlab.stats.ranking import ranking
from aeadlab.stats.rows import with_verdicts
from aeadlab.stats.unpaired import against_noise, unpaired_rows
from aeadlab.verdicts.claim import Claim
from aeadlab.verdicts.evaluation import evaluate_all
from aeadlab.verdicts.evidence import Evidence
from aeadlab.verdicts.pairs import Operation, smallest_ratio
from aeadlab.verdicts.ranges import above
from tools.calibrate.models import MODELS, WITHOUT_MEDIAN, Floats, true_median

TRUE_RATIO = 1.03
TREND = 1.1
CORRECTED = 0.999
"""Level of one of about fifty verdicts that hold at once."""
UPPER_MODE, UPPER_SHARE = 1.25, 0.12
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


@dataclass(frozen=True)
class Rates:
    """Shares of runs: coverage and false findings in times of equal code, and findings of an effect that is there.

    A rate is NaN where it is not defined.
    """

    errors: dict[str, float]
    power: dict[str, float]


def simulate(name: str, design: Design) -> Rates:
    """Return the rates of all procedures under a model."""
    model, rng = MODELS[name], np.random.default_rng([len(name), design.processes, design.rounds])
    round, process = design.indices
    median = float("nan") if name in WITHOUT_MEDIAN else np.exp(true_median(model))
    covered, covered_at_corrected, covered_median, found, widths = [], [], [], [], []
    for _ in range(design.runs):
        a, b = np.exp(model(rng, 2, design.processes, design.rounds)).reshape(2, -1)
        _, low, high = stats.ratio_interval(b, a, round, process)
        covered.append(low <= 1 <= high)
        widths.append(high - low)
        _, far_low, far_high = stats.ratio_interval(b, a, round, process, CORRECTED)
        covered_at_corrected.append(far_low <= 1 <= far_high)
        # Multiplied by a constant, both ends of the interval are.
        found.append(TRUE_RATIO * low > FLOOR.high)
        _, low, high = stats.median_interval(a, round, process)
        covered_median.append(low <= median <= high)
    shape = EQUAL_IMPLEMENTATIONS, design.processes, design.rounds
    false, true = [], []
    for _ in range(design.slow_runs):
        samples = _frame(model(rng, *shape), design)
        other_run = None if name in WITHOUT_MEDIAN else _frame(model(rng, 1, *shape[1:]), design)
        false.append(_false_findings(samples, other_run))
        true.append(_true_findings(samples, other_run, rng))
    return Rates(
        {
            "coverage, ratio": float(np.mean(covered)),
            "the same at 99.9 %": float(np.mean(covered_at_corrected)),
            "coverage, median": float("nan") if name in WITHOUT_MEDIAN else float(np.mean(covered_median)),
            **_means(false),
        },
        {"width, ratio": float(np.median(widths)), "ratio": float(np.mean(found)), **_means(true)},
    )


def _means(runs: Sequence[Mapping[str, float]]) -> dict[str, float]:
    return {key: float(np.mean([run[key] for run in runs])) for key in runs[0]}


def _false_findings(samples: pd.DataFrame, other_run: pd.DataFrame | None) -> dict[str, float]:
    """Return whether each procedure finds a difference that is not larger than the margin, or another false effect.

    Differences are as large as the margin, the least favourable case.
    """
    first, second, pair = _parts(samples)
    second = second.assign(seconds=FLOOR.high * second["seconds"])
    return {
        "`compare`": stats.compare(first, second, FLOOR).verdict != "no credible difference",
        "two records": float("nan") if other_run is None else _two_records(first, other_run, FLOOR.high),
        "claim": _verdict(first, second, pair) != "inconclusive",
        "`rank`": ranking(samples, ["op", "bytes"], _preset).table["place"].max() > 1,
        "modes": _has_two_modes(first),
        "drift": stats.drift(first["seconds"], first["order"], first["process"]).found,
    }


def _two_records(first: pd.DataFrame, second: pd.DataFrame, factor: float) -> bool:
    """Return whether `aeadlab compare` finds a difference between two runs, the second slower by a factor."""
    second = second.assign(seconds=factor * second["seconds"])
    rows = against_noise(unpaired_rows(first, second, ["op"]), MARGIN)
    return bool(with_verdicts(rows)["verdict"].ne("no credible difference").any())


def _true_findings(samples: pd.DataFrame, other_run: pd.DataFrame | None, rng: np.random.Generator) -> dict[str, float]:
    """Return whether each procedure finds an effect that is added to the times of equal implementations."""
    first, second, pair = _parts(samples)
    slower = second.assign(seconds=TRUE_RATIO * second["seconds"])
    fastest = samples["implementation"] == "equal/00"
    places = ranking(
        samples.assign(seconds=samples["seconds"] / np.where(fastest, TRUE_RATIO, 1)), ["op", "bytes"], _preset
    ).table.set_index("implementation")["place"]
    trend = first["seconds"] * TREND ** np.linspace(0, 1, len(first))
    upper = np.where(rng.random(len(first)) < UPPER_SHARE, UPPER_MODE, 1)
    return {
        "`compare`": stats.compare(first, slower, FLOOR).verdict == "slower",
        "two records": float("nan") if other_run is None else _two_records(first, other_run, TRUE_RATIO),
        "claim": _verdict(first, slower, pair) == "reproduced",
        "`rank`": float((places.drop("equal/00") > places["equal/00"]).mean()),
        "modes": _has_two_modes(first.assign(seconds=first["seconds"] * upper)),
        "drift": stats.drift(trend, first["order"], first["process"]).found,
    }


def _parts(samples: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Return the samples of two equal implementations, and those of a third as the second arm of the first."""
    first, second, third = (samples[samples["implementation"] == f"equal/{number:02}"] for number in range(3))
    return first, second, third.assign(implementation="equal/00", replica=1)


def _verdict(first: pd.DataFrame, second: pd.DataFrame, pair: pd.DataFrame) -> str:
    """Return the verdict on the claim that the second implementation is slower than the first."""
    evidence = Evidence(pd.concat([first, second, pair]), "study", cores=2)
    return evaluate_all([_CLAIM], {"study": ("record", evidence)})[0].verdict


def _has_two_modes(case: pd.DataFrame) -> bool:
    return stats.modes(case["seconds"], case["order"], case["process"]).kind == "two"


def _preset(cases: pd.DataFrame) -> Floats:
    return np.full(len(cases), MARGIN)


_CLAIM = Claim(
    "document", "key", "place", "statement", "ratio", "study",
    smallest_ratio([(Operation("equal/01", "seal"), Operation("equal/00", "seal"))]), above(1), "",
)  # fmt: skip
"""The claim that one of two implementations is slower. If they are equal, every verdict on it is false."""


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
