"""Known answers: does it compute what others published."""

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
    """Run every known answer of the algorithm that fits the lengths which the implementation takes.

    The outcome is kept as long as the implementation, since agreement asks for it again for each other library.

    Returns
    -------
    Check or None
        None where no source has the algorithm. A source without a vector that fits is a failure.

    Raises
    ------
    ImportError
        If a package that holds vectors is not installed.
    """
    if implementation.description.computes not in algorithms():
        return None
    if implementation not in _checked:
        with weak_keys.allowed():
            _checked[implementation] = _run(implementation)
    return _checked[implementation]


def _run(implementation: Implementation) -> Check:
    tally = Tally(NAME)
    d = implementation.description
    try_ = {"aead": _aead, "cipher": _cipher, "hash": _digest, "mac": _digest, "generator": _generator}.get(d.kind)
    for answer in known(d.computes):
        if try_ is None:
            tally.skip(f"kind {d.kind}")
            continue
        run: Callable[[], str]
        if isinstance(answer, Procedure):
            run = partial(_procedure, implementation, answer)
        elif unfit := _unfit(d, answer):
            tally.skip(unfit)
            continue
        else:
            run = partial(try_, implementation, answer)
        try:
            wrong = run()
        except ArgumentError as error:
            if isinstance(answer, Vector) and answer.weak_key:
                tally.skip("weak key that the library refuses")
                continue
            if not isinstance(answer, Procedure) and len(answer.nonce) != d.nonce_bytes:
                # "Any nonce length" has its bounds in most libraries.
                if answer.valid:
                    tally.skip("nonce length that the library refuses")
                    continue
                wrong = ""
            else:
                wrong = fault(error)
        except FAULTS as error:
            wrong = fault(error)
        tally.add(wrong and f"{answer.source} {answer.label}: {wrong}", answer.source)
    return tally.check()


def _unfit(d: Description, v: Vector) -> str:
    """Why a vector is not for an implementation, or ``""``."""
    if d.kind == "generator":
        return "" if len(v.key) + len(v.nonce) == d.key_bytes else "other key or nonce length"
    if len(v.key) != d.key_bytes and not len(v.key) < d.key_bytes <= v.key_grows_to:
        return "other key length"
    if len(v.nonce) != d.nonce_bytes and "any-nonce-length" not in d.flags:
        return "other nonce length"
    if v.aad and NO_AAD in d.flags:
        return "it takes no associated data"
    if d.kind != "cipher" and v.tag_bytes != d.tag_bytes and not v.extendable:
        return "other tag length"
    if d.kind == "cipher" and len(v.message) % d.block_bytes:
        return "message not of whole blocks"
    return ""


def _aead(implementation: Implementation, v: Vector) -> str:
    if not v.valid:
        try:
            implementation.open(v.key, v.nonce, v.output, v.aad)
        except AuthenticationError:
            return ""
        return "open accepted what is invalid"
    sealed = implementation.seal(v.key, v.nonce, v.message, v.aad)
    if sealed != v.output:
        return f"seal gave {excerpt(sealed)}, {excerpt(v.output)} is right"
    opened = implementation.open(v.key, v.nonce, v.output, v.aad)
    return "" if opened == v.message else f"open gave {excerpt(opened)}, {excerpt(v.message)} is right"


def _cipher(implementation: Implementation, v: Vector) -> str:
    message = bytes(v.offset) + v.message
    encrypted = implementation.encrypt(v.key, v.nonce, message)
    if encrypted[v.offset :] != v.output or len(encrypted) != len(message):
        return f"encrypt gave {excerpt(encrypted[v.offset :])}, {excerpt(v.output)} is right"
    decrypted = implementation.decrypt(v.key, v.nonce, encrypted)
    return "" if decrypted == message else f"decrypt gave {excerpt(decrypted)}, {excerpt(message)} is right"


def _generator(implementation: Implementation, v: Vector) -> str:
    """A generator's seed is the key of the stream cipher that it is made of, then the nonce; it gives the keystream."""
    made = implementation.generate(v.key + v.nonce, requests(v.offset + len(v.message)))[v.offset :]
    keystream = bytes(a ^ b for a, b in zip(v.message, v.output, strict=True))
    return "" if made == keystream else f"generate gave {excerpt(made)}, {excerpt(keystream)} is right"


def _digest(implementation: Implementation, v: Vector) -> str:
    key = v.key.ljust(implementation.description.key_bytes, b"\0")
    digest = implementation.digest(key, v.nonce, v.message)
    if len(digest) != implementation.description.tag_bytes:
        return f"digest gave {excerpt(digest)}, {implementation.description.tag_bytes} bytes are described"
    common = min(len(digest), len(v.output)) if v.extendable else None
    if (digest[:common] == v.output[:common]) is v.valid:
        return ""
    right = "is right" if v.valid else "is wrong"
    return f"digest gave {excerpt(digest)}, {excerpt(v.output)} {right}"


def _procedure(implementation: Implementation, procedure: Procedure) -> str:
    answer = procedure.run(implementation)
    return "" if answer == procedure.expected else f"gave {excerpt(answer)}, {excerpt(procedure.expected)} is right"
