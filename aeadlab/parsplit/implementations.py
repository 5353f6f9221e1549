"""Selection of the implementation that ParSplit runs."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from aeadlab.catalogue import Catalogue, Implementation, load
from aeadlab.catalogue.native import NativeImplementation, linked
from aeadlab.catalogue.plugins import registered
from aeadlab.errors import ArgumentError, FormatError

_EXCLUDED_FLAGS = {"research", "baseline", "historical"}


@cache
def _catalogue(plugins: tuple[Path, ...]) -> Catalogue:
    return load()


def shared_catalogue() -> Catalogue:
    """Return the catalogue that all ParSplits of this process share; `aeadlab.load_plugin` replaces it."""
    return _catalogue(registered())


def find(name: str, *, baseline: bool) -> NativeImplementation:
    """Return the implementation of this name.

    Raises
    ------
    aeadlab.errors.UnknownNameError
        If the catalogue does not contain it.
    aeadlab.errors.ArgumentError
        If it is called from Python, or is a baseline and `baseline` is false.
    """
    implementation = shared_catalogue().find(name)
    d = implementation.description
    if not isinstance(implementation, NativeImplementation):
        same = shared_catalogue().select("aead", algorithm=d.algorithm)
        native = [i.name for i in same if isinstance(i, NativeImplementation)]
        hint = f", such as {native[0]}" if native else ""
        raise ArgumentError(f"{name} is called from Python: ParSplit needs one behind the C ABI{hint}")
    if "baseline" in d.flags and d.kind == "aead" and not baseline:
        raise ArgumentError(f"{name} protects nothing: to study it, pass baseline=True")
    return implementation


@cache
def _linked() -> tuple[NativeImplementation, ...]:
    # To describe all of them takes 4 ms, and a short stream opens in 0.1 ms.
    return tuple(linked())


def find_by_algorithm(algorithm: str) -> NativeImplementation:
    """Return the first implementation of an AEAD that is meant for use, preferably a thread-safe one.

    Raises
    ------
    aeadlab.errors.FormatError
        If there is none on this computer.
    """
    # The linked implementations are available without loading plugins and Python libraries.
    candidates: list[Implementation] = [i for i in _linked() if i.description.algorithm == algorithm]
    candidates = candidates or shared_catalogue().select("aead", algorithm=algorithm)
    usable = [i for i in candidates if isinstance(i, NativeImplementation) and _is_usable(i)]
    if not usable:
        raise FormatError(
            f"the stream is sealed with {algorithm}, and no implementation of it is available: install one, or pass "
            "the implementation to open it with"
        )
    return min(usable, key=lambda i: "thread-safe" not in i.description.flags)


def _is_usable(implementation: Implementation) -> bool:
    d = implementation.description
    return d.kind == "aead" and d.nonce_bytes >= 12 and not _EXCLUDED_FLAGS & d.flags
