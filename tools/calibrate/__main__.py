"""Simulates the lab's statistics and writes the rates into a page: ``python -m tools.calibrate [PAGE]``."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Final

from aeadlab.bench.profile import PROFILES
from aeadlab.display.markdown import table
from tools.calibrate import modes
from tools.calibrate.models import MODELS
from tools.calibrate.procedures import Design, simulate
from tools.calibrate.records import exchanged

PAGE: Final = Path("docs/METHODOLOGY.md")
RECORDS: Final = Path("data/records")
START: Final = "<!-- calibration: written by make calibrate -->"
END: Final = "<!-- end of calibration -->"
RUNS: Final = (2000, 200)
"""Simulated runs of fast and of slow procedures."""
DESIGNS: Final = {
    f"Profile `{name}`": Design(profile.processes, profile.rounds // profile.processes, *RUNS)
    for name, profile in PROFILES.items()
    if profile.processes > 1
} | {"A run that its budget ended": Design(10, 1, *RUNS), "The fewest processes of a slow case": Design(6, 1, *RUNS)}


def main(arguments: list[str]) -> None:
    """Simulate all models with the profiles' designs, test the records, and write the tables."""
    page = Path(arguments[0]) if arguments else PAGE
    with ProcessPoolExecutor() as pool:
        jobs = {
            (name, model): pool.submit(simulate, model, design) for name, design in DESIGNS.items() for model in MODELS
        }
        records = {path.name.split("-2")[0]: pool.submit(exchanged, path) for path in sorted(RECORDS.glob("*.parquet"))}
        single_mode, two_modes = pool.submit(modes.false_positives), pool.submit(modes.power)
        parts = [START]
        for name, design in DESIGNS.items():
            rates = {model: jobs[name, model].result() for model in MODELS}
            parts.append(f"**{name}**: {_design(design)}, equal code.")
            parts.append(_table("model", {model: row.errors for model, row in rates.items()}))
            parts.append(f"**{name}**: {_design(design)}, an effect.")
            parts.append(_table("model", {model: row.power for model, row in rates.items()}))
        parts.append("**Records**, with the times of two cases exchanged at random:")
        parts.append(_table("record", {name: job.result() for name, job in records.items()}))
        parts.append("**Modes**, wrongly found in times with one mode:")
        parts.append(modes.markdown(single_mode.result(), "model", "rate"))
        parts.append("**Modes**, found in times with two, 1.25 apart, by the share of samples in the rarer one:")
        parts.append(modes.markdown(two_modes.result(), "share", "power"))
    text = "\n\n".join([*parts, END])
    # Read only now, so that the page can be edited in the meantime.
    before, _, rest = page.read_text().partition(START)
    _, _, after = rest.partition(END)
    page.write_text(f"{before}{text}{after}")


def _design(design: Design) -> str:
    rounds = "one round" if design.rounds == 1 else f"{design.rounds} rounds"
    return f"{design.processes} processes of {rounds}"


def _table(heading: str, rates: Mapping[str, Mapping[str, float]]) -> str:
    columns = list(next(iter(rates.values())))
    rows = [[name, *(_number(row[column]) for column in columns)] for name, row in rates.items()]
    return "\n".join(table([heading, *columns], rows))


def _number(value: float) -> str:
    if value != value:
        return "-"
    return f"{value:.3f}" if value <= 1 and value != int(value) or value in (0, 1) else f"{value:g}"


if __name__ == "__main__":
    main(sys.argv[1:])
