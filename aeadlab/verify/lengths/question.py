"""A question to an implementation: its complete result for one length; and the answer, a digest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

from blake3 import blake3

from aeadlab import _native
from aeadlab.catalogue.adapters.base import Adapter
from aeadlab.catalogue.implementation import Buffer, Implementation
from aeadlab.catalogue.native import NativeImplementation
from aeadlab.display.printable import printable
from aeadlab.display.units import size_name
from aeadlab.errors import ArgumentError, AuthenticationError, Error, VerificationError
from aeadlab.verify.report import FAULTS, fault

SEED = 20261123
"""Seed of the message, which is the same for all questions of a length."""

THREADS = 2
"""Threads of ParSplit; the result does not depend on them."""


@dataclass(frozen=True, order=True)
class Question:
    """One operation on a message of one length; lengths in bytes.

    Attributes
    ----------
    op
        ``open`` also seals, and includes a forgery that must be rejected.
    block_size
        Of ParSplit with `split`; of a parallel implementation otherwise, 0 for its own choice.
    threads
        Of a parallel implementation.
    aad_bytes
        Of the associated data, which ``open`` also changes to a shorter one that must be rejected.
    tags
        Form of the tags of ParSplit.
    """

    op: str
    bytes: int
    split: bool = False
    block_size: int = 0
    threads: int = 1
    placement: str = "separate"
    aad_bytes: int = 0
    tags: str = "concatenated"

    @property
    def compared(self) -> Self:
        """The question whose answer equals the answer to this one, for any implementation of the algorithm."""
        op = "seal" if self.op == "open" else self.op
        blocks = self.block_size if self.split else 0
        return type(self)(op, self.bytes, self.split, blocks, aad_bytes=self.aad_bytes, tags=self.tags)

    def __str__(self) -> str:
        blocks = f" in blocks of {size_name(self.block_size)}" if self.split else ""
        aad = f" with {self.aad_bytes} bytes of associated data" if self.aad_bytes else ""
        blocks += f" with {self.tags} tags" * (self.tags != "concatenated")
        return f"{self.op} of {self.bytes} bytes{aad}{blocks}{' in place' * (self.placement == 'in-place')}"


@dataclass(frozen=True)
class Answer:
    """The answer to a question; exactly one attribute is not empty.

    Attributes
    ----------
    digest
        Of ciphertext and tags, or of the tag alone of a hash or MAC.
    fault
        A wrong result, a crash or an exception, in words.
    unsupported
        Error of an implementation that rejects the length or another argument.
    skipped
        Reason why the implementation was not run, such as a lack of memory.
    """

    digest: str = ""
    fault: str = ""
    unsupported: str = ""
    skipped: str = ""

    def as_dict(self) -> dict[str, str]:
        """Return the answer for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Self:
        """Return the answer that `as_dict` converted."""
        return cls(*(str(stored[name]) for name in ("digest", "fault", "unsupported", "skipped")))


def answer(implementation: Implementation, question: Question) -> Answer:
    """Ask an implementation in this process."""
    try:
        if isinstance(implementation, NativeImplementation):
            return Answer(_native_digest(implementation, question))
        if isinstance(implementation, Adapter):
            return Answer(_python_digest(implementation, question))
    except ArgumentError as error:
        return Answer(unsupported=str(error))
    except MemoryError as error:
        return Answer(skipped=f"not enough memory: {error}")
    except AuthenticationError:
        return Answer(fault="it rejects the message that it sealed")
    except FAULTS as error:
        return Answer(fault=printable(str(error)) if isinstance(error, Error) else fault(error))
    return Answer(skipped="references are too slow for long messages")


def memory(implementation: Implementation, question: Question) -> int:
    """Return the bytes of memory that a question takes; a library that copies the message takes more."""
    python = implementation.description.origin == "python"
    buffers = 1 if question.op == "digest" else 3 if python else 1 if question.placement == "in-place" else 2
    return buffers * question.bytes + question.aad_bytes


def fixed_bytes(length: int, salt: int) -> bytes:
    """Return the key (salt 1) or the nonce (salt 2) of native cases, which is the same for every implementation."""
    return bytes((i * 151 + salt) % 256 ^ 0x5A for i in range(length))


def _native_digest(implementation: NativeImplementation, question: Question) -> str:
    thread_safe = "thread-safe" in implementation.description.flags
    case = _native.Case(
        implementation.native,
        engine="parsplit" if question.split else "whole",
        model="keyed",
        op=question.op,
        bytes=question.bytes,
        block_size=question.block_size,
        threads=(THREADS if thread_safe else 1) if question.split else question.threads,
        schedule="static" if question.split else "",
        placement=question.placement,
        serial_below=None,
        cold=False,
        aad_bytes=question.aad_bytes,
        tags=question.tags,
    )
    return case.answer(SEED).hex()


def _python_digest(adapter: Adapter, question: Question) -> str:
    d = adapter.description
    if question.split:
        raise ArgumentError(f"{d.name} is called from Python: ParSplit needs one behind the C ABI")
    limits = (("message", question.bytes, d.max_bytes), ("associated data", question.aad_bytes, d.max_aad_bytes))
    for what, given, limit in limits:
        if limit and given > limit:
            raise ArgumentError(f"{d.name}: {what} of {given} bytes given, at most {limit} expected")
    key, nonce = fixed_bytes(d.key_bytes, 1), fixed_bytes(d.nonce_bytes, 2)
    message = _native.pseudorandom(question.bytes, SEED)
    aad = _native.associated_data(question.aad_bytes)
    associated = (aad,) if aad else ()
    op = "seal" if question.op == "open" else question.op
    result: bytes | bytearray = getattr(adapter, op)(key, nonce, message, *associated)
    digest = blake3(result).hexdigest()
    if question.op == "open":
        if adapter.open(key, nonce, result, aad) != message:
            return _wrong("the opened message differs from the sealed one")
        # One copy at a time: a message can take a fifth of the memory.
        del message
        if aad:
            _expect_rejection(adapter, (key, nonce, result, aad[:-1]), question, "shorter associated data")
        result = bytearray(result)
        result[-1] ^= 0x80
        _expect_rejection(adapter, (key, nonce, result, aad), question, "a changed tag")
    return digest


def _expect_rejection(
    adapter: Adapter, sealed: tuple[Buffer, Buffer, Buffer, Buffer], question: Question, change: str
) -> None:
    try:
        adapter.open(*sealed)
    except AuthenticationError:
        return
    _wrong(f"it accepts a message of {question.bytes} bytes with {change}")


def _wrong(reason: str) -> str:
    raise VerificationError(reason)
