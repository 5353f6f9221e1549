"""Claims of *cprng_fast implementation benchmarks* (NetBSD tech-crypto)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from aeadlab.studies.netbsd.quantities import (
    lock_cost,
    parallel_to_sequential,
    relative_scaling,
    scaling_efficiency,
    smallest_time_ratio,
)
from aeadlab.studies.netbsd.study import BRANCHED, CALLED, INLINED, LOOKED_UP, name
from aeadlab.verdicts.claim import Claim, Number
from aeadlab.verdicts.expected import first, percent_less, percent_more, ratio
from aeadlab.verdicts.pairs import undecidable
from aeadlab.verdicts.ranges import above, at_least, similar_effect, within

LOCKED, UNLOCKED, PRIVATE, PER_CPU = (name("rc4", form) for form in ("locked", "unlocked", "per-thread", LOOKED_UP))
HC, HC_INLINED, HC_CALLED, HC_BRANCHED = (name("hc-128", form) for form in (LOOKED_UP, INLINED, CALLED, BRANCHED))
ARC4: Final = (LOCKED, PRIVATE, PER_CPU)
"""The document's ARC4 for one stream: its form without a lock shares its state with no other stream."""

ARC4_PARALLEL: Final = (LOCKED, UNLOCKED, PER_CPU)
HC128: Final = (HC, HC_INLINED)

_RESULTS, _DISCUSSION = "Results", "Discussion"
_STREAMS = Number("Procedure", "streams of the four-stream test")

_LOCK = (
    "The lock is a mutex of Rust's standard library, which sleeps under contention, instead of the kernel's spin mutex."
)
_PRIVATE = "The form without a lock has a state of its own in ordinary memory: one stream shares it with no other."
_ATOMIC = "A shared state without a lock consists of atomic numbers, since other accesses are undefined."
_RELATIVE = "Relative to one stream, since atomic numbers cost time without contention, too."
_PER_CPU = "A variable of the thread, which each request looks up, is the substitute for the data of a CPU."
_CALL = "A request is a call through a pointer instead of a call in the kernel, or of a system call."
_STREAM = "A stream is a thread that calls a function instead of a program that makes system calls."
_FEWER = (
    "Measured with one stream for each logical core, at most as many as the document's; fewer than four decide the "
    "direction only."
)
_LENGTH = "Each stream produces the bytes stated with the measured value instead of 4 GB."
_INLINED = (
    "Unlike the document's, the inlined form looks up no state of a CPU: each call gets its state as an argument."
)
_WORDS = "Both forms fill a buffer of 16 KiB word by word in one loop"
_LINES = "The cost of a cache line that moves between cores depends on the distance of the cores."
_BUILD = "Other code for both ciphers, another compiler and CPU."
_LOOK_UP = (
    "Looking up a variable of the thread takes other instructions than finding the data of a CPU in a kernel, and the "
    "document's two kernels have different ARC4 code."
)

_claim = partial(Claim, "NetBSD")


def _result(quantity: str) -> Callable[[str], Number]:
    """Return the selection of a number of the table of results by the kernel's name."""
    return lambda kernel: Number(_RESULTS, quantity, variant=kernel)


_short, _long, _parallel = map(_result, ("cycles per byte", "time for 4 GB", "time for 16 GB"))
_scaling = _result("scaling factor")

CLAIMS: tuple[Claim, ...] = (
    _claim(
        "lock-costs", _RESULTS,
        "For requests of 32 bits to one stream a lock costs time (ARC4: {0} cycles per byte with a lock and {1} "
        "without).",
        "time with a lock over time without, ARC4, requests of 4 bytes", "generators",
        lock_cost(LOCKED, PRIVATE, UNLOCKED, "short"), above(1),
        "Without contention a lock takes two atomic instructions, which a CPU may overlap with the cipher.",
        numbers=(_short("arc4-mtx"), _short("arc4-nomtx")), expected=ratio, substitute=f"{_LOCK} {_PRIVATE} {_CALL}",
    ),
    _claim(
        "lock-costs-little-when-long", _RESULTS,
        "For requests of 256 bytes to one stream a lock costs hardly any time ({0} s with it and {1} s without); "
        "accepted: less than 5 % difference.",
        "time with a lock over time without, ARC4, requests of 256 bytes", "generators",
        lock_cost(LOCKED, PRIVATE, UNLOCKED, "long"), within(1.05), "A request of 256 bytes takes the lock once.",
        "percent more",
        numbers=(_long("arc4-mtx"), _long("arc4-nomtx")), expected=ratio,
        substitute=f"{_LENGTH} {_LOCK} {_PRIVATE} {_CALL}",
    ),
    _claim(
        "own-state-before-shared", _RESULTS,
        "For requests of 256 bytes to one stream ARC4 is faster with a state for each CPU than with a shared state, "
        "locked or not ({1} instead of {2} and {0} s).",
        "smallest ratio of the time with a shared state to that with a separate state", "",
        undecidable("requires both ARC4 implementations of the kernel: the form with a state for each CPU has another"),
        above(1), "One stream shares its state with no other.",
        numbers=(_long("arc4-nomtx"), _long("arc4-percpu"), _long("arc4-mtx")), expected=ratio,
    ),
    _claim(
        "sharing-slower-than-in-turn", _RESULTS,
        "{4} parallel streams that share a state take longer than the same streams one after the other, with a lock "
        "({1} s, one stream {0} s) and without ({3} s, one stream {2} s).",
        "smallest ratio of the parallel to the sequential time, ARC4", "generators",
        parallel_to_sequential((LOCKED, UNLOCKED)), above(1), _LINES,
        numbers=(_long("arc4-mtx"), _parallel("arc4-mtx"), _long("arc4-nomtx"), _parallel("arc4-nomtx"), _STREAMS),
        expected=lambda one, four, alone, together, streams: min(four / one, together / alone) / streams,
        substitute=f"{_FEWER} {_STREAM} {_LENGTH} {_LOCK} {_ATOMIC}",
    ),
    _claim(
        "own-state-scales", _RESULTS,
        "With a state for each CPU {3} parallel streams scale with an efficiency of at least {0} (HC-128; inlined {1}, "
        "ARC4 {2}).",
        "smallest scaling efficiency: T(1 stream) / T(4 streams, 4 times the data)", "generators",
        scaling_efficiency((PER_CPU, *HC128)), at_least,
        "Cores may share execution units, power and memory bandwidth.",
        numbers=(_scaling("hc128-percpu"), _scaling("hc128-inline"), _scaling("arc4-percpu"), _STREAMS), expected=first,
        substitute=f"{_STREAM} {_LENGTH} {_PER_CPU} {_INLINED}",
    ),
    _claim(
        "unlocked-nearly-like-hc128", _DISCUSSION,
        "For requests of 32 bits to one stream ARC4 without a lock is almost as fast as HC-128 with a state for each "
        "CPU ({0} and {1} cycles per byte); accepted: less than 25 % difference.",
        "time of ARC4 without a lock over time of HC-128, requests of 4 bytes", "generators",
        smallest_time_ratio((PRIVATE,), (HC,), ("short",)), within(1.25), _BUILD, "percent more",
        numbers=(_short("arc4-nomtx"), _short("hc128-percpu")), expected=ratio,
        substitute=f"{_PRIVATE} {_PER_CPU} {_CALL}",
    ),
    _claim(
        "unlocked-worst-at-once", _DISCUSSION,
        "{4} parallel streams that share the state of ARC4 lose more without a lock than with it ({0} s, one stream "
        "{1} s, and with a lock {2} s, one stream {3} s).",
        "slowdown by parallel streams without a lock over that with a lock, each relative to one stream", "generators",
        relative_scaling(LOCKED, (UNLOCKED,)), above(1), _LINES,
        numbers=(_parallel("arc4-nomtx"), _long("arc4-nomtx"), _parallel("arc4-mtx"), _long("arc4-mtx"), _STREAMS),
        expected=lambda four, one, locked, alone, _: (four / one) / (locked / alone),
        substitute=f"{_FEWER} {_STREAM} {_LENGTH} {_LOCK} {_ATOMIC} {_RELATIVE}",
    ),
    _claim(
        "unlocked-worse-by-ten", _DISCUSSION,
        "{3} parallel streams that share the state of ARC4 are an order of magnitude slower without a lock than with "
        "it, {0} times (the document's own table has {1} and {2} s, 5.9 times); accepted: 0.5 to 2 times this excess.",
        "slowdown by parallel streams without a lock over that with a lock, each relative to one stream", "generators",
        relative_scaling(LOCKED, (UNLOCKED,)), similar_effect, _LINES,
        numbers=(
            Number(_DISCUSSION, "slowdown of arc4-nomtx against arc4-mtx with four streams"),
            _parallel("arc4-nomtx"), _parallel("arc4-mtx"), _STREAMS,
        ),
        expected=first, substitute=f"{_FEWER} {_STREAM} {_LENGTH} {_LOCK} {_ATOMIC} {_RELATIVE}",
    ),
    _claim(
        "locked-worse-than-own-state", _DISCUSSION,
        "{2} parallel streams are slower with ARC4 under a lock than with every state for each CPU ({0} s, the next "
        "{1} s). Their lead over streams without the lock is a claim of its own.",
        "smallest ratio of the time with a lock to that with separate states", "generators",
        smallest_time_ratio((LOCKED,), (PER_CPU, *HC128), ("parallel",)), above(1), _LINES,
        numbers=(_parallel("arc4-mtx"), _parallel("arc4-percpu"), _STREAMS), expected=ratio,
        substitute=f"{_FEWER} {_STREAM} {_LENGTH} {_LOCK} {_PER_CPU} {_INLINED}",
    ),
    _claim(
        "own-state-costs", _DISCUSSION,
        "On a uniprocessor, for short requests of one stream, the worst case, the references to a state for each CPU "
        "and its bookkeeping cost about {0} % (ARC4: {1} and {2} cycles per byte, 12.5 %); accepted: 0.5 to 2 times "
        "this cost on this computer.",
        "time with a state that each call looks up over time with a state that is passed to the call", "generators",
        smallest_time_ratio((PER_CPU,), (PRIVATE,), ("short",)), similar_effect, _LOOK_UP, "percent more",
        numbers=(
            Number(_DISCUSSION, "cost of per-CPU state for short requests"), _short("arc4-percpu"),
            _short("arc4-nomtx"),
        ),
        expected=percent_more, substitute=f"{_PRIVATE} {_PER_CPU} {_CALL}",
    ),
    _claim(
        "hc128-faster", _DISCUSSION,
        "Every form of HC-128 is faster than every form of ARC4, for requests of 32 bits (nearest: {0} and {1} cycles "
        "per byte), of 256 bytes, and for {2} parallel streams.",
        "smallest ratio of the time of ARC4 to that of HC-128", "generators",
        smallest_time_ratio(ARC4, HC128, ("short", "long", "parallel"), ARC4_PARALLEL), above(1), _BUILD,
        numbers=(_short("arc4-nomtx"), _short("hc128-percpu"), _STREAMS), expected=ratio,
        substitute=f"{_FEWER} {_STREAM} {_LENGTH} {_LOCK} {_PRIVATE} {_ATOMIC} {_PER_CPU} {_INLINED} {_CALL} "
        "Words of the inlined form are requested 16 KiB at a time.",
    ),
    _claim(
        "arc4-scales-better", _DISCUSSION,
        "ARC4 with a state for each CPU scales better than HC-128 with {3} streams ({0}, and {2}, inlined {1}).",
        "smallest ratio of the scaling efficiency of ARC4 to that of HC-128", "generators",
        relative_scaling(PER_CPU, HC128), above(1),
        "The state of HC-128, two tables of 2 KiB, is small compared with current caches.",
        numbers=(_scaling("arc4-percpu"), _scaling("hc128-inline"), _scaling("hc128-percpu"), _STREAMS), expected=ratio,
        substitute=f"{_FEWER} {_STREAM} {_LENGTH} {_PER_CPU} {_INLINED}",
    ),
    _claim(
        "arc4-slower-at-once", _DISCUSSION,
        "{3} parallel streams of ARC4 with a state for each CPU are almost {0} % slower than those of inlined HC-128 "
        "({1} and {2} s); accepted: 0.5 to 2 times this difference.",
        "speed of ARC4 over speed of HC-128", "generators",
        smallest_time_ratio((HC_INLINED,), (PER_CPU,), ("parallel",)), similar_effect, _BUILD, "percent more",
        numbers=(
            Number(_DISCUSSION, "slowdown of arc4-percpu against hc128-inline with four streams"),
            _parallel("arc4-percpu"), _parallel("hc128-inline"), _STREAMS,
        ),
        expected=percent_less, substitute=f"{_FEWER} {_STREAM} {_LENGTH} {_PER_CPU} {_INLINED}",
    ),
    _claim(
        "inlining-gains", _DISCUSSION,
        "Inlining makes HC-128 faster by about {0} % (requests of 32 bits: {2} instead of {1} cycles per byte, one "
        "stream: {4} instead of {3} s, in the document's own table 5 %, {7} streams: {6} instead of {5} s); accepted: "
        "0.5 to 2 times this gain for words.",
        "time with a call for each word over time inlined, one stream", "generators",
        smallest_time_ratio((HC_CALLED,), (HC_INLINED,), ("short",)), similar_effect,
        f"{_BUILD} The document calls the gain extremely sensitive to compiler and CPU.", "percent more",
        numbers=(
            Number(_DISCUSSION, "gain of inlining"), _short("hc128-percpu"), _short("hc128-inline"),
            _long("hc128-percpu"), _long("hc128-inline"), _parallel("hc128-percpu"), _parallel("hc128-inline"),
            _STREAMS,
        ),
        expected=percent_more,
        substitute=f"{_WORDS}, with and without a call of the cipher for each word; neither looks up the state of a "
        "CPU, as both of the document do.",
    ),
    _claim(
        "one-branch-more-is-faster", _DISCUSSION,
        "Compiled for a generic x86-64 CPU, a branch before each invocation of HC-128, which DIAGNOSTIC adds and which "
        "is never taken, makes requests of 32 bits faster: {0} or {1} cycles per byte. The variant is not named; "
        "without the branch the inlined one takes {2}.",
        "time without the branch over time with it, HC-128 inlined", "generators",
        smallest_time_ratio((HC_INLINED,), (HC_BRANCHED,), ("short",)), above(1),
        f"{_BUILD} The addresses of the code can change as much as a branch does.",
        numbers=(
            Number(_DISCUSSION, "cycles per byte, lowest"), Number(_DISCUSSION, "cycles per byte, highest"),
            _short("hc128-inline"),
        ),
        expected=lambda _, highest, without: without / highest,
        substitute=f"{_WORDS}, in user space and one build for this CPU, with and without a branch that is never "
        f"taken. {_INLINED}",
    ),
)  # fmt: skip
