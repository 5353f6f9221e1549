"""Which AEAD, block size and thread count are fastest here, among those that the user allows.

`tune` verifies, measures for a few seconds, and remembers; `ParSplit("auto")` calls it.
"""

from __future__ import annotations

from aeadlab.tuning.search import BYTES, SECONDS, settings, tune
from aeadlab.tuning.tuned import LEAST_CORES, TOO_BUSY, Row, Tuned, size

__all__ = ["BYTES", "LEAST_CORES", "SECONDS", "TOO_BUSY", "Row", "Tuned", "settings", "size", "tune"]
