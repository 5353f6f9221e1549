from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from aeadlab.studies.rust import claims as rust
from aeadlab.verdicts.evaluation import evaluate
from aeadlab.verdicts.evidence import Evidence


def test_a_missing_case_is_named_with_its_length(paper: Callable[..., Evidence]) -> None:
    claims = {claim.key: claim for claim in rust.CLAIMS}
    evidence = paper("message-sizes")
    samples = evidence.samples
    evidence = replace(
        evidence, samples=samples[samples["implementation"].ne(rust.RING_GCM) | samples["bytes"].ne(100)]
    )
    finding = evaluate(claims["rustcrypto-gcm-fastest-when-short"], evidence)
    assert finding.reason == "ring/aes-256-gcm has no matching case (whole seal 100 B)"
    assert evaluate(claims["ring-gcm-fastest"], evidence).verdict == "reproduced"
