"""The thread counts whose times decide a claim of ETH: a changed time of another count does not change its quantity."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from aeadlab.studies.eth.claims import CLAIMS, CRYPTOPP, OPENSSL, XOR
from aeadlab.verdicts.claim import Finding
from aeadlab.verdicts.evaluation import evaluate
from aeadlab.verdicts.evidence import Evidence
from tests.fixtures.changes import several, slowed
from tests.fixtures.documents import MEMCPY, RAYON, TimedCase

Paper = Callable[..., Evidence]
BY_KEY = {claim.key: claim for claim in CLAIMS}


def find(key: str, paper: Paper, **options: object) -> Finding:
    return evaluate(BY_KEY[key], paper("speedup", **options), "a record")


def value(key: str, paper: Paper, **options: object) -> float:
    estimate = find(key, paper, **options).estimate
    assert estimate is not None
    return estimate.value


@pytest.mark.parametrize(
    ("key", "name", "used", "unused"),
    [
        ("openssl-leads-at-first", CRYPTOPP, 12, 13),
        ("cryptopp-leads-later", OPENSSL, 13, 12),
        ("opening-like-sealing-in-parallel", CRYPTOPP, 2, 1),
        ("cryptopp-fastest-in-parallel", CRYPTOPP, 1, 28),
        ("blake3-in-parallel", RAYON, 25, 28),
        ("bounded-by-memory", MEMCPY, 25, 28),
    ],
)
def test_counts_that_decide(key: str, name: str, used: int, unused: int, paper: Paper) -> None:
    """One run has 25 cores and was measured with up to 64 threads; one count alone is a hundred times as fast."""

    def fast(count: int) -> float:
        return value(key, paper, cores=25, change=slowed(name, 0.01, threads=count, op=sealing_or_digest(name)))

    before = value(key, paper, cores=25)
    assert fast(unused) == pytest.approx(before, rel=1e-9)
    assert abs(fast(used) / before - 1) > 0.5


def sealing_or_digest(name: str) -> str:
    return {MEMCPY: "encrypt", RAYON: "digest"}.get(name, "seal")


def test_gain_beyond_half_of_the_cores_begins_at_the_next_count(paper: Paper) -> None:
    def gain(count: int) -> float:
        return value("little-beyond-half", paper, cores=24, change=slowed("*", 0.01, threads=count))

    assert gain(12) == pytest.approx(1)
    assert gain(13) > 10


@pytest.mark.parametrize(("factor", "expected"), [(1.08, 4), (1.12, 6)])
def test_speed_is_saturated_within_a_tenth_of_the_least_time(factor: float, expected: int, paper: Paper) -> None:
    def times(case: TimedCase, seconds: float) -> float:
        steps = {1: 4.0, 2: 2.0, 4: factor}
        return 0.025 * steps.get(case.threads, 1.0) if (case.name, case.engine) == (XOR, "parsplit") else seconds

    finding = find("xor-ends-early", paper, change=times, jitter=0.0002)
    assert finding.estimate is not None
    assert (finding.estimate.value, finding.estimate.low, finding.estimate.high) == (expected, expected, expected)


@pytest.mark.parametrize(
    ("key", "least"),
    [("xor-ends-early", 16), ("faster-ends-earlier", 8), ("little-beyond-half", 8), ("blake3-in-parallel", 8),
     ("cryptopp-leads-later", 13), ("parsplit-pays", 2), ("rustcrypto-gains-most", 8),
     ("rustcrypto-gains-most-over-whole", 8), ("parsplit-gain-cryptopp", 56)],
)  # fmt: skip
def test_least_number_of_cores_of_a_claim(key: str, least: int, paper: Paper) -> None:
    assert "logical cores, this machine has" not in find(key, paper, cores=least).reason
    too_few = find(key, paper, cores=least - 1)
    assert too_few.reason == f"requires {least} or more logical cores, this machine has {least - 1}"


def test_speed_up_is_that_from_one_thread(paper: Paper) -> None:
    def relative(**columns: object) -> float:
        return value("rustcrypto-gains-most", paper, change=slowed("rustcrypto/*", 2, engine="parsplit", **columns))

    before = value("rustcrypto-gains-most", paper)
    assert relative(threads=1) == pytest.approx(2 * before, rel=0.01)
    assert relative(threads=several) == pytest.approx(before / 2, rel=0.01)
