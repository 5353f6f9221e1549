"""Discrete-event simulation of a parallel iterator in Rayon's pool.

It follows the public source of rayon 1.12 and rayon-core 1.13: ``bridge_producer_consumer`` and its ``LengthSplitter``
(the split budget), ``join_context`` (the right half is queued on the worker's own deque), ``WorkerThread`` (a worker
takes jobs from its own deque, then from victims starting at a random one, then from outside) and ``Sleep`` (wake-ups).
"""

from __future__ import annotations

import heapq
import random
from collections import deque
from collections.abc import Generator
from dataclasses import dataclass, field
from itertools import count
from typing import Literal, TypeAlias

from aeadlab.errors import ArgumentError
from aeadlab.studies.thread_modes.stealing.division import first_budget

Renewal = Literal["stolen", "never", "always"]

SEARCHES = 32
"""Number of unsuccessful searches for a job after which a worker sleeps."""


@dataclass(frozen=True)
class Costs:
    """Costs of a run besides its blocks, in seconds.

    Attributes
    ----------
    split
        Splitting a range and queueing its right half.
    steal
        Taking a job from another worker's deque.
    search
        One unsuccessful search of all deques with the yield after it.
    wake_up
        Mean time from the wake-up call until the worker searches; each wake-up takes this times a number drawn from a
        gamma distribution of mean 1.
    regularity
        Shape of that distribution: 1 is exponential, larger values make wake-ups more similar.
    hold
        Delay of a thief before its first steal of the run, for experiments; Rayon has none.
    """

    split: float = 1e-7
    steal: float = 1e-7
    search: float = 1e-6
    wake_up: float = 5e-5
    regularity: float = 1.0
    hold: float = 0.0


@dataclass(frozen=True)
class Leaf:
    """A range of blocks that one worker processed without splitting; times in seconds since the start of the run."""

    worker: int
    first: int
    length: int
    start: float
    end: float


@dataclass(frozen=True)
class SimulatedRun:
    """A run: its time in seconds, its leaves in the order of their ends, and the number of steals."""

    seconds: float
    leaves: list[Leaf]
    steals: int


@dataclass(eq=False, slots=True)
class _Job:
    """A range of blocks; `owner` is the worker that waits for it, -1 for a thread outside the pool."""

    first: int
    end: int
    budget: int
    owner: int
    done: bool = False


@dataclass(slots=True)
class _Worker:
    index: int
    deque: deque[_Job] = field(default_factory=deque)
    state: Literal["busy", "searching", "asleep"] = "asleep"
    waits_for: _Job | None = None


_Steps: TypeAlias = Generator[float | None, None, None]
"""Pauses of a worker in seconds; None is sleep until a wake-up."""

_Task: TypeAlias = tuple[Literal["divide", "join", "wait", "finish"], _Job, bool]
"""An entry of a worker's stack: a range to divide and whether it counts as stolen; the right half of a `join` and
whether it counts as stolen; a job to wait for; a stolen job to mark as done."""


def simulate(
    threads: int,
    blocks: int,
    block_seconds: float,
    *,
    seed: int,
    min_len: int = 1,
    max_len: int | None = None,
    outside: bool = False,
    renewal: Renewal = "stolen",
    costs: Costs | None = None,
) -> SimulatedRun:
    """Simulate `blocks` equal blocks on a pool of `threads` that sleep at the start.

    Parameters
    ----------
    min_len, max_len : int
        Limits of the leaf length in blocks, as set by ``with_min_len`` and ``with_max_len``.
    outside : bool
        Whether a thread outside the pool starts the iterator.
    renewal : {"stolen", "never", "always"}
        Jobs that get a full split budget. Rayon uses ``stolen``; the others are for experiments.
    """
    budget = first_budget(blocks, threads, min_len=min_len, max_len=max_len)
    if not block_seconds > 0:
        raise ArgumentError(f"block_seconds: {block_seconds} given, expected a positive number")
    pool = _Pool(threads, block_seconds, min_len, outside, renewal, costs or Costs(), random.Random(seed))
    return pool.run(blocks, budget)


class _Pool:
    def __init__(
        self,
        threads: int,
        block_seconds: float,
        min_len: int,
        outside: bool,
        renewal: Renewal,
        costs: Costs,
        generator: random.Random,
    ) -> None:
        self.threads, self.block_seconds, self.min_len = threads, block_seconds, min_len
        self.outside, self.renewal = outside, renewal
        self.costs, self.random = costs, generator
        self.now, self.steals, self.searching = 0.0, 0, 0
        self.workers = [_Worker(index) for index in range(threads)]
        self.steps: list[_Steps] = [self._steps(worker) for worker in self.workers]
        self.injected: deque[_Job] = deque()
        self.leaves: list[Leaf] = []
        self.events: list[tuple[float, int, int]] = []
        self.ticket = count()

    def run(self, blocks: int, budget: int) -> SimulatedRun:
        root = _Job(0, blocks, budget, -1)
        self.injected.append(root)
        self._wake_one()
        while not root.done:
            self.now, _, index = heapq.heappop(self.events)
            pause = next(self.steps[index])
            if pause is not None:
                self._schedule(index, pause)
        return SimulatedRun(self.now, self.leaves, self.steals)

    def _schedule(self, index: int, pause: float) -> None:
        heapq.heappush(self.events, (self.now + pause, next(self.ticket), index))

    def _steps(self, worker: _Worker) -> _Steps:
        """Yield the pauses of a worker; the call stack of its thread is a list here."""
        stack: list[_Task] = []
        searches, held, costs = 0, False, self.costs
        while True:
            kind, job, stolen = stack.pop() if stack else ("wait", _NEVER, False)
            if kind == "divide":
                length = job.end - job.first
                renewed = stolen if self.renewal == "stolen" else self.renewal == "always"
                if length // 2 < self.min_len or not (renewed or job.budget > 0):
                    start = self.now
                    yield length * self.block_seconds
                    self.leaves.append(Leaf(worker.index, job.first, length, start, self.now))
                    continue
                budget = max(self.threads, job.budget // 2) if renewed else job.budget // 2
                middle = job.first + length // 2
                right = _Job(middle, job.end, budget, worker.index)
                was_empty = not worker.deque
                worker.deque.append(right)
                if not was_empty or not self.searching:
                    self._wake_one()
                yield costs.split
                # A range started outside the pool counts as stolen in both halves of its first `join`.
                injected = self.outside and job.owner < 0
                stack.append(("join", right, injected))
                stack.append(("divide", _Job(job.first, middle, budget, worker.index), injected))
            elif kind == "join":
                if worker.deque and worker.deque[-1] is job:
                    worker.deque.pop()
                    stack.append(("divide", job, stolen))
                elif not job.done:
                    stack.append(("wait", job, False))
            elif kind == "finish":
                job.done = True
                if job.owner >= 0:
                    owner = self.workers[job.owner]
                    if owner.waits_for is job and owner.state == "asleep":
                        self._wake_up(owner)
            elif job.done:
                worker.waits_for = None
                self._end_search(worker)
            else:
                stack.append((kind, job, stolen))
                if worker.state == "busy" or worker.waits_for is not job:
                    searches, worker.waits_for = 0, job
                    self._start_search(worker)
                if costs.hold and not held and not self.injected:
                    held = True
                    yield costs.hold
                next_job = self._take_job(worker)
                if next_job is not None:
                    self._end_search(worker)
                    yield costs.steal
                    stack.append(("finish", next_job, False))
                    stack.append(("divide", next_job, next_job.owner >= 0))
                elif searches < SEARCHES:
                    searches += 1
                    yield costs.search
                else:
                    searches, worker.state = 0, "asleep"
                    self.searching -= 1
                    yield None

    def _start_search(self, worker: _Worker) -> None:
        if worker.state != "searching":
            worker.state = "searching"
            self.searching += 1

    def _end_search(self, worker: _Worker) -> None:
        """Mark a worker as busy; the last worker that was searching wakes another."""
        if worker.state == "searching":
            self.searching -= 1
        worker.state = "busy"
        if not self.searching:
            self._wake_one()

    def _wake_one(self) -> None:
        for worker in self.workers:
            if worker.state == "asleep":
                self._wake_up(worker)
                return

    def _wake_up(self, worker: _Worker) -> None:
        self._start_search(worker)
        costs = self.costs
        factor = self.random.gammavariate(costs.regularity, 1 / costs.regularity)
        self._schedule(worker.index, costs.wake_up * factor)

    def _take_job(self, worker: _Worker) -> _Job | None:
        if worker.deque:
            return worker.deque.pop()
        start = self.random.randrange(self.threads)
        for step in range(self.threads):
            victim = self.workers[(start + step) % self.threads]
            if victim.deque:
                self.steals += 1
                return victim.deque.popleft()
        return self.injected.popleft() if self.injected else None


_NEVER = _Job(0, 0, 0, -1)
"""The job that an idle worker waits for."""
