"""From claims and the evidence of records to findings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import ceil, floor, inf, isnan, log, log10, nan
from typing import Final, TypeVar

from aeadlab.errors import Error
from aeadlab.stats.processes import FEWEST
from aeadlab.verdicts.claim import Aspect, Claim, Finding, aspect_of
from aeadlab.verdicts.criteria import objection, standing
from aeadlab.verdicts.estimate import CONFIDENCE, Estimate, Quantity
from aeadlab.verdicts.evidence import Evidence, Inconclusive
from aeadlab.verdicts.multiplicity import LEVEL, holm, smallest_error
from aeadlab.verdicts.ranges import Range, Verdict


def evaluate(claim: Claim, evidence: Evidence | None, record: str = "") -> Finding:
    """Return the verdict on a claim by itself; `evaluate_all` corrects it for the number of verdicts.

    The quantity of a claim, usually a ratio of times, is estimated with its 95 % interval, paired by round, with the
    process as the unit; a quantity that combines several ratios has an interval that accounts for their number. The
    interval is then widened by the noise floor: the preset margin, or the bias that the A/A pairs of the same driving
    class and length show (see `Evidence.noise_floor`). If the widened interval is inside the accepted range, the claim
    is ``reproduced``; if it is outside, ``not reproduced``. Otherwise it is ``inconclusive``, with the reason: the
    interval overlaps a bound of the range or is unknown, it comes from fewer than three processes, a case or an A/A
    pair is missing, the machine has too few cores, the profile is smoke, the message is short, or the
    criterion was fixed after the record was taken. A claim of direction has a second verdict on its size, and one of
    size on its direction (`aeadlab.verdicts.claim.Aspect`).

    `record` is the file name of the record of the claim's study that the evidence comes from; without a record the
    evidence is None. `aeadlab.errors.Error` is raised if a published number of the claim is missing.
    """
    numbers = claim.published_numbers()
    published = claim.published_value()
    accepted = claim.accepted(published)
    estimate: Estimate | None = None
    verdict: Verdict = "inconclusive"
    p_value = nan
    aspect = aspect_of(claim, published, accepted)
    version = _version(claim, accepted)
    if aspect:
        aspect = replace(aspect, version=_version(claim, aspect.accepted, aspect.name))
    try:
        if evidence is None:
            raise Inconclusive(f"no record of study {claim.study}: run `aeadlab measure {claim.study}`")
        quantity = claim.estimator(evidence, numbers)
        estimate = quantity(CONFIDENCE)
        of_size = aspect is not None and aspect.name == "direction"
        verdict, p_value, reason = _decide(claim, quantity, accepted, evidence, of_size)
        if aspect:
            second, second_p, why = _decide(claim, quantity, aspect.accepted, evidence, not of_size, aspect.name)
            aspect = replace(aspect, verdict=second, p_value=second_p, reason=why)
    except (Inconclusive, Error) as error:
        reason = (evidence.unsuitable if evidence else "") or str(error)
        aspect = replace(aspect, reason=reason) if aspect else None
    statement = claim.statement.format(*map(_format_number, numbers))
    return Finding(
        claim,
        statement,
        published,
        accepted,
        verdict,
        estimate,
        reason,
        record,
        p_value,
        aspect=aspect,
        version=version,
    )


def _version(claim: Claim, accepted: Range, second: str = "") -> int:
    version = standing(claim, accepted, second)
    return version.version if version else 0


def _decide(
    claim: Claim, quantity: Quantity, accepted: Range, evidence: Evidence, of_size: bool, second: str = ""
) -> tuple[Verdict, float, str]:
    """Return the verdict on a claim, or the second one with this name, its p-value, and the reason if inconclusive."""
    estimate = quantity(CONFIDENCE)
    verdict, reason = _verdict(claim, estimate, accepted, evidence.unsuitable, of_size)
    # The criterion of a claim that requires no record cannot be fitted to one.
    late = objection(claim, accepted, evidence.taken, second) if claim.study and not evidence.unsuitable else ""
    if late:
        return "inconclusive", nan, f"{late}; this criterion gives: {verdict}"
    return verdict, _p_value(quantity, accepted, verdict), reason


def _p_value(quantity: Quantity, accepted: Range, verdict: Verdict) -> float:
    if verdict == "inconclusive" or not quantity(CONFIDENCE).processes:
        return nan
    return smallest_error(lambda level: accepted.verdict(*quantity(level).widened) == verdict)


def evaluate_all(claims: Iterable[Claim], evidence: Mapping[str, tuple[str, Evidence]]) -> tuple[Finding, ...]:
    """Return the verdicts on several claims, from the file name and the evidence of a record by study.

    The verdicts on the claims of one document, with those on size or direction, hold at once (Holm, at 5 %): one that
    does not after the correction is ``inconclusive``. Claims whose quantity is computed and not timed do not count.
    """
    no_record_required = ("", Evidence.empty())
    findings = []
    for claim in claims:
        record, of_record = evidence.get(claim.study, ("", None)) if claim.study else no_record_required
        findings.append(evaluate(claim, of_record, record))
    for document in dict.fromkeys(finding.claim.document for finding in findings):
        adjusted, tests = _adjusted(f for f in findings if f.claim.document == document)
        findings = [_corrected(f, adjusted, tests) if f.claim.document == document else f for f in findings]
    return tuple(findings)


def at_once(findings: Sequence[Finding]) -> tuple[int, list[str]]:
    """Return what changes if the verdicts of several documents hold at once (Holm, at 5 %).

    Returns
    -------
    tuple
        The number of verdicts on times, and the claims of those that hold with the others of their document, but not
        with all; of a second verdict with its name, such as ``Tor evp-slower (direction)``.
    """
    adjusted, tests = _adjusted(findings)
    names = {id(f): f"{f.claim.document} {f.claim.key}" for f in findings}
    names |= {id(f.aspect): f"{names[id(f)]} ({f.aspect.name})" for f in findings if f.aspect}
    decided: list[Finding | Aspect] = [*findings, *(f.aspect for f in findings if f.aspect)]
    return tests, [names[id(t)] for t in decided if t.p_adjusted <= LEVEL < adjusted.get(id(t), 0.0)]


def _adjusted(findings: Iterable[Finding]) -> tuple[dict[int, float], int]:
    """Return Holm's p-values by the identity of findings and aspects, and the number of verdicts on times."""
    timed = [finding for finding in findings if finding.estimate and finding.estimate.processes]
    tests: list[Finding | Aspect] = [*timed, *(finding.aspect for finding in timed if finding.aspect)]
    decided = [test for test in tests if not isnan(test.p_value)]
    return dict(zip(map(id, decided), holm([test.p_value for test in decided], len(tests)), strict=True)), len(tests)


def _corrected(finding: Finding, adjusted: Mapping[int, float], tests: int) -> Finding:
    """Return a finding with the adjusted p-values, which are by the identity of the finding and of its aspect."""
    aspect, p_adjusted = finding.aspect, adjusted.get(id(finding), finding.p_adjusted)
    if aspect and (of_aspect := adjusted.get(id(aspect))) is not None:
        aspect = replace(aspect, p_adjusted=of_aspect)
        finding = replace(finding, aspect=_undecided(aspect, tests) if of_aspect > LEVEL else aspect)
    finding = replace(finding, p_adjusted=p_adjusted)
    return _undecided(finding, tests) if p_adjusted > LEVEL else finding


_T = TypeVar("_T", Finding, Aspect)


def _undecided(test: _T, tests: int) -> _T:
    """Return a verdict that does not hold after the correction for a number of tests as inconclusive."""
    reason = (
        f"{test.verdict} alone (p = {test.p_value:.2g}), not after Holm's correction for the document's {tests} "
        f"verdicts (p = {test.p_adjusted:.2g})"
    )
    return replace(test, verdict="inconclusive", reason=reason)


def _format_number(number: float) -> str:
    return f"{number:.10g}".replace("-", "\N{MINUS SIGN}")


def _verdict(claim: Claim, estimate: Estimate, accepted: Range, unsuitable: str, of_size: bool) -> tuple[Verdict, str]:
    if unsuitable := unsuitable or (estimate.no_size if of_size else ""):
        return "inconclusive", unsuitable
    if 0 < estimate.processes < FEWEST:
        return "inconclusive", f"the interval holds {estimate.unit}: verdicts require {FEWEST} processes or more"
    verdict = accepted.verdict(*estimate.widened)
    limitation = {"reproduced": estimate.cannot_confirm, "not reproduced": estimate.cannot_refute, "inconclusive": ""}
    if verdict != "inconclusive":
        return ("inconclusive", limitation[verdict]) if limitation[verdict] else (verdict, "")
    # What more processes would decide must not be limited in another way.
    towards = limitation[accepted.verdict(estimate.value, estimate.value)]
    return verdict, _reason(claim, estimate, accepted, towards)


def _reason(claim: Claim, estimate: Estimate, accepted: Range, limitation: str) -> str:
    low, high = estimate.widened
    # A ratio of times, which has a noise floor, is above 0; counts and shares need not be.
    timed = estimate.noise or claim.unit not in ("counts", "percent")
    if high == inf or (low == 0 and timed):
        return "an end of the interval is unknown: too few rounds, or too much noise"
    noise = f", widened by {estimate.margin}," if estimate.noise else ""
    interval = f"{claim.format_value(low)} to {claim.format_value(high)}"
    bounds = accepted.describe(claim.format_value)
    overlap = f"the interval{noise} is {interval} and overlaps a bound of the accepted range, {bounds}"
    return "; ".join(filter(None, (overlap, limitation or _decided_by(estimate, accepted))))


_MOST_PROCESSES: Final = 10_000


def _decided_by(estimate: Estimate, accepted: Range) -> str:
    """Return how many processes would decide a ratio of times: intervals narrow with the root of their number.

    Alone means without the correction for the other verdicts of the document.
    """
    if not (estimate.noise and estimate.processes):
        return ""
    (low, high), needed = estimate.widened, estimate.processes + 1.0
    for bound in (accepted.low, accepted.high):
        if low <= bound <= high:
            distance = abs(log(estimate.value / bound)) - estimate.noise
            if distance <= 0:
                return "the value is within the margin of the bound, so that more processes alone do not decide"
            end = estimate.low if estimate.value > bound else estimate.high
            needed = max(needed, estimate.processes * (log(estimate.value / end) / distance) ** 2)
    if needed > _MOST_PROCESSES:
        return f"more than {_MOST_PROCESSES:,} processes would decide it alone, if the value stays"
    digits = 10 ** max(0, floor(log10(needed)) - 1)
    return f"about {digits * ceil(needed / digits):,} processes would decide it alone, if the value stays"
