"""The journal: one line a sample, written as it is taken, so that a crash loses at most the sample in flight."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
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
    "process",
)
"""Columns of a sample line, all integers; `case` is the index in the plan, `round` is -1 in the warm-up, `process`
counts the worker processes of the run."""


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
        What happened besides: the starts with their time, and how many rounds the budget left out.
    """

    path: Path
    plan: Plan
    samples: list[tuple[int, ...]] = field(default_factory=list)
    failures: dict[int, str] = field(default_factory=dict)
    notes: list[dict[str, Any]] = field(default_factory=list)
    _descriptor: int | None = field(default=None, init=False, repr=False, compare=False)

    @classmethod
    def create(cls, path: Path, plan: Plan) -> Self:
        """Start a journal with its plan as the first line.

        Raises
        ------
        aeadlab.errors.RecordError
            If the file exists, which is not touched, or cannot be written.
        """
        if path.exists():
            raise RecordError(f"journal {path} exists already: carry on with it, or remove it")
        partial = path.with_name(f".{path.name}")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            # A crash must not leave a journal without its plan.
            partial.write_text(json.dumps({"plan": plan.to_json()}) + "\n", encoding="utf-8")
            partial.replace(path)
        except OSError as error:
            raise RecordError(f"journal {path} cannot be written: {error.strerror}") from error
        return cls(path, plan)

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a journal; a last line that a crash cut short is left out.

        Raises
        ------
        aeadlab.errors.RecordError
            If the file is no journal, or damaged.
        """
        # What follows the last line's end was cut short.
        first, *lines = path.read_bytes().split(b"\n")[:-1] or [b""]
        try:
            journal = cls(path, Plan.from_json(json.loads(first)["plan"]))
        except (LookupError, TypeError, ValueError) as error:
            raise RecordError(f"{path} is not a journal of aeadlab ({error!r}): remove it to start anew") from error
        for number, line in enumerate(lines, start=2):
            try:
                journal._take(json.loads(line))
            except (LookupError, TypeError, ValueError) as error:
                raise RecordError(
                    f"journal {path} is damaged in line {number} ({error}): remove it to start anew"
                ) from error
        return journal

    def _take(self, line: Any) -> None:
        if isinstance(line, list):
            if len(line) != len(SAMPLE_FIELDS) or not all(isinstance(value, int) for value in line):
                raise ValueError(f"a sample has {len(SAMPLE_FIELDS)} integers")
            self._check(line[0])
            self.samples.append(tuple(line))
        elif "failed" in line:
            self._check(line["case"])
            self.failures[line["case"]] = line["failed"]
        else:
            self.notes.append(dict(line))

    def _check(self, case: int) -> None:
        if not 0 <= case < len(self.plan.cases):
            raise ValueError(f"case {case}, the plan has {len(self.plan.cases)}")

    def append(self, line: list[int] | dict[str, Any]) -> None:
        """Add a line, in one write: after a crash it is there whole, or cut short at the end of the file.

        Raises
        ------
        aeadlab.errors.RecordError
            If it cannot be written, because the disk is full perhaps.
        """
        octets = (json.dumps(line) + "\n").encode()
        try:
            with nullcontext() if self._descriptor is not None else self.kept_open():
                while octets:
                    octets = octets[os.write(self._descriptor or 0, octets) :]
        except OSError as error:
            raise RecordError(
                f"journal {self.path} cannot be written: {error.strerror}; its samples are kept, the same command "
                "carries on"
            ) from error
        self._take(line)

    @contextmanager
    def kept_open(self) -> Iterator[None]:
        """For many lines: opening the file each time would take as long as writing to it."""
        self._descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND)
        try:
            yield
        finally:
            os.close(self._descriptor)
            self._descriptor = None

    def repair(self) -> None:
        """Remove a last line that a crash cut short, so that what is appended next stands on its own."""
        content = self.path.read_bytes()
        if not content.endswith(b"\n"):
            with self.path.open("r+b") as file:
                file.truncate(content.rfind(b"\n") + 1)

    def done(self) -> set[tuple[int, int]]:
        """(round, case) of every sample beyond the warm-up."""
        return {(row[1], row[0]) for row in self.samples if not row[2]}
