"""Traced runs of threads that wait instead of computing, so that there may be more of them than cores."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray
from pandas import DataFrame

from aeadlab.kinds import DELAY
from aeadlab.parsplit import ParSplit
from aeadlab.stealing.traces import kept_its_pair, leaf_table, predicted_leaves


@dataclass(frozen=True)
class Observed:
    """A traced run.

    Attributes
    ----------
    spans
        What `aeadlab.ParSplit.traced` returned.
    leaves
        What `leaf_table` makes of it.
    threads
        Of the run, whether they came to do a block or not.
    """

    spans: NDArray[Any]
    leaves: DataFrame
    threads: int

    @property
    def seconds(self) -> float:
        """From the first block's begin to the last one's end."""
        return float(self.leaves["end"].max() - self.leaves["start"].min())

    @property
    def kept_its_pair(self) -> bool:
        """As the function `kept_its_pair`."""
        return kept_its_pair(self.leaves, self.threads)

    def as_predicted(self, *, outside: bool = False) -> bool:
        """Whether the leaves are those that the splitting rule gives for who did what."""
        found = list(zip(self.leaves["first"].tolist(), self.leaves["blocks"].tolist(), strict=True))
        return predicted_leaves(self.spans["thread"].tolist(), self.threads, outside=outside) == found


def observe(
    threads: int, schedule: str = "rayon", *, blocks: int = 320, block_size: int = 16 << 10
) -> Iterator[Observed]:
    """Run again and again, traced, as often as it is asked for the next.

    Parameters
    ----------
    threads : int
        1 to 256; each waits as if it had a core of its own.
    schedule : str
        One of `aeadlab.schedules.NAMES` or ``EXPERIMENTS``.
    blocks : int
        Of the message.
    block_size : int
        Bytes; at 25 ns each they are the time that a block takes.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If a number is out of range, or the schedule is absent here.
    """
    cipher = ParSplit(DELAY, block_size, threads, schedule, serial_below=0, baseline=True)
    data = bytes(blocks * block_size)
    out = bytearray(cipher.sealed_bytes(len(data)))
    while True:
        _, spans = cipher.traced(b"", bytes(7), data, b"", out)
        yield Observed(spans, leaf_table(spans), threads)


def one_of_each(threads: int, schedule: str = "rayon", *, most: int = 100, **message: int) -> dict[str, Observed]:
    """A run of each mode, as far as `most` runs show them, by name: ``lower`` and ``upper``; errors as `observe`."""
    found: dict[str, Observed] = {}
    for _, run in zip(range(most), observe(threads, schedule, **message), strict=False):
        found.setdefault("upper" if run.kept_its_pair else "lower", run)
        if len(found) == 2:
            break
    return dict(sorted(found.items()))
