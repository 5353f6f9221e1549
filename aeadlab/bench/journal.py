"""The journal of a run: one line for each sample, written at once, so that a crash loses at most the current sample.

A line is JSON, a tab, and the first 16 hexadecimal digits of the BLAKE3 digest of the previous line's digits and this
JSON. A changed, removed, repeated or moved line is therefore an error, except at the end, where a crash cuts.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Self

from blake3 import blake3

from aeadlab import paths
from aeadlab.bench.plan import Plan
from aeadlab.errors import Error, RecordError
from aeadlab.host.bounded import parse_json, read_file

MAX_FILE: Final = 1 << 30
"""Largest journal in bytes: some ten million samples."""
_MAX_LINE: Final = 1 << 16
_MAX_PLAN: Final = 1 << 26
_LARGEST: Final = 1 << 53
"""Larger integers are not exact as floating-point numbers."""

SAMPLE_FIELDS = (
    "case",
    "round",
    "warmup",
    "batch",
    "wall_ns",
    "cpu_ns",
    "tsc_ticks",
    "minor_faults",
    "major_faults",
    "voluntary_switches",
    "involuntary_switches",
    "process",
)
"""Columns of a sample line, all integers: `case` is the index in the plan, `round` is -1 in the warm-up, `process` the
index of the worker process."""


@dataclass
class Journal:
    """The content of a journal file.

    Attributes
    ----------
    samples
        Rows of `SAMPLE_FIELDS`, in the order of measurement.
    failures
        Reasons by index of the case.
    notes
        Other events, such as the start of a process, or rounds that the budget left out.
    """

    path: Path
    plan: Plan
    samples: list[tuple[int, ...]] = field(default_factory=list)
    failures: dict[int, str] = field(default_factory=dict)
    notes: list[dict[str, Any]] = field(default_factory=list)
    _descriptor: int | None = field(default=None, init=False, repr=False, compare=False)
    _digest: bytes = field(default=b"", init=False, repr=False, compare=False)

    @classmethod
    def create(cls, path: Path, plan: Plan) -> Self:
        """Create a journal file with the plan as its first line.

        Raises
        ------
        aeadlab.errors.RecordError
            If the file exists already or cannot be written.
        """
        if path.exists():
            raise RecordError(f"journal {path} exists already: resume it, or remove it")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            # After a crash there is no journal without its plan.
            journal = cls(path, plan)
            octets, journal._digest = journal._sealed({"plan": plan.to_json()})
            paths.write_atomically(path, octets)
        except OSError as error:
            raise RecordError(f"journal {path} cannot be written: {error.strerror}") from error
        return journal

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a journal without an incomplete last line.

        Raises
        ------
        aeadlab.errors.RecordError
            If the file is not a journal, larger than `MAX_FILE`, or damaged.
        """
        first, *lines = read_file(path, MAX_FILE, "journal").split(b"\n")[:-1] or [b""]
        try:
            text, digest = _checked(first, b"")
            journal = cls(path, Plan.from_json(parse_json(text, _MAX_PLAN)["plan"]))
        except (LookupError, TypeError, ValueError, Error) as error:
            raise RecordError(
                f"{path} is not a journal of aeadlab, or of an older version ({error}): remove it to start again"
            ) from error
        for number, line in enumerate(lines, start=2):
            try:
                text, digest = _checked(line, digest)
                journal._add(parse_json(text, _MAX_LINE))
            except (LookupError, TypeError, ValueError) as error:
                raise RecordError(
                    f"journal {path} is damaged in line {number} ({error}): remove it to start again"
                ) from error
        journal._digest = digest
        return journal

    def _sealed(self, line: list[int] | dict[str, Any]) -> tuple[bytes, bytes]:
        """Return the octets of the next line, and its digest."""
        text = json.dumps(line).encode()
        digest = _digest_of(text, self._digest)
        return text + b"\t" + digest + b"\n", digest

    def _add(self, line: Any) -> None:
        if isinstance(line, list):
            if len(line) != len(SAMPLE_FIELDS) or not all(type(v) is int and -1 <= v <= _LARGEST for v in line):
                raise ValueError(f"a sample with {len(SAMPLE_FIELDS)} integers expected")
            self._check(line[0])
            self.samples.append(tuple(line))
        elif not isinstance(line, dict):
            raise TypeError(f"{type(line).__name__} given, a list or an object expected")
        elif "failed" in line:
            self._check(line["case"])
            self.failures[line["case"]] = str(line["failed"])
        else:
            self.notes.append(dict(line))

    def _check(self, case: Any) -> None:
        if type(case) is not int or not 0 <= case < len(self.plan.cases):
            raise ValueError(f"case {case} given, 0 to {len(self.plan.cases) - 1} expected")

    def append(self, line: list[int] | dict[str, Any]) -> None:
        """Append a line with one write, so that a crash leaves at most one incomplete line, at the end of the file.

        Raises
        ------
        aeadlab.errors.RecordError
            If it cannot be written, for instance because the disk is full.
        """
        octets, digest = self._sealed(line)
        try:
            with nullcontext() if self._descriptor is not None else self.open():
                while octets:
                    octets = octets[os.write(self._descriptor or 0, octets) :]
        except OSError as error:
            raise RecordError(
                f"journal {self.path} cannot be written: {error.strerror}; its samples are kept, run the "
                "same command to resume"
            ) from error
        self._digest = digest
        self._add(line)

    @contextmanager
    def open(self) -> Iterator[None]:
        """Keep the file open, because opening it takes as long as writing a line."""
        self._descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND)
        try:
            yield
        finally:
            os.close(self._descriptor)
            self._descriptor = None

    def repair(self) -> None:
        """Remove an incomplete last line, so that the next line starts at its beginning."""
        content = self.path.read_bytes()
        if not content.endswith(b"\n"):
            with self.path.open("r+b") as file:
                file.truncate(content.rfind(b"\n") + 1)

    def done(self) -> set[tuple[int, int]]:
        """Return (round, case) of every sample after the warm-up."""
        return {(row[1], row[0]) for row in self.samples if not row[2]}


def _digest_of(text: bytes, previous: bytes) -> bytes:
    return blake3(previous + text).hexdigest()[:16].encode()


def _checked(line: bytes, previous: bytes) -> tuple[bytes, bytes]:
    """Return the JSON of a line and its digest, which the next line continues."""
    text, _, digest = line.rpartition(b"\t")
    if digest != _digest_of(text, previous):
        raise ValueError("its checksum is wrong")
    return text, digest
