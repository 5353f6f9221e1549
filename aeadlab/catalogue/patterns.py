"""Patterns that select implementations: names, algorithms, and globs of both."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from aeadlab.catalogue.implementation import Implementation
from aeadlab.display.nearest import nearest
from aeadlab.errors import UnknownNameError

if TYPE_CHECKING:
    from aeadlab.catalogue import Catalogue

_SPECIAL = frozenset("*?[")


def matches(pattern: str, name: str) -> bool:
    """Return whether a name, or its algorithm for a pattern without a slash, matches a pattern."""
    return fnmatchcase(name if "/" in pattern else name.partition("/")[2], pattern)


def matching(catalogue: Catalogue, pattern: str, among: Iterable[Implementation] | None = None) -> list[Implementation]:
    """Return the implementations whose name, or without a slash whose algorithm, matches a pattern; maybe none.

    Parameters
    ----------
    among
        The implementations to select from; None means the catalogue.

    Raises
    ------
    aeadlab.errors.UnknownNameError
        If the pattern is a name, and the catalogue does not have it; see `Catalogue.find`.
    """
    found = [i for i in (catalogue if among is None else among) if matches(pattern, i.name)]
    if not found and "/" in pattern and not _SPECIAL & set(pattern):
        # `find` also makes compositions, and explains why a library is absent.
        found = [catalogue.find(pattern)]
    return found


def select(catalogue: Catalogue, patterns: Iterable[str]) -> list[Implementation]:
    """Return the implementations that any pattern matches, without repetition, in the order of the patterns.

    Parameters
    ----------
    patterns
        ``library/algorithm``, an algorithm, or a glob of either: ``openssl/aes-256-gcm``, ``aes-256-gcm``,
        ``openssl/*gcm*``, ``aegis-*``. The name of a composition selects it as well.

    Raises
    ------
    aeadlab.errors.UnknownNameError
        If a pattern matches nothing; the message contains the nearest names.
    """
    selected: dict[str, Implementation] = {}
    for pattern in patterns:
        if not (found := matching(catalogue, pattern)):
            raise UnknownNameError(_no_match(pattern, catalogue))
        selected.update((i.name, i) for i in found)
    return list(selected.values())


def select_or_all(catalogue: Catalogue, patterns: Sequence[str]) -> list[Implementation]:
    """Return the implementations that `select` selects, or all if there is no pattern or ``all`` is among them."""
    return list(catalogue) if not patterns or "all" in patterns else select(catalogue, patterns)


def expand(catalogue: Catalogue, names: Iterable[str]) -> tuple[str, ...]:
    """Return the names that `select` selects; a name with a slash and without a glob remains, also if it is unknown."""
    expanded: dict[str, None] = {}
    for name in names:
        plain = "/" in name and not _SPECIAL & set(name)
        expanded |= dict.fromkeys([name] if plain else [i.name for i in select(catalogue, [name])])
    return tuple(expanded)


def _no_match(pattern: str, catalogue: Catalogue) -> str:
    if any(i.description.library == pattern for i in catalogue):
        return f"{pattern!r} is a library, an implementation or algorithm expected: '{pattern}/*' selects all of it"
    algorithms = sorted({i.description.algorithm for i in catalogue})
    libraries = [f"{library}/*" for library in sorted({i.description.library for i in catalogue})]
    candidates = [i.name for i in catalogue] if "/" in pattern else [*algorithms, *libraries]
    hint = nearest(pattern.replace("*", ""), candidates)
    return f"no implementation and no algorithm matches {pattern!r}; {hint}"
