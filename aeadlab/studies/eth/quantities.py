"""Quantities of the claims of *ETH*: whole messages, all implementations, block sizes and thread counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf, isnan, nan
from typing import Final

from aeadlab.verdicts.claim import Numbers, estimator
from aeadlab.verdicts.estimate import (
    CONFIDENCE,
    Estimate,
    Quantity,
    largest,
    quotient,
    smallest,
    upper_median,
    with_limitations,
)
from aeadlab.verdicts.evidence import Evidence, Inconclusive

SATURATED: Final = 1.1
"""Speed is saturated at the smallest thread count whose time is within this factor of the least time."""

MANY_CORES: Final = 8
"""Least number of logical cores of a record that supports claims about many threads."""

MIN_BLOCKS_PER_THREAD: Final = 8
"""With fewer blocks some threads are idle, which is no effect of the block size as such."""

MEMCPY: Final = "baseline/memcpy"


@estimator
def slowdown(
    evidence: Evidence, _: Numbers, names: Sequence[str], others: Sequence[str], ops: Sequence[str]
) -> Quantity:
    """Return the least time of `names` over the least time of `others`; of several ops the smallest such ratio.

    If some of `names` are missing, the others can refute the claim but not confirm it. One of `others` is enough.
    """
    return smallest([_slowdown(evidence, names, others, op) for op in ops])


def _slowdown(evidence: Evidence, names: Sequence[str], others: Sequence[str], op: str) -> Quantity:
    columns = {name: {"engine": "whole", "op": _available_op(name, op), "threads": 1} for name in (*names, *others)}
    cases = {name: evidence.select([name], **columns[name]) for name in columns}
    over, under = ([case for name in side for case in cases[name]] for side in (names, others))
    missing = [evidence.missing_reason(name, **columns[name]) for name in names if not cases[name]]
    if not over or not under:
        raise Inconclusive(missing[0] if not over else evidence.missing_reason(others[0], **columns[others[0]]))
    return with_limitations(evidence.ratio(over, under), cannot_confirm="; ".join(missing))


@estimator
def smallest_adjacent_ratio(evidence: Evidence, _: Numbers, names: Sequence[str]) -> Quantity:
    """Return the smallest ratio of the sealing time of one to that of the one before it."""
    cases = [_whole_message(evidence, name) for name in names]
    return smallest([evidence.ratio(later, earlier) for earlier, later in zip(cases, cases[1:], strict=False)])


@estimator
def opening_factor(evidence: Evidence, _: Numbers, names: Sequence[str]) -> Quantity:
    """Return the largest factor between the times of opening and sealing."""
    pairs = [(_whole_message(evidence, name, "open"), _whole_message(evidence, name)) for name in names]
    return largest([evidence.ratio(*order) for pair in pairs for order in (pair, pair[::-1])])


@estimator
def parsplit_overhead(evidence: Evidence, numbers: Numbers, name: str) -> Quantity:
    """Return the time under ParSplit with one thread over that of the whole message.

    The last number of the claim is the block size in KiB.
    """
    size, op = round(1024 * numbers[-1]), _available_op(name, "seal")
    split = evidence.find(name, engine="parsplit", op=op, threads=1, block_size=size)
    return evidence.ratio(split, _whole_message(evidence, name))


@estimator
def largest_deviation(evidence: Evidence, _: Numbers, names: Sequence[str], ops: Sequence[str]) -> Quantity:
    """Return the largest `Evidence.spread` of these implementations in these ops."""
    cases = evidence.select(names, engine="whole", op=ops, threads=1)
    present = set(evidence.cases.loc[cases, "implementation"])
    missing = [evidence.missing_reason(name) for name in names if name not in present]
    if not cases:
        raise Inconclusive(missing[0])
    return with_limitations(largest([evidence.spread(case) for case in cases]), cannot_confirm="; ".join(missing))


@estimator
def tag_overhead(_: Evidence, numbers: Numbers, name: str) -> Quantity:
    """Return the additional bytes of a sealed message over the bytes of the message, computed by sealing one.

    The second number of the claim is the block size in KiB.
    """
    from aeadlab.parsplit.parsplit import ParSplit

    block_size = round(1024 * numbers[1])
    cipher = ParSplit(name, block_size=block_size, threads=1)
    message = bytes(64 * block_size)
    sealed = cipher.encrypt(bytes(cipher.key_bytes), bytes(cipher.nonce_bytes), message)
    share = (len(sealed) - len(message)) / len(message)
    return lambda _: Estimate(share, share, share)


@estimator
def share_slower(evidence: Evidence, _: Numbers, names: Sequence[str], kind: str, op: str) -> Quantity:
    """Return the share of all other implementations of a kind that are slower than the slowest of `names`.

    The ends of its interval are the shares of those whose widened 95 % interval is above 1, and of those whose interval
    is not below 1. The few percent of wrong decisions do not change the share by much.
    """
    named = [_whole_message(evidence, name, op) for name in names]
    excluded = {case for cases in named for case in cases}
    others = [case for case in evidence.competitors(kind=kind, op=op) if case not in excluded]
    if not others:
        raise Inconclusive(f"the record contains no other {kind}")

    def quantity(confidence: float) -> Estimate:
        ratios = [smallest([evidence.ratio([other], cases) for cases in named])(confidence) for other in others]
        return Estimate(
            sum(ratio.value > 1 for ratio in ratios) / len(ratios),
            sum(ratio.widened[0] > 1 for ratio in ratios) / len(ratios),
            sum(not ratio.widened[1] < 1 for ratio in ratios) / len(ratios),
            nan if any(isnan(ratio.noise) for ratio in ratios) else 0.0,
        )

    return quantity


@estimator
def algorithm_slowdown(
    evidence: Evidence, _: Numbers, is_other: Callable[[str], bool], is_named: Callable[[str], bool], op: str
) -> Quantity:
    """Return the least time of the other algorithms in any library over the least time of the named ones."""
    algorithms = evidence.cases["algorithm"]
    cases = evidence.competitors(op=op)
    over, under = ([case for case in cases if matches(str(algorithms[case]))] for matches in (is_other, is_named))
    if not under:
        raise Inconclusive("the record does not contain the named algorithm")
    if not over:
        raise Inconclusive("the record contains no other algorithm to compare with")
    return evidence.ratio(over, under)


@estimator
def slowdown_outside_range(evidence: Evidence, numbers: Numbers, names: Sequence[str]) -> Quantity:
    """Return the best time with a block size outside a range over the best time inside, the smallest of `names`.

    The numbers of the claim are the ends of the range in KiB, which belong to it.
    """
    ratios = []
    for name in names:
        sizes = _cases_by_block_size(evidence, name)
        if int(evidence.cases["threads"][next(iter(sizes.values()))]) < 2:
            raise Inconclusive("measured with one thread, the claim is about several")
        inside = [case for size, case in sizes.items() if numbers[0] <= size / 1024 <= numbers[1]]
        outside = [case for case in sizes.values() if case not in inside]
        if not inside or not outside:
            raise Inconclusive(f"{name} has no block size {'outside' if inside else 'inside'} the range")
        ratios.append(evidence.ratio(outside, inside))
    return smallest(ratios)


@estimator
def worst_to_best(evidence: Evidence, _: Numbers, names: Sequence[str]) -> Quantity:
    """Return the worst time with any block size over the best, the largest of `names`.

    Sizes that give a thread fewer than `MIN_BLOCKS_PER_THREAD` blocks are excluded.
    """
    ratios = []
    for name in names:
        table = evidence.cases.loc[list(_cases_by_block_size(evidence, name).values())]
        enough = table[table["bytes"] // table["block_size"] >= MIN_BLOCKS_PER_THREAD * table["threads"]]
        cases = [int(case) for case in enough.index]
        ratios += [evidence.ratio([case], cases) for case in cases]
    return largest(ratios)


@estimator
def speed_up_over_whole(evidence: Evidence, _: Numbers, names: Sequence[str]) -> Quantity:
    """Return the smallest speed-up of ParSplit over the whole message in one thread."""
    evidence.require_cores(2)
    return smallest([evidence.ratio(_whole_message(evidence, name), _parsplit(evidence, name)) for name in names])


@estimator
def relative_speed_up(evidence: Evidence, _: Numbers, name: str, others: Sequence[str]) -> Quantity:
    """Return the speed-up of one implementation over the largest speed-up of others."""
    evidence.require_cores(2)
    return quotient(
        _gain_from_threads(evidence, name, 1), largest([_gain_from_threads(evidence, other, 1) for other in others])
    )


@estimator
def saturation(evidence: Evidence, numbers: Numbers, name: str) -> Quantity:
    """Return the thread count at which speed saturates; require twice the first number of the claim as cores."""
    evidence.require_cores(2 * round(numbers[0]))
    return _saturation(evidence, name)


@estimator
def relative_saturation(evidence: Evidence, _: Numbers, name: str, other: str) -> Quantity:
    """Return the thread count at which one implementation saturates over that of another."""
    evidence.require_cores(MANY_CORES)
    return quotient(_saturation(evidence, name), _saturation(evidence, other))


@estimator
def upper_half_gain(evidence: Evidence, _: Numbers, names: Sequence[str]) -> Quantity:
    """Return the upper median over `names` of the speed gain from threads beyond half of the logical cores."""
    evidence.require_cores(MANY_CORES)
    return upper_median([_gain_from_threads(evidence, name, (evidence.cores or 0) // 2) for name in names])


@estimator
def memory_share(evidence: Evidence, _: Numbers, names: Sequence[str], limit: float) -> Quantity:
    """Return the smallest share of memcpy's best speed that any of these reaches with its best thread count.

    An implementation that may still gain from more threads might reach the limit on a machine with more cores. If this
    holds for all that are below the limit, or the machine has fewer than `MANY_CORES` cores, the claim is not refuted.
    """
    evidence.require_cores(2)
    cores = evidence.cores or 0
    memcpy = _parsplit(evidence, MEMCPY)
    shares = {name: evidence.ratio(memcpy, _parsplit(evidence, name)) for name in names}
    low = [name for name, share in shares.items() if share(CONFIDENCE).value < limit]
    gains = {name: _gain_from_threads(evidence, name, cores // 2)(CONFIDENCE) for name in low}
    growing = [name for name, gain in gains.items() if gain.widened[1] > SATURATED]
    reason = f"{', '.join(growing)} may gain from more threads than there are cores" if growing == low else ""
    if cores < MANY_CORES:
        reason = f"a refutation requires {MANY_CORES} or more logical cores, this machine has {cores}"
    return with_limitations(smallest(list(shares.values())), cannot_refute=reason)


@estimator
def lead(evidence: Evidence, numbers: Numbers, name: str, others: Sequence[str], beyond: bool = False) -> Quantity:
    """Return the least time of others over the least time of `name`.

    The number of cores must exceed the last number of the claim; with `beyond`, only cases with more threads are used.
    """
    more = round(numbers[-1]) + 1
    evidence.require_cores(more)
    start = more if beyond else 1
    over = [case for other in others for case in _parsplit(evidence, other, min_threads=start)]
    return evidence.ratio(over, _parsplit(evidence, name, min_threads=start))


@estimator
def lead_at_each_count(evidence: Evidence, numbers: Numbers, name: str, other: str) -> Quantity:
    """Return the smallest ratio of the other's time to that of `name` at equal thread counts.

    The first number of the claim is the largest thread count.
    """
    last = round(numbers[0])
    evidence.require_cores(2)
    threads = evidence.cases["threads"]
    under, over = (
        {int(threads[case]): case for case in _parsplit(evidence, each, max_threads=last)} for each in (name, other)
    )
    counts = sorted(under.keys() & over.keys())
    if not counts:
        raise Inconclusive(f"{name} and {other} have no thread count in common")
    limitation = "" if counts[-1] >= last else f"measured with up to {counts[-1]} threads, {last} are required"
    ratios = [evidence.ratio([over[count]], [under[count]]) for count in counts]
    return with_limitations(smallest(ratios), cannot_confirm=limitation)


@estimator
def hash_lead(evidence: Evidence, _: Numbers, name: str, aeads: Sequence[str]) -> Quantity:
    """Return the least time of any of the AEADs under ParSplit over that of a hash with threads of its own."""
    evidence.require_cores(MANY_CORES)
    over = [case for aead in aeads for case in _parsplit(evidence, aead)]
    return evidence.ratio(over, evidence.find(name, engine="whole", op="digest", threads=evidence.thread_counts))


@estimator
def parallel_opening_factor(evidence: Evidence, _: Numbers, name: str) -> Quantity:
    """Return the factor between the least times of opening and sealing with two threads or more."""
    evidence.require_cores(2)
    cases = [_parsplit(evidence, name, op, min_threads=2) for op in ("open", "seal")]
    return largest([evidence.ratio(*cases), evidence.ratio(*reversed(cases))])


def _available_op(name: str, op: str) -> str:
    """Return `op`, or ``encrypt`` for baselines, which have no tags and cannot seal."""
    return "encrypt" if name.startswith("baseline/") else op


def _whole_message(evidence: Evidence, name: str, op: str = "seal") -> list[int]:
    """Return the case of an implementation over the whole message in one thread."""
    return evidence.find(name, engine="whole", op=_available_op(name, op), threads=1)


def _cases_by_block_size(evidence: Evidence, name: str) -> dict[int, int]:
    """Return the cases by block size; raise `Inconclusive` unless they share one thread count."""
    cases = evidence.find(name, engine="parsplit", op="seal")
    table = evidence.cases.loc[cases]
    if table["threads"].nunique() > 1:
        raise Inconclusive(f"{name} was measured with several thread counts, one is required")
    return {int(table["block_size"][case]): case for case in cases}


def _parsplit(
    evidence: Evidence, name: str, op: str = "seal", min_threads: int = 1, max_threads: int | None = None
) -> list[int]:
    """Return the cases of an implementation under ParSplit with thread counts in a range and within the core count."""
    counts = [count for count in evidence.thread_counts if min_threads <= count <= (max_threads or count)]
    return evidence.find(name, engine="parsplit", op=_available_op(name, op), threads=counts)


def _gain_from_threads(evidence: Evidence, name: str, threads: int) -> Quantity:
    """Return the least time under ParSplit with at most `threads` over the least time with any thread count."""
    return evidence.ratio(_parsplit(evidence, name, max_threads=threads), _parsplit(evidence, name))


def _saturation(evidence: Evidence, name: str) -> Quantity:
    """Return the smallest thread count whose time is within `SATURATED` of the least time of all thread counts.

    The ends of its interval are the smallest counts for which this is possible and certain, by intervals that hold for
    all counts at once (Bonferroni), widened by the noise floor.
    """
    cases = _parsplit(evidence, name)
    threads = evidence.cases["threads"]
    ratios = {int(threads[case]): evidence.ratio([case], cases) for case in cases}

    def quantity(confidence: float) -> Estimate:
        estimates = {count: ratio(1 - (1 - confidence) / len(ratios)) for count, ratio in sorted(ratios.items())}
        measured = [count for count, estimate in estimates.items() if estimate.value <= SATURATED]
        possible = [count for count, estimate in estimates.items() if not estimate.widened[0] > SATURATED]
        certain = [count for count, estimate in estimates.items() if estimate.widened[1] <= SATURATED]
        # A count is no ratio of times: the noise floor has widened the ratios already, unless it is unknown.
        noise = nan if any(isnan(estimate.noise) for estimate in estimates.values()) else 0.0
        return Estimate(measured[0], possible[0], certain[0] if certain else inf, noise)

    return quantity
