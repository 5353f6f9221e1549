"""The forms in which the tags of a message's blocks are kept, and the engine of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aeadlab import _native
from aeadlab.display.nearest import hint
from aeadlab.errors import ArgumentError, ArgumentTypeError

if TYPE_CHECKING:
    from aeadlab.catalogue.native import NativeImplementation

CONCATENATED: Final = "concatenated"
"""One tag for each block, behind the ciphertext: the paper's form."""
BLAKE3: Final = "blake3"
TAGS: Final = (CONCATENATED, "digest", "merkle", BLAKE3)
"""All forms; docs/SECURITY.md states what each commits to."""


def check(tags: str) -> str:
    """Return `tags` if it names a form.

    Raises
    ------
    aeadlab.errors.ArgumentError
        With the nearest name, or all names; an ArgumentTypeError if it is no text.
    """
    if not isinstance(tags, str):
        raise ArgumentTypeError(f"tags {tags!r} given, one of {', '.join(TAGS)} expected")
    if tags not in TAGS:
        raise ArgumentError(f"tags {tags!r} given: {hint(tags, TAGS)}")
    return tags


def check_auto(tags: str) -> None:
    """Raise ArgumentError for ``ParSplit("auto", tags="blake3")``: only AEADs are compared."""
    if tags == BLAKE3:
        raise ArgumentError('tags="blake3" given with auto, which chooses among AEADs: name a cipher of the catalogue')


def engine(
    implementation: NativeImplementation,
    block_size: int,
    threads: int,
    schedule: str,
    serial_below: int | None,
    tags: str,
) -> _native.ParSplit | _native.OneTag:
    """Return the engine of an implementation with this form of the tags.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If the implementation or a number does not fit the form.
    """
    if tags != CONCATENATED:
        return _native.OneTag(implementation.native, block_size, threads, schedule, serial_below, tags)
    if implementation.description.kind == "cipher" and "baseline" not in implementation.description.flags:
        raise ArgumentError(
            f"{implementation.name} is not an AEAD: it has no tags, without which changes are not detected. To "
            'authenticate a cipher, pass tags="blake3"'
        )
    return _native.ParSplit(implementation.native, block_size, threads, schedule, serial_below)


def with_block_tags(engine: _native.ParSplit | _native.OneTag, purpose: str) -> _native.ParSplit:
    """Return the engine of concatenated tags.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If the engine has one tag for all blocks; the message begins with `purpose`.
    """
    if isinstance(engine, _native.OneTag):
        raise ArgumentError(
            f"{purpose} needs a tag for each block, and this ParSplit has one tag for the message: make one with "
            'tags="concatenated"'
        )
    return engine


def with_one_tag(engine: _native.ParSplit | _native.OneTag) -> _native.OneTag:
    """Return the engine of one tag.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If each block has its own tag.
    """
    if isinstance(engine, _native.ParSplit):
        raise ArgumentError(
            'with tags="concatenated" each block has its own tag: use decrypt_range, which needs no proof'
        )
    return engine
