"""``python -m aeadlab.verify NAME PLUGIN``: verify one implementation of a plugin and print the report as JSON.

A process of its own, so that a plugin that crashes takes nothing with it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from aeadlab.catalogue import load
from aeadlab.verify.verification import verify

if __name__ == "__main__":
    catalogue = load([Path(sys.argv[2])])
    print(json.dumps(verify(catalogue.find(sys.argv[1]), list(catalogue)).as_dict()))
