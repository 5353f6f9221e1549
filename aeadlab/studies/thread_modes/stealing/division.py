"""The leaves into which Rayon splits a range without steals, and the run times that follow."""

from __future__ import annotations

from typing import NamedTuple

from aeadlab.errors import ArgumentError


def leaves(threads: int, outside: bool = False) -> int:
    """Return the number of equal leaves that a sufficiently long range is split into without steals.

    The split budget is the thread count, and each half of a split gets half of it: the range has one level more than
    the budget has binary digits. A range started outside the pool counts as stolen in both halves of its first split,
    which gets them a full budget: two further levels.

    Parameters
    ----------
    threads : int
        Thread count of the pool, at least 1.
    outside : bool
        Whether a thread outside the pool starts the range.
    """
    if threads < 1:
        raise ArgumentError(f"threads: {threads} given, expected at least 1")
    return (4 if outside else 1) << threads.bit_length()


def lengths(blocks: int, threads: int, *, min_len: int = 1, max_len: int | None = None) -> list[int]:
    """Return the number of blocks of each leaf without steals, in order; left halves are rounded down."""

    def divided(length: int, budget: int) -> list[int]:
        if length // 2 < min_len or budget == 0:
            return [length]
        left = length // 2
        return divided(left, budget // 2) + divided(length - left, budget // 2)

    return divided(blocks, first_budget(blocks, threads, min_len=min_len, max_len=max_len))


def first_budget(blocks: int, threads: int, *, min_len: int = 1, max_len: int | None = None) -> int:
    """Return the initial split budget of a range: the thread count, or more if `max_len` requires it."""
    longest = blocks if max_len is None else max_len
    for name, value in (("blocks", blocks), ("threads", threads), ("min_len", min_len), ("max_len", longest)):
        if value < 1:
            raise ArgumentError(f"{name}: {value} given, expected at least 1")
    return max(threads, blocks // longest)


def upper_level(threads: int, blocks: int | None = None) -> float:
    """Return the time of a run in which one worker processes two leaves, relative to perfect balance.

    The first worker splits its range down to one leaf and queues the adjacent leaf. If that leaf is stolen, it is split
    further, and the run is nearly balanced; otherwise the first worker processes both: 2 of `leaves(threads)`. Rayon
    without renewed budgets would always take this long, since there are more leaves than threads, but at most twice
    as many. With 5 threads the result is 2/8 of the work instead of 1/5, that is 1.25; with a power of two it is 1.

    Parameters
    ----------
    blocks : int, optional
        Number of blocks, which determines the lengths of the leaves; by default these are equal.
    """
    if blocks is None:
        return max(1.0, 2 * threads / leaves(threads))
    first = lengths(blocks, threads)[:2]
    return max(1.0, sum(first) * threads / blocks)


class Levels(NamedTuple):
    """Run times of the lower and the upper mode relative to perfect balance; equal where there is one mode."""

    lower: float
    upper: float

    @property
    def ratio(self) -> float:
        """Upper mode over lower mode."""
        return self.upper / self.lower


def levels(threads: int, blocks: int | None = None, *, late: float = 0.0) -> Levels:
    """Return the run times if the leaf adjacent to the first worker's leaf is stolen, and if it is not.

    Parameters
    ----------
    blocks : int, optional
        Number of blocks. It bounds the lower mode by the blocks of the busiest worker; and if the other workers finish
        before the first leaf ends, the adjacent leaf is always stolen.
    late : float
        Number of leaves that the first worker has processed when steals begin, possibly a fraction; from 1 on, the
        adjacent leaf is never stolen.
    """
    if late < 0:
        raise ArgumentError(f"late: {late} given, expected at least 0")
    slow = upper_level(threads, blocks)
    lower = 1 + (threads - 1) * late / leaves(threads)
    if blocks is not None:
        lower = max(lower, -(-blocks // threads) * threads / blocks)
        pair = lengths(blocks, threads)[:2]
        if blocks - sum(pair) < (threads - 1) * pair[0]:
            return Levels(lower, lower)
    upper = max(lower, slow)
    return Levels(upper, upper) if late >= 1 else Levels(lower, upper)
