"""One run of a parallel iterator in Rayon's pool, event by event.

Written from what the public source of rayon 1.12 and rayon-core 1.13 does: ``bridge_producer_consumer`` and its
``LengthSplitter`` (who splits how far), ``join_context`` (the right half waits on the own deque), ``WorkerThread``
(the own deque first, then a victim from a random place on, then what came from outside) and ``Sleep`` (who is woken).
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
from aeadlab.stealing.division import first_budget

Renewal = Literal["stolen", "never", "always"]

LOOKS = 32
"""How often a worker looks for work in vain before it sleeps."""


@dataclass(frozen=True)
class Costs:
    """What a run costs besides its blocks, in seconds.

    Attributes
    ----------
    split
        Cutting a range and putting its right half on the deque.
    steal
        Taking a job from another.
    look
        One look through all deques in vain, with the yield after it.
    wake
        Mean time from the call that wakes a sleeper until it looks; each wake takes this times a number drawn from a
        gamma distribution of mean 1.
    regularity
        Shape of that distribution: 1 is exponential, and the larger, the more alike are all wakes.
    hold
        A thief waits this long before its first steal of the run: an experiment, nothing that Rayon does.
    """

    split: float = 1e-7
    steal: float = 1e-7
    look: float = 1e-6
    wake: float = 5e-5
    regularity: float = 1.0
    hold: float = 0.0


@dataclass(frozen=True)
class Leaf:
    """A range of blocks that one worker did without a break; times in seconds since the run began."""

    worker: int
    first: int
    length: int
    start: float
    end: float


@dataclass(frozen=True)
class Simulated:
    """One run: its time in seconds, its leaves in the order in which they ended, and how many jobs were stolen."""

    seconds: float
    leaves: list[Leaf]
    steals: int


@dataclass(eq=False, slots=True)
class _Job:
    """A range that may be taken, or is being done; `owner` is the worker that waits for it, -1 for a thread outside."""

    first: int
    end: int
    budget: int
    owner: int
    done: bool = False


@dataclass(slots=True)
class _Worker:
    index: int
    deque: deque[_Job] = field(default_factory=deque)
    state: Literal["busy", "looking", "asleep"] = "asleep"
    waits_for: _Job | None = None


_Steps: TypeAlias = Generator[float | None, None, None]
"""Pauses of a worker in seconds; None is sleep without end."""

_Task: TypeAlias = tuple[Literal["divide", "join", "wait", "finish"], _Job, bool]
"""What a worker has on its stack: a range to divide or do, and whether it looks stolen; the right half of a `join`, and
whether that looks stolen; a job to wait for; a stolen job to report done."""


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
) -> Simulated:
    """Run `blocks` equal blocks on a pool of `threads` that sleep when it begins.

    Parameters
    ----------
    min_len, max_len : int
        Of leaves, in blocks, as ``with_min_len`` and ``with_max_len`` set them.
    outside : bool
        Whether the iterator is begun by a thread that is not of the pool.
    renewal : {"stolen", "never", "always"}
        Which jobs get a full budget of splits again. Rayon's is ``stolen``; the others are for experiments.

    Raises
    ------
    aeadlab.errors.ArgumentError
        Unless threads, blocks and lengths are at least 1.
    """
    budget = first_budget(blocks, threads, min_len=min_len, max_len=max_len)
    if not block_seconds > 0:
        raise ArgumentError(f"block_seconds: {block_seconds} given, more than 0 wanted")
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
        chance: random.Random,
    ) -> None:
        self.threads, self.block_seconds, self.min_len = threads, block_seconds, min_len
        self.outside, self.renewal = outside, renewal
        self.costs, self.chance = costs, chance
        self.now, self.steals, self.looking = 0.0, 0, 0
        self.workers = [_Worker(index) for index in range(threads)]
        self.steps: list[_Steps] = [self._live(worker) for worker in self.workers]
        self.injected: deque[_Job] = deque()
        self.leaves: list[Leaf] = []
        self.events: list[tuple[float, int, int]] = []
        self.ticket = count()

    def run(self, blocks: int, budget: int) -> Simulated:
        root = _Job(0, blocks, budget, -1)
        self.injected.append(root)
        self._wake()
        while not root.done:
            self.now, _, index = heapq.heappop(self.events)
            pause = next(self.steps[index])
            if pause is not None:
                self._later(index, pause)
        return Simulated(self.now, self.leaves, self.steals)

    def _later(self, index: int, pause: float) -> None:
        heapq.heappush(self.events, (self.now + pause, next(self.ticket), index))

    def _live(self, worker: _Worker) -> _Steps:
        """A worker from its first wake-up on: what it would have on the stack of its thread is a list here."""
        stack: list[_Task] = []
        looks, held, costs = 0, False, self.costs
        while True:
            what, job, stolen = stack.pop() if stack else ("wait", _NEVER, False)
            if what == "divide":
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
                if not was_empty or not self.looking:
                    self._wake()
                yield costs.split
                # What is begun outside looks stolen to both halves of its first `join`.
                injected = self.outside and job.owner < 0
                stack.append(("join", right, injected))
                stack.append(("divide", _Job(job.first, middle, budget, worker.index), injected))
            elif what == "join":
                if worker.deque and worker.deque[-1] is job:
                    worker.deque.pop()
                    stack.append(("divide", job, stolen))
                elif not job.done:
                    stack.append(("wait", job, False))
            elif what == "finish":
                job.done = True
                if job.owner >= 0:
                    owner = self.workers[job.owner]
                    if owner.waits_for is job and owner.state == "asleep":
                        self._rouse(owner)
            elif job.done:
                worker.waits_for = None
                self._busy(worker)
            else:
                stack.append((what, job, stolen))
                if worker.state == "busy" or worker.waits_for is not job:
                    looks, worker.waits_for = 0, job
                    self._look(worker)
                if costs.hold and not held and not self.injected:
                    held = True
                    yield costs.hold
                found = self._find(worker)
                if found is not None:
                    self._busy(worker)
                    yield costs.steal
                    stack.append(("finish", found, False))
                    stack.append(("divide", found, found.owner >= 0))
                elif looks < LOOKS:
                    looks += 1
                    yield costs.look
                else:
                    looks, worker.state = 0, "asleep"
                    self.looking -= 1
                    yield None

    def _look(self, worker: _Worker) -> None:
        if worker.state != "looking":
            worker.state = "looking"
            self.looking += 1

    def _busy(self, worker: _Worker) -> None:
        """The last who was awake and idle wakes another."""
        if worker.state == "looking":
            self.looking -= 1
        worker.state = "busy"
        if not self.looking:
            self._wake()

    def _wake(self) -> None:
        for worker in self.workers:
            if worker.state == "asleep":
                self._rouse(worker)
                return

    def _rouse(self, worker: _Worker) -> None:
        self._look(worker)
        costs = self.costs
        drawn = self.chance.gammavariate(costs.regularity, 1 / costs.regularity)
        self._later(worker.index, costs.wake * drawn)

    def _find(self, worker: _Worker) -> _Job | None:
        if worker.deque:
            return worker.deque.pop()
        start = self.chance.randrange(self.threads)
        for step in range(self.threads):
            victim = self.workers[(start + step) % self.threads]
            if victim.deque:
                self.steals += 1
                return victim.deque.popleft()
        return self.injected.popleft() if self.injected else None


_NEVER = _Job(0, 0, 0, -1)
"""What a worker without work waits for."""
