"""Predictions of claims about many threads from a record of few cores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from aeadlab.parsplit.schedules import ETH_PAPER
from aeadlab.studies.claims import judge
from aeadlab.studies.eth.claims import CLAIMS, CRYPTOPP, OPENSSL, RUSTCRYPTO, XOR
from aeadlab.studies.eth.predictions import CORES, NO_VERDICT, PREDICTIONS, predicted
from aeadlab.verdicts.estimate import Estimate
from aeadlab.verdicts.evaluation import evaluate, evaluate_all
from aeadlab.verdicts.evidence import Evidence
from aeadlab.verdicts.findings import PREDICTED, Findings
from aeadlab.verdicts.text import as_markdown, as_text
from tests.fixtures.documents import MEMCPY, RAYON, TimedCase

Paper = Callable[..., Evidence]
BY_KEY = {claim.key: claim for claim in CLAIMS}
ONE = {OPENSSL: 8.0, CRYPTOPP: 12.0, RUSTCRYPTO: 24.0, XOR: 4.0, MEMCPY: 1.0, RAYON: 16.0}
"""Times with one thread in units of the memory limit."""


def scaling(serial: float = 0.0) -> Callable[[TimedCase, float], float]:
    """Give each implementation the times of the model."""

    def times(case: TimedCase, _: float) -> float:
        one = ONE.get(case.name, 20.0)
        splits = case.engine == "parsplit" or case.name == RAYON
        return 0.02 * (max(1.0, one * (serial + (1 - serial) / case.threads)) if splits else one)

    return times


def prediction(key: str, paper: Paper, serial: float = 0.0, cores: int = 2) -> Estimate:
    estimate = predicted(key, paper("speedup", cores=cores, change=scaling(serial), jitter=0.0005))
    assert estimate is not None
    assert estimate.low <= estimate.value <= estimate.high
    return estimate


def test_every_claim_that_requires_many_cores_has_a_prediction(paper: Paper) -> None:
    evidence = paper("speedup", cores=2)
    findings = [evaluate(claim, evidence) for claim in CLAIMS if claim.study == "speedup"]
    needs = {finding.claim.key for finding in findings if "logical cores, this machine has 2" in finding.reason}
    assert needs and needs <= PREDICTIONS.keys()
    assert PREDICTIONS.keys() <= BY_KEY.keys()
    assert predicted("order", paper("baselines")) is None


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("parsplit-pays", 8),
        ("parsplit-gain-cryptopp", 12),
        ("rustcrypto-gains-most", 24 / 20),
        ("xor-ends-early", 4),
        ("openssl-ends-later", 8),
        ("cryptopp-peak", 11),
        ("faster-ends-earlier", 2),
        ("openssl-leads-at-first", 1),
        ("openssl-leads-slightly", 1.5),
        ("cryptopp-leads-later", 1),
        ("bounded-by-memory", 1),
        ("little-beyond-half", 1),
        ("blake3-in-parallel", 1),
    ],
)
def test_the_model_continues_the_scaling_of_two_cores(key: str, expected: float, paper: Paper) -> None:
    assert prediction(key, paper).value == pytest.approx(expected, rel=0.03)


def test_the_prediction_is_what_a_record_of_many_cores_gives(paper: Paper) -> None:
    many = paper("speedup", cores=CORES, change=scaling(0.03), jitter=0.0005)
    for key in ("parsplit-gain-cryptopp", "rustcrypto-gains-most", "bounded-by-memory", "openssl-leads-slightly"):
        measured = evaluate(BY_KEY[key], many).estimate
        assert measured is not None
        assert prediction(key, paper, 0.03).value == pytest.approx(measured.value, rel=0.03), key


def test_the_serial_share_is_open_where_memory_limits_the_record(paper: Paper) -> None:
    """With 8 cores XOR is at the memory limit, and Crypto++ is not."""
    limited = prediction("xor-ends-early", paper, 0.05, cores=8)
    assert limited.low < limited.high
    assert prediction("cryptopp-peak", paper, 0.0, cores=8).value == 11


def test_a_prediction_is_never_a_verdict(paper: Paper) -> None:
    for key in PREDICTIONS:
        estimate = prediction(key, paper)
        assert estimate.cannot_confirm == estimate.cannot_refute == NO_VERDICT


def found(paper: Paper, cores: int = 2, **options: Any) -> Findings:
    evidence = paper("speedup", cores=cores, change=scaling(), jitter=0.0005, **options)
    return Findings(judge(CLAIMS, {"speedup": ("record.parquet", evidence)}), {})


def test_predictions_change_no_verdict(paper: Paper) -> None:
    evidence = paper("speedup", cores=2, change=scaling(), jitter=0.0005)
    findings = found(paper).findings
    assert {f.claim.key for f in findings if f.prediction} == PREDICTIONS.keys()
    alone = evaluate_all(CLAIMS, {"speedup": ("record.parquet", evidence)})
    for name in ("verdict", "reason", "measured", "basis", "verdicts", "why", "record"):
        assert [getattr(f, name) for f in findings] == [getattr(f, name) for f in alone], name
    needs = [f for f in findings if "logical cores, this machine has 2" in f.reason]
    assert needs and all(f.prediction and f.verdict == "inconclusive" and f.measured == "-" for f in needs[:1])


def test_text_calls_each_prediction_no_verdict(paper: Paper) -> None:
    findings = found(paper)
    shown = as_text(findings)
    assert max(map(len, shown.splitlines())) <= 80
    flat = " ".join(shown.split())
    assert flat.count("prediction, no verdict: ") == len(PREDICTIONS)
    for finding in findings.findings:
        assert not finding.prediction or f"prediction, no verdict: {finding.predicted}" in flat
        assert finding.predicted.endswith("; by a model, 64 logical cores") or not finding.prediction
    heads = [line for line in shown.splitlines() if " (ETH, " in line]
    assert len(heads) > len(PREDICTIONS) and not any("predict" in line for line in heads)


def test_tables_have_predictions_in_their_own_column(paper: Paper) -> None:
    findings = found(paper)
    lines = as_markdown(findings).splitlines()
    headings = next(line for line in lines if line.startswith("| place")).strip("| ").split(" | ")
    assert headings.index(PREDICTED) == len(headings) - 2 and headings[-1] == "verdict"
    assert any("They decide no verdict" in line for line in lines)
    rows = {row[1]: row for line in lines if len(row := line.strip("| ").split(" | ")) == len(headings)}
    assert len(rows) == len(CLAIMS) + 2
    for finding in findings.findings:
        (row,) = [row for statement, row in rows.items() if statement.startswith(finding.statement)]
        assert row[-2] == finding.predicted and row[-1].startswith(f"**{finding.verdict}**")
    assert PREDICTED in findings._repr_html_()
    table = findings.table.set_index("key")
    assert table.loc["xor-ends-early", "predicted"] == 4
    assert table["predicted"].notna().sum() == len(PREDICTIONS)


@pytest.mark.parametrize("given", [{"cores": CORES}, {"profile": "smoke"}], ids=str)
def test_a_record_that_decides_or_supports_nothing_predicts_nothing(paper: Paper, given: dict[str, Any]) -> None:
    findings = found(paper, **given)
    assert not findings.has_predictions
    assert PREDICTED not in as_markdown(findings) + findings._repr_html_() and "prediction" not in as_text(findings)


def test_without_cases_as_published_there_is_no_prediction(paper: Paper) -> None:
    evidence = paper("speedup")
    own = replace(evidence, samples=evidence.samples[evidence.samples["schedule"] != ETH_PAPER])
    assert predicted("xor-ends-early", own) is None
    assert predicted("xor-ends-early", paper("speedup", cores=1)) is None
    few = paper("speedup", cores=2)
    short = replace(few, samples=few.samples.assign(bytes=1 << 20))
    assert predicted("xor-ends-early", few) and predicted("xor-ends-early", short) is None
