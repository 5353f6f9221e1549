"""Round trip: opening inverts sealing for every length, and the buffers of the caller are unchanged."""

from __future__ import annotations

from aeadlab.catalogue.implementation import Implementation
from aeadlab.errors import ArgumentError
from aeadlab.verify.cases import Case, cases
from aeadlab.verify.report import FAULTS, Check, Tally, fault

NAME = "round trip"


def check(implementation: Implementation) -> Check | None:
    """Seal and open, or encrypt and decrypt, every case with writable buffers, which must not change.

    The result is None for hashes, MACs and generators, which have no inverse operation.
    """
    d = implementation.description
    if d.kind not in ("aead", "cipher"):
        return None
    tally = Tally(NAME)
    for case in cases(d):
        try:
            failure = _failure(implementation, case)
        except ArgumentError:
            tally.skip("unsupported length")
            continue
        except FAULTS as error:
            failure = fault(error)
        tally.add(failure and f"{case}: {failure}", "seal and open" if d.kind == "aead" else "encrypt and decrypt")
    return tally.check()


def _failure(implementation: Implementation, case: Case) -> str:
    buffers = [bytearray(part) for part in (case.key, case.nonce, case.data, case.aad)]
    key, nonce, data, aad = buffers
    sealing = implementation.description.kind == "aead"
    output = implementation.seal(key, nonce, data, aad) if sealing else implementation.encrypt(key, nonce, data)
    expected = len(case.data) + implementation.description.tag_bytes
    if len(output) != expected:
        return f"output of {len(output)} bytes, {expected} expected"
    sealed = bytearray(output)
    opened = implementation.open(key, nonce, sealed, aad) if sealing else implementation.decrypt(key, nonce, sealed)
    if opened != case.data:
        return "the opened message differs from the original"
    if sealed != output or buffers != [case.key, case.nonce, case.data, case.aad]:
        return "a buffer of the caller is changed"
    return ""
