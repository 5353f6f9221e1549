"""Contexts: their results depend neither on earlier messages, nor on other contexts or threads."""

from __future__ import annotations

from aeadlab import _native
from aeadlab.catalogue.implementation import Implementation
from aeadlab.catalogue.native import NativeImplementation
from aeadlab.verify.report import Check, counted

NAME = "contexts"


def check(implementation: Implementation) -> Check | None:
    """Compare the results of contexts that are used as the engine uses them with those of one for each message.

    A context processes several messages, contexts of four keys process theirs in turn, and, if the implementation
    declares that it is thread-safe, four threads do so at once. The result is None for an implementation in Python,
    which the engine does not call.
    """
    if not isinstance(implementation, NativeImplementation):
        return None
    return counted(NAME, lambda: _native.check_contexts(implementation.native))
