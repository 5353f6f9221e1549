"""What speaks against a sample: seen in its own counters, or true of the whole run."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

SAMPLE_FLAGS = ("major-fault", "preempted")
"""A page came from a disk; somebody else got the core meanwhile."""


def sample_flags(samples: pd.DataFrame, quality: Sequence[str]) -> pd.Series[str]:
    """The flags of each sample: of the run, from `aeadlab.doctor.quality_flags`, then its own, with spaces between.

    Parameters
    ----------
    samples : pandas.DataFrame
        With ``major_faults`` and ``involuntary_switches``.
    """
    marks = [samples["major_faults"].to_numpy() > 0, samples["involuntary_switches"].to_numpy() > 0]
    # Few different texts for many rows: each is made once.
    texts = [
        " ".join([*quality, *(name for bit, name in enumerate(SAMPLE_FLAGS) if which >> bit & 1)])
        for which in range(1 << len(SAMPLE_FLAGS))
    ]
    which = sum((mark.astype(np.intp) << bit for bit, mark in enumerate(marks)), start=np.zeros(len(samples), np.intp))
    return pd.Series(np.array(texts, dtype=object)[which], index=samples.index)
