"""The gain from a second thread against the limit of memory, and the default schedule against Rayon's."""

from __future__ import annotations

import numpy as np
from benchmark import Benchmark, Effort, measured, relative_speed, rows

from aeadlab.bench.case import Case
from aeadlab.records.record import Record
from aeadlab.stats import ratio
from aeadlab.studies.thread_modes.stealing import waiting_accuracy
from aeadlab.studies.thread_modes.study import COUNTS, message

MEMCPY, XOR, DELAY = "baseline/memcpy", "baseline/xor", "baseline/delay"
AEADS = ("openssl/aes-256-gcm", "aws-lc/aes-256-gcm", "rustcrypto/aes-256-gcm", "cryptopp/aes-256-gcm")
BLOCK = 256 << 10
# Message length, block size, lower bound of the share of the limit, rounds, seconds of one sample. The limit is the
# smaller of twice one thread and memcpy on two threads. A sample of some seconds repeats the message, as the profiles
# do with short ones. The last row measures single messages after other work: the second thread is then asleep, and the
# time to wake it depends on the machine.
SIZES = (
    (1 << 30, BLOCK, 0.95, 15, 0.0),
    (64 << 20, BLOCK, 0.95, 60, 0.0),
    (4 << 20, 64 << 10, 0.85, 100, 2e-3),
    (4 << 20, 64 << 10, None, 100, 0.0),
)
WAITING_ROUNDS = 40
DEFAULT, ETH_PAPER = "dynamic", "rayon"


def benchmarks(effort: Effort) -> list[Benchmark]:
    """Return the benchmarks of this file."""
    return [*(benchmark for size in SIZES for benchmark in _two_threads(effort, *size)), *_default(effort), _waiting()]


def _waiting() -> Benchmark:
    """Return the run time of sleeping threads over perfect balance, at the study's largest wake-up rate, 78,000/s."""
    (found,) = waiting_accuracy([64], [32 << 10]).to_dict("records")
    value, low, high = (found[f"over_even{end}"] for end in ("", "_low", "_high"))
    note = (
        f"64 threads, 64 blocks of 32 KiB each; 99th percentile of block time over nominal: {found['block_p99']:.2f}; "
        f"interval {found['interval']}"
    )
    return Benchmark("baseline/delay: run time relative to perfect balance", value, low, high, 1.05, "<=", "", note)


def _split(name: str, size: int, block: int, threads: int, schedule: str = DEFAULT) -> Case:
    op = "encrypt" if name in (MEMCPY, XOR) else "seal"
    return Case(name, op, size, "parsplit", block_size=block, threads=threads, schedule=schedule)


def _two_threads(
    effort: Effort, size: int, block: int, bound: float | None, rounds: int, seconds: float
) -> list[Benchmark]:
    size, rounds, seconds = effort.bytes(size), effort.rounds(rounds), effort.seconds(seconds)
    one, two = ({name: _split(name, size, block, n) for name in (*AEADS, MEMCPY, XOR)} for n in (1, 2))
    paper = {name: _split(name, size, block, 2, ETH_PAPER) for name in AEADS}
    record = measured("two threads", [*one.values(), *two.values(), *paper.values()], rounds, seconds)
    length = f"{size >> 20} MiB" if bound else f"{size >> 20} MiB, single messages"
    blocks = f"{block >> 10} KiB blocks"
    # memcpy is `rep movsb` at these lengths, which writes cache lines without reading them; XOR writes as ciphers do.
    title = f"xor: 2 threads at {length}, share of memcpy"
    found = [relative_speed(title, record, two[XOR], two[MEMCPY], None, blocks)]
    for name in AEADS:
        doubled = ratio(rows(record.samples, two[name]), rows(record.samples, one[name]))
        copied = ratio(rows(record.samples, two[name]), rows(record.samples, two[MEMCPY]))
        # The limit is the smaller speed, hence the larger share. `ratio` is the time of the second over the first.
        by_cores = doubled.ratio / 2 >= copied.ratio
        share, limit = (doubled, "twice one thread") if by_cores else (copied, "memcpy")
        scale = 2 if by_cores else 1
        shares = f"{doubled.ratio:.3f} of one thread, {copied.ratio:.3f} of memcpy in two"
        note = f"{blocks}; {shares}; the limit here is {limit}"
        numbers = (share.ratio / scale, share.low / scale, share.high / scale)
        found.append(Benchmark(f"{name}: 2 threads at {length}, share of the limit", *numbers, bound, ">=", "", note))
        title = f"{name}: {DEFAULT} against {ETH_PAPER}, 2 threads, {length}"
        found.append(relative_speed(title, record, two[name], paper[name], 0.99 if bound else None, blocks))
    return found


def _default(effort: Effort) -> list[Benchmark]:
    """Return benchmarks of the schedules with an implementation that sleeps, so that threads may outnumber cores."""
    rounds = effort.rounds(WAITING_ROUNDS)
    cases = {
        (threads, schedule): _split(DELAY, *message(threads), threads, schedule)
        for threads in COUNTS
        for schedule in (DEFAULT, ETH_PAPER)
    }
    record = measured("waiting", list(cases.values()), rounds)
    found = []
    for threads in COUNTS:
        ours, paper = (cases[threads, schedule] for schedule in (DEFAULT, ETH_PAPER))
        title = f"delay: {DEFAULT} against {ETH_PAPER}, {threads} threads"
        found.append(relative_speed(title, record, ours, paper, 0.99, "64 blocks for each thread"))
        spread = _spread(record, ours)
        note = f"95th percentile over median of {rounds} samples; {ETH_PAPER}: {_spread(record, paper):.3f}"
        title = f"delay: spread of {DEFAULT}, {threads} threads"
        found.append(Benchmark(title, spread, spread, spread, 1.05, "<=", "", note))
    return found


def _spread(record: Record, case: Case) -> float:
    times = rows(record.samples, case).wall_ns.to_numpy(float)
    return float(np.quantile(times, 0.95) / np.median(times))
