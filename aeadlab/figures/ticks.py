"""Numbers of a logarithmic axis, as people write them."""

from __future__ import annotations

import numpy as np

_STEPS = ((1,), (1, 3), (1, 2, 5), (1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9))
"""What powers of ten are multiplied by, the coarsest first."""


def log_ticks(low: float, high: float, least: int) -> list[float]:
    """Powers of ten between the two, which are above zero; multiples of them where these are fewer than `least`."""
    exponents = range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(high))) + 1)
    for steps in _STEPS:
        ticks = [step * 10.0**exponent for exponent in exponents for step in steps]
        ticks = [tick for tick in ticks if low <= tick <= high]
        if len(ticks) >= least:
            break
    return ticks
