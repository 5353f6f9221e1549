"""Exceptions of aeadlab. Their messages state what was given, what is expected and what to do."""

from __future__ import annotations


class Error(Exception):
    """Base class of all errors of aeadlab."""


class ArgumentError(Error, ValueError):
    """An argument has the wrong length, range or type."""


class EmptyFigureError(ArgumentError):
    """The samples hold no case of a figure."""


class BufferError(Error, ValueError):
    """A buffer is too small, read-only, not contiguous or overlaps another."""


class AuthenticationError(Error):
    """The tag does not match: wrong key or nonce, or changed data. No unverified plaintext is returned."""


class FormatError(Error, ValueError):
    """The input is not a sealed stream, or its version or algorithm is not supported."""


class VerificationError(Error):
    """An implementation computed a wrong result, or could not be checked."""


class UnknownNameError(Error, LookupError):
    """There is no implementation, study, profile, mask, figure or other object of this name."""


class PluginError(Error):
    """A shared library cannot be used as a plugin."""


class BuildError(Error):
    """The compiled extension is missing, stale, or a debug build."""


class RecordError(Error):
    """A record is damaged, of an unsupported schema version, or would be overwritten."""


class BusyError(Error):
    """Another measurement holds the lock of this computer."""


class MeasurementError(Error):
    """A sample failed, or a result changed between samples."""


class ClusterError(Error):
    """A cluster cannot be used, or none of its hosts can measure."""
