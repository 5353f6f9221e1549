"""The known names that are nearest to a mistyped one, for messages."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_CUTOFF = 0.6
"""Least similarity of a suggested name, as in `difflib.get_close_matches`."""


def hint(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """Return the end of a message about an unknown name: ``did you mean baselines?``, or a list of all names.

    Parameters
    ----------
    known
        The names of this kind.
    otherwise
        The text where no name is similar; ``""`` lists all.
    """
    names = {one.lower(): one for one in known}
    begun = [one for one in names if name and one.startswith(name.lower())]
    if near := begun or difflib.get_close_matches(name.lower(), names, n=1, cutoff=_CUTOFF):
        return f"did you mean {names[near[0]]}?"
    return otherwise or f"there are {', '.join(names.values()) or 'none'}"


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the three most similar names of implementations, ``the nearest: A, B, C``, or the verb that lists all."""
    near = difflib.get_close_matches(name.lower(), list(known), n=3, cutoff=_CUTOFF)
    return f"the nearest: {', '.join(near)}" if near else "`aeadlab list` lists all"
