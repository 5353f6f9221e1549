"""Claims of *cprng_fast implementation benchmarks* (NetBSD tech-crypto)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from aeadlab.studies.netbsd.quantities import (
    parallel_to_sequential,
    relative_scaling,
    scaling_efficiency,
    smallest_time_ratio,
)
from aeadlab.studies.netbsd.study import INLINED, name
from aeadlab.verdicts.claim import Claim, Number
from aeadlab.verdicts.expected import first, percent_less, percent_more, ratio
from aeadlab.verdicts.pairs import undecidable
from aeadlab.verdicts.ranges import above, at_least, below, similar_effect, within

LOCKED, UNLOCKED, PER_THREAD = (name("rc4", form) for form in ("locked", "unlocked", "per-thread"))
HC, HC_INLINED = name("hc-128", "per-thread"), name("hc-128", INLINED)
ARC4: Final = (LOCKED, UNLOCKED, PER_THREAD)
HC128: Final = (HC, HC_INLINED)

_RESULTS, _DISCUSSION = "Results", "Discussion"
_STREAMS = Number("Procedure", "streams of the four-stream test")

_KERNEL = "A state for each thread is the substitute for a state for each CPU, and a call for a system call."
_ATOMICS = (
    "Here a shared state without a lock consists of atomic numbers, which a compiler keeps in memory; the state of one "
    "thread, or under a lock, stays in registers during a request."
)
_LINES = "The cost of a cache line that moves between cores depends on the distance of the cores."
_BUILD = "Other code for both ciphers, another compiler and CPU."

_claim = partial(Claim, "NetBSD")


def _result(quantity: str) -> Callable[[str], Number]:
    """Return the selection of a number of the table of results by the kernel's name."""
    return lambda kernel: Number(_RESULTS, quantity, variant=kernel)


_short, _long, _parallel = map(_result, ("cycles per byte", "time for 4 GB", "time for 16 GB"))
_scaling = _result("scaling factor")

CLAIMS: tuple[Claim, ...] = (
    _claim(
        "lock-costs", _RESULTS,
        "For short requests to one stream a lock costs time even without contention (ARC4: {0} with a lock and {1} "
        "cycles per byte without).",
        "time with a lock over time without, ARC4", "generators",
        smallest_time_ratio((LOCKED,), (UNLOCKED,), ("short",)), above(1),
        f"A lock takes at least two atomic writes, which a CPU may overlap with the cipher. {_ATOMICS}",
        numbers=(_short("arc4-mtx"), _short("arc4-nomtx")), expected=ratio,
    ),
    _claim(
        "lock-costs-little-when-long", _RESULTS,
        "For long requests to one stream a lock costs almost nothing ({0} and {1} s); accepted: less than 5 % "
        "difference.",
        "time with a lock over time without, ARC4", "generators",
        smallest_time_ratio((LOCKED,), (UNLOCKED,), ("long",)), within(1.05), _ATOMICS, "percent more",
        numbers=(_long("arc4-mtx"), _long("arc4-nomtx")), expected=ratio,
    ),
    _claim(
        "own-state-before-shared", _RESULTS,
        "For long requests to one stream ARC4 is faster with a state for each CPU than with a shared state, locked or "
        "not ({1} instead of {0} s).",
        "smallest ratio of the time with a shared state to that with a separate state", "generators",
        smallest_time_ratio((LOCKED, UNLOCKED), (PER_THREAD,), ("long",)), above(1),
        "One stream shares its state with no other; further differences in the kernel code caused the gain.",
        numbers=(_long("arc4-nomtx"), _long("arc4-percpu")), expected=ratio,
    ),
    _claim(
        "sharing-slower-than-in-turn", _RESULTS,
        "{2} parallel streams that share a state, locked or not, take longer than the same streams one after the other "
        "(locked: {1} s, one stream {0} s); measured with as many streams as cores, at most {2}.",
        "smallest ratio of the parallel to the sequential time, ARC4", "generators",
        parallel_to_sequential((LOCKED, UNLOCKED)), above(1), _LINES,
        numbers=(_long("arc4-mtx"), _parallel("arc4-mtx"), _STREAMS),
        expected=lambda one, four, streams: four / (streams * one),
    ),
    _claim(
        "own-state-scales", _RESULTS,
        "With a state for each CPU, {1} parallel streams have a scaling efficiency of {0} or more.",
        "smallest scaling efficiency: T(1 stream) / T(4 streams, 4 times the data)", "generators",
        scaling_efficiency((PER_THREAD, *HC128)), at_least,
        "Cores may share execution units, power and memory bandwidth.",
        numbers=(_scaling("hc128-percpu"), _STREAMS), expected=first,
    ),
    _claim(
        "unlocked-nearly-like-hc128", _DISCUSSION,
        "For short requests to one stream shared ARC4 without a lock is almost as fast as HC-128 with a state for each "
        "CPU ({0} and {1} cycles per byte); accepted: less than 25 % slower.",
        "time of ARC4 without a lock over time of HC-128", "generators",
        smallest_time_ratio((UNLOCKED,), (HC,), ("short",)), below(1.25), _BUILD, "percent more",
        numbers=(_short("arc4-nomtx"), _short("hc128-percpu")), expected=ratio,
    ),
    _claim(
        "unlocked-worst-at-once", _DISCUSSION,
        "{2} parallel streams that share the state of ARC4 are slower without a lock than with it ({0} and {1} s); "
        "measured with as many streams as cores, at most {2}.",
        "time without a lock over time with a lock, ARC4", "generators",
        smallest_time_ratio((UNLOCKED,), (LOCKED,), ("parallel",)), above(1), _LINES,
        numbers=(_parallel("arc4-nomtx"), _parallel("arc4-mtx"), _STREAMS), expected=ratio,
    ),
    _claim(
        "unlocked-worse-by-ten", _DISCUSSION,
        "{3} parallel streams that share the state of ARC4 are slower without a lock by an order of magnitude, {0} "
        "times (the document's own table has {1} and {2} s); accepted: 0.5 to 2 times this excess, with as many "
        "streams as cores, at most {3}.",
        "time without a lock over time with a lock, ARC4", "generators",
        smallest_time_ratio((UNLOCKED,), (LOCKED,), ("parallel",)), similar_effect, _LINES,
        numbers=(
            Number(_DISCUSSION, "slowdown of arc4-nomtx against arc4-mtx with four streams"),
            _parallel("arc4-nomtx"), _parallel("arc4-mtx"), _STREAMS,
        ),
        expected=first,
    ),
    _claim(
        "locked-worse-than-own-state", _DISCUSSION,
        "{2} parallel streams are slower with ARC4 under a lock than with any state for each CPU ({0} s, the next {1} "
        "s); measured with as many streams as cores, at most {2}.",
        "smallest ratio of the time with a lock to that with separate states", "generators",
        smallest_time_ratio((LOCKED,), (PER_THREAD, *HC128), ("parallel",)), above(1), _LINES,
        numbers=(_parallel("arc4-mtx"), _parallel("arc4-percpu"), _STREAMS), expected=ratio,
    ),
    _claim(
        "own-state-costs", _DISCUSSION,
        "For short requests to one stream a state for each CPU costs about {0} % (ARC4: {1} and {2} cycles per byte); "
        "accepted: 0.5 to 2 times this cost.",
        "time with a separate state over time with a shared state without a lock", "generators",
        smallest_time_ratio((PER_THREAD,), (UNLOCKED,), ("short",)), similar_effect, f"{_KERNEL} {_ATOMICS}",
        "percent more",
        numbers=(
            Number(_DISCUSSION, "cost of per-CPU state for short requests"), _short("arc4-percpu"),
            _short("arc4-nomtx"),
        ),
        expected=percent_more,
    ),
    _claim(
        "hc128-faster", _DISCUSSION,
        "Every form of HC-128 is faster than every form of ARC4, for short requests (nearest: {0} and {1} cycles per "
        "byte), long requests and parallel streams; measured with as many streams as cores, at most {2}.",
        "smallest ratio of the time of ARC4 to that of HC-128", "generators",
        smallest_time_ratio(ARC4, HC128, ("short", "long", "parallel")), above(1), _BUILD,
        numbers=(_short("arc4-nomtx"), _short("hc128-percpu"), _STREAMS), expected=ratio,
    ),
    _claim(
        "arc4-scales-better", _DISCUSSION,
        "ARC4 with a state for each CPU scales better than HC-128 ({0}, and {1} inlined); measured with as many "
        "streams as cores, at most {2}.",
        "smallest ratio of the scaling efficiency of ARC4 to that of HC-128", "generators",
        relative_scaling(PER_THREAD, HC128), above(1),
        "The tables of HC-128, 4 KiB each, are small compared with current caches.",
        numbers=(_scaling("arc4-percpu"), _scaling("hc128-inline"), _STREAMS), expected=ratio,
    ),
    _claim(
        "arc4-slower-at-once", _DISCUSSION,
        "{3} parallel streams of ARC4 with a state for each CPU are almost {0} % slower than those of inlined HC-128 "
        "({1} and {2} s); accepted: 0.5 to 2 times this difference, with as many streams as cores, at most {3}.",
        "speed of ARC4 over speed of HC-128", "generators",
        smallest_time_ratio((HC_INLINED,), (PER_THREAD,), ("parallel",)), similar_effect, _BUILD, "percent more",
        numbers=(
            Number(_DISCUSSION, "slowdown of arc4-percpu against hc128-inline with four streams"),
            _parallel("arc4-percpu"), _parallel("hc128-inline"), _STREAMS,
        ),
        expected=percent_less,
    ),
    _claim(
        "inlining-gains", _DISCUSSION,
        "Inlining makes HC-128 faster by about {0} % (short requests: {2} instead of {1} cycles per byte); accepted: "
        "0.5 to 2 times this gain.",
        "time with calls over time inlined, short requests", "generators",
        smallest_time_ratio((HC,), (HC_INLINED,), ("short",)), similar_effect,
        "A word now takes less time than the call that requests it, so that inlining saves most of the time.",
        "percent more",
        numbers=(Number(_DISCUSSION, "gain of inlining"), _short("hc128-percpu"), _short("hc128-inline")),
        expected=percent_more,
    ),
    _claim(
        "one-branch-more-is-faster", _DISCUSSION,
        "A branch before each call, which DIAGNOSTIC adds and which is never taken, makes the generator faster: {0} or "
        "{1} instead of {2} cycles per byte.",
        "time without the branch over time with it", "",
        undecidable("requires a kernel of NetBSD, with and without DIAGNOSTIC"), above(1), _BUILD,
        numbers=(
            Number(_DISCUSSION, "cycles per byte, lowest"), Number(_DISCUSSION, "cycles per byte, highest"),
            _short("hc128-inline"),
        ),
        expected=lambda _, highest, without: without / highest,
    ),
)  # fmt: skip
