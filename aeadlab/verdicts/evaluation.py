"""From claims and the evidence of records to findings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import inf, isnan, nan

from aeadlab.errors import Error
from aeadlab.verdicts.claim import Claim, Finding
from aeadlab.verdicts.estimate import CONFIDENCE, Estimate
from aeadlab.verdicts.evidence import Evidence, Inconclusive
from aeadlab.verdicts.ranges import Range, Verdict


def evaluate(claim: Claim, evidence: Evidence | None, record: str = "") -> Finding:
    """Return the verdict on a claim.

    The quantity of a claim, usually a ratio of times, is estimated with its 95 % interval, paired by round; a quantity
    that combines several ratios has an interval that accounts for their number. The interval is then widened by the
    noise floor of the run, from its A/A pairs of the same group (see `Evidence.noise_floor`). If the widened interval
    is inside the accepted range, the claim is ``reproduced``; if it is outside, ``not reproduced``. Otherwise it is
    ``inconclusive``, with the reason: the interval overlaps a bound of the range or is unknown (fewer than six rounds,
    no A/A pair), a case is missing, the machine has too few cores, the profile is smoke or the message is short.

    `record` is the file name of the record of the claim's study that the evidence comes from; without a record the
    evidence is None. `aeadlab.errors.Error` is raised if a published number of the claim is missing.
    """
    numbers = claim.published_numbers()
    published = claim.expected(*numbers) if claim.expected else nan
    accepted = claim.criterion(published)
    estimate: Estimate | None = None
    verdict: Verdict = "inconclusive"
    try:
        if evidence is None:
            raise Inconclusive(f"no record of study {claim.study}: run `aeadlab measure {claim.study}`")
        estimate = claim.estimator(evidence, numbers)(CONFIDENCE)
        verdict, reason = _verdict(claim, estimate, accepted, evidence.unsuitable)
    except (Inconclusive, Error) as error:
        reason = (evidence.unsuitable if evidence else "") or str(error)
    statement = claim.statement.format(*map(_format_number, numbers))
    return Finding(claim, statement, published, accepted, verdict, estimate, reason, record)


def evaluate_all(claims: Iterable[Claim], evidence: Mapping[str, tuple[str, Evidence]]) -> tuple[Finding, ...]:
    """Return the verdicts on several claims, from the file name and the evidence of a record by study."""
    no_record_required = ("", Evidence.empty())
    findings = []
    for claim in claims:
        record, of_record = evidence.get(claim.study, ("", None)) if claim.study else no_record_required
        findings.append(evaluate(claim, of_record, record))
    return tuple(findings)


def _format_number(number: float) -> str:
    return f"{number:.10g}".replace("-", "\N{MINUS SIGN}")


def _verdict(claim: Claim, estimate: Estimate, accepted: Range, unsuitable: str) -> tuple[Verdict, str]:
    if unsuitable:
        return "inconclusive", unsuitable
    verdict = accepted.verdict(*estimate.widened)
    limitation = {"reproduced": estimate.cannot_confirm, "not reproduced": estimate.cannot_refute, "inconclusive": ""}
    if limitation[verdict]:
        return "inconclusive", limitation[verdict]
    return verdict, _reason(claim, estimate, accepted) if verdict == "inconclusive" else ""


def _reason(claim: Claim, estimate: Estimate, accepted: Range) -> str:
    if isnan(estimate.noise):
        return "the noise floor is unknown: the run has no A/A pair of such cases with six rounds or more"
    low, high = estimate.widened
    if low <= 0 or high == inf:
        return "an end of the interval is unknown: too few rounds, or too much noise"
    noise = f", widened by the noise floor of {100 * estimate.noise:.2g} %," if estimate.noise else ""
    interval = f"{claim.format_value(low)} to {claim.format_value(high)}"
    bounds = accepted.describe(claim.format_value)
    return f"the interval{noise} is {interval} and overlaps a bound of the accepted range, {bounds}"
