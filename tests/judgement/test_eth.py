"""Every claim of the ETH paper, where it holds, where it does not, and where nobody can tell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from aeadlab import published
from aeadlab.errors import BuildError
from aeadlab.judgement.claim import Claim, Finding
from aeadlab.judgement.documents.eth import (
    BLAKE3,
    CLAIMS,
    CRYPTOPP,
    GHASH,
    OPENSSL,
    OPENSSL_WITH_BLAKE3,
    RUST_GHASH,
    RUSTCRYPTO,
    WITH_BLAKE3,
    XOR,
)
from aeadlab.judgement.evaluation import judged
from aeadlab.judgement.evidence import Evidence
from aeadlab.judgement.tags import tag_space
from aeadlab.studies.thread_modes import DELAY

Paper = Callable[..., Evidence]
BY_KEY = {claim.key: claim for claim in CLAIMS}
MEASURED = [claim for claim in CLAIMS if claim.study]
PAIRED = [claim for claim in MEASURED if claim.study != "thread-modes" and claim.key != "low-variability"]
"""The others are about the samples of one case, which no other copy of the code disturbs."""


def slowed(name: str, factor: float, **wanted: Any) -> Callable[[Any, float], float]:
    """Cases of one implementation take so many times as long; ``threads`` may be a test."""

    def change(case: Any, seconds: float) -> float:
        if case.name != name:
            return seconds
        for field, value in wanted.items():
            its = getattr(case, field)
            if not (value(its) if callable(value) else its == value):
                return seconds
        return seconds * factor

    return change


def flat(name: str, seconds: float, start: int = 1) -> Callable[[Any, float], float]:
    """ParSplit takes the same time with all numbers of threads from this one on."""
    return lambda case, was: (
        seconds if case.name == name and case.engine == "parsplit" and case.threads >= start else was
    )


OTHERWISE: dict[str, Callable[[Any, float], float]] = {
    "fastest-aead": slowed(CRYPTOPP, 0.5, engine="whole", op="seal"),
    "order": slowed(RUSTCRYPTO, 0.3, engine="whole"),
    "opening-like-sealing": slowed(WITH_BLAKE3, 1.3, op="open"),
    "fastest-hash": slowed(BLAKE3, 0.3),
    "xor-fastest": slowed(XOR, 3),
    "overhead-openssl": slowed(OPENSSL, 0.8, engine="parsplit"),
    "overhead-cryptopp": slowed(CRYPTOPP, 1.5, engine="parsplit"),
    "overhead-with-blake3": slowed(WITH_BLAKE3, 1.2, engine="parsplit"),
    "overhead-rustcrypto": slowed(RUSTCRYPTO, 1.3, engine="parsplit"),
    "overhead-xor": slowed(XOR, 1.2, engine="parsplit"),
    "blake3-for-ghash": slowed(WITH_BLAKE3, 1.5),
    "rustcrypto-ghash-slower": slowed(RUST_GHASH, 0.3),
    "blake3-not-for-openssl": slowed(OPENSSL_WITH_BLAKE3, 0.3),
    "most-are-slower": lambda case, seconds: seconds * (0.01 if case.name.startswith("lib") else 1),
    "gcm-fastest-algorithm": slowed("libaegis/aegis-256", 0.1),
    "ghash-fastest-algorithm": slowed("openssl/sha-256", 0.1),
    "best-block-size": slowed(CRYPTOPP, 0.5, block_size=65536),
    "block-size-matters": lambda case, seconds: min(seconds, 0.04),
    "parsplit-pays": slowed(RUSTCRYPTO, 100, engine="parsplit"),
    "rustcrypto-gains-most": slowed(RUSTCRYPTO, 3, threads=lambda threads: threads > 1),
    "openssl-leads-at-first": slowed(CRYPTOPP, 0.5, threads=4),
    "cryptopp-leads-later": slowed(CRYPTOPP, 1.5, threads=lambda threads: threads > 12),
    "cryptopp-fastest-in-parallel": slowed(RUSTCRYPTO, 0.5, threads=64),
    "opening-like-sealing-in-parallel": slowed(CRYPTOPP, 1.3, op="open"),
    "xor-ends-early": flat(XOR, 0.025),
    "openssl-ends-later": flat(OPENSSL, 0.028),
    "cryptopp-peak": flat(CRYPTOPP, 0.027),
    "faster-ends-earlier": lambda case, seconds: 0.2 / case.threads if case.name == XOR else seconds,
    "little-beyond-half": lambda case, seconds: seconds * (0.5 if case.threads > 32 else 1),
    "bounded-by-memory": flat(RUSTCRYPTO, 0.1, 2),
    "blake3-in-parallel": slowed("blake3-rayon/blake3", 4),
    "two-modes": slowed(DELAY, 1.2, part="upper", schedule="rayon", threads=5),
    "two-modes-where": lambda case, seconds: 0.026 if case.threads in (3, 6) else seconds,
    "one-mode-elsewhere": slowed(DELAY, 1.5, part="upper", schedule="rayon", threads=8),
    "modes-at-higher-counts": slowed(DELAY, 1.5, part="upper", schedule="rayon", threads=lambda threads: threads > 10),
    "modes-are-rayons": slowed(DELAY, 1.5, part="upper", schedule="openmp-static"),
}


def find(claim: Claim, paper: Paper, **how: Any) -> Finding:
    return judged(claim, paper(claim.study, **how), "a record")


def test_the_paper_has_its_claims_each_with_a_name_of_its_own() -> None:
    assert len(CLAIMS) >= 25
    assert len(BY_KEY) == len(CLAIMS)
    assert {claim.document for claim in CLAIMS} == {"ETH"}
    studies = {"", "baselines", "speedup", "blocks", "everything", "compositions", "thread-modes"}
    assert {claim.study for claim in CLAIMS} == studies


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.key)
def test_places_and_numbers_are_those_of_the_published_data(claim: Claim) -> None:
    assert claim.place in set(published.load("ETH")["place"])
    assert len(claim.printed()) == len(claim.numbers)
    assert claim.statement.format(*claim.printed()).endswith(".")
    assert claim.differs.endswith(".")


@pytest.mark.parametrize("claim", [claim for claim in CLAIMS if claim.expected], ids=lambda claim: claim.key)
def test_what_the_paper_prints_counts_as_reproduced(claim: Claim) -> None:
    assert claim.expected is not None
    expected = claim.expected(*claim.printed())
    assert claim.rule(expected).judge(expected, expected) == "reproduced"


@pytest.mark.parametrize(
    ("key", "published"),
    [
        ("fastest-aead", 1.412), ("order", 1.405), ("overhead-openssl", 1.288), ("overhead-rustcrypto", 0.87),
        ("blake3-for-ghash", 1.536), ("cryptopp-peak", 28), ("blake3-in-parallel", 2.056), ("parsplit-pays", 16.32),
        ("opening-like-sealing", 1.014), ("faster-ends-earlier", 3.5), ("tag-space", 1 / 512),
    ],
)  # fmt: skip
def test_quantities_as_published(key: str, published: float) -> None:
    assert judged(BY_KEY[key], None).published == pytest.approx(published, rel=1e-3)


@pytest.mark.parametrize("claim", MEASURED, ids=lambda claim: claim.key)
def test_in_the_papers_world_every_claim_is_reproduced(claim: Claim, paper: Paper) -> None:
    found = find(claim, paper)
    assert (found.verdict, found.reason) == ("reproduced", "")
    assert found.estimate is not None
    assert found.estimate.low <= found.estimate.value <= found.estimate.high


@pytest.mark.parametrize("key", [claim.key for claim in MEASURED if claim.key != "low-variability"])
def test_in_another_world_it_is_not(key: str, paper: Paper) -> None:
    found = find(BY_KEY[key], paper, change=OTHERWISE[key])
    assert (found.verdict, found.reason) == ("not reproduced", "")
    assert found.why == BY_KEY[key].differs


@pytest.mark.parametrize("claim", PAIRED, ids=lambda claim: claim.key)
def test_what_is_within_the_noise_is_inconclusive(claim: Claim, paper: Paper) -> None:
    found = find(claim, paper, pair=30.0)
    assert found.verdict == "inconclusive"
    assert found.reason


@pytest.mark.parametrize(("jitter", "verdict"), [(0.01, "reproduced"), (0.03, "inconclusive"), (0.2, "not reproduced")])
def test_variability_is_that_of_samples(jitter: float, verdict: str, paper: Paper) -> None:
    assert find(BY_KEY["low-variability"], paper, jitter=jitter).verdict == verdict


def test_tags_are_counted_in_what_parsplit_writes(paper: Paper, monkeypatch: pytest.MonkeyPatch) -> None:
    claim = BY_KEY["tag-space"]
    assert judged(claim, Evidence.nothing()).verdict == "reproduced"
    shorter = judged(replace(claim, test=tag_space(OPENSSL)), Evidence.nothing())
    assert shorter.verdict == "not reproduced"
    assert shorter.estimate is not None
    assert shorter.estimate.value == 1 / 1024

    def broken(*_: object, **__: object) -> None:
        raise BuildError("the extension is older than its sources")

    monkeypatch.setattr("aeadlab.parsplit.ParSplit", broken)
    found = judged(claim, Evidence.nothing())
    assert (found.verdict, found.reason) == ("inconclusive", "the extension is older than its sources")


@pytest.mark.parametrize("claim", MEASURED, ids=lambda claim: claim.key)
def test_smoke_short_messages_and_absence_decide_nothing(claim: Claim, paper: Paper) -> None:
    for how, says in (
        ({"profile": "smoke*"}, "profile smoke"),
        ({"size": 1 << 20}, "messages of 1048576 bytes"),
        ({"rounds": 5}, ""),
    ):
        found = find(claim, paper, **how)
        assert found.verdict == "inconclusive"
        assert found.reason and says in found.reason
    found = judged(claim, None)
    assert (found.verdict, found.measured) == ("inconclusive", "-")
    assert found.reason == f"no record of study {claim.study}: run `aeadlab measure {claim.study}`"


@pytest.mark.parametrize("claim", PAIRED, ids=lambda claim: claim.key)
def test_without_an_a_a_pair_nothing_is_claimed(claim: Claim, paper: Paper) -> None:
    found = find(claim, paper, pair=None)
    assert found.verdict == "inconclusive"
    assert "no A/A pair" in found.reason


@pytest.mark.parametrize("key", ["xor-ends-early", "openssl-ends-later", "cryptopp-peak", "cryptopp-leads-later",
                                 "cryptopp-fastest-in-parallel", "faster-ends-earlier", "little-beyond-half",
                                 "blake3-in-parallel"])  # fmt: skip
def test_a_claim_about_many_threads_takes_many_cores(key: str, paper: Paper) -> None:
    for change in (OTHERWISE[key], lambda _, seconds: seconds):
        found = find(BY_KEY[key], paper, cores=2, change=change)
        assert found.verdict == "inconclusive"
        assert "logical cores or more, this one has 2" in found.reason
    found = find(BY_KEY[key], paper, cores=None)
    assert "does not say how many logical cores" in found.reason


def test_many_cores_that_were_not_used_are_none(paper: Paper) -> None:
    evidence = paper("speedup")
    few = replace(evidence, samples=evidence.samples[evidence.samples["threads"] <= 2])
    assert "takes a run with 16 threads or more, this one has at most 2" in judged(BY_KEY["xor-ends-early"], few).reason


def test_two_cores_can_refute_but_not_prove_what_is_said_of_twelve(paper: Paper) -> None:
    claim = BY_KEY["openssl-leads-at-first"]
    found = find(claim, paper, cores=2)
    assert (found.verdict, found.reason) == ("inconclusive", "up to 2 threads only, 12 are wanted")
    assert find(claim, paper, cores=2, change=slowed(CRYPTOPP, 0.5, threads=2)).verdict == "not reproduced"


def test_who_may_still_gain_when_the_cores_end_may_reach_memory_with_more(paper: Paper) -> None:
    claim = BY_KEY["bounded-by-memory"]
    found = find(claim, paper, cores=8)
    assert found.verdict == "inconclusive"
    assert f"{RUSTCRYPTO} may still gain from threads when the cores end" in found.reason
    # One that does not gain any more refutes it all the same, unless there are few cores or it is lost in the noise.
    assert find(claim, paper, cores=8, change=flat(OPENSSL, 0.3)).verdict == "not reproduced"
    assert find(claim, paper, cores=8, change=flat(OPENSSL, 0.3), pair=1.2).verdict == "inconclusive"
    found = find(claim, paper, cores=4, change=flat(OPENSSL, 0.3))
    assert found.reason == "takes a machine with 8 logical cores or more to be refuted, this one has 4"
    # Proof needs no more cores than it takes.
    fast = find(claim, paper, cores=4, change=lambda case, was: 0.19 / case.threads if case.name != XOR else was)
    assert fast.verdict == "reproduced"


def without(evidence: Evidence, name: str) -> Evidence:
    return replace(evidence, samples=evidence.samples[evidence.samples["implementation"] != name])


def test_the_fastest_of_all_needs_all_and_the_slower_of_two_needs_two(paper: Paper) -> None:
    claim = BY_KEY["fastest-aead"]
    missing = replace(without(paper("baselines"), CRYPTOPP), refused={CRYPTOPP: "Crypto++ is not installed"})
    found = judged(claim, missing)
    assert (found.verdict, found.reason) == ("inconclusive", f"{CRYPTOPP} was refused: Crypto++ is not installed")
    assert found.measured.startswith("1.9")
    beaten = without(paper("baselines", change=slowed(RUSTCRYPTO, 0.1)), CRYPTOPP)
    assert judged(claim, beaten).verdict == "not reproduced"
    found = judged(BY_KEY["blake3-for-ghash"], without(paper("baselines"), WITH_BLAKE3))
    assert (found.verdict, found.measured) == ("inconclusive", "-")
    assert found.reason == f"{WITH_BLAKE3} (whole seal) was not measured as wanted"
    assert judged(BY_KEY["low-variability"], without(paper("baselines"), GHASH)).verdict == "inconclusive"


@pytest.mark.parametrize("claim", MEASURED, ids=lambda claim: claim.key)
def test_a_record_of_something_else_says_that_the_cases_are_missing(claim: Claim, paper: Paper) -> None:
    other = "compositions" if claim.study != "compositions" else "blocks"
    found = judged(claim, paper(other))
    assert found.verdict == "inconclusive"
    assert found.estimate is None
    assert found.reason


def test_a_failed_case_says_why(paper: Paper) -> None:
    evidence = paper("baselines")
    samples = evidence.samples.copy()
    failed = (samples["implementation"] == OPENSSL) & (samples["engine"] == "parsplit")
    samples.loc[failed, "status"] = "failed: SIGSEGV"
    found = judged(BY_KEY["overhead-openssl"], replace(evidence, samples=samples))
    assert found.reason == f"{OPENSSL} failed: SIGSEGV"


def test_one_thread_says_nothing_of_the_best_block_size_of_many(paper: Paper) -> None:
    evidence = paper("blocks")
    found = judged(BY_KEY["best-block-size"], replace(evidence, samples=evidence.samples.assign(threads=1)))
    assert "one thread" in found.reason
    assert find(BY_KEY["best-block-size"], paper, change=lambda *_: 0.03).verdict == "inconclusive"


def test_rare_modes_take_many_samples(paper: Paper) -> None:
    found = find(BY_KEY["two-modes"], paper, rounds=99)
    assert (found.verdict, found.reason) == ("inconclusive", "99 undisturbed samples with 5 threads, 100 are wanted")


def test_two_modes_of_a_run_that_drifted_are_none(paper: Paper) -> None:
    evidence = paper("thread-modes")
    samples = evidence.samples.copy()
    one = samples["threads"].eq(5) & samples["schedule"].eq("rayon")
    order = samples.loc[one, "order"]
    samples.loc[one, "seconds"] = 0.026 * np.where(order > order.median(), 1.243, 1.0) * (1 + 1e-3 * (order % 7))
    drifting = samples
    found = judged(BY_KEY["two-modes"], replace(evidence, samples=drifting))
    assert (found.verdict, found.reason) == ("inconclusive", "the run drifted with 5 threads")


def test_where_the_modes_are_says_how_far_they_are_apart(paper: Paper) -> None:
    found = find(BY_KEY["two-modes"], paper)
    assert found.estimate is not None
    assert found.estimate.value == pytest.approx(1.243, rel=0.002)
