"""Measures the repository's records, redraws its figures and rewrites its findings: ``python -m tools.reference``.

It refuses a working tree with changes, since nobody could repeat such a record. Studies that were measured with the
present code are left out, so that the next call resumes an interrupted one. With ``--hours`` no study begins that would
end later. A run that was disturbed as a whole is repeated once, whenever that ends.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from functools import partial
from math import inf
from pathlib import Path
from typing import Final, NamedTuple

from aeadlab import paths
from aeadlab.cli.options import seconds
from aeadlab.records.lookup import records_of
from aeadlab.records.provenance import changed_files
from aeadlab.records.reading import load_record, provenance_of
from aeadlab.stats import CASE_COLUMNS
from aeadlab.stats.selection import usable


class Run(NamedTuple):
    """A study with the options of its reference record."""

    study: str
    minutes: int
    """On two cores of a Zen 4, with the verification, rounded up."""
    profile: str
    options: tuple[str, ...] = ()
    """Budgets end the runs of a slow computer; records state their samples."""


RUNS: Final = (
    Run("message-sizes", 6, "quick"),
    Run("generators", 6, "quick"),
    Run("cells", 7, "quick", ("--budget=300",)),
    Run("speedup", 18, "paper", ("--budget=900",)),
    Run("baselines", 27, "paper", ("--budget=1500",)),
    Run("block-ciphers", 77, "quick", ("--budget=3300",)),
    Run("compositions", 7, "quick"),
    Run("one-tag", 7, "quick"),
    Run("memory", 5, "quick"),
    Run("formats", 6, "quick"),
    Run("thread-modes", 87, "paper", ("--samples=200",)),
    Run("everything", 50, "quick", ("--samples=18", "--budget=2700")),
    Run("blocks", 82, "paper", ("--samples=24",)),
)
"""In this order, so that an early end leaves few claims without a new record."""


CODE: Final = (
    ".cargo",
    "Makefile",
    "aeadlab",
    "data/criteria.csv",
    "data/published",
    "native",
    "pyproject.toml",
    "requirements.lock",
)
"""What a verdict of a record depends on. Texts, tests and notebooks may change between two calls."""


def is_current(record: Path, checkout: Path) -> bool:
    """Return whether a record was measured from a clean tree with the code of the present one."""
    commit = provenance_of(record).get("commit") or {}
    if commit.get("dirty") is not False:
        return False
    try:
        return not changed_files(checkout, str(commit["id"]), CODE)
    except subprocess.CalledProcessError:
        # The commit is of another history.
        return False


MOST_EXCESS: Final = 0.2
"""Excess of a run that was disturbed as a whole, such as by another guest of the same computer."""


def excess(record: Path) -> float:
    """Return by which share the median sample of the median case exceeds the 5 % quantile of its own case."""
    columns = [*CASE_COLUMNS]
    times = usable(load_record(record).samples, [*columns, "seconds"]).groupby(columns, observed=True)["seconds"]
    return float((times.median() / times.quantile(0.05)).median() - 1)


def _measure(words: Sequence[str], study: str, folder: Path) -> Path:
    """Run the command, which stores a record of the study; remove its other records, and return the new one."""
    before = records_of(study, folder)
    subprocess.run(words, check=True)
    for record in before:
        for file in folder.glob(f"{record.stem}.*"):
            file.unlink()
    (new,) = records_of(study, folder)
    return new


def main(hours: float = inf) -> None:
    """Measure the studies without a current record; draw the figures and write the findings when none is left."""
    end = time.monotonic() + 3600 * hours
    checkout, folder = paths.checkout(), paths.reference_records()
    if checkout is None:
        sys.exit("aeadlab is not installed from a checkout: reference records belong to one")
    if changed := changed_files(checkout):
        sys.exit(f"the working tree has uncommitted changes, commit or remove them first: {', '.join(changed)}")
    command = str(Path(sys.executable).with_name("aeadlab"))
    complete = True
    for study, minutes, profile, options in RUNS:
        if any(is_current(record, checkout) for record in records_of(study, folder)):
            print(f"{study}: measured with this code already", flush=True)
            continue
        if time.monotonic() + 60 * minutes > end:
            print(f"{study}: left, since it takes about {minutes} minutes", flush=True)
            complete = False
            continue
        run = [command, "measure", study, "--profile", profile, *options, "--output", str(folder)]
        if (found := excess(_measure(run, study, folder))) > MOST_EXCESS:
            print(f"{study}: disturbed as a whole ({found:.0%}), measured once more", flush=True)
            _measure(run, study, folder)
    if not complete:
        # The README's table, which is written with the findings, would be a change of the tree.
        print("run make reference again for these; figures and findings are written when no study is left")
        return
    environment = {**os.environ, paths.RESULTS: str(checkout / "build/none")}
    for words in (["figure", "all", "--output", str(checkout / "figures")], ["claims", "--write"]):
        subprocess.run([command, *words], check=True, env=environment)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="make reference", description=main.__doc__)
    parser.add_argument(
        "--hours", type=partial(seconds, unit="hours"), default=inf, help="begin no study that would end later"
    )
    main(parser.parse_args().hours)
