"""Drivers, which execute cases: by native code behind the C ABI, or from Python as a user would call a library."""

from __future__ import annotations

import hashlib
import random
from abc import ABC, abstractmethod
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, Protocol

from aeadlab import _native
from aeadlab.bench.case import Case
from aeadlab.bench.isolated import IsolatedDriver, begin, process_key
from aeadlab.catalogue import Catalogue, Implementation
from aeadlab.catalogue.adapters.base import Adapter, joined, result_of
from aeadlab.catalogue.kinds import DELAY
from aeadlab.catalogue.native import NativeImplementation
from aeadlab.errors import ArgumentError, MeasurementError, VerificationError
from aeadlab.parsplit import schedules

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from aeadlab.verify.reference.files import FileReference

Message = tuple[bytes, bytes, bytes, bytes]
"""Key, nonce, text and associated data."""

Sample = tuple[int, int, int, int, int, int, int]
"""wall_ns, cpu_ns, tsc_ticks, minor and major faults, voluntary and involuntary switches."""


class Driver(Protocol):
    """A prepared case."""

    @property
    def fingerprint(self) -> int | None:
        """Fingerprint of the result, equal for all implementations of an algorithm; None if there is none."""

    def calibrate(self, target_ns: int) -> int:
        """Return the number of executions that take at least `target_ns` together; 1 if a case cannot be batched."""

    def sample(self, batch: int) -> Sample:
        """Take one sample of `batch` executions."""


CACHED_BYTES = 64 << 20
"""Length in bytes up to which part of a message may remain in the caches until its next execution."""

Preparation = Literal["none", "execution", "touch"]
"""What precedes each sample, untimed: nothing, an execution, or one access to each page of the message.

An execution brings a short message back into the caches. The first execution on a long message after some seconds
without any can take six times as long on a virtual machine, although its process sees no page fault: presumably the
host maps the pages anew. One access to each page has this cost instead.
"""


class PreparedDriver(ABC):
    """A case that runs in this process, with a `Preparation` that `share_arena` assigns."""

    preparation: Preparation = "none"

    def sample(self, batch: int) -> Sample:
        if self.preparation == "execution":
            self._execute(1)
        return self._execute(batch)

    @abstractmethod
    def _execute(self, batch: int) -> Sample:
        """Take a sample of this case without preparation."""


class NativeDriver(PreparedDriver):
    """A case of engine ``whole`` or ``parsplit``; `share_arena` assigns the arena once all cases are known."""

    def __init__(self, case: Case, implementation: NativeImplementation) -> None:
        if case.engine == "parsplit":
            schedules.register(case.schedule)
        self.native = _native.Case(
            implementation.native,
            engine=case.engine,
            model=case.model,
            op=case.op,
            bytes=case.bytes,
            block_size=case.block_size,
            threads=case.threads,
            schedule=case.schedule,
            placement=case.placement,
            serial_below=None,
            cold=case.cache == "cold",
            aad_bytes=case.aad_bytes,
            tags=case.tags,
        )
        self.arena: _native.Arena | None = None
        self._bytes = case.bytes

    @property
    def fingerprint(self) -> int | None:
        return self.native.fingerprint

    def calibrate(self, target_ns: int) -> int:
        return self.native.calibrate(self._arena(), target_ns)

    def _execute(self, batch: int) -> Sample:
        return self.native.sample(self._arena(), batch)

    def sample(self, batch: int) -> Sample:
        if self.preparation == "touch":
            self._arena().touch(self._bytes)
        return super().sample(batch)

    def trace(self) -> NDArray[Any]:
        """Return the trace of one execution of a keyed ParSplit case, see `aeadlab.parsplit.schedules.parse_trace`."""
        return schedules.parse_trace(self.native.trace(self._arena()))

    def _arena(self) -> _native.Arena:
        if self.arena is None:
            raise ArgumentError("the case has no arena yet: assign one with `share_arena`")
        return self.arena


def share_arena(
    drivers: list[Driver],
    cases: list[Case],
    seed: int,
    *,
    least: int = 0,
    least_tags: int = 0,
    interleaved: bool = False,
) -> None:
    """Assign one arena to all native cases, so that interleaved cases use the same pages, and start other processes.

    Isolated cases have an arena in each process, of the same length, room for tags and content: the distance of its
    buffers changes the speed of long messages.

    Parameters
    ----------
    least, least_tags
        Smallest length of the arena's message, and smallest room for tags, in bytes.
    interleaved
        Whether other processes take samples in between. They displace the content of the caches, unless they merely
        wait, and the memory of this process is unused meanwhile. Its cases are therefore prepared, see `Preparation`.

    Raises
    ------
    aeadlab.errors.MeasurementError
        If there is not enough memory.
    """
    native = [(d, c) for d, c in zip(drivers, cases, strict=True) if isinstance(d, NativeDriver)]
    size = max([least, *(c.message_bytes for c in cases if c.engine != "python")])
    tags = max([least_tags, *(d.native.tag_bytes for d, _ in native)])
    others = [d for d in drivers if isinstance(d, IsolatedDriver)]
    # All processes fill their arenas at the same time, which takes a second for each GiB.
    groups = begin(others, {"bytes": size, "tags": tags, "seed": seed})
    if native:
        try:
            arena = _native.Arena(size, tags, seed)
        except MemoryError as error:
            raise MeasurementError(f"{error}: choose a smaller message") from error
        for driver, _ in native:
            driver.arena = arena
    disturbed = interleaved or any(d.case.implementation != DELAY for d in others)
    for any_driver, case in zip(drivers, cases, strict=True):
        if isinstance(any_driver, PreparedDriver):
            any_driver.preparation = _preparation(case) if disturbed else "none"
    for group in groups:
        group.finish()


def _preparation(case: Case) -> Preparation:
    """Return what precedes each sample of a case if other processes take samples in between.

    With cold caches each line is evicted before each execution. A generator's long output replaces the previous
    request, so that only its states are in memory. Engine ``python`` has copies and outputs that only a call reaches.
    """
    if case.cache != "warm":
        return "none"
    if case.op == "generate":
        return "execution" if case.bytes <= CACHED_BYTES else "none"
    return "execution" if case.engine == "python" or case.message_bytes <= CACHED_BYTES else "touch"


class CellsDriver(NativeDriver):
    """A case of engine ``cells``: one execution for each cell of its message."""

    def __init__(self, case: Case, implementation: NativeImplementation) -> None:
        cell = replace(case, engine="whole", bytes=case.block_size, block_size=0)
        super().__init__(cell, implementation)
        self.cells = case.bytes // case.block_size

    def calibrate(self, target_ns: int) -> int:
        return max(1, -(-super().calibrate(target_ns) // self.cells))

    def sample(self, batch: int) -> Sample:
        return super().sample(batch * self.cells)


class GeneratorDriver(PreparedDriver):
    """A case of a generator: `threads` streams with requests of `block_size` bytes, or large requests where it is 0."""

    fingerprint = None

    def __init__(self, case: Case, implementation: NativeImplementation) -> None:
        given = (case.engine, case.model, case.placement, case.cache)
        if given != ("whole", "keyed", "separate", "warm"):
            raise ArgumentError(
                f"{case.implementation} is a generator: {', '.join(given)} given, whole, keyed, separate, warm expected"
            )
        self.native = _native.Streams(
            implementation.native, bytes=case.bytes, request=case.block_size, threads=case.threads
        )

    def calibrate(self, target_ns: int) -> int:
        return self.native.calibrate(target_ns)

    def _execute(self, batch: int) -> Sample:
        return self.native.sample(batch)


class PythonDriver(PreparedDriver):
    """A case of engine ``python``: a Python user's call, including the allocation of its output.

    The rows of the catalogue that end in ``.reused`` write to memory that all calls share.
    """

    def __init__(self, case: Case, adapter: Adapter, seed: int) -> None:
        description = adapter.description
        key = bytes(range(1, description.key_bytes + 1))
        nonce = bytes(range(101, description.nonce_bytes + 101))
        data, aad = _message(case.bytes, seed), _native.associated_data(case.aad_bytes)
        self._expected: bytes | None = None
        given = data
        if case.op in ("open", "decrypt"):
            self._expected = _digest_of_ends(data)
            given = self._sealed(adapter, case.op, (key, nonce, data, aad))
        self._call = adapter.prepare_call(case.op, case.model, key, nonce, given, aad, case.threads)
        self._check_first(adapter, case.op, (key, nonce, data, aad))

    def _sealed(self, adapter: Adapter, op: str, message: Message) -> bytes:
        """Return what the case opens or decrypts."""
        key, nonce, data, aad = message
        return adapter.seal(key, nonce, data, aad) if op == "open" else adapter.encrypt(key, nonce, data)

    def _check_first(self, adapter: Adapter, op: str, message: Message) -> None:
        """Check the first result; other libraries have computed it for the same length before."""

    @property
    def fingerprint(self) -> int | None:
        return None

    def calibrate(self, target_ns: int) -> int:
        return _native.calibrate(self.sample, target_ns)

    def _execute(self, batch: int) -> Sample:
        row, result = _native.sample_call(self._call, batch)
        self._check(result_of(self._call, result))
        return row

    def _check(self, result: object) -> None:
        digest = _digest_of_ends(result)
        if self._expected is None:
            self._expected = digest
        elif digest != self._expected:
            raise VerificationError("the result differs from that of the first sample, or from the sealed message")


class FileDriver(PythonDriver):
    """A case of a file, whose salts and nonces are new at each call.

    It opens a file of the reference of its format, which in turn opens the first file that it seals.
    """

    def _sealed(self, adapter: Adapter, op: str, message: Message) -> bytes:
        key, _, data, aad = message
        return _file_of(_reference(adapter), key, data, aad)

    def _check_first(self, adapter: Adapter, op: str, message: Message) -> None:
        key, _, data, aad = message
        if op == "seal" and _reference(adapter).open(key, joined(result_of(self._call, self._call())), aad) != data:
            raise VerificationError("the reference of the format opens the file to another message")

    def _check(self, result: object) -> None:
        if self._expected is not None:
            super()._check(joined(result) if isinstance(result, tuple) else result)


@lru_cache(maxsize=4)
def _file_of(reference: FileReference, key: bytes, data: bytes, aad: bytes) -> bytes:
    """Return the same object for all programs of a format, since long files fill the memory."""
    return reference.seal(key, data, aad)


def _reference(adapter: Adapter) -> FileReference:
    # Its packages are loaded by the workers that time files only.
    from aeadlab.verify.reference.files import file_reference

    if (reference := file_reference(adapter.description.base_algorithm)) is None:
        raise ArgumentError(
            f"{adapter.name} has no reference that opens its files: add one to aeadlab.verify.reference"
        )
    return reference


def _digest_of_ends(result: object) -> bytes:
    """Return a digest of the length and both ends of each part; all bytes would take longer than a sample."""
    digest = hashlib.sha256()
    for part in result if isinstance(result, tuple) else (result,):
        view = memoryview(part).cast("B")
        digest.update(len(view).to_bytes(8, "little") + bytes(view[:64]) + bytes(view[-64:]))
    return digest.digest()


@lru_cache(maxsize=1)
def _message(length: int, seed: int) -> bytes:
    return random.Random(seed).randbytes(length) if length < 1 << 20 else _large(length, seed)


def _large(length: int, seed: int) -> bytes:
    piece = random.Random(seed).randbytes(1 << 20)
    return piece * (length >> 20) + piece[: length % (1 << 20)]


def driver(case: Case, catalogue: Catalogue, seed: int, *, isolated: bool = False) -> Driver:
    """Return the driver of a case.

    Parameters
    ----------
    isolated
        Whether this process is the one that `aeadlab.bench.isolated` started for the case.

    Raises
    ------
    aeadlab.errors.UnknownNameError
        If the implementation is not available.
    aeadlab.errors.ArgumentError
        If the implementation does not support the case.
    """
    if not isolated and process_key(case, catalogue):
        return IsolatedDriver(case, catalogue)
    implementation: Implementation = catalogue.find(case.implementation)
    if case.engine == "python":
        if not isinstance(implementation, Adapter):
            raise ArgumentError(f"{case.implementation} is behind the C ABI: use engine whole instead of python")
        if case.placement != "separate":
            raise ArgumentError(f"engine python has a separate output: placement {case.placement} given, use separate")
        kind = FileDriver if implementation.description.kind == "file" else PythonDriver
        return kind(case, implementation, seed)
    if not isinstance(implementation, NativeImplementation):
        raise ArgumentError(f"{case.implementation} is called from Python: use engine python instead of {case.engine}")
    if case.op == "generate":
        return GeneratorDriver(case, implementation)
    return (CellsDriver if case.engine == "cells" else NativeDriver)(case, implementation)
