"""How a case is run: natively behind the C ABI, or from Python as a user would call it."""

from __future__ import annotations

import hashlib
import random
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol

from aeadlab import _native, schedules
from aeadlab.bench import children
from aeadlab.bench.case import Case
from aeadlab.bench.masks import process_of
from aeadlab.catalogue import Catalogue, Implementation
from aeadlab.catalogue.adapters.base import Adapter
from aeadlab.catalogue.native import NativeImplementation
from aeadlab.errors import ArgumentError, MeasurementError
from aeadlab.kinds import DELAY

if TYPE_CHECKING:
    from numpy.typing import NDArray

Sample = tuple[int, int, int, int, int, int, int]
"""wall_ns, cpu_ns, tsc_ticks, minor and major faults, voluntary and involuntary switches."""


class Driver(Protocol):
    """A prepared case."""

    @property
    def fingerprint(self) -> int | None:
        """Of the result, equal for all implementations of an algorithm; None where it is not kept."""

    def calibrate(self, target_ns: int) -> int:
        """Executions that take at least `target_ns` together."""

    def sample(self, batch: int) -> Sample:
        """One sample of `batch` executions."""


IN_CACHES = 64 << 20
"""Bytes of a message of which a part may still be in the caches when it is processed again."""


class NativeDriver:
    """A case of engine ``whole`` or ``parsplit``; the arena is made later, when all cases are known.

    Attributes
    ----------
    settles
        Whether an execution that is not timed comes before each sample.
    """

    settles = False

    def __init__(self, case: Case, implementation: NativeImplementation) -> None:
        if case.engine == "parsplit":
            schedules.prepare(case.schedule)
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
        )
        self.arena: _native.Arena | None = None

    @property
    def fingerprint(self) -> int | None:
        return self.native.fingerprint

    def calibrate(self, target_ns: int) -> int:
        return self.native.calibrate(self._arena(), target_ns)

    def sample(self, batch: int) -> Sample:
        if self.settles:
            self.native.sample(self._arena(), 1)
        return self.native.sample(self._arena(), batch)

    def trace(self) -> NDArray[Any]:
        """One execution of a keyed ParSplit case, as `aeadlab.schedules.spans` has it."""
        return schedules.spans(self.native.trace(self._arena()))

    def _arena(self) -> _native.Arena:
        if self.arena is None:
            raise ArgumentError("the case has no arena yet: give it one with `share_arena`")
        return self.arena


def share_arena(
    drivers: list[Driver], cases: list[Case], seed: int, *, least: int = 0, beside_others: bool = False
) -> None:
    """One memory for all native cases, so that interleaved cases meet the same pages.

    Other processes have a memory each, of the same size and content.

    Parameters
    ----------
    least
        Bytes of a message for which there is room at least.
    beside_others
        Whether other processes take samples in between, as they do where cases have masks. They use the caches, unless
        they merely wait; what is small enough to stay there is then brought back before each sample.

    Raises
    ------
    aeadlab.errors.MeasurementError
        If the memory cannot be had.
    """
    native = [(d, c) for d, c in zip(drivers, cases, strict=True) if isinstance(d, NativeDriver)]
    size = max([least, *(c.message_bytes for c in cases if c.engine != "python")])
    if native:
        try:
            arena = _native.Arena(size, max(d.native.tag_bytes for d, _ in native), seed)
        except MemoryError as error:
            raise MeasurementError(f"{error}: choose a smaller message") from error
        for driver, _ in native:
            driver.arena = arena
    others = [d for d in drivers if isinstance(d, children.ChildDriver)]
    disturbed = beside_others or any(d.case.implementation != DELAY for d in others)
    for driver, case in native:
        driver.settles = disturbed and case.cache == "warm" and case.message_bytes <= IN_CACHES
    children.start(others, size, seed)


class CellsDriver(NativeDriver):
    """A case of engine ``cells``: as many executions of its cell as its message has."""

    def __init__(self, case: Case, implementation: NativeImplementation) -> None:
        cell = replace(case, engine="whole", bytes=case.block_size, block_size=0)
        super().__init__(cell, implementation)
        self.cells = case.bytes // case.block_size

    def calibrate(self, target_ns: int) -> int:
        return max(1, -(-super().calibrate(target_ns) // self.cells))

    def sample(self, batch: int) -> Sample:
        return super().sample(batch * self.cells)


class GeneratorDriver:
    """A case of a generator: `threads` streams, each asking for `block_size` bytes at a time; 0 for large requests."""

    fingerprint = None

    def __init__(self, case: Case, implementation: NativeImplementation) -> None:
        given = (case.engine, case.model, case.placement, case.cache)
        if given != ("whole", "keyed", "separate", "warm"):
            raise ArgumentError(
                f"{case.implementation} is a generator: {', '.join(given)} given; whole, keyed, separate, warm wanted"
            )
        self.native = _native.Streams(
            implementation.native, bytes=case.bytes, request=case.block_size, threads=case.threads
        )

    def calibrate(self, target_ns: int) -> int:
        return self.native.calibrate(target_ns)

    def sample(self, batch: int) -> Sample:
        return self.native.sample(batch)


class PythonDriver:
    """A case of engine ``python``: what a Python user pays, fresh output included."""

    def __init__(self, case: Case, adapter: Adapter, seed: int) -> None:
        description = adapter.description
        key = bytes(range(1, description.key_bytes + 1))
        nonce = bytes(range(101, description.nonce_bytes + 101))
        data = _message(case.bytes, seed)
        self._expected: bytes | None = None
        if case.op in ("open", "decrypt"):
            self._expected = _ends(data)
            data = adapter.seal(key, nonce, data) if case.op == "open" else adapter.encrypt(key, nonce, data)
        self._call = adapter.prepared(case.op, case.model, key, nonce, data)

    @property
    def fingerprint(self) -> int | None:
        return None

    def calibrate(self, target_ns: int) -> int:
        self.sample(1)
        batch = 1
        while (wall := max(self.sample(batch)[0], 1)) < target_ns and batch < 1 << 24:
            batch = min(max(batch + 1, int(batch * target_ns / wall * 1.1) + 1), batch * 100)
        return batch

    def sample(self, batch: int) -> Sample:
        row, result = _native.sample_call(self._call, batch)
        ends = _ends(result)
        if self._expected is None:
            self._expected = ends
        elif ends != self._expected:
            raise MeasurementError("the result differs from the first sample's, or from the message that was sealed")
        return row


def _ends(result: object) -> bytes:
    """Digest of the length and both ends of each part: the whole would take longer than many a sample."""
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


def driver(case: Case, catalogue: Catalogue, seed: int, *, here: bool = False) -> Driver:
    """The driver of a case.

    Parameters
    ----------
    here
        Whether it runs in this process though it needs one of its own, because this is that process.

    Raises
    ------
    aeadlab.errors.UnknownNameError
        If the implementation does not exist here.
    aeadlab.errors.ArgumentError
        If it cannot be driven so.
    """
    if process_of(case) and not here:
        return children.ChildDriver(case, catalogue.plugins)
    implementation: Implementation = catalogue.find(case.implementation)
    if case.engine == "python":
        if not isinstance(implementation, Adapter):
            raise ArgumentError(f"{case.implementation} is not a Python library's: its engine is whole or parsplit")
        if case.placement != "separate":
            raise ArgumentError(f"engine python has fresh output, not placement {case.placement}")
        return PythonDriver(case, implementation, seed)
    if not isinstance(implementation, NativeImplementation):
        raise ArgumentError(f"{case.implementation} is called from Python only: its engine is python")
    if case.op == "generate":
        return GeneratorDriver(case, implementation)
    return (CellsDriver if case.engine == "cells" else NativeDriver)(case, implementation)
