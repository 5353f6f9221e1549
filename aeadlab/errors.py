"""Every error that aeadlab raises on purpose. Messages say what was given, what is wanted and what to do."""

from __future__ import annotations


class Error(Exception):
    """Base of all errors raised by aeadlab."""


class ArgumentError(Error, ValueError):
    """An argument has the wrong length, range or type."""


class EmptyFigureError(ArgumentError):
    """The samples hold no case that a figure shows."""


class BufferError(Error, ValueError):
    """A buffer is too small, read-only, not contiguous or overlaps another."""


class AuthenticationError(Error):
    """The tag does not match: wrong key or nonce, or changed data. No plaintext is returned."""


class FormatError(Error, ValueError):
    """What is given is no sealed stream, or one of a version or an algorithm that is not known here."""


class VerificationError(Error):
    """An implementation gave a wrong answer, or could not be checked at all."""


class UnknownNameError(Error, LookupError):
    """No implementation, study, profile or notebook has this name."""


class PluginError(Error):
    """A shared library could not be used as a plugin."""


class BuildError(Error):
    """The compiled extension is missing, stale, or a debug build."""


class RecordError(Error):
    """A record is damaged, of another schema version, or would be overwritten."""


class BusyError(Error):
    """Another measurement holds this machine's lock."""


class MeasurementError(Error):
    """A sample failed, or a result changed between samples."""


class ClusterError(Error):
    """A cluster cannot be used, or none of its hosts can measure."""
