"""Who may be chosen: AEADs that the user allows, and none that a careful engineer would not deploy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase

from aeadlab.catalogue import Catalogue, Implementation
from aeadlab.catalogue.native import NativeImplementation
from aeadlab.errors import ArgumentError

STANDARD = (
    *("aes-256-gcm", "aes-128-gcm"),  # NIST SP 800-38D
    *("chacha20-poly1305", "xchacha20-poly1305"),  # RFC 8439, and its extended nonce as libsodium and others ship it
    *("aes-256-gcm-siv", "aes-128-gcm-siv"),  # RFC 8452
)
"""Allowed where the user names nothing. AEGIS is no standard yet: it is taken when it is named."""

FORBIDDEN = ("research", "historical", "baseline", "not-cryptographic")
"""Flags of what is never chosen, allowed by name or not."""

LEAST_NONCE = 12
"""Bytes; ParSplit takes 5 of them to number the blocks."""


def allowed(catalogue: Catalogue, patterns: Sequence[str] | None) -> list[Implementation]:
    """The AEADs of the catalogue that the patterns name, in the order of the patterns, linked ones first.

    Parameters
    ----------
    patterns
        Names (``openssl/aes-256-gcm``), algorithms (``aes-256-gcm``), or either with ``*``, ``?`` and ``[]``; None
        means `STANDARD`. What stands earlier is preferred where the clock sees no difference.

    Raises
    ------
    aeadlab.errors.UnknownNameError
        If a name without wildcards is of no implementation.
    aeadlab.errors.ArgumentError
        If a pattern matches no AEAD, or there is none.
    """
    if isinstance(patterns, str):
        raise ArgumentError(f"allow={patterns!r} is one word, a list of names, algorithms or globs is wanted")
    if patterns is not None and not patterns:
        raise ArgumentError("no AEAD is allowed: name one at least, or none at all for the standard ones")
    aeads = catalogue.select("aead")
    if patterns is None:
        # Python libraries have the standard ones too; who did not name them need not read that they are no choice.
        aeads = [i for i in aeads if isinstance(i, NativeImplementation)]
    found: dict[str, Implementation] = {}
    for pattern in STANDARD if patterns is None else patterns:
        matching = [i for i in aeads if _matches(pattern, i)]
        if not matching and patterns is not None:
            if "/" in pattern and not set("*?[") & set(pattern):
                # A composition is made here, and an unknown name is an error that names the nearest.
                matching = [catalogue.find(pattern)]
            else:
                raise ArgumentError(f"no AEAD matches {pattern!r}: `aeadlab list --kind aead` shows all")
        matching.sort(key=lambda i: (i.description.origin != "linked", i.name))
        found.update({i.name: i for i in matching if i.name not in found})
    return list(found.values())


def _matches(pattern: str, implementation: Implementation) -> bool:
    return fnmatchcase(implementation.name if "/" in pattern else implementation.description.algorithm, pattern)


def objection(implementation: Implementation) -> str:
    """Why an implementation may not be chosen, whatever it computes; empty where it may."""
    d = implementation.description
    if d.kind != "aead":
        return f"it is no AEAD ({d.kind})"
    if marks := [flag for flag in FORBIDDEN if flag in d.flags]:
        return f"it is marked {' and '.join(marks)}"
    if d.nonce_bytes < LEAST_NONCE:
        return f"its nonce has {d.nonce_bytes} bytes, {LEAST_NONCE} are wanted"
    if not isinstance(implementation, NativeImplementation):
        return "it is called from Python, ParSplit needs one behind the C ABI"
    return ""


def thread_counts(most: int) -> Iterator[int]:
    """Powers of two up to `most`, and `most` itself."""
    count = 1
    while count < most:
        yield count
        count *= 2
    yield most


def shapes(
    bytes: int, block_sizes: Iterable[int], most_threads: int, thread_safe: bool, serial_below: int
) -> list[tuple[int, int]]:
    """Block sizes and thread counts that differ for a message of `bytes`, in bytes.

    More threads than blocks, and threads for a message that stays on the caller's, change nothing and are left out.
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
