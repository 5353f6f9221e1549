"""What a call costs before its first byte, and how fast it is in the long run: Hockney's two numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import nnls

from aeadlab.errors import ArgumentError
from aeadlab.stats.selection import finite, positive, same_length


@dataclass(frozen=True)
class Latency:
    """A line through times of messages of several lengths.

    Attributes
    ----------
    startup_seconds
        Of a message of no bytes.
    bytes_per_second
        The asymptotic rate; infinite where longer messages took no longer.
    half_bytes
        The length at which half of that rate is reached, n1/2: the product of the other two.
    worst_residual
        Largest distance of a time from the line, as a share of the time: above a tenth or two it is no line.
    """

    startup_seconds: float
    bytes_per_second: float
    half_bytes: float
    worst_residual: float


def fit_latency(lengths: ArrayLike, seconds: ArrayLike) -> Latency:
    """Fit ``seconds = startup + bytes / rate`` with the least squares of relative errors, neither below zero [1]_.

    Parameters
    ----------
    lengths
        Bytes, at least two different ones.
    seconds
        Times, above zero.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If the lengths differ, are fewer than two, or a number is out of range.

    References
    ----------
    .. [1] R. W. Hockney and C. R. Jesshope, Parallel Computers, Adam Hilger 1981, section 1.3.2.
    """
    sizes, times = finite("lengths", lengths), positive("seconds", seconds)
    same_length("lengths", sizes, "seconds", times)
    if np.unique(sizes).size < 2 or (sizes < 0).any():
        raise ArgumentError("at least two different lengths of 0 or more bytes are wanted")
    # Scaled to order one: the two columns are nanoseconds and picoseconds per byte.
    scale = sizes.max()
    (startup, slope), _ = nnls(np.column_stack([1 / times, sizes / scale / times]), np.ones_like(times))
    per_byte = slope / scale
    residual = float(np.abs((startup + per_byte * sizes) / times - 1).max())
    rate = 1 / per_byte if per_byte > 0 else float("inf")
    return Latency(float(startup), float(rate), float(startup * rate) if startup else 0.0, residual)
