"""Known answers: equality with published outputs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from weakref import WeakKeyDictionary

from aeadlab.catalogue import weak_keys
from aeadlab.catalogue.implementation import Description, Implementation
from aeadlab.errors import ArgumentError, AuthenticationError
from aeadlab.verify.cases import NO_AAD, requests
from aeadlab.verify.report import FAULTS, Check, Tally, excerpt, fault
from aeadlab.verify.sources import algorithms, known
from aeadlab.verify.vectors import Procedure, Vector

NAME = "known answers"

_checked: WeakKeyDictionary[Implementation, Check] = WeakKeyDictionary()


def check(implementation: Implementation) -> Check | None:
    """Run every known answer of the algorithm whose lengths the implementation supports.

    The result is None if no source has the algorithm. The check fails if no valid vector fits.

    The result is cached for the lifetime of the implementation, because agreement uses it for each other library.
    """
    if implementation.description.base_algorithm not in algorithms():
        return None
    if implementation not in _checked:
        with weak_keys.allow():
            _checked[implementation] = _run(implementation)
    return _checked[implementation]


def _run(implementation: Implementation) -> Check:
    tally = Tally(NAME)
    compared = 0
    d = implementation.description
    compare = {"aead": _aead, "cipher": _cipher, "hash": _digest, "mac": _digest, "generator": _generator}.get(d.kind)
    for answer in known(d.base_algorithm):
        if compare is None:
            tally.skip(f"kind {d.kind}")
            continue
        run: Callable[[], str]
        if isinstance(answer, Procedure):
            run = partial(_procedure, implementation, answer)
        elif reason := _mismatch(d, answer):
            tally.skip(reason)
            continue
        else:
            run = partial(compare, implementation, answer)
        try:
            failure = run()
        except ArgumentError as error:
            if isinstance(answer, Vector) and answer.weak_key:
                tally.skip("weak key that the library rejects")
                continue
            if isinstance(answer, Vector) and answer.forbidden_length:
                failure = ""
            elif isinstance(answer, Vector) and len(answer.nonce) != d.nonce_bytes:
                # Most libraries limit the nonce length despite the flag any-nonce-length.
                if answer.valid:
                    tally.skip("nonce length that the library does not support")
                    continue
                failure = ""
            else:
                failure = fault(error)
        except FAULTS as error:
            failure = fault(error)
        tally.add(failure and f"{answer.source} {answer.label}: {failure}", answer.source)
        compared += isinstance(answer, Procedure) or answer.valid
    if compared or tally.failed:
        return tally.check()
    # An implementation that rejects every message passes all invalid answers.
    unfit = Tally(NAME, skipped=tally.skipped)
    unfit.skipped["invalid answer without a valid one"] += tally.run
    return unfit.check()


def _mismatch(d: Description, v: Vector) -> str:
    """Return the reason why a vector does not fit an implementation, or ``""``."""
    if v.forbidden_length:
        return ""
    if d.kind == "generator":
        return "" if len(v.key) + len(v.nonce) == d.key_bytes else "other key or nonce length"
    if len(v.key) != d.key_bytes and not len(v.key) < d.key_bytes <= v.key_grows_to:
        return "other key length"
    if len(v.nonce) != d.nonce_bytes and "any-nonce-length" not in d.flags:
        return "other nonce length"
    if v.aad and NO_AAD in d.flags:
        return "no support for associated data"
    if d.kind != "cipher" and v.tag_bytes != d.tag_bytes and not v.extendable:
        return "other tag length"
    if d.kind == "cipher" and len(v.message) % d.block_bytes:
        return "message of a partial block"
    return ""


def _aead(implementation: Implementation, v: Vector) -> str:
    if not v.valid:
        try:
            implementation.open(v.key, v.nonce, v.output, v.aad)
        except AuthenticationError:
            return ""
        return "open accepted an invalid message"
    sealed = implementation.seal(v.key, v.nonce, v.message, v.aad)
    if sealed != v.output:
        return f"seal returned {excerpt(sealed)}, {excerpt(v.output)} expected"
    opened = implementation.open(v.key, v.nonce, v.output, v.aad)
    return "" if opened == v.message else f"open returned {excerpt(opened)}, {excerpt(v.message)} expected"


def _cipher(implementation: Implementation, v: Vector) -> str:
    message = bytes(v.offset) + v.message
    encrypted = implementation.encrypt(v.key, v.nonce, message)
    if encrypted[v.offset :] != v.output or len(encrypted) != len(message):
        return f"encrypt returned {excerpt(encrypted[v.offset :])}, {excerpt(v.output)} expected"
    decrypted = implementation.decrypt(v.key, v.nonce, encrypted)
    return "" if decrypted == message else f"decrypt returned {excerpt(decrypted)}, {excerpt(message)} expected"


def _generator(implementation: Implementation, v: Vector) -> str:
    """Compare the output with the keystream; the seed is the key of the stream cipher followed by the nonce."""
    output = implementation.generate(v.key + v.nonce, requests(v.offset + len(v.message)))[v.offset :]
    keystream = bytes(a ^ b for a, b in zip(v.message, v.output, strict=True))
    return "" if output == keystream else f"generate returned {excerpt(output)}, {excerpt(keystream)} expected"


def _digest(implementation: Implementation, v: Vector) -> str:
    key = v.key.ljust(implementation.description.key_bytes, b"\0") if v.key_grows_to else v.key
    digest = implementation.digest(key, v.nonce, v.message)
    if v.forbidden_length:
        return "digest accepted a key or nonce of a forbidden length"
    if len(digest) != implementation.description.tag_bytes:
        return f"digest returned {excerpt(digest)}, {implementation.description.tag_bytes} bytes expected"
    common = min(len(digest), len(v.output)) if v.extendable else None
    if (digest[:common] == v.output[:common]) is v.valid:
        return ""
    expected = "expected" if v.valid else "is wrong"
    return f"digest returned {excerpt(digest)}, {excerpt(v.output)} {expected}"


def _procedure(implementation: Implementation, procedure: Procedure) -> str:
    output, expected = procedure.run(implementation), procedure.expected
    return "" if output == expected else f"the calls returned {excerpt(output)}, {excerpt(expected)} expected"
