"""Exceptions of aeadlab. Their messages state what was given, what is expected and what to do."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING


class Error(Exception):
    """Base class of all errors of aeadlab."""


class ArgumentError(Error, ValueError):
    """An argument has the wrong length, range or type."""


class ArgumentTypeError(ArgumentError, TypeError):
    """An argument has the wrong type."""


class BufferArgumentError(ArgumentError, BufferError):
    """A buffer is too small, read-only, not contiguous or overlaps another."""


class BufferTypeError(BufferArgumentError, ArgumentTypeError):
    """An object without memory of its own, such as text, is given where bytes are expected."""


class EmptyFigureError(ArgumentError):
    """The samples hold no case of a figure."""


class AuthenticationError(Error):
    """The tag does not match: wrong key or nonce, or changed data. No unverified plaintext is returned."""


class FormatError(Error, ValueError):
    """The input is not a sealed stream, its version or algorithm is not supported, or the nonce is not its own."""


class VerificationError(Error):
    """An implementation computed a wrong result, or could not be checked."""


class UnknownNameError(Error, LookupError):
    """There is no implementation, study, profile, mask, figure or other object of this name."""


class PluginError(Error):
    """A shared library cannot be used as a plugin."""


class ChildError(Error):
    """A child process of the lab did not start, for a reason that no implementation caused."""


class BuildError(Error):
    """The compiled extension is missing, stale, or a debug build."""


class RecordError(Error):
    """A record or journal is missing, damaged, of an unsupported schema version, of another plan, or not writable."""


class UnknownRecordError(RecordError, UnknownNameError):
    """There is no record of this file name."""


class BusyError(Error):
    """Another measurement holds the lock of this computer, or the file of the lock cannot be opened."""


class MeasurementError(Error):
    """No sample could be taken, a result changed between samples, or a process or command that measures failed."""


class ClusterError(Error):
    """The scheduler or a worker of a cluster does not answer, a function on a worker fails, or a host is missing."""


if not TYPE_CHECKING:

    def __getattr__(name: str) -> type[Error]:
        if name != "BufferError":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        warnings.warn(
            "aeadlab.errors.BufferError is deprecated, because it hides the builtin of this name: use "
            "BufferArgumentError, or the builtin BufferError, which it is now a kind of",
            DeprecationWarning,
            stacklevel=2,
        )
        return BufferArgumentError
