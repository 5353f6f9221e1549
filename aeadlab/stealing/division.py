"""How far Rayon divides a range when nobody steals, and what that costs when its last two leaves stay together."""

from __future__ import annotations

from typing import NamedTuple

from aeadlab.errors import ArgumentError


def leaves(threads: int, outside: bool = False) -> int:
    """Leaves of equal length that a range becomes when nobody steals from it, if it is long enough.

    The budget of splits is the thread count, and each split leaves half of it to either side: one level more than the
    budget has binary digits. A range begun outside the pool looks stolen to both halves of its first split, which
    gives these a full budget: two levels more.

    Parameters
    ----------
    threads : int
        Of the pool, at least 1.
    outside : bool
        Whether a thread that is not of the pool begins.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If threads are less than 1.
    """
    if threads < 1:
        raise ArgumentError(f"threads: {threads} given, at least 1 wanted")
    return (4 if outside else 1) << threads.bit_length()


def lengths(blocks: int, threads: int, *, min_len: int = 1, max_len: int | None = None) -> list[int]:
    """Blocks of each leaf from the first to the last when nobody steals: halves, rounded down on the left.

    Raises
    ------
    aeadlab.errors.ArgumentError
        Unless all are at least 1.
    """

    def divided(length: int, budget: int) -> list[int]:
        if length // 2 < min_len or budget == 0:
            return [length]
        left = length // 2
        return divided(left, budget // 2) + divided(length - left, budget // 2)

    return divided(blocks, first_budget(blocks, threads, min_len=min_len, max_len=max_len))


def first_budget(blocks: int, threads: int, *, min_len: int = 1, max_len: int | None = None) -> int:
    """Splits that a range may still make when it is begun: as many as threads, or as leaves of `max_len` want.

    Raises
    ------
    aeadlab.errors.ArgumentError
        Unless all are at least 1.
    """
    longest = blocks if max_len is None else max_len
    for name, value in (("blocks", blocks), ("threads", threads), ("min_len", min_len), ("max_len", longest)):
        if value < 1:
            raise ArgumentError(f"{name}: {value} given, at least 1 wanted")
    return max(threads, blocks // longest)


def busiest(threads: int, blocks: int | None = None) -> float:
    """Time of a run in which somebody does two leaves of the undivided range, over that of an even division.

    The first worker cuts its range down to one leaf and keeps the leaf beside it. If a thief takes that one, it is
    divided further, and the run ends about evenly; if not, the first worker does both: 2 of `leaves(threads)`. That
    is also what a Rayon without renewed budgets would always take, since leaves are more than threads and fewer than
    twice as many.

    Parameters
    ----------
    blocks : int, optional
        For the leaves' lengths in whole blocks; without it they are equal.

    Returns
    -------
    float
        At least 1: with 5 threads 2/8 of the work instead of 1/5, so 1.25. A power of two gives 1.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If threads or blocks are less than 1.
    """
    if blocks is None:
        return max(1.0, 2 * threads / leaves(threads))
    first = lengths(blocks, threads)[:2]
    return max(1.0, sum(first) * threads / blocks)


class Levels(NamedTuple):
    """Times of a run in its lower and in its upper mode, over an even division; equal where there is one mode."""

    lower: float
    upper: float

    @property
    def ratio(self) -> float:
        """Upper over lower."""
        return self.upper / self.lower


def levels(threads: int, blocks: int | None = None, *, late: float = 0.0) -> Levels:
    """What a run takes whose first worker loses the leaf beside its first one to a thief, and one that keeps it.

    Parameters
    ----------
    blocks : int, optional
        Nobody ends before the last block that an even division leaves over; and where the others are done with theirs
        before the first leaf ends, the one beside it is always taken.
    late : float
        Leaves that the first worker has done when the others may begin. From 1 on the second is no longer to be had.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If threads or blocks are less than 1, or late is below 0.
    """
    if late < 0:
        raise ArgumentError(f"late: {late} given, at least 0 wanted")
    both = busiest(threads, blocks)
    lower = 1 + (threads - 1) * late / leaves(threads)
    if blocks is not None:
        lower = max(lower, -(-blocks // threads) * threads / blocks)
        pair = lengths(blocks, threads)[:2]
        if blocks - sum(pair) < (threads - 1) * pair[0]:
            return Levels(lower, lower)
    upper = max(lower, both)
    return Levels(upper, upper) if late >= 1 else Levels(lower, upper)
