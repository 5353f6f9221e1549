"""Quantities of the claims of *ETH*: whole messages, all implementations, block sizes and thread counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import wraps
from math import inf
from typing import Final, NamedTuple, TypeVar

from aeadlab.dimensions import BASELINE
from aeadlab.parsplit.schedules import ETH_PAPER
from aeadlab.stats.processes import joint_level
from aeadlab.studies.candidates import BASELINES, PUBLISHED_BLOCK_SIZE
from aeadlab.verdicts.claim import Numbers, estimator, revised
from aeadlab.verdicts.estimate import (
    CONFIDENCE,
    Estimate,
    Quantity,
    largest,
    quotient,
    smallest,
    upper_median,
    with_detail,
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

_OWN: Final = "{} with the schedule dynamic and kept contexts"

_F = TypeVar("_F", bound=Callable[..., Quantity])


def beside_own(function: _F) -> _F:
    """Decorate a quantity of cases as published: beside it is that of the lab's own schedule, where measured.

    The function has a parameter ``own``, which selects the cases of the lab's own schedule.
    """

    @wraps(function)
    def both(*args: object, **kwargs: object) -> Quantity:
        published = function(*args, **kwargs)
        try:
            own = function(*args, **kwargs, own=True)
        except Inconclusive:
            return published
        return lambda confidence: replace(published(confidence), beside=(_OWN, own(confidence)))

    return both  # type: ignore[return-value]


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
    cases = [whole_message_case(evidence, name) for name in names]
    return smallest([evidence.ratio(later, earlier) for earlier, later in zip(cases, cases[1:], strict=False)])


@estimator
def opening_factor(evidence: Evidence, _: Numbers, names: Sequence[str]) -> Quantity:
    """Return the largest factor between the times of opening and sealing."""
    pairs = [(whole_message_case(evidence, name, "open"), whole_message_case(evidence, name)) for name in names]
    return largest([evidence.ratio(*order) for pair in pairs for order in (pair, pair[::-1])])


@estimator
@revised(3)
def parsplit_overhead(evidence: Evidence, _: Numbers, name: str) -> Quantity:
    """Return the time under ParSplit as published, with one thread, over that of the whole message."""
    return evidence.ratio(_published_split(evidence, name, threads=1), whole_message_case(evidence, name))


class Bar(NamedTuple):
    """A bar of Figure 2 or 3: an implementation over the whole message, or under ParSplit as published."""

    name: str
    op: str
    split: bool = False


@estimator
@revised(2)
def largest_deviation(evidence: Evidence, _: Numbers, bars: Sequence[Bar]) -> Quantity:
    """Return the largest `Evidence.spread` of the cases in one thread that the bars show.

    Without some of them the claim can be refuted, but not confirmed.
    """
    spreads, missing = [], []
    for bar in bars:
        find = _published_split if bar.split else whole_message_case
        try:
            spreads += [evidence.spread(case) for case in find(evidence, bar.name, bar.op, threads=1)]
        except Inconclusive as reason:
            missing.append(str(reason))
    if not spreads:
        raise Inconclusive(missing[0])
    return with_limitations(largest(spreads), cannot_confirm="; ".join(missing))


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


class Family(NamedTuple):
    """Implementations of one kind: those that a document presents, and others by algorithm."""

    op: str
    presented: Sequence[str]
    others: Sequence[Sequence[str]]
    """For each algorithm its implementations."""


@estimator
@revised(2)
def share_slower(evidence: Evidence, _: Numbers, families: Sequence[Family], factor: float) -> Quantity:
    """Return the share of algorithms that take at least `factor` times as long as the slowest presented of their kind.

    The time of an algorithm is the least of its implementations. The ends of the interval of the share are the shares
    of those for which this is certain and possible, by intervals that hold for all algorithms at once (Bonferroni),
    widened by the noise floor. Without an algorithm, or one of its implementations, there is no verdict.
    """
    ratios, cases, missing = [], set[int](), []
    for family in families:
        named = [whole_message_case(evidence, name, family.op) for name in family.presented]
        for names in family.others:
            found = [
                case for name in names for case in evidence.select([name], engine="whole", op=family.op, threads=1)
            ]
            present = {evidence.cases["implementation"][case] for case in found}
            values = {"engine": "whole", "op": family.op}
            missing += [evidence.missing_reason(name, **values) for name in names if name not in present]
            if found:
                ratios.append(smallest([evidence.ratio(found, each) for each in named]))
                cases.update(found, *named)
    if not ratios:
        raise Inconclusive(missing[0] if missing else "no algorithm is selected")
    reason = "; ".join(filter(None, (evidence.limitation(cases), evidence.unpaired(cases), *missing)))

    def quantity(confidence: float) -> Estimate:
        estimates = [ratio(joint_level(len(ratios), confidence)) for ratio in ratios]
        number = len(estimates)
        return Estimate(
            sum(each.value >= factor for each in estimates) / number,
            sum(each.widened[0] >= factor for each in estimates) / number,
            sum(not each.widened[1] < factor for each in estimates) / number,
            processes=min(each.processes for each in estimates),
            rounds=min(each.rounds for each in estimates),
            cannot_confirm=reason,
            cannot_refute=reason,
            detail=f"{sum(each.value >= factor for each in estimates)} of {number} algorithms",
        )

    return quantity


@estimator
def lead_of_algorithm(evidence: Evidence, _: Numbers, algorithm: str, kind: str, ops: Sequence[str]) -> Quantity:
    """Return the least time of other algorithms of a kind over the least of one, in any library; the smallest of ops.

    The kind's cases of the longest message take part: what these are, the study has decided. The detail names the
    fastest of both sides.
    """
    algorithms, ratios, names = evidence.cases["algorithm"], list[Quantity](), list[str]()
    for op in ops:
        cases = evidence.competitors(kind=kind, op=op)
        under = [case for case in cases if algorithms[case] == algorithm]
        over = [case for case in cases if case not in under]
        if not under:
            raise Inconclusive(f"the record has no case of {algorithm} ({op})")
        if not over:
            raise Inconclusive(f"the record has no case of another {kind} ({op}) to compare with")
        ratios.append(evidence.ratio(over, under))
        names += [f"{evidence.fastest(over)} over {evidence.fastest(under)}"]
    return with_detail(smallest(ratios), "; ".join(names))


@estimator
@revised(3)
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
@revised(3)
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
@beside_own
@revised(2)
def speed_up_over_whole(
    evidence: Evidence,
    _: Numbers,
    names: Sequence[str],
    cores: int = 2,
    refuted_from: int = 0,
    min_threads: int = 1,
    own: bool = False,
) -> Quantity:
    """Return the smallest speed-up of ParSplit over the whole message in one thread; require a number of cores.

    ParSplit has the best thread count from `min_threads` on. With fewer logical cores than `refuted_from` the claim is
    not refuted, since more threads might decide otherwise.
    """
    evidence.require_cores(cores)
    speed_up = smallest([_speed_up_over_whole(evidence, name, own, min_threads) for name in names])
    return with_limitations(speed_up, cannot_refute=_too_few(evidence, refuted_from))


@estimator
@beside_own
@revised(2)
def relative_speed_up(
    evidence: Evidence, _: Numbers, name: str, others: Sequence[str], over_whole: bool = False, own: bool = False
) -> Quantity:
    """Return the speed-up of one implementation over the largest speed-up of others.

    Speed-ups are over ParSplit with one thread or, with `over_whole`, over the whole message in one thread.
    """
    evidence.require_cores(MANY_CORES)

    def gain(each: str) -> Quantity:
        return _speed_up_over_whole(evidence, each, own) if over_whole else _gain_from_threads(evidence, each, 1, own)

    return quotient(gain(name), largest([gain(other) for other in others]))


@estimator
@beside_own
@revised(2)
def saturation(evidence: Evidence, numbers: Numbers, name: str, own: bool = False) -> Quantity:
    """Return the thread count at which speed saturates; require twice the first number of the claim as cores."""
    evidence.require_cores(2 * round(numbers[0]))
    return _saturation(evidence, name, own)


@estimator
@beside_own
@revised(2)
def relative_saturation(evidence: Evidence, _: Numbers, name: str, other: str, own: bool = False) -> Quantity:
    """Return the thread count at which one implementation saturates over that of another."""
    evidence.require_cores(MANY_CORES)
    return quotient(_saturation(evidence, name, own), _saturation(evidence, other, own))


@estimator
@beside_own
@revised(2)
def upper_half_gain(evidence: Evidence, _: Numbers, names: Sequence[str], own: bool = False) -> Quantity:
    """Return the upper median over `names` of the speed gain from threads beyond half of the logical cores."""
    evidence.require_cores(MANY_CORES)
    return upper_median([_gain_from_threads(evidence, name, (evidence.cores or 0) // 2, own) for name in names])


@estimator
@beside_own
@revised(2)
def memory_share(evidence: Evidence, _: Numbers, names: Sequence[str], limit: float, own: bool = False) -> Quantity:
    """Return the smallest share of memcpy's best speed that any of these reaches with its best thread count.

    An implementation that may still gain from more threads might reach the limit on a machine with more cores. If this
    holds for all that are below the limit, or the machine has fewer than `MANY_CORES` cores, the claim is not refuted.
    """
    evidence.require_cores(2)
    cores = evidence.cores or 0
    memcpy = parsplit_cases(evidence, MEMCPY)
    shares = {name: evidence.ratio(memcpy, parsplit_cases(evidence, name, own=own)) for name in names}
    low = [name for name, share in shares.items() if share(CONFIDENCE).value < limit]
    gains = {name: _gain_from_threads(evidence, name, cores // 2, own)(CONFIDENCE) for name in low}
    growing = [name for name, gain in gains.items() if gain.widened[1] > SATURATED]
    reason = f"{', '.join(growing)} may gain from more threads than there are cores" if growing == low else ""
    return with_limitations(smallest(list(shares.values())), cannot_refute=_too_few(evidence, MANY_CORES) or reason)


def _too_few(evidence: Evidence, cores: int) -> str:
    """Return why a record of fewer logical cores than these does not refute a claim, or ``""``."""
    if (evidence.cores or 0) >= cores:
        return ""
    return f"a refutation requires {cores} or more logical cores, this machine has {evidence.cores or 0}"


@estimator
@beside_own
@revised(2)
def lead(evidence: Evidence, numbers: Numbers, name: str, others: Sequence[str], own: bool = False) -> Quantity:
    """Return the least time of others over the least time of `name`.

    The number of cores must exceed the last number of the claim.
    """
    evidence.require_cores(round(numbers[-1]) + 1)
    over = [case for other in others for case in parsplit_cases(evidence, other, own=own)]
    return evidence.ratio(over, parsplit_cases(evidence, name, own=own))


@estimator
@beside_own
@revised(2)
def lead_at_each_count(
    evidence: Evidence, numbers: Numbers, name: str, other: str, most: bool = False, own: bool = False
) -> Quantity:
    """Return the smallest ratio of the other's time to that of `name` at equal thread counts; with `most` the largest.

    The first number of the claim is the largest thread count.
    """
    last = round(numbers[0])
    evidence.require_cores(2)
    ratios = _by_count(evidence, name, other, 1, last, own)
    limitation = "" if max(ratios) >= last else f"measured with up to {max(ratios)} threads, {last} are required"
    chosen = largest if most else smallest
    return with_limitations(chosen(list(ratios.values())), cannot_confirm=limitation)


@estimator
@beside_own
def lead_beyond_count(evidence: Evidence, numbers: Numbers, name: str, other: str, own: bool = False) -> Quantity:
    """Return the smallest ratio of the other's time to that of `name` at equal thread counts above the first number."""
    first = round(numbers[0]) + 1
    evidence.require_cores(first)
    return smallest(list(_by_count(evidence, name, other, first, None, own).values()))


def _by_count(
    evidence: Evidence, name: str, other: str, first: int, last: int | None, own: bool
) -> dict[int, Quantity]:
    """Return the ratios of the other's time to that of `name` by thread count."""
    threads = evidence.cases["threads"]
    under, over = (
        {int(threads[case]): case for case in parsplit_cases(evidence, each, "seal", first, last, own)}
        for each in (name, other)
    )
    counts = sorted(under.keys() & over.keys())
    if not counts:
        raise Inconclusive(f"{name} and {other} have no thread count in common")
    return {count: evidence.ratio([over[count]], [under[count]]) for count in counts}


@estimator
@beside_own
@revised(2)
def hash_lead(evidence: Evidence, _: Numbers, name: str, aeads: Sequence[str], own: bool = False) -> Quantity:
    """Return the least time of any of the AEADs under ParSplit over that of a hash with threads of its own."""
    evidence.require_cores(MANY_CORES)
    over = [case for aead in aeads for case in parsplit_cases(evidence, aead, own=own)]
    return evidence.ratio(over, evidence.find(name, engine="whole", op="digest", threads=evidence.thread_counts))


@estimator
@beside_own
@revised(2)
def parallel_opening_factor(evidence: Evidence, _: Numbers, name: str, own: bool = False) -> Quantity:
    """Return the factor between the least times of opening and sealing with two threads or more."""
    evidence.require_cores(2)
    cases = [parsplit_cases(evidence, name, op, min_threads=2, own=own) for op in ("open", "seal")]
    return largest([evidence.ratio(*cases), evidence.ratio(*reversed(cases))])


def _available_op(name: str, op: str) -> str:
    """Return `op`, or ``encrypt`` for baselines, which have no tags and cannot seal."""
    return "encrypt" if name.startswith(BASELINE) else op


def whole_message_case(evidence: Evidence, name: str, op: str = "seal", threads: int = 1) -> list[int]:
    """Return the case of an implementation over the whole message, in one thread by default."""
    return evidence.find(name, engine="whole", op=_available_op(name, op), threads=threads)


def _published_split(evidence: Evidence, name: str, op: str = "seal", **values: object) -> list[int]:
    """Return the cases under ParSplit as published: Rayon, the example's block size, a key set-up for each block.

    A baseline has no key.
    """
    as_published = {"schedule": ETH_PAPER, "model": "keyed" if name in BASELINES else "rekeyed"}
    selected = {"block_size": PUBLISHED_BLOCK_SIZE, **as_published, **values}
    return evidence.find(name, engine="parsplit", op=_available_op(name, op), **selected)


def _cases_by_block_size(evidence: Evidence, name: str) -> dict[int, int]:
    """Return the cases as published by block size, with as many threads as half of the logical cores, as in the paper.

    Where this is one thread, all cores are used.
    """
    counts, half = evidence.thread_counts, (evidence.cores or 0) // 2
    threads = half if half > 1 else max(counts, default=1)
    cases = _published_split(evidence, name, threads=threads, block_size=None)
    sizes = evidence.cases["block_size"]
    return {int(sizes[case]): case for case in cases}


def parsplit_cases(
    evidence: Evidence,
    name: str,
    op: str = "seal",
    min_threads: int = 1,
    max_threads: int | None = None,
    own: bool = False,
) -> list[int]:
    """Return the cases of an implementation under ParSplit with thread counts in a range and within the core count.

    They are those as published or, with `own` and for memcpy, which the paper does not split, of other schedules.
    """
    counts = [count for count in evidence.thread_counts if min_threads <= count <= (max_threads or count)]
    if not own and name != MEMCPY:
        return _published_split(evidence, name, op, threads=counts)
    others = sorted({*evidence.cases["schedule"]} - {ETH_PAPER})
    return evidence.find(name, engine="parsplit", op=_available_op(name, op), threads=counts, schedule=others)


def _gain_from_threads(evidence: Evidence, name: str, threads: int, own: bool = False) -> Quantity:
    """Return the least time under ParSplit with at most `threads` over the least time with any thread count."""
    few, every = (parsplit_cases(evidence, name, max_threads=most, own=own) for most in (threads, None))
    return evidence.ratio(few, every)


def _speed_up_over_whole(evidence: Evidence, name: str, own: bool, min_threads: int = 1) -> Quantity:
    """Return the time of the whole message in one thread over the least time under ParSplit."""
    split = parsplit_cases(evidence, name, min_threads=min_threads, own=own)
    return evidence.ratio(whole_message_case(evidence, name), split)


def _saturation(evidence: Evidence, name: str, own: bool = False) -> Quantity:
    """Return the smallest thread count whose time is within `SATURATED` of the least time of all thread counts.

    The ends of its interval are the smallest counts for which this is possible and certain, by intervals that hold for
    all counts at once (Bonferroni), widened by the noise floor.
    """
    cases = parsplit_cases(evidence, name, own=own)
    threads = evidence.cases["threads"]
    ratios = {int(threads[case]): evidence.ratio([case], cases) for case in cases}
    short = "; ".join(filter(None, (evidence.limitation(cases), evidence.unpaired(cases))))

    def quantity(confidence: float) -> Estimate:
        estimates = {count: ratio(joint_level(len(ratios), confidence)) for count, ratio in sorted(ratios.items())}
        measured = [count for count, estimate in estimates.items() if estimate.value <= SATURATED]
        possible = [count for count, estimate in estimates.items() if not estimate.widened[0] > SATURATED]
        certain = [count for count, estimate in estimates.items() if estimate.widened[1] <= SATURATED]
        # A count is no ratio of times: the noise floor has widened the ratios already.
        processes, rounds = (min(getattr(one, name) for one in estimates.values()) for name in ("processes", "rounds"))
        largest = certain[0] if certain else inf
        return Estimate(measured[0], possible[0], largest, 0.0, processes, rounds, short, short)

    return quantity
