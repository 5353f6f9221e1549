"""The fastest allowed AEAD, block size and thread count on this computer.

`tune` verifies the candidates, measures them for a few seconds, and stores the choice; ``ParSplit("auto")`` calls it.
"""

from aeadlab.lab.tuning.search import BYTES, SECONDS, tune
from aeadlab.lab.tuning.text import as_text
from aeadlab.lab.tuning.tuned import Row, Tuned

__all__ = ["BYTES", "SECONDS", "Row", "Tuned", "as_text", "tune"]
