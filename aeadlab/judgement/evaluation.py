"""From claims and records to findings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import inf, nan

from aeadlab.errors import Error
from aeadlab.judgement.claim import Claim, Finding
from aeadlab.judgement.estimate import CONFIDENCE, Estimate
from aeadlab.judgement.evidence import Evidence, Undecided
from aeadlab.judgement.ranges import Range, Verdict


def judged(claim: Claim, evidence: Evidence | None, record: str = "") -> Finding:
    """Find out about a claim.

    A claim is about one quantity, nearly always a ratio of times, and says in which range that lies. The quantity is
    measured with its 95 % interval, paired by round; what is made of several ratios has an interval that accounts for
    their number. The interval is then widened by the noise floor of the run, from its A/A pairs of cases that are
    driven alike. If all of it is inside the range, the claim is ``reproduced``; if all of it is outside, ``not
    reproduced``. Everything else is ``inconclusive``, with a reason: the interval reaches both sides, is unknown
    because there were fewer than six rounds, or there is no A/A pair; a case is missing; the machine has too few cores;
    the profile is smoke or the message short.

    Parameters
    ----------
    evidence
        Of a run of the claim's study; None where there is none.
    record
        Its name.

    Raises
    ------
    aeadlab.errors.Error
        If the published numbers that the claim names cannot be found.
    """
    numbers = claim.printed()
    expected = claim.expected(*numbers) if claim.expected else nan
    counts = claim.rule(expected)
    estimate: Estimate | None = None
    verdict: Verdict = "inconclusive"
    try:
        if evidence is None:
            raise Undecided(f"no record of study {claim.study}: run `aeadlab measure {claim.study}`")
        estimate = claim.test(evidence, numbers)(CONFIDENCE)
        verdict, reason = _verdict(claim, estimate, counts, evidence.unfit)
    except (Undecided, Error) as why:
        reason = (evidence.unfit if evidence else "") or str(why)
    statement = claim.statement.format(*(_plain(number) for number in numbers))
    return Finding(claim, statement, expected, counts, verdict, estimate, reason, record)


def evaluate(claims: Iterable[Claim], evidence: Mapping[str, tuple[str, Evidence]]) -> tuple[Finding, ...]:
    """Find out about several claims.

    Parameters
    ----------
    evidence
        Name of a study, and its record's name and what it says.
    """
    nothing = ("", Evidence.nothing())
    found = []
    for claim in claims:
        record, asked = evidence.get(claim.study, ("", None)) if claim.study else nothing
        found.append(judged(claim, asked, record))
    return tuple(found)


def _plain(number: float) -> str:
    return f"{number:.10g}".replace("-", "\N{MINUS SIGN}")


def _verdict(claim: Claim, estimate: Estimate, counts: Range, unfit: str) -> tuple[Verdict, str]:
    if unfit:
        return "inconclusive", unfit
    verdict = counts.judge(*estimate.band)
    forbidden = {"reproduced": estimate.unproven, "not reproduced": estimate.unrefuted, "inconclusive": ""}[verdict]
    if forbidden:
        return "inconclusive", forbidden
    return verdict, _reason(claim, estimate, counts) if verdict == "inconclusive" else ""


def _reason(claim: Claim, estimate: Estimate, counts: Range) -> str:
    if estimate.noise != estimate.noise:
        return "the run has no A/A pair of cases driven like these, with six rounds or more: its noise is unknown"
    low, high = estimate.band
    if low <= 0 or high == inf:
        return "an end of the interval is unknown: too few rounds, or too much noise to tell"
    noise = f" with the run's noise of {100 * estimate.noise:.2g} %" if estimate.noise else ""
    ends = f"{claim.written(low)} to {claim.written(high)}"
    return f"the interval{noise}, {ends}, is neither inside nor outside of what counts, {counts.words(claim.written)}"
