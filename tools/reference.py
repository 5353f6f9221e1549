"""Measures the repository's records, redraws its figures and rewrites its findings: ``python -m tools.reference``.

It refuses a working tree with changes, since nobody could repeat such a record. Studies that were measured with the
present code are left out, so that an interrupted run goes on with the next study.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

from aeadlab import paths
from aeadlab.records.lookup import records_of
from aeadlab.records.provenance import changed_files
from aeadlab.records.reading import provenance_of

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
        before = records_of(study, folder)
        words = ["measure", study, "--profile", profile, *options, "--output", str(folder)]
        subprocess.run([command, *words], check=True)
        for record in before:
            for file in folder.glob(f"{record.stem}.*"):
                file.unlink()
    environment = {**os.environ, paths.RESULTS: str(checkout / "build/none")}
    for words in (["figure", "all", "--output", str(checkout / "figures")], ["claims", "--write"]):
        subprocess.run([command, *words], check=True, env=environment)


if __name__ == "__main__":
    main()
