"""Start-up time and asymptotic rate of a call: Hockney's model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import nnls

from aeadlab.errors import ArgumentError
from aeadlab.stats.validation import finite, positive, same_length


@dataclass(frozen=True)
class Latency:
    """Hockney's model fitted to the times of messages of several lengths.

    Attributes
    ----------
    startup_seconds
        Time of an empty message.
    bytes_per_second
        The asymptotic rate; infinite where longer messages do not take longer.
    half_bytes
        The length n1/2 at which half of that rate is reached: the product of the other two.
    worst_residual
        Largest relative residual; above about 0.2 the times are not linear in the length.
    """

    startup_seconds: float
    bytes_per_second: float
    half_bytes: float
    worst_residual: float


def fit_latency(lengths: ArrayLike, seconds: ArrayLike) -> Latency:
    """Fit ``seconds = startup + bytes / rate`` [1]_ by least squares of relative errors, with no negative parameter.

    Parameters
    ----------
    lengths
        Message lengths in bytes, at least two of them distinct.
    seconds
        Times, above zero.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If the arrays differ in size, fewer than two lengths are distinct, or a number is out of range.

    References
    ----------
    .. [1] R. W. Hockney and C. R. Jesshope, Parallel Computers, Adam Hilger 1981, section 1.3.2.
    """
    sizes, times = finite("lengths", lengths), positive("seconds", seconds)
    same_length("lengths", sizes, "seconds", times)
    if np.unique(sizes).size < 2 or (sizes < 0).any():
        raise ArgumentError("lengths are equal or negative, expected at least two different lengths of 0 or more bytes")
    # A start-up takes nanoseconds and a byte picoseconds; with the time of the longest message as the second parameter
    # both have similar size.
    scale = sizes.max()
    (startup, slope), _ = nnls(np.column_stack([1 / times, sizes / scale / times]), np.ones_like(times))
    per_byte = slope / scale
    residual = float(np.abs((startup + per_byte * sizes) / times - 1).max())
    rate = 1 / per_byte if per_byte > 0 else float("inf")
    return Latency(float(startup), float(rate), float(startup * rate) if startup else 0.0, residual)
