"""The journal of a run: one line for each sample, written at once, so that a crash loses at most the current sample."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from aeadlab import paths
from aeadlab.bench.plan import Plan
from aeadlab.errors import RecordError

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
            paths.write_atomically(path, json.dumps({"plan": plan.to_json()}) + "\n")
        except OSError as error:
            raise RecordError(f"journal {path} cannot be written: {error.strerror}") from error
        return cls(path, plan)

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a journal without an incomplete last line.

        Raises
        ------
        aeadlab.errors.RecordError
            If the file is not a journal, or damaged.
        """
        first, *lines = path.read_bytes().split(b"\n")[:-1] or [b""]
        try:
            journal = cls(path, Plan.from_json(json.loads(first)["plan"]))
        except (LookupError, TypeError, ValueError) as error:
            raise RecordError(f"{path} is not a journal of aeadlab ({error!r}): remove it to start again") from error
        for number, line in enumerate(lines, start=2):
            try:
                journal._add(json.loads(line))
            except (LookupError, TypeError, ValueError) as error:
                raise RecordError(
                    f"journal {path} is damaged in line {number} ({error}): remove it to start again"
                ) from error
        return journal

    def _add(self, line: Any) -> None:
        if isinstance(line, list):
            if len(line) != len(SAMPLE_FIELDS) or not all(isinstance(value, int) for value in line):
                raise ValueError(f"a sample with {len(SAMPLE_FIELDS)} integers expected")
            self._check(line[0])
            self.samples.append(tuple(line))
        elif "failed" in line:
            self._check(line["case"])
            self.failures[line["case"]] = line["failed"]
        else:
            self.notes.append(dict(line))

    def _check(self, case: int) -> None:
        if not 0 <= case < len(self.plan.cases):
            raise ValueError(f"case {case} given, 0 to {len(self.plan.cases) - 1} expected")

    def append(self, line: list[int] | dict[str, Any]) -> None:
        """Append a line with one write, so that a crash leaves at most one incomplete line, at the end of the file.

        Raises
        ------
        aeadlab.errors.RecordError
            If it cannot be written, for instance because the disk is full.
        """
        octets = (json.dumps(line) + "\n").encode()
        try:
            with nullcontext() if self._descriptor is not None else self.open():
                while octets:
                    octets = octets[os.write(self._descriptor or 0, octets) :]
        except OSError as error:
            raise RecordError(
                f"journal {self.path} cannot be written: {error.strerror}; its samples are kept, run the "
                "same command to resume"
            ) from error
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
