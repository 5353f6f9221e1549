"""The effect of masked CPU features: the speed of each masked case relative to the same case without a mask."""

from __future__ import annotations

import pandas as pd

from aeadlab.stats.pairing import relative_speed
from aeadlab.stats.selection import CASE_COLUMNS, usable


def mask_ratios(samples: pd.DataFrame) -> pd.DataFrame:
    """Return the speed under each mask relative to the speed without it, paired by round.

    Returns
    -------
    pandas.DataFrame
        One row per masked case: `selection.CASE_COLUMNS`, ``pairs``, ``ratio``, ``low`` and ``high``; below 1 the mask
        reduces speed. With fewer than six pairs from one or two processes the interval is NaN. Rows of the mask
        ``nothing`` are controls: they run in another process with nothing masked, and effects within the interval of
        one of the same driving class and length are not significant.
    """
    by = list(CASE_COLUMNS)
    rows = usable(samples, [*by, "process", "round", "seconds"])
    rows = rows[rows["replica"] == 0]
    masked = rows["mask"] != ""
    on = [column for column in by if column != "mask"]
    return relative_speed(rows[masked], rows[~masked], by, on)
