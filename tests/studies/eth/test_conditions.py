"""The conditions of the cases that decide claims of ETH: as published, of the paper's list, bars of its figures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from aeadlab.catalogue import load
from aeadlab.parsplit.schedules import ETH_PAPER
from aeadlab.studies.candidates import PAPER_LIBRARIES, of_the_paper
from aeadlab.studies.eth.claims import CLAIMS, CRYPTOPP, GHASH, OPENSSL, RUSTCRYPTO, XOR
from aeadlab.verdicts.claim import Finding
from aeadlab.verdicts.evaluation import evaluate
from aeadlab.verdicts.evidence import Evidence
from tests.fixtures.changes import slowed
from tests.fixtures.documents import TimedCase

Paper = Callable[..., Evidence]
BY_KEY = {claim.key: claim for claim in CLAIMS}
AS_PUBLISHED = [c.key for c in CLAIMS if c.study in ("speedup", "blocks") or c.key.startswith("overhead-")]
SPEEDUP = [claim.key for claim in CLAIMS if claim.study == "speedup"]
OF_XOR = {"overhead-xor", "xor-ends-early"}
OWN = "with the schedule dynamic and kept contexts"


def find(key: str, paper: Paper, **options: object) -> Finding:
    return evaluate(BY_KEY[key], paper(BY_KEY[key].study, **options), "a record")


@pytest.mark.parametrize("key", AS_PUBLISHED)
def test_a_kept_context_does_not_stand_for_a_key_for_each_block(key: str, paper: Paper) -> None:
    evidence = paper(BY_KEY[key].study)
    finding = evaluate(BY_KEY[key], replace(evidence, samples=evidence.samples.assign(model="keyed")))
    assert (finding.estimate is not None) == (key in OF_XOR), "XOR has no key"
    assert key in OF_XOR or "no matching case" in finding.reason


@pytest.mark.parametrize("key", SPEEDUP)
def test_the_own_schedule_is_shown_beside_and_decides_nothing(key: str, paper: Paper) -> None:
    def other(case: TimedCase, seconds: float) -> float:
        own = case.engine == "parsplit" and case.schedule != ETH_PAPER and case.name != "baseline/memcpy"
        slower = 1 + len(case.name) % 7 * case.threads**0.5
        return seconds * slower * (1.3 if case.op == "open" else 1) if own else seconds

    before, after = find(key, paper), find(key, paper, change=other)
    assert before.measured.endswith(OWN) and after.measured.endswith(OWN)
    assert before.measured != after.measured
    assert before.estimate and after.estimate
    assert after.estimate.value == pytest.approx(before.estimate.value, rel=1e-9)
    assert before.verdict == after.verdict == "reproduced"


def test_without_the_own_schedule_there_is_no_detail(paper: Paper) -> None:
    evidence = paper("speedup")
    published = evidence.samples["schedule"].isin([ETH_PAPER, ""])
    finding = evaluate(BY_KEY["parsplit-pays"], replace(evidence, samples=evidence.samples[published]))
    assert finding.verdict == "reproduced" and OWN not in finding.measured


@pytest.mark.parametrize(
    ("name", "columns", "counts"),
    [
        (XOR, {"engine": "whole"}, True),
        (XOR, {"schedule": ETH_PAPER}, True),
        (CRYPTOPP, {"schedule": ETH_PAPER, "op": "seal"}, True),
        (GHASH, {"op": "digest"}, True),
        (CRYPTOPP, {"op": "open"}, False),
        (CRYPTOPP, {"schedule": "dynamic"}, False),
        (CRYPTOPP, {"aad_bytes": 32}, False),
    ],
)
def test_the_bars_of_figures_2_and_3_may_not_vary(
    name: str, columns: dict[str, object], counts: bool, paper: Paper
) -> None:
    evidence = paper("baselines")
    samples = evidence.samples.copy()
    varied = samples["implementation"].eq(name) & samples["round"].mod(2).eq(1)
    for column, value in columns.items():
        varied &= samples[column].eq(value)
    samples.loc[varied, "seconds"] *= 1.3
    finding = evaluate(BY_KEY["low-variability"], replace(evidence, samples=samples))
    assert finding.verdict == ("not reproduced" if counts else "reproduced")


def test_only_openssl_s_ghash_counts_for_openssl(paper: Paper) -> None:
    key = "ghash-fastest-algorithm"
    beaten = find(key, paper, change=slowed("cryptopp/aes-256-gmac", 0.5))
    assert beaten.verdict == "not reproduced" and beaten.estimate and beaten.estimate.value < 1
    rust = find(key, paper, change=slowed("rustcrypto/ghash", 0.1))
    assert rust.verdict == "not reproduced"


def test_gcm_of_the_paper_s_libraries_and_of_today_are_two_claims(paper: Paper) -> None:
    faster = slowed("libaegis/aegis-256", 0.1)
    assert find("gcm-fastest-algorithm", paper, change=faster).verdict == "reproduced"
    today = find("gcm-fastest-today", paper, change=faster)
    assert today.verdict == "not reproduced"
    assert "libaegis AEGIS-256 over " in today.measured
    opening = slowed("rustcrypto/aes-256-ocb", 0.1, op="open")
    assert find("gcm-fastest-algorithm", paper, change=opening).verdict == "not reproduced"
    # The AES-GCM of any library may be the fastest of today.
    newer = slowed("aws-lc/aes-256-gcm", 0.1)
    assert find("gcm-fastest-today", paper, change=newer).estimate.value > 15  # type: ignore[union-attr]


def test_an_algorithm_that_was_not_measured_leaves_the_share_undecided(paper: Paper) -> None:
    evidence = paper("everything")
    without = evidence.samples[evidence.samples["implementation"] != "rustcrypto/sha-512"]
    finding = evaluate(BY_KEY["most-are-slower"], replace(evidence, samples=without))
    assert (finding.verdict, finding.reason) == (
        "inconclusive",
        "RustCrypto SHA-512 has no matching case (whole digest)",
    )


@pytest.mark.parametrize(("factor", "slower"), [(1.45, 10), (1.55, 11)])
def test_a_lot_slower_is_one_and_a_half_times_the_slowest_presented(factor: float, slower: int, paper: Paper) -> None:
    """The slowest hash presented takes 0.45 s; SHA-512 alone is changed."""
    change = slowed("*/sha-512", factor * 0.45 / 0.9)
    finding = find("most-are-slower", paper, change=change, jitter=0.0005)
    assert finding.estimate is not None
    assert finding.estimate.value * 14 == pytest.approx(slower)
    assert finding.measured.endswith(f"; {slower} of 14 algorithms")


def test_the_fastest_library_counts_for_an_algorithm(paper: Paper) -> None:
    before = find("most-are-slower", paper).estimate
    after = find("most-are-slower", paper, change=slowed("cryptopp/sha-512", 0.3)).estimate
    assert before and after and after.value * 14 == pytest.approx(before.value * 14 - 1)


def test_openssl_may_lead_only_slightly(paper: Paper) -> None:
    far = slowed(CRYPTOPP, 1.2, schedule=ETH_PAPER, threads=lambda threads: 1 < threads < 13)
    assert find("openssl-leads-at-first", paper, change=far).verdict == "reproduced"
    assert find("openssl-leads-slightly", paper, change=far).verdict == "not reproduced"
    behind = slowed(CRYPTOPP, 0.7, schedule=ETH_PAPER, threads=12)
    assert find("openssl-leads-at-first", paper, change=behind).verdict == "not reproduced"
    assert find("openssl-leads-slightly", paper, change=behind).verdict == "reproduced"


def test_crypto_leads_with_each_count_above_twelve(paper: Paper) -> None:
    one = slowed(OPENSSL, 0.9, schedule=ETH_PAPER, threads=40)
    assert find("cryptopp-leads-later", paper, change=one).verdict == "not reproduced"


def test_the_size_of_the_gain_is_that_of_crypto_on_many_cores(paper: Paper) -> None:
    few = find("parsplit-gain-cryptopp", paper, cores=32)
    assert few.reason == "requires 56 or more logical cores, this machine has 32"
    assert find("parsplit-pays", paper, cores=2).verdict == "reproduced"
    assert find("parsplit-pays", paper).aspect is None


def test_both_references_of_the_speed_up_are_judged(paper: Paper) -> None:
    change = slowed(RUSTCRYPTO, 3, schedule=ETH_PAPER)
    assert find("rustcrypto-gains-most", paper, change=change).verdict == "reproduced"
    assert find("rustcrypto-gains-most-over-whole", paper, change=change).verdict == "not reproduced"


def test_memory_must_limit_xor_too(paper: Paper) -> None:
    change = slowed(XOR, 2, schedule=ETH_PAPER)
    assert find("bounded-by-memory", paper, change=change).verdict == "not reproduced"


def test_substitutes_are_stated_where_they_are_measured() -> None:
    def keys(text: str) -> set[str]:
        return {claim.key for claim in CLAIMS if text in claim.substitute}

    assert {"associated-data-free", "low-variability", "xor-fastest", "most-are-slower", "best-block-size"} <= keys(
        "derives two keys, and encrypts and hashes in turn, 16 KiB at a time"
    )
    assert {"low-variability", "blake3-not-for-openssl", "fastest-hash"} <= keys("GMAC stands for OpenSSL's GHASH")
    assert set(AS_PUBLISHED) - {"best-block-size", "block-size-matters"} <= keys(
        "a new context for each block (XOR has none), and"
    )
    assert not [c.key for c in CLAIMS if c.key.startswith("overhead-") and "KiB" in c.statement]


def test_the_algorithms_of_the_paper_exist_and_take_its_message() -> None:
    catalogue = load()
    for op, kinds in (("seal", {"aead"}), ("encrypt", {"cipher"}), ("digest", {"hash", "mac"})):
        names = [name for group in of_the_paper(op).values() for name in group]
        assert 13 <= len(names) <= 24, "about as many as the paper counts"
        for name in names:
            library, algorithm = name.split("/")
            assert library in {*PAPER_LIBRARIES, "blake3", "aeadlab"}
            if library != "cryptopp":
                description = catalogue.find(name).description
                assert description.kind in kinds and description.takes(1 << 30)
                assert description.key_bytes in (0, 16, 32), algorithm
