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
    assert finding.reason == "ring AES-256-GCM has no matching case (whole seal 100 B in place 32 B of associated data)"
    assert evaluate(claims["ring-gcm-fastest"], evidence).verdict == "reproduced"


def test_the_five_are_compared_as_the_document_sealed_them(paper: Callable[..., Evidence]) -> None:
    claims = {claim.key: claim for claim in rust.CLAIMS}
    evidence = paper("message-sizes")
    plain = evidence.samples["aad_bytes"].eq(0)
    own, others = (replace(evidence, samples=evidence.samples[kept]) for kept in (~plain, plain))
    for key in ("order-at-100-mb", "bytes-cheaper-in-longer"):
        assert "32 B of associated data" in evaluate(claims[key], others).reason
        assert "no matching case" not in evaluate(claims[key], own).reason
    for key in ("openssl-gcm-like-ring", "openssl-grows", "gcm-by-instructions"):
        assert evaluate(claims[key], others).verdict == evaluate(claims[key], evidence).verdict == "reproduced"
