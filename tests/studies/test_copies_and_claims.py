"""Verdicts do not depend on the copies: records with them have the findings of records without."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest

from aeadlab import paths
from aeadlab.records.lookup import records_of
from aeadlab.records.reading import load_record
from aeadlab.stats.roofline import COPIES, MEMCPY
from aeadlab.studies.claims import claims_of, judge
from aeadlab.verdicts.claim import Finding
from aeadlab.verdicts.evidence import Evidence
from tests.fixtures.thorough import THOROUGH

STUDIES = {claim.study for claim in claims_of()} - {"", "generators", "one-tag", "thread-modes"}
"""Studies with claims and memcpy."""
SLOW = frozenset() if THOROUGH else frozenset({"message-sizes"})
"""Studies whose records take minutes."""


def with_copies(evidence: Evidence) -> Evidence:
    """Return evidence with two more copies, ten times as fast as memcpy, without A/A pairs."""
    memcpy = evidence.samples[evidence.samples["implementation"].eq(MEMCPY) & evidence.samples["replica"].eq(0)]
    assert len(memcpy), "the study has memcpy"
    frames, flags = [evidence.samples], dict(evidence.flags)
    for name in COPIES[1:]:
        algorithm = name.partition("/")[2]
        faster = {column: memcpy[column] / 10 for column in ("seconds", "cpu_ns", "cycles_per_byte")}
        frames.append(memcpy.assign(implementation=name, algorithm=algorithm, **faster))
        flags[name] = flags[MEMCPY]
    samples = pd.concat([frame.astype({"implementation": str, "algorithm": str}) for frame in frames])
    return replace(evidence, samples=samples.reset_index(drop=True), flags=flags)


def decided(finding: Finding) -> tuple[object, ...]:
    return finding.claim.key, finding.verdict, finding.reason, finding.estimate, finding.p_value, finding.aspect


@pytest.mark.parametrize("study", sorted(STUDIES - SLOW))
def test_copies_change_no_finding(study: str) -> None:
    record = load_record(records_of(study, paths.reference_records())[-1])
    evidence = Evidence.from_record(record)
    claims = [claim for claim in claims_of() if claim.study == study]
    before, after = (judge(claims, {study: (record.name, one)}) for one in (evidence, with_copies(evidence)))
    assert [repr(decided(finding)) for finding in after] == [repr(decided(finding)) for finding in before]
    assert [repr(finding.prediction) for finding in after] == [repr(finding.prediction) for finding in before]
