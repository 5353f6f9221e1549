"""What *cprng_fast implementation benchmarks* (NetBSD tech-crypto) finds."""

from __future__ import annotations

from functools import partial
from typing import Final

from aeadlab.judgement.claim import Claim, Number
from aeadlab.judgement.expected import first, over, percent_less, percent_more
from aeadlab.judgement.generators import at_once_over_in_turn, scales_better, scaling, times_over
from aeadlab.judgement.ranges import above, at_least, below, like_effect, within
from aeadlab.judgement.undecidable import undecidable
from aeadlab.studies.generators import name
from aeadlab.workloads import INLINED

LOCKED, UNLOCKED, PER_THREAD = (name("rc4", form) for form in ("locked", "unlocked", "per-thread"))
HC, HC_INLINED = name("hc-128", "per-thread"), name("hc-128", INLINED)
ARC4: Final = (LOCKED, UNLOCKED, PER_THREAD)
HC128: Final = (HC, HC_INLINED)

_ARC4, _HC128 = "netbsd/arc4", "netbsd/hc-128"
_RESULTS, _DISCUSSION = "Results", "Discussion"
_STREAMS = Number("Procedure", "streams of the four-stream test")
_short, _long, _at_once = (
    partial(Number, _RESULTS, quantity) for quantity in ("cycles per byte", "time for 4 GB", "time for 16 GB")
)
_scaling = partial(Number, _RESULTS, "scaling factor")

_KERNEL = "A thread's own state takes the place of a CPU's, and a call that of a system call."
_ATOMS = (
    "Here a state without a lock is made of atomic numbers, which a compiler leaves in memory; those of one thread, or "
    "under a lock, it keeps in registers for a request."
)
_LINES = "How dear it is that caches pass a line around depends on how far apart the cores are."
_BUILD = "Other code for both ciphers, another compiler and CPU."

_claim = partial(Claim, "NetBSD")


CLAIMS: tuple[Claim, ...] = (
    _claim(
        "lock-costs", _RESULTS,
        "For short requests to one stream a lock costs time even though nobody else wants it (ARC4: {0} and {1} cycles "
        "per byte).",
        "time under a lock over that without, ARC4", "generators",
        times_over((LOCKED,), (UNLOCKED,), ("short",)), above(1), 
        f"A lock is two atomic writes at least, which a CPU may hide behind the cipher. {_ATOMS}",
        numbers=(_short(_ARC4, variant="arc4-mtx"), _short(_ARC4, variant="arc4-nomtx")),
        expected=over,
    ),
    _claim(
        "lock-costs-little-when-long", _RESULTS,
        "For long requests to one stream a lock costs next to nothing ({0} and {1} s); less than 5 % either way "
        "counts.",
        "time under a lock over that without, ARC4", "generators",
        times_over((LOCKED,), (UNLOCKED,), ("long",)), within(1.05), _ATOMS, "percent more",
        numbers=(_long(_ARC4, variant="arc4-mtx"), _long(_ARC4, variant="arc4-nomtx")), expected=over,
    ),
    _claim(
        "own-state-before-shared", _RESULTS,
        "For long requests to one stream ARC4 with a state for each CPU is faster than with a shared one, locked or "
        "not ({1} after {0} s).",
        "time with a shared state over that with one's own, at least", "generators",
        times_over((LOCKED, UNLOCKED), (PER_THREAD,), ("long",)), above(1),
        "With one stream there is nobody to share with: what the kernel did otherwise as well made the difference.",
        numbers=(_long(_ARC4, variant="arc4-nomtx"), _long(_ARC4, variant="arc4-percpu")),
        expected=over,
    ),
    _claim(
        "sharing-slower-than-in-turn", _RESULTS,
        "{2} streams that share a state, locked or not, take longer than one after the other would (locked: {1} s, one "
        "of them {0} s); as many as there are cores, {2} at most.",
        "time at once over that in turn, ARC4, at least", "generators",
        at_once_over_in_turn((LOCKED, UNLOCKED)), above(1), _LINES,
        numbers=(_long(_ARC4, variant="arc4-mtx"), _at_once(_ARC4, variant="arc4-mtx"), _STREAMS),
        expected=lambda one, four, streams: four / (streams * one),
    ),
    _claim(
        "own-state-scales", _RESULTS,
        "With a state for each CPU, {1} streams at once have a scaling factor of {0} or more: the time of one over "
        "that of all.",
        "scaling factor, at least", "generators",
        scaling((PER_THREAD, *HC128)), at_least, "Cores may share execution units, a clock budget, and memory.",
        numbers=(_scaling(_HC128, variant="hc128-percpu"), _STREAMS), expected=first,
    ),
    _claim(
        "unlocked-nearly-like-hc128", _DISCUSSION,
        "For short requests to one stream shared ARC4 without a lock is almost as fast as HC-128 with a state for each "
        "CPU ({0} and {1} cycles per byte); less than 25 % slower counts.",
        "time of ARC4 without a lock over that of HC-128", "generators",
        times_over((UNLOCKED,), (HC,), ("short",)), below(1.25), _BUILD, "percent more",
        numbers=(_short(_ARC4, variant="arc4-nomtx"), _short(_HC128, variant="hc128-percpu")),
        expected=over,
    ),
    _claim(
        "unlocked-worst-at-once", _DISCUSSION,
        "{2} streams at once that share ARC4's state are slower without a lock than with it ({0} and {1} s); as many "
        "as there are cores, {2} at most.",
        "time without a lock over that under a lock, ARC4", "generators",
        times_over((UNLOCKED,), (LOCKED,), ("at once",)), above(1), _LINES,
        numbers=(_at_once(_ARC4, variant="arc4-nomtx"), _at_once(_ARC4, variant="arc4-mtx"), _STREAMS),
        expected=over,
    ),
    _claim(
        "unlocked-worse-by-ten", _DISCUSSION,
        "{3} streams at once that share ARC4's state are slower without a lock by an order of magnitude, {0} times "
        "(its own table has {1} and {2} s); half to twice of that excess counts, with as many as there are cores, {3} "
        "at most.",
        "time without a lock over that under a lock, ARC4", "generators",
        times_over((UNLOCKED,), (LOCKED,), ("at once",)), like_effect, _LINES,
        numbers=(
            Number(_DISCUSSION, "slowdown of arc4-nomtx against arc4-mtx with four streams"),
            _at_once(_ARC4, variant="arc4-nomtx"), _at_once(_ARC4, variant="arc4-mtx"), _STREAMS,
        ),
        expected=first,
    ),
    _claim(
        "locked-worse-than-own-state", _DISCUSSION,
        "{2} streams at once are slower with ARC4 under a lock than with any state for each CPU ({0} s, the next {1} "
        "s); as many as there are cores, {2} at most.",
        "time under a lock over that with states of their own, at least", "generators",
        times_over((LOCKED,), (PER_THREAD, *HC128), ("at once",)), above(1), _LINES,
        numbers=(_at_once(_ARC4, variant="arc4-mtx"), _at_once(_ARC4, variant="arc4-percpu"), _STREAMS),
        expected=over,
    ),
    _claim(
        "own-state-costs", _DISCUSSION,
        "For short requests to one stream a state for each CPU costs about {0} % (ARC4: {1} and {2} cycles per byte); "
        "half to twice of that counts.",
        "time with a state of one's own over that with a shared one, no lock", "generators",
        times_over((PER_THREAD,), (UNLOCKED,), ("short",)), like_effect, f"{_KERNEL} {_ATOMS}", "percent more",
        numbers=(
            Number(_DISCUSSION, "cost of per-CPU state for short requests"), _short(_ARC4, variant="arc4-percpu"),
            _short(_ARC4, variant="arc4-nomtx"),
        ),
        expected=percent_more,
    ),
    _claim(
        "hc128-faster", _DISCUSSION,
        "Every form of HC-128 is faster than every form of ARC4, for short requests (nearest, {0} and {1} cycles per "
        "byte), for long ones, and at once with as many streams as there are cores, {2} at most.",
        "time of ARC4 over that of HC-128, at least", "generators",
        times_over(ARC4, HC128, ("short", "long", "at once")), above(1), _BUILD,
        numbers=(_short(_ARC4, variant="arc4-nomtx"), _short(_HC128, variant="hc128-percpu"), _STREAMS),
        expected=over,
    ),
    _claim(
        "arc4-scales-better", _DISCUSSION,
        "ARC4 with a state for each CPU scales better than HC-128 ({0}, and {1} inlined); with as many streams as "
        "there are cores, {2} at most.",
        "its scaling factor over that of HC-128, at least", "generators",
        scales_better(PER_THREAD, HC128), above(1), "HC-128's tables of 4 KiB are small beside the caches of today.",
        numbers=(_scaling(_ARC4, variant="arc4-percpu"), _scaling(_HC128, variant="hc128-inline"), _STREAMS),
        expected=over,
    ),
    _claim(
        "arc4-slower-at-once", _DISCUSSION,
        "{3} streams at once of ARC4 with a state for each CPU are almost {0} % slower than those of inlined HC-128 "
        "({1} and {2} s); half to twice of that counts, with as many as there are cores, {3} at most.",
        "speed of ARC4 over that of HC-128", "generators",
        times_over((HC_INLINED,), (PER_THREAD,), ("at once",)), like_effect, _BUILD, "percent more",
        numbers=(
            Number(_DISCUSSION, "slowdown of arc4-percpu against hc128-inline with four streams"),
            _at_once(_ARC4, variant="arc4-percpu"), _at_once(_HC128, variant="hc128-inline"), _STREAMS,
        ),
        expected=percent_less,
    ),
    _claim(
        "inlining-gains", _DISCUSSION,
        "Inlining makes HC-128 faster by about {0} % (short requests: {2} after {1} cycles per byte); half to twice of "
        "that counts.",
        "time of calls over that inlined, short requests", "generators",
        times_over((HC,), (HC_INLINED,), ("short",)), like_effect,
        "A word has become cheaper than the call that asks for it: what inlining saves is most of the time now.",
        "percent more",
        numbers=(
            Number(_DISCUSSION, "gain of inlining"), _short(_HC128, variant="hc128-percpu"),
            _short(_HC128, variant="hc128-inline"),
        ),
        expected=percent_more,
    ),
    _claim(
        "one-branch-more-is-faster", _DISCUSSION,
        "A branch before each call, which DIAGNOSTIC adds and which is never taken, makes it faster: {0} or {1} cycles "
        "per byte after {2}.",
        "time without the branch over time with it", "",
        undecidable("takes a kernel of NetBSD, with DIAGNOSTIC and without"), above(1), _BUILD,
        numbers=(
            Number(_DISCUSSION, "cycles per byte, lowest"), Number(_DISCUSSION, "cycles per byte, highest"),
            _short(_HC128, variant="hc128-inline"),
        ),
        expected=lambda _, highest, without: without / highest,
    ),
)  # fmt: skip
