"""How long each figure takes from a record of a hundred thousand samples, exported in all its forms."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
from bar import Bar

from aeadlab.bench.case import Case
from aeadlab.bench.profile import find_profile
from aeadlab.catalogue import load
from aeadlab.figures.export import export
from aeadlab.records import Record
from aeadlab.stats import median_interval
from aeadlab.studies import Selection, Study, all_studies
from aeadlab.studies.draw import origin

SAMPLES = 100_000
RUNS = 7


def bars() -> list[Bar]:
    """One bar for each figure of each study."""
    return [_bar(study, name) for study in all_studies().values() for name in study.figures]


def _bar(study: Study, name: str) -> Bar:
    catalogue = load()
    # The length of a message is all that a profile decides here: every length is as quick to draw.
    samples = simulated(study.cases(catalogue, find_profile("quick"), Selection()))
    record = Record(Path(f"{study.name}.parquet"), samples, {"plan": {"study": study.name}})
    took = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(RUNS + 1):
            start = time.perf_counter()
            figure, table = study.figures[name](record.samples, "lncs")
            export(figure, table, name, Path(folder), origin(record, name, "lncs"))
            took.append(time.perf_counter() - start)
    found = median_interval(np.array(took[1:]))
    note = f"{len(samples):,} simulated samples, drawn and exported, {RUNS} runs; the first took {took[0]:.2f} s"
    return Bar(f"{name} takes", found.estimate, found.low, found.high, 2.0, "<=", "s", note)


def simulated(cases: list[Case]) -> pd.DataFrame:
    """So many samples of these cases, all alike: 5 GiB/s with 1 % of noise."""
    rounds = max(1, SAMPLES // len(cases))
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
        order=np.arange(len(samples)),
        warmup=False,
        batch=1,
        status="ok",
        seconds=seconds,
        gib_per_s=samples["bytes"] / seconds / 2**30,
        cycles_per_byte=seconds * 4e9 / samples["bytes"].clip(lower=1),
    ).astype(dict.fromkeys([*text, "status"], "category"))
