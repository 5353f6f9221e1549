"""Flags of samples: disturbances that the counters of a sample show, and findings about the whole run."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

SAMPLE_FLAGS = ("major-fault", "preempted")
"""Flags of a sample: a page was read from disk; the kernel took the core from a thread (involuntary switch)."""


def sample_flags(samples: pd.DataFrame, quality: Sequence[str]) -> pd.Series[str]:
    """Return the flags of each sample, joined by spaces: those of the run, then its own.

    Parameters
    ----------
    samples
        With ``major_faults`` and ``involuntary_switches``.
    quality
        Flags of the run, from `aeadlab.host.doctor.quality_flags`.
    """
    marks = [samples["major_faults"].to_numpy() > 0, samples["involuntary_switches"].to_numpy() > 0]
    # The few different texts are built once for all rows.
    texts = [
        " ".join([*quality, *(name for bit, name in enumerate(SAMPLE_FLAGS) if which >> bit & 1)])
        for which in range(1 << len(SAMPLE_FLAGS))
    ]
    which = sum((mark.astype(np.intp) << bit for bit, mark in enumerate(marks)), start=np.zeros(len(samples), np.intp))
    return pd.Series(np.array(texts, dtype=object)[which], index=samples.index)
