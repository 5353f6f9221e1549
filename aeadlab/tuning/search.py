"""From what the user allows to a choice: verify, look at all, measure the best, remember."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from math import isfinite
from pathlib import Path

import numpy as np

from aeadlab import provenance
from aeadlab.automatic import Settings
from aeadlab.bench.case import MAX_BYTES, Case
from aeadlab.bench.journal import Journal
from aeadlab.bench.lock import machine_lock
from aeadlab.bench.plan import Plan, with_noise_pair
from aeadlab.bench.profile import Profile
from aeadlab.bench.runner import run
from aeadlab.catalogue import Catalogue, Implementation, load
from aeadlab.catalogue.plugins import registered
from aeadlab.errors import ArgumentError, MeasurementError, UnknownNameError, VerificationError
from aeadlab.parsplit import most_threads
from aeadlab.progress import bar
from aeadlab.stats import median_interval, smallest_count
from aeadlab.system_files import SystemFiles
from aeadlab.tuning import store
from aeadlab.tuning.candidates import allowed, objection, shapes
from aeadlab.tuning.choice import Choice, Times, choose, ratio
from aeadlab.tuning.tuned import Row, Tuned, size
from aeadlab.verify.cached import remembered, verified

BYTES = 64 << 20
"""Length of the message where the user says nothing: beyond most caches."""
SECONDS = 5.0

_BLOCK_SIZES = (64 << 10, 256 << 10, 1 << 20)
_LONGEST = 256 << 20
"""Longer messages behave alike; to measure them would only take longer."""
_SCREENING_BYTES = 8 << 20
_SCREENING_ROUNDS = 3
_FINALISTS = (4, 3, 2)
"""Implementations that are measured in every shape; fewer where the time does not suffice."""
_MOST_ROUNDS = 60
_SERIAL_BELOW = 512 << 10
"""The engine's own bound, SERIAL_BELOW in native/parsplit/src/engine.rs."""
_MEMCPY = "baseline/memcpy"
_MEMCPY_BLOCK = 256 << 10


def tune(
    allow: Sequence[str] | None = None,
    bytes: int = BYTES,
    *,
    block_size: int | None = None,
    threads: int | None = None,
    seconds: float = SECONDS,
    fresh: bool = False,
    plugins: Sequence[Path] = (),
) -> Tuned:
    """Find the fastest AEAD, block size and thread count here, among what is allowed; remembered by machine.

    All that is allowed is verified, then looked at once with every thread on a message of at most 8 MiB; the best four
    are measured in every shape, in rounds of random order. Nothing that failed verification or is marked as research,
    historical, baseline or not cryptographic is timed or chosen.

    Parameters
    ----------
    allow
        Names, algorithms or globs, preferred ones first; None means `aeadlab.tuning.candidates.STANDARD`.
    bytes
        Length of the messages; measured is the power of two at or below it, and at most 256 MiB.
    block_size
        Bytes per block; None tries 64 KiB, 256 KiB and 1 MiB.
    threads
        At most so many; None means the cores that this process may use.
    seconds
        About as long is measured, besides verification and starting; longer if fewer than six rounds would fit.
    fresh
        Measure again what is remembered.
    plugins
        More plugins: files or folders.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If nothing is left to choose from, with the reasons, or a number is out of range.
    aeadlab.errors.UnknownNameError
        If a name that is allowed does not exist here.
    aeadlab.errors.VerificationError
        If nothing that is allowed passes verification.
    aeadlab.errors.BusyError
        If another process measures on this machine.
    aeadlab.errors.BuildError
        If the extension is missing, stale or a debug build.
    aeadlab.errors.MeasurementError
        If no candidate could be measured.
    """
    if not 1 <= bytes <= MAX_BYTES:
        raise ArgumentError(f"messages of {bytes} bytes given, 1 to {MAX_BYTES} wanted")
    if not (isfinite(seconds) and seconds > 0):
        raise ArgumentError(f"{seconds} seconds given, more than 0 wanted")
    if block_size is not None and block_size < 1:
        raise ArgumentError(f"block size {block_size} given, at least 1 wanted")
    threads = most_threads(threads)
    plugins = (*registered(), *plugins)
    catalogue = load(plugins)
    reasons = {i.name: (i, objection(i)) for i in allowed(catalogue, allow)}
    candidates = [i for i, why in reasons.values() if not why]
    excluded = {name: why for name, (_, why) in reasons.items() if why}
    if not candidates:
        raise ArgumentError(f"nothing that is allowed may be chosen: {_listed(excluded)}")
    length = min(1 << (bytes.bit_length() - 1), _LONGEST)
    machine = store.machine(candidates)
    asked = {"allow": [i.name for i in candidates], "bytes": length, "block_size": block_size, "threads": threads}
    place = store.place(machine, asked)
    if not fresh and (known := store.recall(place, machine)) is not None and _verified(known, catalogue):
        return known
    provenance.check_build()
    # Verification uses every core as well: it would disturb whoever measures now.
    with machine_lock() as lock:
        with suppress(UnknownNameError):
            candidates.append(catalogue.find(_MEMCPY))
        with bar(len(candidates), "verifying", "implementation") as shown:
            reports = verified(candidates, catalogue, done=lambda _: shown.update())
        refused = {name: report.reason for name, report in reports.items() if not report.ok}
        good = [i for i in candidates if i.name not in refused]
        excluded |= {name: why for name, why in refused.items() if name != _MEMCPY}
        if not any(i.name != _MEMCPY for i in good):
            raise VerificationError(f"nothing that is allowed passes verification: {_listed(excluded)}")
        clock = _Clock(lock, plugins, seconds)
        found = _measured(good, length, block_size, threads, clock, excluded, machine)
    store.keep(place, found)
    return found


def settings(allow: Sequence[str] | None, bytes: int | None, block_size: int | None, threads: int | None) -> Settings:
    """What ``ParSplit("auto")`` is made of: as `tune`, from what is remembered where something is."""
    return tune(allow, BYTES if bytes is None else bytes, block_size=block_size, threads=threads).settings


def _verified(known: Tuned, catalogue: Catalogue) -> bool:
    """Whether the implementation that was chosen earlier is known to be right, as the checks are now."""
    name = known.settings.implementation
    report = remembered([catalogue.find(name)], catalogue).get(name)
    return report is not None and report.ok


class _Clock:
    """Interleaved runs under one lock, as long as the seconds last."""

    def __init__(self, lock: int, plugins: Sequence[Path], seconds: float) -> None:
        self._lock = lock
        self._plugins = tuple(map(str, plugins))
        self._left = seconds
        self.failures: dict[str, str] = {}
        self.cores: dict[Case, Times] = {}

    def rounds(self, round_seconds: float) -> int:
        """Rounds that fit into what is left after two for the warm-up, without bounds."""
        return int(self._left / round_seconds) - 2

    def times(self, cases: Sequence[Case], rounds: int, what: str) -> dict[Case, Times]:
        """Seconds per message, one for each round, NaN where a case failed; `cores` has CPU over wall time."""
        profile = Profile("tune", max(c.bytes for c in cases), rounds, 0.0, 1e-3, budget_seconds=None)
        plan = Plan(what, profile, tuple(cases), plugins=self._plugins)
        with tempfile.TemporaryDirectory() as folder, bar(len(cases) * rounds, what, "sample") as shown:
            journal = run(plan, Path(folder) / "journal", lambda taken, _: shown.update(taken - shown.n), self._lock)
        found = {case: np.full(rounds, np.nan) for case in plan.cases}
        self.cores = {case: np.full(rounds, np.nan) for case in plan.cases}
        for index, round, warmup, batch, wall_ns, cpu_ns, *_ in journal.samples:
            self._left -= wall_ns / 1e9
            if not warmup and index not in journal.failures:
                found[plan.cases[index]][round] = wall_ns / batch / 1e9
                self.cores[plan.cases[index]][round] = cpu_ns / wall_ns
        self._note(journal)
        return found

    def _note(self, journal: Journal) -> None:
        for index, why in journal.failures.items():
            self.failures.setdefault(journal.plan.cases[index].implementation, why)


def _measured(
    good: Sequence[Implementation],
    length: int,
    block_size: int | None,
    threads: int,
    clock: _Clock,
    excluded: Mapping[str, str],
    machine: Mapping[str, object],
) -> Tuned:
    """A first look at all, then the best in every shape."""
    start, busy = time.monotonic(), busy_cores()
    block_sizes = _BLOCK_SIZES if block_size is None else (block_size,)
    by_name = {i.name: i for i in good if i.name != _MEMCPY}
    of = {
        name: shapes(length, block_sizes, threads, "thread-safe" in i.description.flags, _SERIAL_BELOW)
        for name, i in by_name.items()
    }
    look = min(length, _SCREENING_BYTES)
    speeds = _screened({name: _case(name, look, *max(of[name], key=_wide)) for name in by_name}, clock)
    if not speeds:
        raise MeasurementError(f"no candidate could be measured: {_listed(clock.failures)}")
    ranking = sorted(speeds, key=speeds.__getitem__, reverse=True)
    for count in _FINALISTS:
        finalists = {name: of[name] for name in ranking[:count]}
        # One thread may be slower than all of them by their number.
        cost = sum(length / speeds[name] * threads / t for name, some in finalists.items() for _, t in some)
        if (rounds := clock.rounds(cost)) >= smallest_count():
            break
    rounds = min(max(rounds, smallest_count()), _MOST_ROUNDS)
    # The A/A pair is of the first case, so that is one that may well win.
    best = ranking[0]
    first = max(of[best], key=_wide)
    cases = [_case(best, length, *first)]
    cases += [_case(name, length, *shape) for name, some in finalists.items() for shape in some]
    cases = list(dict.fromkeys(cases))
    counts = sorted({case.threads for case in cases})
    limits = {t: _case(_MEMCPY, length, min(_MEMCPY_BLOCK, length), t) for t in counts}
    if any(i.name == _MEMCPY for i in good):
        cases += limits.values()
    times = clock.times(with_noise_pair(cases), rounds, "tuning")
    again = next((found for case, found in times.items() if case.replica), None)
    timed = {_settings(case): found for case, found in times.items() if _is_candidate(case)}
    cores = {_settings(case): found for case, found in clock.cores.items() if _is_candidate(case)}
    chosen = choose(timed, again, list(by_name))
    unknown = np.full(rounds, np.nan)
    rows = [
        _row(who, found, times.get(limits[who.threads], unknown), cores[who], length, chosen)
        for who, found in timed.items()
        if np.count_nonzero(np.isfinite(found)) >= smallest_count()
    ]
    rows.sort(key=lambda row: -row.gib_per_s)
    return Tuned(
        chosen.taken,
        explain(chosen),
        tuple(rows),
        {name: speeds[name] / 2**30 for name in ranking if name not in finalists},
        {**excluded, **clock.failures},
        length,
        look,
        dict(machine),
        rounds,
        time.monotonic() - start,
        chosen.noise,
        max(busy, busy_cores()),
        time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    )


def busy_cores(seconds: float = 0.2, files: SystemFiles | None = None) -> float:
    """How many of the cores that this process may use others keep busy, while this one sleeps; 0 where unknown."""
    files = files or SystemFiles()
    before = _ticks(files)
    time.sleep(seconds)
    after = _ticks(files)
    busy = 0.0
    for core in before.keys() & after.keys():
        idle, total = (b - a for a, b in zip(before[core], after[core], strict=True))
        busy += 1 - idle / total if total > 0 else 0.0
    return busy


def _ticks(files: SystemFiles) -> dict[str, tuple[int, int]]:
    """Idle and all ticks since boot of each core that this process may use."""
    mine = {f"cpu{core}" for core in os.sched_getaffinity(0)} if hasattr(os, "sched_getaffinity") else set()
    found = {}
    for line in files.lines("/proc/stat"):
        # proc_stat(5): user nice system idle iowait irq softirq steal; guest time is already inside user and nice.
        name, *words = line.split()
        if name in mine and len(words) >= 8:
            ticks = [int(word) for word in words[:8]]
            found[name] = (ticks[3] + ticks[4], sum(ticks))
    return found


def _screened(cases: Mapping[str, Case], clock: _Clock) -> dict[str, float]:
    """Bytes per second of each implementation that runs at all."""
    times = clock.times(list(cases.values()), _SCREENING_ROUNDS, "looking")
    # The least of few times: what is added by other work is never negative.
    least = {name: float(np.min(times[case])) for name, case in cases.items() if np.isfinite(times[case]).all()}
    return {name: cases[name].bytes / seconds for name, seconds in least.items()}


def _wide(shape: tuple[int, int]) -> tuple[int, int]:
    """Most threads first, then the smaller blocks."""
    return shape[1], -shape[0]


def _case(name: str, length: int, block_size: int, threads: int) -> Case:
    # ParSplit's users give the key with each message.
    op = "encrypt" if name == _MEMCPY else "seal"
    return Case(name, op, length, "parsplit", "oneshot", block_size, threads, "dynamic")  # type: ignore[arg-type]


def _settings(case: Case) -> Settings:
    return Settings(case.implementation, case.block_size, case.threads)


def _is_candidate(case: Case) -> bool:
    return case.implementation != _MEMCPY and not case.replica


def _row(who: Settings, found: Times, limit: Times, cores: Times, length: int, chosen: Choice) -> Row:
    middle, low, high = (length / 2**30 / seconds for seconds in median_interval(found[np.isfinite(found)]))
    share = ratio(limit, found)[0]
    return Row(
        *who, middle, high, low, share if isfinite(share) else None, who in chosen.equal, float(np.nanmedian(cores))
    )


def explain(choice: Choice) -> str:
    """The choice in words: which, by how much, and what settled it."""
    taken, fastest = choice.taken, choice.fastest
    said = f"{_said(taken)} is "
    if taken == fastest:
        said += "the fastest"
        if len(choice.equal) > 1:
            said += f", and the simplest of {len(choice.equal)} that differ by less than the noise"
    else:
        why = (
            "it has fewer threads"
            if taken.threads < fastest.threads
            else "its blocks are larger"
            if taken.block_size > fastest.block_size
            else "it is preferred by name"
        )
        said += f"not told from the fastest, {_said(fastest)} ({_times(choice.ratio)} its time), and {why}"
    if choice.runner_up is not None and choice.runner_up[0] != fastest:
        other, found = choice.runner_up
        said += f". The best of another implementation, {_said(other)}, takes {_times(found)} its time"
        if other in choice.equal:
            said += ", which is no difference"
    return f"{said}. Differences under {choice.noise:.1%} count as noise."


def _said(who: Settings) -> str:
    return (
        f"{who.implementation} in blocks of {size(who.block_size)} with {who.threads} thread{'s' * (who.threads > 1)}"
    )


def _times(ratio: tuple[float, float, float]) -> str:
    return f"{ratio[0]:.3f} [{ratio[1]:.3f}, {ratio[2]:.3f}] times"


def _listed(reasons: Mapping[str, str]) -> str:
    return "; ".join(f"{name}: {why}" for name, why in reasons.items())
