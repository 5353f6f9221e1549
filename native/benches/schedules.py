"""What more threads bring, against what memory allows, and the default schedule against Rayon's."""

from __future__ import annotations

import numpy as np
from bar import Bar, measured, relative_speed, rows

from aeadlab.bench.case import Case
from aeadlab.records import Record
from aeadlab.stats import ratio
from aeadlab.studies.thread_modes import COUNTS, message

MEMCPY, XOR, DELAY = "baseline/memcpy", "baseline/xor", "baseline/delay"
AEADS = ("openssl/aes-256-gcm", "aws-lc/aes-256-gcm", "rustcrypto/aes-256-gcm", "cryptopp/aes-256-gcm")
BLOCK = 256 << 10
# Message length, block size, least share of the smaller of twice one thread and two threads of memcpy, rounds, seconds
# of one sample: messages one after the other, as the lab's profiles measure what is short. The last are single ones
# after other work, which find the second thread asleep; what it takes to wake it is the machine's.
SIZES = (
    (1 << 30, BLOCK, 0.95, 15, 0.0),
    (64 << 20, BLOCK, 0.95, 60, 0.0),
    (4 << 20, 64 << 10, 0.85, 100, 2e-3),
    (4 << 20, 64 << 10, None, 100, 0.0),
)
# Of waiting threads there may be as many as two cores can wake in time.
WAITING_ROUNDS = 40
DEFAULT, PAPERS = "dynamic", "rayon"


def bars() -> list[Bar]:
    """The bars of this file."""
    return [*(bar for size in SIZES for bar in _two_threads(*size)), *_default()]


def _split(name: str, size: int, block: int, threads: int, schedule: str = DEFAULT) -> Case:
    op = "encrypt" if name in (MEMCPY, XOR) else "seal"
    return Case(name, op, size, "parsplit", block_size=block, threads=threads, schedule=schedule)


def _two_threads(size: int, block: int, bound: float | None, rounds: int, seconds: float) -> list[Bar]:
    one, two = ({name: _split(name, size, block, n) for name in (*AEADS, MEMCPY, XOR)} for n in (1, 2))
    paper = {name: _split(name, size, block, 2, PAPERS) for name in AEADS}
    record = measured("two threads", [*one.values(), *two.values(), *paper.values()], rounds, seconds)
    length = f"{size >> 20} MiB" if bound else f"{size >> 20} MiB now and then"
    # memcpy is `rep movsb` at these lengths, which writes lines without reading them first; XOR writes as ciphers do.
    xor = relative_speed(
        f"xor: 2 threads at {length}, share of memcpy", record, two[XOR], two[MEMCPY], None, f"{block >> 10} KiB blocks"
    )
    found = [xor]
    for name in AEADS:
        doubled = ratio(rows(record.samples, two[name]), rows(record.samples, one[name]))
        copied = ratio(rows(record.samples, two[name]), rows(record.samples, two[MEMCPY]))
        # Against the smaller speed, so by the larger share. `ratio` is the second's time over the first's.
        by_cores = doubled.ratio / 2 >= copied.ratio
        share, limit = (doubled, "twice one thread") if by_cores else (copied, "memcpy")
        scale = 2 if by_cores else 1
        note = (
            f"{block >> 10} KiB blocks; {doubled.ratio:.3f} of one thread, {copied.ratio:.3f} of memcpy in two; the "
            f"limit here is {limit}"
        )
        numbers = (share.ratio / scale, share.low / scale, share.high / scale)
        found.append(Bar(f"{name}: 2 threads at {length}, share of the limit", *numbers, bound, ">=", "", note))
        found.append(
            relative_speed(
                f"{name}: {DEFAULT} against {PAPERS}, 2 threads, {length}", record, two[name], paper[name],
                0.99 if bound else None, f"{block >> 10} KiB blocks",
            )
        )  # fmt: skip
    return found


def _default() -> list[Bar]:
    """The schedules on a kernel that waits: more threads than there are cores."""
    cases = {
        (threads, schedule): _split(DELAY, *message(threads), threads, schedule)
        for threads in COUNTS
        for schedule in (DEFAULT, PAPERS)
    }
    record = measured("waiting", list(cases.values()), WAITING_ROUNDS)
    found = []
    for threads in COUNTS:
        found.append(
            relative_speed(
                f"delay: {DEFAULT} against {PAPERS}, {threads} threads", record, cases[threads, DEFAULT],
                cases[threads, PAPERS], 0.99, "64 blocks for each thread",
            )
        )  # fmt: skip
        spread, paper = (_spread(record, cases[threads, schedule]) for schedule in (DEFAULT, PAPERS))
        note = f"95th percentile over median of {WAITING_ROUNDS} samples; {PAPERS}: {paper:.3f}"
        found.append(
            Bar(f"delay: spread of {DEFAULT}, {threads} threads", spread, spread, spread, 1.05, "<=", "", note)
        )
    return found


def _spread(record: Record, case: Case) -> float:
    times = rows(record.samples, case).wall_ns.to_numpy(float)
    return float(np.quantile(times, 0.95) / np.median(times))
