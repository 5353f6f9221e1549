"""``aeadlab verify --long``: messages around 2^32 bytes, where counters of 32 bits overflow, and declared limits."""

from __future__ import annotations

import mmap
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aeadlab.catalogue import Implementation, load, patterns
from aeadlab.catalogue.kinds import DELAY, OPS
from aeadlab.display.progress import bar
from aeadlab.display.terminal import fill
from aeadlab.errors import ArgumentError
from aeadlab.verify.lengths.answers import Answers
from aeadlab.verify.lengths.check import ALONE
from aeadlab.verify.lengths.comparison import Comparison, compare
from aeadlab.verify.lengths.question import Question

LENGTHS = tuple((1 << 32) + offset for offset in (-17, -16, -1, 0, 1, 16, 17))
"""Message lengths in bytes."""
_LONGEST_MAPPING = 1 << 40
_INDENT = " " * 8


@dataclass
class LongReport:
    """The outcome of an implementation, in words by operation and length.

    Attributes
    ----------
    passed
        Results that equal those of other libraries, and lengths that are rejected as declared.
    failed
        Wrong results, and lengths that are rejected although the descriptor allows them, or accepted although not.
    skipped
        Lengths that were not tried, with the reason; they are not ok.
    """

    implementation: str
    passed: dict[str, str] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)

    @property
    def verdict(self) -> str:
        """``ok``, ``FAILED``, or ``?`` if a length was skipped or nothing was tried."""
        return "FAILED" if self.failed else "ok" if self.passed and not self.skipped else "?"

    def as_dict(self) -> dict[str, Any]:
        """Return the report for JSON."""
        outcomes = {"passed": self.passed, "failed": self.failed, "skipped": self.skipped}
        return {"implementation": self.implementation, "verdict": self.verdict, **outcomes}

    def as_text(self) -> str:
        """Return the verdict, then a line for each outcome."""
        lines = [f"{self.verdict:<6}  {self.implementation}"]
        for outcomes in (self.failed, self.skipped, self.passed):
            by_text: dict[str, list[str]] = defaultdict(list)
            for question, text in outcomes.items():
                by_text[text].append(question)
            lines += [fill(f"{_INDENT}{', '.join(its)}: {text}", _INDENT + "  ") for text, its in by_text.items()]
        return "\n".join(lines)


@dataclass(frozen=True)
class LongSummary:
    """Reports of several implementations."""

    reports: Sequence[LongReport]

    @property
    def ok(self) -> bool:
        """Whether every implementation passed; skipped lengths have not."""
        return all(report.verdict == "ok" for report in self.reports)

    def as_dict(self) -> dict[str, Any]:
        """Return the content for JSON."""
        return {"reports": [report.as_dict() for report in self.reports]}

    def as_text(self) -> str:
        """Return a block for each report, then the totals."""
        verdicts = [report.verdict for report in self.reports]
        totals = f"{verdicts.count('ok')} ok, {verdicts.count('FAILED')} failed, {verdicts.count('?')} not completed"
        return "\n".join([*(report.as_text() for report in self.reports), "", totals])


def verify_long(
    names: Sequence[str] = (), plugins: Sequence[Path] = (), lengths: Sequence[int] = LENGTHS
) -> LongSummary:
    """Compare results around 2^32 bytes with those of other libraries, and check that longer messages are rejected.

    One process at a time holds a message: in place 4.5 GiB, otherwise up to 13 GiB.

    Parameters
    ----------
    names
        As for `aeadlab.verify.summary.verify_all`, whose errors are raised here too. Generators have no message.
    lengths
        Message lengths in bytes, which are reduced to full blocks.
    """
    catalogue = load(plugins)
    chosen = patterns.select_or_all(catalogue, names)
    chosen = [i for i in chosen if i.description.kind != "generator" and i.name != DELAY]
    chosen.sort(key=lambda i: (i.description.algorithm, i.description.library))
    asked = {i: list(_questions(i, lengths)) for i in chosen}
    reports = []
    with bar(sum(map(len, asked.values())), "verifying", "result", resumes=True) as shown:
        # One algorithm after the other, so that each result is reported when it is known.
        answers = Answers()
        for implementation, questions in asked.items():
            comparison = compare({implementation: questions}, catalogue, answers, done=lambda _: shown.update())
            reports.append(_report(implementation, lengths, comparison))
    return LongSummary(reports)


def _whole_blocks(length: int, implementation: Implementation) -> int:
    return length - length % implementation.description.block_bytes


def _questions(implementation: Implementation, lengths: Sequence[int]) -> Iterator[Question]:
    d = implementation.description
    in_place = "in-place" in d.flags and d.kind in ("aead", "cipher") and d.origin != "python"
    ops = ("open",) if d.kind == "aead" else OPS[d.kind]
    for length in dict.fromkeys(_whole_blocks(length, implementation) for length in lengths):
        if d.takes(length):
            for op in ops:
                yield Question(op, length, placement="in-place" if in_place else "separate")


def _report(implementation: Implementation, lengths: Sequence[int], comparison: Comparison) -> LongReport:
    name = implementation.name
    report = LongReport(name)
    for question, others in comparison.equal.get(name, {}).items():
        report.passed[_label(question)] = f"equal to {', '.join(others)}"
    for question in comparison.alone.get(name, ()):
        report.skipped[_label(question)] = ALONE
    for question, reason in comparison.skipped.get(name, {}).items():
        report.skipped[_label(question)] = reason
    for question, reason in comparison.rejected.get(name, {}).items():
        report.failed[_label(question)] = f"it rejects a length that its descriptor allows: {reason}"
    if name in comparison.failed:
        report.failed["result"] = comparison.failed[name]
    for length in _too_long(implementation, lengths):
        label = f"{length} bytes"
        try:
            outcome = _rejection(implementation, length)
        except (MemoryError, OSError, OverflowError) as error:
            report.skipped[label] = f"no address space: {error}"
            continue
        (report.passed if outcome == "" else report.failed)[label] = outcome or "rejected before any work"
    return report


def _label(question: Question) -> str:
    return f"{question.op} {question.bytes}"


def _too_long(implementation: Implementation, lengths: Sequence[int]) -> list[int]:
    """Return lengths above the declared limit: the shortest, and those of `lengths`."""
    d = implementation.description
    shortest = _whole_blocks(d.max_bytes, implementation) + d.block_bytes
    longer = {_whole_blocks(length, implementation) for length in lengths} | {shortest}
    return sorted(n for n in longer if not d.takes(n) and n <= _LONGEST_MAPPING)


def _rejection(implementation: Implementation, length: int) -> str:
    """Return why a message above the limit is not rejected by its length alone, or ``""``.

    The message is a sparse file in memory, so that a rejection before any work takes no memory.
    """
    d = implementation.description
    with ExitStack() as stack:
        file = stack.enter_context(tempfile.TemporaryFile())
        file.truncate(length)
        mapping = stack.enter_context(mmap.mmap(file.fileno(), length, access=mmap.ACCESS_READ))
        message = stack.enter_context(memoryview(mapping))
        key, nonce = bytes(range(1, d.key_bytes + 1)), bytes(d.nonce_bytes)
        try:
            getattr(implementation, OPS[d.kind][0])(key, nonce, message)
        except ArgumentError as error:
            expected = f"{length} bytes given, at most {d.max_bytes} expected"
            return "" if expected in str(error) else f"rejected with another error: {error}"
    return f"accepted, although the descriptor allows at most {d.max_bytes} bytes"
