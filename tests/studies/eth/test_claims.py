"""Properties of single claims of ETH: core counts, missing cases, tags."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from aeadlab.errors import BuildError
from aeadlab.parsplit.schedules import ETH_PAPER
from aeadlab.studies.eth.claims import CLAIMS, CRYPTOPP, GHASH, OPENSSL, RUSTCRYPTO, WITH_BLAKE3, XOR
from aeadlab.studies.eth.quantities import tag_overhead
from aeadlab.verdicts.claim import Finding
from aeadlab.verdicts.evaluation import evaluate
from aeadlab.verdicts.evidence import Evidence
from tests.fixtures.changes import REFUTING, flat, slowed
from tests.fixtures.documents import unchanged

Paper = Callable[..., Evidence]
BY_KEY = {claim.key: claim for claim in CLAIMS}


def find(key: str, paper: Paper, **options: object) -> Finding:
    return evaluate(BY_KEY[key], paper(BY_KEY[key].study, **options), "a record")


@pytest.mark.parametrize(
    ("key", "published"),
    [
        ("fastest-aead", 1.412), ("order", 1.405), ("order-of-libraries", 1.412),
        ("overhead-openssl", 1.288), ("overhead-rustcrypto", 0.87),
        ("blake3-for-ghash", 1.536), ("cryptopp-peak", 28), ("blake3-in-parallel", 2.056),
        ("parsplit-gain-cryptopp", 16.32),
        ("opening-like-sealing", 1.013), ("openssl-leads-slightly", 1.303), ("faster-ends-earlier", 3.5),
        ("tag-space", 1 / 512),
    ],
)  # fmt: skip
def test_published_values_of_the_quantities(key: str, published: float) -> None:
    assert evaluate(BY_KEY[key], None).published == pytest.approx(published, rel=1e-3)


@pytest.mark.parametrize(("jitter", "verdict"), [(0.01, "reproduced"), (0.03, "inconclusive"), (0.2, "not reproduced")])
def test_variability_is_the_deviation_of_samples(jitter: float, verdict: str, paper: Paper) -> None:
    assert find("low-variability", paper, jitter=jitter).verdict == verdict


def test_tag_overhead_is_computed_by_sealing(monkeypatch: pytest.MonkeyPatch) -> None:
    claim = BY_KEY["tag-space"]
    assert evaluate(claim, Evidence.empty()).verdict == "reproduced"
    shorter = evaluate(replace(claim, estimator=tag_overhead(OPENSSL)), Evidence.empty())
    assert shorter.verdict == "not reproduced"
    assert shorter.estimate is not None
    assert shorter.estimate.value == 1 / 1024

    def broken(*_: object, **__: object) -> None:
        raise BuildError("the extension is older than its sources")

    monkeypatch.setattr("aeadlab.parsplit.parsplit.ParSplit", broken)
    finding = evaluate(claim, Evidence.empty())
    assert (finding.verdict, finding.reason) == ("inconclusive", "the extension is older than its sources")


@pytest.mark.parametrize("key", ["xor-ends-early", "openssl-ends-later", "cryptopp-peak", "cryptopp-leads-later",
                                 "cryptopp-fastest-in-parallel", "faster-ends-earlier", "little-beyond-half",
                                 "blake3-in-parallel"])  # fmt: skip
def test_claims_about_many_threads_require_many_cores(key: str, paper: Paper) -> None:
    for change in (REFUTING[key], unchanged):
        finding = find(key, paper, cores=2, change=change)
        assert finding.verdict == "inconclusive"
        assert "or more logical cores, this machine has 2" in finding.reason
    finding = find(key, paper, cores=None)
    assert "does not contain the number of logical cores" in finding.reason


def test_cores_without_threads_do_not_count(paper: Paper) -> None:
    evidence = paper("speedup")
    few = replace(evidence, samples=evidence.samples[evidence.samples["threads"] <= 2])
    finding = evaluate(BY_KEY["xor-ends-early"], few)
    assert finding.reason == "requires a run with 16 or more threads, this one has at most 2"


def test_two_cores_can_refute_a_claim_about_twelve(paper: Paper) -> None:
    finding = find("openssl-leads-at-first", paper, cores=2)
    assert (finding.verdict, finding.reason) == ("inconclusive", "measured with up to 2 threads, 12 are required")
    refuting = slowed(CRYPTOPP, 0.5, threads=2)
    assert find("openssl-leads-at-first", paper, cores=2, change=refuting).verdict == "not reproduced"


def test_memory_limit_is_not_refuted_while_speed_grows(paper: Paper) -> None:
    finding = find("bounded-by-memory", paper, cores=8)
    assert finding.verdict == "inconclusive"
    assert f"{RUSTCRYPTO} may gain from more threads than there are cores" in finding.reason


def test_memory_limit_is_refuted_by_a_saturated_speed(paper: Paper) -> None:
    saturated = flat(OPENSSL, 0.3)
    assert find("bounded-by-memory", paper, cores=8, change=saturated).verdict == "not reproduced"
    assert find("bounded-by-memory", paper, cores=8, change=saturated, pair=1.2).verdict == "inconclusive"
    finding = find("bounded-by-memory", paper, cores=4, change=saturated)
    assert finding.reason == "a refutation requires 8 or more logical cores, this machine has 4"


def test_a_gain_from_threads_is_not_refuted_with_few_cores(paper: Paper) -> None:
    slow = slowed(RUSTCRYPTO, 100, schedule=ETH_PAPER)
    few, many = (find("parsplit-pays", paper, cores=cores, change=slow) for cores in (4, 8))
    assert (few.verdict, many.verdict) == ("inconclusive", "not reproduced")
    assert few.reason == "a refutation requires 8 or more logical cores, this machine has 4"
    assert find("parsplit-pays", paper, cores=4).verdict == "reproduced"


def test_a_gain_with_one_thread_is_no_gain_from_threads(paper: Paper) -> None:
    one, several = (slowed(RUSTCRYPTO, factor, schedule=ETH_PAPER, threads=which) for factor, which in (
        (0.01, 1), (100, lambda threads: threads > 1),
    ))  # fmt: skip
    finding = find("parsplit-pays", paper, cores=8, change=lambda case, seconds: several(case, one(case, seconds)))
    assert finding.verdict == "not reproduced"


def test_memory_limit_is_confirmed_with_few_cores(paper: Paper) -> None:
    fast = find(
        "bounded-by-memory", paper, cores=4, change=lambda case, s: 0.19 / case.threads if case.name != XOR else s
    )
    assert fast.verdict == "reproduced"


def without(evidence: Evidence, name: str) -> Evidence:
    return replace(evidence, samples=evidence.samples[evidence.samples["implementation"] != name])


def test_the_fastest_of_all_requires_all_to_be_measured(paper: Paper) -> None:
    missing = replace(without(paper("baselines"), CRYPTOPP), refused={CRYPTOPP: "Crypto++ is not installed"})
    finding = evaluate(BY_KEY["fastest-aead"], missing)
    reason = "Crypto++ AES-256-GCM was not timed: Crypto++ is not installed"
    assert (finding.verdict, finding.reason) == ("inconclusive", reason)
    assert finding.measured.startswith("1.9")
    beaten = without(paper("baselines", change=slowed(RUSTCRYPTO, 0.1)), CRYPTOPP)
    assert evaluate(BY_KEY["fastest-aead"], beaten).verdict == "not reproduced"


def test_a_comparison_of_two_requires_both(paper: Paper) -> None:
    finding = evaluate(BY_KEY["blake3-for-ghash"], without(paper("baselines"), WITH_BLAKE3))
    assert (finding.verdict, finding.measured) == ("inconclusive", "-")
    assert finding.reason == "aeadlab AES-256-CTR+BLAKE3 has no matching case (whole seal)"
    assert evaluate(BY_KEY["low-variability"], without(paper("baselines"), GHASH)).verdict == "inconclusive"


def test_the_status_of_a_failed_case_is_the_reason(paper: Paper) -> None:
    evidence = paper("baselines")
    samples = evidence.samples.copy()
    failed = (samples["implementation"] == OPENSSL) & (samples["engine"] == "parsplit")
    samples.loc[failed, "status"] = "failed: SIGSEGV"
    finding = evaluate(BY_KEY["overhead-openssl"], replace(evidence, samples=samples))
    assert finding.reason == "OpenSSL AES-256-GCM failed: SIGSEGV"


def test_the_best_block_size_requires_several_threads(paper: Paper) -> None:
    evidence = paper("blocks")
    one_thread = replace(evidence, samples=evidence.samples.assign(threads=1))
    assert "no matching case" in evaluate(BY_KEY["best-block-size"], one_thread).reason
    finding = evaluate(BY_KEY["best-block-size"], replace(one_thread, cores=1))
    assert finding.reason == "measured with one thread, the claim is about several"
    unknown = evaluate(BY_KEY["best-block-size"], replace(evidence, cores=None))
    assert unknown.reason == "the record does not contain the number of logical cores"
    assert find("best-block-size", paper, change=lambda *_: 0.03).verdict == "inconclusive"
