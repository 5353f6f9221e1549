"""The process that measures: reads the plan from a journal and appends samples to it.

It is a process of its own so that a crash costs one case. It says now and then how many samples there are.
"""

from __future__ import annotations

import gc
import mmap
import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from aeadlab.bench.children import close_all
from aeadlab.bench.drivers import Driver, driver, share_arena
from aeadlab.bench.journal import SAMPLE_FIELDS, Journal
from aeadlab.bench.profile import FEW
from aeadlab.catalogue import load
from aeadlab.catalogue.implementation import computed
from aeadlab.errors import Error, MeasurementError, RecordError
from aeadlab.verify.report import FAULTS, fault

REPORT_SECONDS = 0.25
_CASE, _WARMUP, _BATCH, _WALL = (SAMPLE_FIELDS.index(name) for name in ("case", "warmup", "batch", "wall_ns"))
AGAIN = os.EX_TEMPFAIL
"""Exit status of a worker that has done its share and leaves rounds to another process."""


class Worker:
    """Runs the rest of a plan.

    Parameters
    ----------
    journal
        With the samples that earlier processes took.
    in_flight
        A mapped word that holds the index of the running case plus one: what the parent blames after a crash.
    report
        Called now and then with the number of samples.
    """

    def __init__(self, journal: Journal, in_flight: mmap.mmap, report: Callable[[int], object]) -> None:
        self.journal = journal
        self.plan = journal.plan
        self._in_flight = in_flight
        self._drivers: dict[int, Driver] = {}
        # From process to process a case keeps its batch; it is calibrated only once.
        self._batches: dict[int, int] = {row[_CASE]: row[_BATCH] for row in journal.samples}
        self._warm = {self._code(index) for index in self._batches}
        self._report = report
        self._reported = 0.0
        self._taken = len(journal.done())
        self._times: dict[int, list[int]] = {}
        for row in journal.samples:
            self._count(row)
        self._process = sum("start" in note for note in journal.notes)
        self._fingerprints: dict[tuple[object, ...], tuple[int, str]] = {}

    def run(self) -> bool:
        """Prepare, warm up, then take this process's share of the rounds; returns whether the run is at its end."""
        start = time.monotonic()
        earlier = sum(note["spent"] for note in self.journal.notes if "spent" in note)
        self._write({"start": time.time(), "pid": os.getpid()})
        self._prepare()
        # A collection inside a sample of the python engine would be timed with it.
        gc.collect()
        gc.freeze()
        gc.disable()
        for index in list(self._drivers):
            self._warm_up(index)
        profile = self.plan.profile
        done = self.journal.done()
        share = profile.share
        for round in range(profile.rounds):
            wanted = [index for index in self.plan.order(round) if self._wants(index, round)]
            if done.issuperset((round, index) for index in wanted):
                continue
            spent = time.monotonic() - start
            # One round at least: a record of warm-ups alone would say nothing.
            if round and profile.budget_seconds is not None and earlier + spent > profile.budget_seconds:
                small = f", and its {profile.budget_seconds:g} s are too little for one" if round == 1 else ""
                self._write({"cut": f"{round} of {profile.rounds} rounds in {earlier + spent:.0f} s{small}"})
                break
            if share == 0:
                self._mark(None)
                if self._enough():
                    self._write({"enough": f"{round} of {profile.rounds} rounds"})
                    break
                self._write({"spent": spent})
                return False
            for index in wanted:
                if index in self._drivers and (round, index) not in done:
                    self._take(index, round, warmup=False)
            share -= 1
        self._mark(None)
        if slow := [index for index in self._drivers if self._slow(index)]:
            labels = [f"{self.plan.cases[index].label}: {len(self._times[index])} samples" for index in slow]
            self._write({"slow": labels})
        return True

    def _enough(self) -> bool:
        if self.plan.profile.precision is None:
            return False
        # Only now: NumPy takes a while to load and brings threads of its own.
        from aeadlab.bench.precision import narrow

        # A case with few rounds has no interval that could become narrow.
        asked = [i for i in self._drivers if not self._slow(i) and self.plan.rounds_of(i) >= FEW]
        return narrow(self.journal, asked)

    def _prepare(self) -> None:
        catalogue = load([Path(p) for p in self.plan.plugins])
        for index, case in enumerate(self.plan.cases):
            if index in self.journal.failures:
                continue
            self._mark(index)
            try:
                self._drivers[index] = driver(case, catalogue, self.plan.seed)
            except FAULTS as error:
                self._fail(index, _said(error))
        self._mark(None)
        drivers = list(self._drivers.items())
        share_arena([d for _, d in drivers], [self.plan.cases[i] for i, _ in drivers], self.plan.seed)

    def _warm_up(self, index: int) -> None:
        profile = self.plan.profile
        if self.plan.cases[index].is_whole_run:
            # As the documents have it: one run is one sample, and there was none before.
            self._batches[index] = 1
            return
        try:
            self._mark(index)
            if index not in self._batches:
                target = int(profile.sample_seconds * 1e9)
                self._batches[index] = self._drivers[index].calibrate(target) if target else 1
        except FAULTS as error:
            self._fail(index, _said(error))
            return
        # A later process, or another case of the same code, needs no more than one execution.
        once = self._code(index) in self._warm or self.plan.rounds_of(index) < profile.rounds
        self._warm.add(self._code(index))
        end = time.monotonic() + (0.0 if once else profile.warm_up_seconds)
        while index in self._drivers:
            self._take(index, -1, warmup=True)
            if time.monotonic() >= end:
                break
        self._compare_result(index)

    def _compare_result(self, index: int) -> None:
        """Implementations of one algorithm must agree on this very message, not only on test vectors."""
        if index not in self._drivers or (found := self._drivers[index].fingerprint) is None:
            return
        case = self.plan.cases[index]
        algorithm = computed(case.implementation.split("/")[1])
        key = (algorithm, case.engine, case.op, case.bytes, case.block_size, case.placement)
        expected, first = self._fingerprints.setdefault(key, (found, case.implementation))
        if found != expected:
            self._fail(index, f"its result differs from that of {first}")

    def _take(self, index: int, round: int, *, warmup: bool) -> None:
        self._mark(index)
        batch = self._batches[index]
        try:
            row = self._drivers[index].sample(batch)
            if row[0] < 0:
                raise MeasurementError(f"the clock went backwards by {-row[0]} ns")
        except FAULTS as error:
            self._fail(index, _said(error))
            return
        line = [index, round, int(warmup), batch, *row, self._process]
        self._write(line)
        self._count(line)
        self._taken += not warmup
        if (now := time.monotonic()) - self._reported > REPORT_SECONDS:
            self._reported = now
            self._report(self._taken)

    def _count(self, line: Sequence[int]) -> None:
        if not line[_WARMUP]:
            self._times.setdefault(line[_CASE], []).append(line[_WALL])

    def _code(self, index: int) -> tuple[str, str]:
        """What runs in a case, whatever its message, blocks and threads are."""
        case = self.plan.cases[index]
        return case.implementation, case.mask

    def _wants(self, index: int, round: int) -> bool:
        return index in self._drivers and round < self.plan.rounds_of(index) and not self._slow(index)

    def _slow(self, index: int) -> bool:
        """Whether a case has had the time that a single one gets."""
        limit, times = self.plan.profile.case_seconds, self._times.get(index, ())
        return limit is not None and len(times) >= FEW and sum(times) > limit * 1e9

    def _mark(self, index: int | None) -> None:
        self._in_flight[:8] = (0 if index is None else index + 1).to_bytes(8, "little")

    def _fail(self, index: int, why: str) -> None:
        self._drivers.pop(index, None)
        self._write({"case": index, "failed": why})

    def _write(self, line: list[int] | dict[str, object]) -> None:
        try:
            self.journal.append(line)
        except RecordError:
            # A full disk is no fault of the case.
            self._mark(None)
            raise


def _said(error: BaseException) -> str:
    return str(error) if isinstance(error, Error) else fault(error)


def main() -> None:
    """``python -m aeadlab.bench.worker JOURNAL IN_FLIGHT``, the latter a descriptor of 8 bytes that can be mapped."""
    # The parent gets an interrupt as well, and ends this process; to die of it would look like a crash of the case.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # The parent reads numbers here; what a library prints goes where errors go.
    reports = os.dup(1)
    os.dup2(2, 1)
    try:
        with mmap.mmap(int(sys.argv[2]), 8) as in_flight:
            journal = Journal.read(Path(sys.argv[1]))
            worker = Worker(journal, in_flight, lambda taken: os.write(reports, b"%d\n" % taken))
            with journal.kept_open():
                finished = worker.run()
    except Error as error:
        sys.exit(str(error))
    # All is written: a library that crashes when it is unloaded has been measured all the same.
    sys.stdout.flush()
    # Their memory has to be free before the next process wants as much.
    close_all()
    os._exit(0 if finished else AGAIN)


if __name__ == "__main__":
    main()
