"""Candidates of tuning: the implementations and settings that may be chosen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from aeadlab.catalogue import Catalogue, Implementation
from aeadlab.catalogue.native import NativeImplementation
from aeadlab.catalogue.patterns import matching
from aeadlab.display.nearest import hint
from aeadlab.errors import ArgumentError, UnknownNameError

STANDARD = (
    *("aes-256-gcm", "aes-128-gcm"),  # NIST SP 800-38D
    *("chacha20-poly1305", "xchacha20-poly1305"),  # RFC 8439, and the extended nonce that libsodium and others ship
    *("aes-256-gcm-siv", "aes-128-gcm-siv"),  # RFC 8452
)
"""Algorithms that are allowed by default. AEGIS is not a standard yet: it must be named."""

FORBIDDEN = ("research", "historical", "baseline", "not-cryptographic")
"""Flags of implementations that are never chosen, even if named."""

MIN_NONCE_BYTES = 12
"""ParSplit uses 5 of them to number the blocks."""


def allowed(catalogue: Catalogue, patterns: Sequence[str] | None) -> list[Implementation]:
    """Return the AEADs that match the patterns, in the order of the patterns, linked libraries first.

    Patterns are names (``openssl/aes-256-gcm``), algorithms (``aes-256-gcm``), or either with ``*``, ``?`` and ``[]``;
    None means `STANDARD`. Of candidates that are not distinguishable, the one of the earlier pattern is preferred.
    """
    if isinstance(patterns, str):
        raise ArgumentError(f"allow={patterns!r} is a text: give a list of names, algorithms or globs")
    if patterns is not None and not patterns:
        raise ArgumentError("allow is empty: give a name at least, or None for the standard algorithms")
    aeads = catalogue.select("aead")
    if patterns is None:
        # Python libraries implement the standard algorithms too, but ParSplit cannot use them. Listing each of them as
        # excluded would only be noise for a user who named none.
        aeads = [i for i in aeads if isinstance(i, NativeImplementation)]
    selected: dict[str, Implementation] = {}
    for pattern in STANDARD if patterns is None else patterns:
        found = matching(catalogue, pattern, aeads)
        if not found and patterns is not None:
            names = [d.name if "/" in pattern else d.algorithm for d in (i.description for i in aeads)]
            near = hint(pattern.replace("*", ""), names, "`aeadlab list --kind aead` shows all")
            raise UnknownNameError(f"no AEAD matches {pattern!r}; {near}")
        found.sort(key=lambda i: (i.description.origin != "linked", i.name))
        selected.update({i.name: i for i in found if i.name not in selected})
    return list(selected.values())


def exclusion_reason(implementation: Implementation) -> str:
    """Return the reason why an implementation may not be chosen; empty if it may."""
    d = implementation.description
    if d.kind != "aead":
        return f"it is not an AEAD ({d.kind})"
    if marks := [flag for flag in FORBIDDEN if flag in d.flags]:
        return f"it is marked {' and '.join(marks)}"
    if d.nonce_bytes < MIN_NONCE_BYTES:
        return f"its nonce has {d.nonce_bytes} bytes, at least {MIN_NONCE_BYTES} are required"
    if not isinstance(implementation, NativeImplementation):
        return "it is called from Python, ParSplit requires one behind the C ABI"
    return ""


def thread_counts(most: int) -> list[int]:
    """Return the powers of two below `most`, then `most` itself."""
    return [*(1 << power for power in range((most - 1).bit_length())), most]


def shapes(
    bytes: int, block_sizes: Iterable[int], most_threads: int, thread_safe: bool, serial_below: int
) -> list[tuple[int, int]]:
    """Return the pairs of block size in bytes and thread count that differ for a message of `bytes`.

    More threads than blocks have no effect, nor have threads for a message shorter than `serial_below` bytes.
    """
    sizes = list(block_sizes)
    fitting = [size for size in sizes if size <= bytes] or sizes[:1]
    most = most_threads if thread_safe and bytes >= serial_below else 1
    return [
        (size, threads)
        for size in fitting
        for threads in thread_counts(most)
        if threads == 1 or size * threads <= bytes
    ]
