"""``python -m aeadlab.verify NAME PLUGIN``: verify one implementation of a plugin and print the report as JSON.

A process of its own, so that a plugin that crashes takes nothing with it.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from aeadlab.catalogue import load
from aeadlab.verify.verification import verify

if __name__ == "__main__":
    # What a plugin prints, perhaps not before the process ends, must not mix with the report.
    report = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    catalogue = load([Path(sys.argv[2])])
    with open(report, "w", encoding="utf-8") as file:
        json.dump(verify(catalogue.find(sys.argv[1]), list(catalogue)).as_dict(), file)
