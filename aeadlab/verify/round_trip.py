"""Round trip: opening inverts sealing for every length and position of the buffers, which stay unchanged."""

from __future__ import annotations

from aeadlab import _native
from aeadlab.catalogue.implementation import Implementation
from aeadlab.catalogue.native import NativeImplementation
from aeadlab.errors import ArgumentError, VerificationError
from aeadlab.verify.cases import Case, cases
from aeadlab.verify.report import FAULTS, Check, Tally, fault

NAME = "round trip"


def check(implementation: Implementation) -> Check | None:
    """Seal and open, or encrypt and decrypt, every case with writable buffers, which must not change.

    An implementation behind the C ABI does so again in the positions in which the engine calls it: in place where it
    declares that, and with the tag behind the text. The results must be the same. The result is None for hashes, MACs
    and generators, which have no inverse operation.
    """
    d = implementation.description
    if d.kind not in ("aead", "cipher"):
        return None
    tally = Tally(NAME)
    for case in cases(d):
        placements: list[str] = []
        try:
            failure = _failure(implementation, case, placements)
        except ArgumentError:
            tally.skip("unsupported length")
            continue
        except VerificationError as error:
            failure = str(error)
        except FAULTS as error:
            failure = fault(error)
        tally.add(
            failure and f"{case}: {failure}",
            "seal and open" if d.kind == "aead" else "encrypt and decrypt",
            *placements,
        )
    return tally.check()


def _failure(implementation: Implementation, case: Case, placements: list[str]) -> str:
    """Return the reason why a case failed, or ``""``; the checked positions of buffers are added to `placements`."""
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
    if isinstance(implementation, NativeImplementation):
        placements += _native.check_placements(implementation.native, key, nonce, data, aad, sealed)
    return ""
