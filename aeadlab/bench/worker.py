"""The process that measures: reads the plan from a journal and appends samples to it.

It is a process of its own so that a crash costs one case. On its standard output it says now and then how many
samples there are.
"""

from __future__ import annotations

import gc
import json
import mmap
import os
import sys
import time
from pathlib import Path

from aeadlab.bench.drivers import Driver, driver, share_arena
from aeadlab.bench.journal import Journal
from aeadlab.catalogue import load
from aeadlab.errors import Error, MeasurementError

REPORT_SECONDS = 0.25


class Worker:
    """Runs the rest of a plan.

    Parameters
    ----------
    journal
        With the samples that earlier processes took.
    in_flight
        A mapped word that holds the index of the running case plus one: what the parent blames after a crash.
    """

    def __init__(self, journal: Journal, in_flight: mmap.mmap) -> None:
        self.journal = journal
        self.plan = journal.plan
        self._in_flight = in_flight
        self._drivers: dict[int, Driver] = {}
        self._batches: dict[int, int] = {}
        self._descriptor = os.open(journal.path, os.O_WRONLY | os.O_APPEND)
        self._reported = 0.0
        self._taken = len(journal.done())
        self._fingerprints: dict[tuple[object, ...], tuple[int, str]] = {}

    def run(self) -> None:
        """Prepare, warm up, then take rounds until all are done or the budget is spent."""
        start = time.monotonic()
        self._note({"start": time.time(), "pid": os.getpid()})
        self._prepare()
        # A collection inside a sample of the python engine would be timed with it.
        gc.collect()
        gc.freeze()
        gc.disable()
        for index in list(self._drivers):
            self._warm_up(index)
        profile = self.plan.profile
        done = self.journal.done()
        for round in range(profile.rounds):
            spent = time.monotonic() - start
            if profile.budget_seconds is not None and spent > profile.budget_seconds:
                self._note({"cut": f"{round} of {profile.rounds} rounds in {spent:.0f} s"})
                return
            for index in self.plan.order(round):
                if index in self._drivers and (round, index) not in done:
                    self._take(index, round, warmup=False)

    def _prepare(self) -> None:
        catalogue = load([Path(p) for p in self.plan.plugins])
        for index, case in enumerate(self.plan.cases):
            if index in self.journal.failures:
                continue
            try:
                self._drivers[index] = driver(case, catalogue, self.plan.seed)
            except Error as error:
                self._fail(index, str(error))
        drivers = list(self._drivers.items())
        share_arena([d for _, d in drivers], [self.plan.cases[i] for i, _ in drivers], self.plan.seed)

    def _warm_up(self, index: int) -> None:
        profile = self.plan.profile
        try:
            self._mark(index)
            self._batches[index] = (
                self._drivers[index].calibrate(int(profile.sample_seconds * 1e9)) if profile.sample_seconds else 1
            )
        except Error as error:
            self._fail(index, str(error))
            return
        end = time.monotonic() + profile.warm_up_seconds
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
        algorithm = case.implementation.split("/")[1]
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
        except Error as error:
            self._fail(index, str(error))
            return
        self._write([index, round, int(warmup), batch, *row])
        self._taken += not warmup
        self._report()

    def _mark(self, index: int) -> None:
        self._in_flight[:8] = (index + 1).to_bytes(8, "little")

    def _fail(self, index: int, why: str) -> None:
        self._drivers.pop(index, None)
        self._write({"case": index, "failed": why})

    def _note(self, note: dict[str, object]) -> None:
        self._write(note)

    def _write(self, line: object) -> None:
        os.write(self._descriptor, (json.dumps(line) + "\n").encode())

    def _report(self) -> None:
        now = time.monotonic()
        if now - self._reported > REPORT_SECONDS:
            self._reported = now
            sys.stdout.write(f"{self._taken}\n")
            sys.stdout.flush()


def main() -> None:
    """``python -m aeadlab.bench.worker JOURNAL IN_FLIGHT``"""
    journal = Journal.read(Path(sys.argv[1]))
    with open(sys.argv[2], "r+b") as file:
        Worker(journal, mmap.mmap(file.fileno(), 8)).run()


if __name__ == "__main__":
    main()
