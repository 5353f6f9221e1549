"""What hiding CPU features costs: each masked case beside the same case without a mask."""

from __future__ import annotations

import pandas as pd

from aeadlab.stats.interval import CONFIDENCE
from aeadlab.stats.pairing import relative_speed
from aeadlab.stats.selection import CASE_COLUMNS, usable


def mask_ratios(samples: pd.DataFrame, confidence: float = CONFIDENCE) -> pd.DataFrame:
    """Speed under each mask as a multiple of the speed without, paired by round.

    Parameters
    ----------
    samples : pandas.DataFrame
        Samples of one record, with `selection.CASE_COLUMNS`, ``round``, ``seconds``, ``warmup`` and ``status``.

    Returns
    -------
    pandas.DataFrame
        One row per masked case: `selection.CASE_COLUMNS`, ``pairs``, ``ratio``, ``low`` and ``high``; below 1 the
        mask costs speed. Below six pairs the interval is NaN. The mask ``nothing`` shows what another process does
        by itself: within its interval no mask is said to do anything.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If a column is missing, or a time that counts is not finite and positive.
    """
    by = list(CASE_COLUMNS)
    rows = usable(samples, [*by, "round", "seconds"])
    rows = rows[rows["replica"] == 0]
    masked = rows["mask"] != ""
    on = [column for column in by if column != "mask"]
    return relative_speed(rows[masked], rows[~masked], by, on, confidence)
