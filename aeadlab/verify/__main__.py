"""``python -m aeadlab.verify COUNT PLUGIN... NAME...``: examine implementations, COUNT plugins being loaded besides.

Prints an examination a line, as JSON. A process of its own, so that a plugin that crashes takes nothing with it. Its
buffers end at guard pages.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from aeadlab import _native
from aeadlab.catalogue import load
from aeadlab.verify.verification import examine

if __name__ == "__main__":
    # What a plugin prints, perhaps not before the process ends, must not mix with the examinations.
    examinations = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    first_name = 2 + int(sys.argv[1])
    catalogue = load([Path(plugin) for plugin in sys.argv[2:first_name]])
    _native.guard_buffers()
    with open(examinations, "w", encoding="utf-8") as file:
        for name in sys.argv[first_name:]:
            print(json.dumps(examine(catalogue.find(name)).as_dict()), file=file, flush=True)
