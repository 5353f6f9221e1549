"""The decision between results that differ: by the majority of libraries, and without one against all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import TypeVar

_Result = TypeVar("_Result")


def is_decided(results: Mapping[str, object]) -> bool:
    """Return whether all results of at least two libraries are equal, or one result has a majority of libraries."""
    return _winner(results) is not None


def wrong(results: Mapping[str, _Result]) -> dict[str, str]:
    """Return the reason against each implementation whose result is wrong, by name.

    Each library has one vote, since its implementations share code. The result with the most votes is right if it has
    two at least and no other result has as many; without such a result all are wrong. A result that nobody contradicts
    is not wrong.

    Parameters
    ----------
    results
        By name of the implementation; any values that can be compared and hashed.

    Examples
    --------
    >>> wrong({"a/x": 1, "b/x": 2, "c/x": 1})
    {'b/x': 'its result differs from that of a/x and c/x'}
    >>> wrong({"a/x": 1, "b/x": 2})["a/x"]
    'its result differs from that of b/x, and no third library decides which one is right'
    """
    groups = _groups(results)
    if len(groups) < 2:
        return {}
    right = _winner(results)
    reasons: dict[str, str] = {}
    for result, names in groups.items():
        if right is not None and result == right:
            continue
        others = [name for other, its in groups.items() if other != result for name in its]
        compared = _listed(others if right is None else groups[right])
        undecided = ", and no third library decides which one is right" * (right is None)
        reasons |= dict.fromkeys(names, f"its result differs from that of {compared}{undecided}")
    return reasons


def _groups(results: Mapping[str, _Result]) -> dict[_Result, list[str]]:
    groups: dict[_Result, list[str]] = defaultdict(list)
    for name, result in results.items():
        groups[result].append(name)
    return groups


def _winner(results: Mapping[str, _Result]) -> _Result | None:
    votes = {result: len({name.partition("/")[0] for name in names}) for result, names in _groups(results).items()}
    most = max(votes.values(), default=0)
    leading = [result for result, count in votes.items() if count == most]
    return leading[0] if most > 1 and len(leading) == 1 else None


def _listed(names: list[str]) -> str:
    shown, more = names[:3], len(names) - 3
    if more > 0:
        return f"{', '.join(shown)} and {more} more"
    return " and ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))
