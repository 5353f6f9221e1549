"""Common parts of the Python adapters: a row per algorithm, the check of lengths, and the calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias

from aeadlab.catalogue import weak_keys
from aeadlab.catalogue.implementation import Buffer, Description, Implementation
from aeadlab.catalogue.kinds import OPS, Kind, Model
from aeadlab.catalogue.octets import octets
from aeadlab.errors import ArgumentError, AuthenticationError, VerificationError

Call: TypeAlias = Callable[[], object]
Bind: TypeAlias = Callable[[str, str, Buffer, Buffer, Buffer, Buffer], Call]
"""``bind(op, model, key, nonce, data, aad)`` returns the call for one message, as a user of the library writes it."""

REUSED = ".reused"
"""Ends the algorithm's name of a row whose results are written to memory that all calls share. The other rows return
new memory, of which each page of a long result costs more than the encryption of its bytes."""
_PAGE = 4096

NO_FLAGS: frozenset[str] = frozenset()
ANY_NONCE = frozenset({"any-nonce-length"})
HISTORICAL = frozenset({"historical"})
BROKEN_HASHES = frozenset({"md5", "sha-1"})
ONCE: tuple[Model, ...] = ("oneshot",)
"""Models of algorithms whose objects process a single message, so that each message needs a key set-up."""


MAX_GCM = 2**36 - 32
"""Longest message of GCM (SP 800-38D, section 5.2.1.1)."""
MAX_CCM = 2**24 - 1
"""Longest message of CCM with a nonce of 12 bytes, which leaves 3 bytes for the length (RFC 3610, section 2)."""
MAX_CHACHA20 = 2**38
"""Longest message of ChaCha20 with a counter of 32 bits (RFC 8439); with Poly1305 one block of 64 bytes less."""


class Into(partial[int]):
    """A library's own function that writes to reused memory and returns the number of bytes, with no other code.

    Attributes
    ----------
    output
        The memory.
    """

    output: bytearray

    @classmethod
    def of(cls, output: bytearray, function: Callable[..., int], *arguments: object) -> Into:
        """Return the call of a function with these arguments, and `output` as the last one."""
        call = cls(function, *arguments, output)
        call.output = output
        return call


def result_of(call: Call, returned: object) -> object:
    """Return the result of a prepared call: what it returned, or the reused memory that it has filled."""
    if not isinstance(call, Into):
        return returned
    if returned != len(call.output):
        raise VerificationError(f"it wrote {returned!r} bytes, {len(call.output)} expected")
    return call.output


def joined(result: object) -> bytes:
    """Return a result as bytes; the parts of one of several follow each other."""
    if isinstance(result, tuple):
        return b"".join(result)
    return result if isinstance(result, bytes) else bytes(memoryview(result))  # type: ignore[arg-type]


def reused_memory(length: int) -> bytearray:
    """Return memory for the results of all calls, with its pages already assigned by the system."""
    memory = bytearray(length)
    memory[::_PAGE] = bytes(len(range(0, length, _PAGE)))
    return memory


def file_into_reused(write: Callable[[bytearray], int], bytes: int) -> Into:
    """Return the call of `write` with reused memory as long as the result, which a first call determines.

    `bytes` is the length of the input, of which a file is at most a 512th and 1 KiB longer.
    """
    return Into.of(reused_memory(write(bytearray(bytes + bytes // 512 + 1024))), write)


@dataclass(frozen=True)
class Row:
    """One algorithm of a Python library; lengths in bytes.

    Attributes
    ----------
    bind
        Makes the call for one message. The data of ``open`` is the ciphertext followed by the tag.
    nonces
        Accepted nonce lengths, with the flag ``any-nonce-length``; None accepts only `nonce`.
    min_bytes
        Length of the shortest accepted message.
    max_bytes, max_aad
        Lengths of the longest accepted message and associated data; 0 for no limit.
    models
        Available models; ``keyed`` is missing if the objects of the library process a single message.
    parallel
        ``parallel(threads)`` returns the bind of a thread count; None if the library takes none.
    """

    algorithm: str
    kind: Kind
    bind: Bind
    key: int = 0
    nonce: int = 0
    tag: int = 0
    block: int = 1
    nonces: range | None = None
    min_bytes: int = 0
    max_bytes: int = 0
    max_aad: int = 0
    models: tuple[Model, ...] = ("oneshot", "keyed")
    flags: frozenset[str] = field(default_factory=frozenset)
    parallel: Callable[[int], Bind] | None = None

    def describe(self, library: str, version: str, build: str = "", feature_switch: str = "") -> Description:
        """Return the facts of the row for the catalogue."""
        return Description(
            library=library,
            algorithm=self.algorithm,
            kind=self.kind,
            version=version,
            build=build,
            key_bytes=self.key,
            nonce_bytes=self.nonce,
            tag_bytes=self.tag,
            block_bytes=self.block,
            max_bytes=self.max_bytes,
            max_aad_bytes=self.max_aad,
            flags=self.flags,
            origin="python",
            feature_switch=feature_switch,
        )


class Adapter(Implementation):
    """An algorithm of a Python library.

    Parameters
    ----------
    description, row
        Its facts, and its calls.
    rejections
        Exceptions that the library raises if a tag does not match.
    """

    def __init__(self, description: Description, row: Row, rejections: tuple[type[Exception], ...] = ()) -> None:
        super().__init__(description)
        self.models = row.models
        self._row = row
        self._rejections = rejections

    def prepare_call(
        self, op: str, model: str, key: Buffer, nonce: Buffer, data: Buffer, aad: Buffer = b"", threads: int = 1
    ) -> Call:
        """Return the call that a Python user makes for one message; it can be repeated. `result_of` gives its result.

        Parameters
        ----------
        op
            One of the operations of the kind: ``seal``, ``open``, ``encrypt``, ``decrypt``, ``digest``.
        model
            ``keyed`` sets up the key here, ``oneshot`` in the call.
        data
            For ``open``, the ciphertext followed by the tag, or the file.
        threads
            Of an implementation with the flag ``parallel``; 1 of all others.

        Raises
        ------
        aeadlab.errors.ArgumentError
            If the implementation does not have the operation, the model or threads, or a length is wrong.
        """
        if model not in self.models:
            raise ArgumentError(f"{self.name}: model {model!r} given, {_join(self.models)} expected")
        if threads != 1 and self._row.parallel is None:
            raise ArgumentError(f"{self.name}: {threads} threads given, 1 expected: it takes no thread count")
        key, nonce, data, aad = _octets(key, nonce, data, aad)
        self._check(op, key, nonce, data, aad)
        try:
            bind = self._row.parallel(threads) if self._row.parallel else self._row.bind
            return bind(op, model, key, nonce, data, aad)
        except (ValueError, OverflowError) as error:
            raise ArgumentError(f"{self.name}: {error}") from error

    def _compute(self, op: str, key: Buffer, nonce: Buffer, data: Buffer, aad: Buffer = b"") -> bytes:
        key, nonce, data, aad = _octets(key, nonce, data, aad)
        weak_keys.reject(self.description, op, key)
        given = {"key": key, "nonce": nonce, "input": data, "associated data": aad}
        # A copy: `bytes(given)` would be the same object, whose content a library in C can change.
        copies = {name: bytearray(argument) for name, argument in given.items()}
        call = self.prepare_call(op, "oneshot", key, nonce, data, aad)
        try:
            result = result_of(call, call())
        except self._rejections as error:
            if op != "open":
                raise ArgumentError(f"{self.name}: {error}") from error
            raise AuthenticationError(
                f"{self.name}: the tag does not match: wrong key, nonce or associated data, or changed ciphertext"
            ) from error
        except (ValueError, OverflowError) as error:
            raise ArgumentError(f"{self.name}: {error}") from error
        finally:
            for name, argument in given.items():
                if bytearray(argument) != copies[name]:
                    raise VerificationError(f"{self.name}: it writes to its {name}")
        return joined(result)

    def _check(self, op: str, key: Buffer, nonce: Buffer, data: Buffer, aad: Buffer) -> None:
        row = self._row
        if op not in OPS[row.kind]:
            raise ArgumentError(f"{self.name}: operation {op!r} given, {_join(OPS[row.kind])} expected")
        if len(key) != row.key:
            raise ArgumentError(f"{self.name}: key of {len(key)} bytes given, {row.key} expected")
        nonces = row.nonces or range(row.nonce, row.nonce + 1)
        if len(nonce) not in nonces:
            expected = f"{nonces.start}" if len(nonces) == 1 else f"{nonces.start} to {nonces.stop - 1}"
            raise ArgumentError(f"{self.name}: nonce of {len(nonce)} bytes given, {expected} expected")
        size, aad_size = len(data), len(aad)
        if op == "open" and size < row.tag:
            raise ArgumentError(f"{self.name}: sealed message of {size} bytes given, at least {row.tag} expected")
        size -= row.tag if op == "open" else 0
        for what, given, limit in (("message", size, row.max_bytes), ("associated data", aad_size, row.max_aad)):
            if limit and given > limit:
                raise ArgumentError(f"{self.name}: {what} of {given} bytes given, at most {limit} expected")
        if size % row.block:
            raise ArgumentError(
                f"{self.name}: message of {size} bytes given, a multiple of {row.block} expected: pad it first"
            )
        if size < row.min_bytes:
            raise ArgumentError(f"{self.name}: message of {size} bytes given, at least {row.min_bytes} expected")


def adapters(
    library: str,
    version: str,
    rows: Sequence[Row],
    *,
    feature_switch: str,
    build: str = "",
    rejections: tuple[type[Exception], ...] = (),
) -> list[Implementation]:
    """Return the implementations of the rows of a library."""
    return [Adapter(row.describe(library, version, build, feature_switch), row, rejections) for row in rows]


def available(rows: Iterable[Row], unsupported: type[Exception]) -> list[Row]:
    """Return the rows whose first call does not raise `unsupported`: builds of a library may lack algorithms."""
    return [row for row in rows if _is_available(row, unsupported)]


def copy_and_update(keyed: Any, data: Buffer) -> Call:
    """Return the call that computes a MAC of `data` with a copy of a keyed object."""

    def call() -> object:
        mac = keyed.copy()
        mac.update(data)
        return mac.digest()

    return call


def _is_available(row: Row, unsupported: type[Exception]) -> bool:
    # Different bytes, because XTS rejects a key of two equal halves.
    key, data = bytes(range(row.key)), bytes(max(row.block, row.min_bytes))
    try:
        row.bind(OPS[row.kind][0], "oneshot", key, bytes(row.nonce), data, b"")()
    except unsupported:
        return False
    return True


def _octets(key: Buffer, nonce: Buffer, data: Buffer, aad: Buffer) -> tuple[Buffer, Buffer, Buffer, Buffer]:
    """Return the arguments as bytes; keys and nonces are copied, because some libraries accept no memoryview there."""
    key, nonce = octets(key, "key"), octets(nonce, "nonce")
    if isinstance(key, memoryview):
        key = bytes(key)
    if isinstance(nonce, memoryview):
        nonce = bytes(nonce)
    return key, nonce, octets(data, "data"), octets(aad, "aad")


def _join(words: Sequence[str]) -> str:
    return " or ".join(words)
