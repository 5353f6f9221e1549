"""Contexts: their results depend neither on earlier messages, nor on other contexts or threads."""

from __future__ import annotations

from aeadlab import _native
from aeadlab.catalogue.implementation import Implementation
from aeadlab.catalogue.native import NativeImplementation
from aeadlab.errors import ArgumentError, VerificationError
from aeadlab.verify.report import FAULTS, Check, Tally, fault

NAME = "contexts"


def check(implementation: Implementation) -> Check | None:
    """Compare the results of contexts that are used as the engine uses them with those of one for each message.

    A context processes several messages, contexts of four keys process theirs in turn, and, if the implementation
    declares that it is thread-safe, four threads do so at once. The result is None for an implementation in Python,
    which the engine does not call.
    """
    if not isinstance(implementation, NativeImplementation):
        return None
    tally = Tally(NAME)
    try:
        for use, messages in _native.check_contexts(implementation.native):
            tally.run += messages
            tally.sources[use] += messages
    except ArgumentError as error:
        tally.skip(str(error))
    except VerificationError as error:
        tally.add(str(error), "contexts")
    except FAULTS as error:
        tally.add(fault(error), "contexts")
    return tally.check()
