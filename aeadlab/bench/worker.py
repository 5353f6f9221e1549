"""The worker process: ``python -m aeadlab.bench.worker JOURNAL IN_FLIGHT``.

It reads the plan from a journal, appends samples to it, and reports their number to its parent. IN_FLIGHT is the
descriptor of a file of 8 bytes. A crash of the process costs one case.
"""

from __future__ import annotations

import gc
import mmap
import os
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence, Set
from pathlib import Path

from aeadlab.bench.drivers import Driver, driver, share_arena
from aeadlab.bench.isolated import close_all, start_spare
from aeadlab.bench.journal import SAMPLE_FIELDS, Journal
from aeadlab.catalogue import load
from aeadlab.catalogue.names import base_algorithm
from aeadlab.dimensions import DIMENSIONS
from aeadlab.display.printable import printable
from aeadlab.errors import (
    AuthenticationError,
    ChildError,
    Error,
    MeasurementError,
    RecordError,
    VerificationError,
)
from aeadlab.process import Channel
from aeadlab.verify.lengths.decision import wrong
from aeadlab.verify.report import FAULTS, fault

LONG_SECONDS = 0.05
"""Time of an execution from which on later processes have no warm-up of a case whose code another case has run there.

The first executions of a process take longer by milliseconds: caches, branches and the clock frequency adapt. In the
reference records of November 2026 first executions of this length, after another case of the same code, took as long as
the later ones of their process: 0.6 % less in the median of 9,367.
"""

REPORT_SECONDS = 0.25
"""Time between two reports of progress."""

_CASE, _WARMUP, _BATCH, _WALL = (SAMPLE_FIELDS.index(name) for name in ("case", "warmup", "batch", "wall_ns"))
AGAIN = os.EX_TEMPFAIL
"""Exit status of a worker that has completed its share of the rounds while rounds remain for another process."""


class Worker:
    """Takes one process's share of the rounds of a plan, or the rest of a share that was interrupted.

    Parameters
    ----------
    journal
        With the samples of earlier processes.
    in_flight
        Memory with the index of the running case plus one, or 0, which the parent reads after a crash.
    report
        Called at intervals of `REPORT_SECONDS` with the number of samples (``taken``) and, during warm-ups, the number
        of cases that are warmed up (``warmed``) and the number that this process warms up (``due``).
    start
        Time of the start of this process on the monotonic clock in seconds; None means now.
    """

    def __init__(
        self,
        journal: Journal,
        in_flight: mmap.mmap,
        report: Callable[[Mapping[str, int]], object],
        start: float | None = None,
    ) -> None:
        self.journal = journal
        self.plan = journal.plan
        self._start = time.monotonic() if start is None else start
        self._earlier: float = sum(note["spent"] for note in journal.notes if "spent" in note)
        self._in_flight = in_flight
        self._drivers: dict[int, Driver] = {}
        # A case is calibrated once and keeps its batch length in later processes.
        self._batches: dict[int, int] = {row[_CASE]: row[_BATCH] for row in journal.samples}
        self._warm = {self._code(index) for index in self._batches}
        self._run_here: set[tuple[str, str]] = set()
        self._report = report
        self._reported = 0.0
        self._warming: dict[str, int] = {}
        self._done = journal.done()
        self._taken = len(self._done)
        self._times: dict[int, list[int]] = {}
        for row in journal.samples:
            self._count(row)
        self._process = sum("start" in note for note in journal.notes)

    def run(self) -> bool:
        """Prepare, warm up and take samples; return whether the run has ended."""
        self._write({"start": time.time(), "pid": os.getpid()})
        shares = self.plan.profile.shares
        ended = {note["share"] for note in self.journal.notes if "share" in note}
        left = [share for share in range(len(shares)) if share not in ended and any(map(self._due, shares[share]))]
        if not left:
            return True
        self._prepare({index for round in shares[left[0]] for index in self._due(round)})
        # A collection within a sample of the python engine would be part of its time.
        gc.collect()
        gc.freeze()
        gc.disable()
        prepared = list(self._drivers)
        for warmed, index in enumerate(prepared):
            self._warming = {"warmed": warmed, "due": len(prepared)}
            if index in self._drivers:
                self._warm_up(index)
        self._warming = {}
        self._compare_results()
        taken = self._take_share(shares[left[0]], [shares[share] for share in left[1:]])
        self._mark(None)
        self._write({"spent": self._elapsed() - self._earlier, "share": left[0], "rounds": taken})
        budget = self.plan.profile.budget_seconds
        if left[1:] and (budget is None or self._elapsed() <= budget):
            return False
        self._write_endings()
        return True

    def _take_share(self, share: range, later: Sequence[range]) -> int:
        """Take the rounds of this process, as many as the budget allows, and return their number."""
        ready, walls = self._elapsed(), 0
        setup = ready - self._earlier
        for turn, round in enumerate(share):
            due = self._due(round)
            if turn and due and not self._fits(due, [rounds[: turn + 1] for rounds in later], setup, ready, walls):
                return turn
            for index in due:
                if index in self._drivers:
                    self._take(index, round, warmup=False)
                    walls += self._times[index][-1] if index in self._drivers else 0
        return len(share)

    def _fits(self, due: Sequence[int], later: Sequence[range], setup: float, ready: float, walls: int) -> bool:
        """Return whether a round, and the same number of rounds in all later processes, fit into the budget.

        Parameters
        ----------
        due
            The cases of the round.
        later
            The rounds of each later process.
        setup
            Seconds from the start of a process to its first sample.
        ready, walls
            Seconds until this process took its first sample, and the time of its samples in nanoseconds.
        """
        budget = self.plan.profile.budget_seconds
        if budget is None:
            return True
        # Caches are flushed or refilled, pages touched, and samples stored, outside the timed part.
        factor = (self._elapsed() - ready) / walls if walls else 0.0
        seconds = {index: factor * sum(times) / len(times) for index, times in self._times.items()}
        cost = sum(seconds.get(index, 0.0) for index in due) + setup * len(later)
        for rounds in later:
            cost += sum(s for index, s in seconds.items() for round in rounds if self._lacks(round, index))
        return self._elapsed() + cost <= budget

    def _elapsed(self) -> float:
        """Return the seconds that all processes of the run have taken."""
        return self._earlier + time.monotonic() - self._start

    def _due(self, round: int) -> list[int]:
        """Return the cases that a round still lacks, in its order."""
        return [index for index in self.plan.order(round) if self._lacks(round, index)]

    def _lacks(self, round: int, index: int) -> bool:
        """Return whether a case of a round has no sample of it, has not failed and is not too slow for it."""
        return (
            (round, index) not in self._done
            and index not in self.journal.failures
            and self.plan.turn(round) < self._rounds_of(index)
        )

    def _rounds_of(self, index: int) -> int:
        """Return the number of rounds that contain a case, fewer for one that has shown to be slow."""
        limit, times = self.plan.profile.case_seconds, self._times.get(index)
        rounds = self.plan.rounds_of(index)
        if limit is None or not times:
            return rounds
        # Other programs can only make a time longer.
        return min(rounds, self.plan.profile.turns_within(int(limit * 1e9 / max(min(times), 1))))

    def _write_endings(self) -> None:
        """Write the notes of the end of a run: the processes and rounds that its budget left out, and slow cases."""
        taken = [note["rounds"] for note in self.journal.notes if "share" in note]
        shares = self.plan.profile.shares
        least = f"{min(taken)}" if min(taken) == max(taken) else f"{min(taken)} to {max(taken)}"
        rounds = f"{least} of {len(shares[0])} rounds"
        if len(taken) < len(shares):
            self._write({"cut": f"{len(taken)} of {len(shares)} processes with {rounds} in {self._elapsed():.0f} s"})
        elif any(count < len(share) for count, share in zip(taken, shares, strict=True)):
            ending = (
                {"cut": rounds} if len(shares) == 1 else {"reduced": f"{rounds} in each of {len(shares)} processes"}
            )
            self._write({key: f"{text} in {self._elapsed():.0f} s" for key, text in ending.items()})
        if slow := [
            index
            for index, times in sorted(self._times.items())
            if index not in self.journal.failures
            and self._rounds_of(index) < self.plan.rounds_of(index)
            and len(times) < sum(taken)
        ]:
            labels = [f"{self.plan.cases[index].label}: {len(self._times[index])} samples" for index in slow]
            self._write({"slow": labels})

    def _prepare(self, due: Set[int]) -> None:
        if any(self.plan.cases[index].replica and not self.plan.cases[index].mask for index in due):
            start_spare(self.plan.plugins)
        catalogue = load([Path(p) for p in self.plan.plugins])
        for index, case in enumerate(self.plan.cases):
            if index not in due:
                continue
            self._mark(index)
            try:
                self._drivers[index] = driver(case, catalogue, self.plan.seed)
            except FAULTS as error:
                self._fail_by(index, error)
        self._mark(None)
        drivers = list(self._drivers.items())
        share_arena([d for _, d in drivers], [self.plan.cases[i] for i, _ in drivers], self.plan.seed)

    def _warm_up(self, index: int) -> None:
        profile = self.plan.profile
        if self.plan.cases[index].is_whole_run:
            # The documents count each run as a sample and have no warm-up.
            self._batches[index] = 1
            return
        try:
            self._mark(index)
            if index not in self._batches:
                target = int(profile.sample_seconds * 1e9)
                self._batches[index] = self._drivers[index].calibrate(target) if target else 1
        except FAULTS as error:
            self._fail_by(index, error)
            return
        if self._code(index) in self._run_here and min(self._times.get(index, [0])) >= LONG_SECONDS * 1e9:
            return
        self._run_here.add(self._code(index))
        # In a later process, or for another case of the same code, one execution is enough.
        once = self._code(index) in self._warm or self.plan.rounds_of(index) < profile.rounds
        self._warm.add(self._code(index))
        end = time.monotonic() + (0.0 if once else profile.warm_up_seconds)
        while index in self._drivers:
            self._take(index, -1, warmup=True)
            if time.monotonic() >= end:
                break

    def _compare_results(self) -> None:
        """Fail the implementations whose results differ from those of others of the algorithm for the same message.

        It follows all warm-ups, because the majority decides, and not the order of the cases.
        """
        groups: dict[tuple[object, ...], dict[str, int]] = {}
        codes = {}
        for index, prepared in self._drivers.items():
            if (fingerprint := prepared.fingerprint) is None:
                continue
            case, (name, mask) = self.plan.cases[index], self._code(index)
            label = f"{name} under mask {mask}" if mask else name
            codes[label] = name, mask
            settings = (getattr(case, dimension.name) for dimension in DIMENSIONS if dimension.changes_result)
            results = groups.setdefault((base_algorithm(name.split("/")[1]), *settings), {})
            if results.setdefault(label, fingerprint) != fingerprint:
                # A thread count or a schedule must not change the result.
                results[f"{label} with other settings"], codes[f"{label} with other settings"] = (
                    fingerprint,
                    codes[label],
                )
        for results in groups.values():
            for label, why in wrong(results).items():
                self._fail_implementation(*codes[label], why)

    def _take(self, index: int, round: int, *, warmup: bool) -> None:
        self._mark(index)
        batch = self._batches[index]
        try:
            row = self._drivers[index].sample(batch)
            if row[0] < 0:
                raise MeasurementError(f"the clock went backwards by {-row[0]} ns")
        except FAULTS as error:
            self._fail_by(index, error)
            return
        line = [index, round, int(warmup), batch, *row, self._process]
        self._write(line)
        self._count(line)
        if not warmup:
            self._taken += 1
            self._done.add((round, index))
        if (now := time.monotonic()) - self._reported > REPORT_SECONDS:
            self._reported = now
            self._report({"taken": self._taken, **self._warming})

    def _count(self, line: Sequence[int]) -> None:
        if not line[_WARMUP]:
            self._times.setdefault(line[_CASE], []).append(line[_WALL])

    def _code(self, index: int) -> tuple[str, str]:
        """Return the implementation and the mask of a case, which determine the code that it runs."""
        case = self.plan.cases[index]
        return case.implementation, case.mask

    def _mark(self, index: int | None) -> None:
        self._in_flight[:8] = (0 if index is None else index + 1).to_bytes(8, "little")

    def _fail(self, index: int, why: str) -> None:
        self._drivers.pop(index, None)
        self._write({"case": index, "failed": why})

    def _fail_implementation(self, name: str, mask: str, why: str) -> None:
        """Fail every case of an implementation that computed a wrong result, under all masks unless it has one."""
        for index, case in enumerate(self.plan.cases):
            of_code = case.implementation == name and mask in ("", case.mask)
            if of_code and index not in self.journal.failures:
                self._fail(index, why)

    def _fail_by(self, index: int, error: BaseException) -> None:
        if isinstance(error, ChildError):
            # The case does not cause a failure of the lab.
            self._mark(None)
            raise error
        why = printable(str(error)) if isinstance(error, Error) else fault(error)
        self._fail(index, why)
        if isinstance(error, AuthenticationError | VerificationError):
            self._fail_implementation(*self._code(index), f"wrong result of {self.plan.cases[index].label}: {why}")

    def _write(self, line: list[int] | dict[str, object]) -> None:
        try:
            self.journal.append(line)
        except RecordError:
            # The mark is removed, so that the parent reports the disk error and not a failure of the case.
            self._mark(None)
            raise


def main() -> None:
    """Run the worker of a journal."""
    # The start of the interpreter and the imports keep one core busy, so their time is that of the process.
    start = time.monotonic() - time.process_time()
    # The parent handles interrupts and then ends this process; exiting here would look like a crash.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    channel = Channel()
    try:
        with mmap.mmap(int(sys.argv[2]), 8) as in_flight:
            journal = Journal.read(Path(sys.argv[1]))
            worker = Worker(journal, in_flight, channel.reply, start)
            with journal.open():
                finished = worker.run()
    except Error as error:
        sys.exit(str(error))
    # All samples are stored, so a crash during the unloading of libraries must not count.
    sys.stdout.flush()
    # The next process needs the memory of the isolated ones.
    close_all()
    os._exit(0 if finished else AGAIN)


if __name__ == "__main__":
    main()
