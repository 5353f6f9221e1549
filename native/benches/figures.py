"""The time to draw and export each figure from a record of a hundred thousand samples."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from benchmark import FULL, Benchmark, Effort, durations, within_one_process

from aeadlab.bench.case import Case
from aeadlab.bench.profile import find_profile
from aeadlab.catalogue import load
from aeadlab.figures.export import export
from aeadlab.records.record import Record
from aeadlab.studies import Selection, Study, all_studies
from aeadlab.studies.draw import figure_provenance

SAMPLES = 100_000
RUNS = 7
PROCESSES = find_profile("paper").processes


def benchmarks(effort: Effort) -> list[Benchmark]:
    """Return one benchmark for each figure of each study; in smoke size for one of each, since the tests draw all."""
    chosen = slice(None if effort is FULL else 1)
    return [_benchmark(study, name, effort) for study in all_studies().values() for name in [*study.figures][chosen]]


def _benchmark(study: Study, name: str, effort: Effort) -> Benchmark:
    # The first drawing of a full run also loads fonts, and does not count.
    runs, first = (RUNS, 1) if effort is FULL else (1, 0)
    # The simulated samples replace those of the profile. Its message lengths do not change the time to draw.
    cases = study.cases(load(), find_profile("quick"), Selection())
    samples = simulated(cases, SAMPLES if effort is FULL else 20 * len(cases))
    record = Record(Path(f"{study.name}.parquet"), samples, {"plan": {"study": study.name}})
    origin = figure_provenance(record, name, "lncs")
    with tempfile.TemporaryDirectory() as folder:
        took = durations(lambda: export(*study.draw(name, record, "lncs"), name, Path(folder), origin), runs + first)
    note = f"{len(samples):,} simulated samples, drawn and exported, {runs} runs; the first took {took[0]:.2f} s"
    return Benchmark.of(f"time to draw and export {name}", within_one_process(took[first:]), 2.0, "<=", "s", note)


def simulated(cases: list[Case], count: int) -> pd.DataFrame:
    """Return about `count` samples of these cases, all at 5 GiB/s with 1 % noise and on one thread."""
    rounds = max(1, count // len(cases))
    random = np.random.default_rng(1)
    catalogue = load()
    kinds = {one.name: one.description.kind for one in catalogue}
    frame = pd.DataFrame([case.row() for case in cases])
    parts = frame["implementation"].str.split("/", n=1, expand=True)
    kind = frame["implementation"].map(kinds).fillna("aead")
    frame = frame.assign(library=parts[0], algorithm=parts[1], kind=kind)
    samples = frame.loc[frame.index.repeat(rounds)].reset_index(drop=True)
    seconds = samples["bytes"].clip(lower=1) / 5 / 2**30 * np.exp(random.normal(0, 0.01, len(samples)))
    text = samples.select_dtypes("object").columns
    return samples.assign(
        round=np.tile(np.arange(rounds), len(cases)),
        process=np.tile(np.arange(rounds) * min(rounds, PROCESSES) // rounds, len(cases)),
        order=np.arange(len(samples)),
        warmup=False,
        batch=1,
        status="ok",
        seconds=seconds,
        wall_ns=seconds * 1e9,
        cpu_ns=seconds * 1e9,
        gib_per_s=samples["bytes"] / seconds / 2**30,
        cycles_per_byte=seconds * 4e9 / samples["bytes"].clip(lower=1),
    ).astype(dict.fromkeys([*text, "status"], "category"))
