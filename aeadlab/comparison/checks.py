"""The conditions under which a record and an implementation may be compared."""

from __future__ import annotations

from aeadlab.display.nearest import hint
from aeadlab.errors import ArgumentError, UnknownNameError
from aeadlab.records.provenance_diff import verified
from aeadlab.records.record import Record


def check_implementation(record: Record, name: str) -> None:
    """Check that a record has verified samples of an implementation.

    Raises
    ------
    aeadlab.errors.UnknownNameError
        If the record does not have it; the message has the nearest name, and the reason if it was not timed.
    aeadlab.errors.ArgumentError
        If it was not verified.
    """
    names = sorted(record.samples["implementation"].unique())
    if name not in names:
        refused = record.refused.get(name)
        reason = f" (not timed: {refused})" if refused else ""
        listed = hint(name, names, f"it has {', '.join(names)}")
        raise UnknownNameError(f"{record.name} has no implementation {name!r}{reason}; {listed}")
    if name not in verified(record):
        raise ArgumentError(
            f"{name} was not verified in {record.name}: unverified implementations are excluded from comparisons"
        )
