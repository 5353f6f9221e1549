"""The journal: one line a sample, written as it is taken, so that a crash loses at most the sample in flight."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

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
)
"""Columns of a sample line, all integers; `case` is the index in the plan, `round` is -1 in the warm-up."""


@dataclass
class Journal:
    """What a journal file holds.

    Attributes
    ----------
    samples
        Rows of `SAMPLE_FIELDS`, in the order in which they were taken.
    failures
        Case index and reason.
    notes
        What happened besides: starts with their time, fingerprints, an ending.
    """

    path: Path
    plan: Plan
    samples: list[tuple[int, ...]] = field(default_factory=list)
    failures: dict[int, str] = field(default_factory=dict)
    notes: list[dict[str, Any]] = field(default_factory=list)

    @classmethod
    def create(cls, path: Path, plan: Plan) -> Self:
        """Start a journal with its plan as the first line; an existing file is not touched but refused."""
        path.parent.mkdir(parents=True, exist_ok=True)
        line = json.dumps({"plan": plan.to_json()}) + "\n"
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(line)
        return cls(path, plan)

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a journal; a last line that a crash cut short is left out.

        Raises
        ------
        aeadlab.errors.RecordError
            If the file is no journal.
        """
        lines = _lines(path)
        try:
            journal = cls(path, Plan.from_json(next(lines)["plan"]))
            for line in lines:
                journal._take(line)
        except (StopIteration, KeyError, TypeError, IndexError) as error:
            raise RecordError(f"{path} is not a journal of aeadlab, or is damaged ({error!r}): remove it") from error
        return journal

    def _take(self, line: Any) -> None:
        if isinstance(line, list):
            if len(line) != len(SAMPLE_FIELDS):
                raise IndexError(f"{len(line)} values in a sample")
            self.samples.append(tuple(line))
        elif "failed" in line:
            self.failures[line["case"]] = line["failed"]
        else:
            self.notes.append(line)

    def append(self, line: list[int] | dict[str, Any]) -> None:
        """Add a line, in one write so that it is there whole or cut short at the end only."""
        self._take(line)
        self._write(line)

    def _write(self, line: list[int] | dict[str, Any]) -> None:
        descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND)
        try:
            os.write(descriptor, (json.dumps(line) + "\n").encode())
        finally:
            os.close(descriptor)

    def repair(self) -> None:
        """Remove a last line that a crash cut short, so that what is appended next stands on its own."""
        content = self.path.read_bytes()
        if not content.endswith(b"\n"):
            with self.path.open("r+b") as file:
                file.truncate(content.rfind(b"\n") + 1)

    def done(self) -> set[tuple[int, int]]:
        """(round, case) of every sample beyond the warm-up."""
        return {(row[1], row[0]) for row in self.samples if not row[2]}


def _lines(path: Path) -> Iterator[Any]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            if not line.endswith("\n"):
                return
            try:
                yield json.loads(line)
            except ValueError as error:
                raise RecordError(f"{path} is damaged: {error}; remove it to start anew") from error
