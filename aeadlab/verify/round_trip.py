"""Round trip: what was sealed opens to itself, at every length, and the caller's buffers are left alone."""

from __future__ import annotations

from aeadlab.catalogue.implementation import Implementation
from aeadlab.errors import ArgumentError
from aeadlab.verify.cases import Case, cases
from aeadlab.verify.report import FAULTS, Check, Tally, fault

NAME = "round trip"


def check(implementation: Implementation) -> Check | None:
    """Seal and open, or encrypt and decrypt, every case, with writable buffers that must not change.

    Returns
    -------
    Check or None
        None for hashes, MACs and generators, which have no way back.
    """
    d = implementation.description
    if d.kind not in ("aead", "cipher"):
        return None
    tally = Tally(NAME)
    for case in cases(d):
        try:
            wrong = _wrong(implementation, case)
        except ArgumentError:
            tally.skip("length that it refuses")
            continue
        except FAULTS as error:
            wrong = fault(error)
        tally.add(wrong and f"{case}: {wrong}", "seal and open" if d.kind == "aead" else "encrypt and decrypt")
    return tally.check()


def _wrong(implementation: Implementation, case: Case) -> str:
    given = [bytearray(part) for part in (case.key, case.nonce, case.data, case.aad)]
    key, nonce, data, aad = given
    sealing = implementation.description.kind == "aead"
    made = implementation.seal(key, nonce, data, aad) if sealing else implementation.encrypt(key, nonce, data)
    wanted = len(case.data) + implementation.description.tag_bytes
    if len(made) != wanted:
        return f"{len(made)} bytes came out, {wanted} are wanted"
    back = bytearray(made)
    opened = implementation.open(key, nonce, back, aad) if sealing else implementation.decrypt(key, nonce, back)
    if opened != case.data:
        return "the message did not come back"
    if back != made or given != [case.key, case.nonce, case.data, case.aad]:
        return "a buffer of the caller was changed"
    return ""
