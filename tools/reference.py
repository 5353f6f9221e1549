"""Measures the repository's records, redraws its figures and rewrites its findings: ``python -m tools.reference``.

It refuses a working tree with changes, since nobody could repeat such a record. Studies that were measured with the
present code are left out, so that an interrupted run goes on with the next study. A run that was disturbed as a whole
is repeated once.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from aeadlab import paths
from aeadlab.records.lookup import records_of
from aeadlab.records.provenance import changed_files
from aeadlab.records.reading import load_record, provenance_of
from aeadlab.stats import CASE_COLUMNS
from aeadlab.stats.selection import usable

RUNS: Final = (
    ("baselines", "paper", "--budget=1500"),
    ("speedup", "paper", "--budget=900"),
    ("blocks", "paper", "--samples=24"),
    ("everything", "quick", "--samples=18", "--budget=2700"),
    ("memory", "quick"),
    ("compositions", "quick"),
    ("thread-modes", "paper", "--samples=200"),
    ("message-sizes", "quick"),
    ("block-ciphers", "quick", "--budget=3300"),
    ("cells", "quick", "--budget=300"),
    ("generators", "quick"),
    ("one-tag", "quick"),
    ("formats", "quick"),
)
"""Study, profile and options, in this order. Budgets end the runs of a slow computer; records state their samples."""


def is_current(record: Path, checkout: Path) -> bool:
    """Return whether a record was measured from a clean tree with the code of the present one."""
    commit = provenance_of(record).get("commit") or {}
    if commit.get("dirty") is not False:
        return False
    try:
        return not changed_files(checkout, str(commit["id"]))
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


def main() -> None:
    """Measure what is not current, then draw and write."""
    checkout, folder = paths.checkout(), paths.reference_records()
    if checkout is None:
        sys.exit("aeadlab is not installed from a checkout: reference records belong to one")
    if changed := changed_files(checkout):
        sys.exit(f"the working tree has uncommitted changes, commit or remove them first: {', '.join(changed)}")
    command = str(Path(sys.executable).with_name("aeadlab"))
    for study, profile, *options in RUNS:
        if any(is_current(record, checkout) for record in records_of(study, folder)):
            print(f"{study}: measured with this code already", flush=True)
            continue
        run = [command, "measure", study, "--profile", profile, *options, "--output", str(folder)]
        if (found := excess(_measure(run, study, folder))) > MOST_EXCESS:
            print(f"{study}: disturbed as a whole ({found:.0%}), measured once more", flush=True)
            _measure(run, study, folder)
    environment = {**os.environ, paths.RESULTS: str(checkout / "build/none")}
    for words in (["figure", "all", "--output", str(checkout / "figures")], ["claims", "--write"]):
        subprocess.run([command, *words], check=True, env=environment)


if __name__ == "__main__":
    main()
