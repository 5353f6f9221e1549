"""Every claim of the documents after ETH's, in the world of its document, in another, and where nobody can tell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any

import pytest

from aeadlab import published
from aeadlab.bench.masks import CONTROL
from aeadlab.judgement.claim import Claim, Finding
from aeadlab.judgement.documents import all_claims, netbsd, rust, tor
from aeadlab.judgement.documents.ciphers import NO_AES
from aeadlab.judgement.evaluation import judged
from aeadlab.judgement.evidence import Evidence

Paper = Callable[..., Evidence]
Change = Callable[[Any, float], float]

CLAIMS = [claim for document in ("Tor", "NetBSD", "Ciphers", "Rust") for claim in all_claims()[document]]
BY_NAME = {f"{claim.document} {claim.key}": claim for claim in CLAIMS}
MEASURED = {name: claim for name, claim in BY_NAME.items() if claim.study}
STUDIES = {"Tor": {"cells"}, "NetBSD": {"generators"}, "Ciphers": {"block-ciphers"}}
STUDIES["Rust"] = {"message-sizes", "block-ciphers"}
PARTS_WITHOUT_NUMBERS = {"Summary", "Closing thoughts"}

UNDECIDABLE = {
    "Tor o3-around-openssl": "what calls AES_encrypt is compiled at one level of optimisation here",
    "Tor own-before-old-openssl": "takes OpenSSL 0.9.7, which is not here",
    "Tor own-before-openssl-on-powerpc": "takes a PowerPC G4, and versions 0.9.7 and 0.9.8 of OpenSSL",
    "Tor unrolling-helps-on-powerpc": "takes a PowerPC G4",
    "Tor share-of-time-in-aes": "takes a relay of Tor with much to relay",
    "NetBSD one-branch-more-is-faster": "takes a kernel of NetBSD, with DIAGNOSTIC and without",
    "Ciphers des-over-camellia": "takes DES by itself, which no library of the lab hands out",
    "Ciphers 3des-over-des": "takes DES by itself, which no library of the lab hands out",
}


def slowed(names: str, factor: float, **wanted: Any) -> Change:
    """Cases of these implementations, a pattern, take so many times as long."""

    def change(case: Any, seconds: float) -> float:
        chosen = fnmatchcase(case.name, names) and all(getattr(case, key) == value for key, value in wanted.items())
        return seconds * factor if chosen else seconds

    return change


OTHERWISE: dict[str, Change] = {
    "Tor newer-openssl-faster": slowed(tor.OLDER_EVP, 0.4),
    "Tor o3-helps-everywhere": slowed(tor.own("plain", 3), 1.2),
    "Tor o3-helps-much-somewhere": slowed("rijndael/*-o3", 1.2),
    "Tor counter-optimization-helps": slowed(tor.own("counter-optimization", 2), 1.1),
    "Tor evp-slower": slowed(tor.EVP, 0.3),
    "Tor unrolling-changes-little": slowed(tor.own("full-unroll", 3), 1.4),
    "Tor aes-encrypt-before-own": slowed(tor.LOW_LEVEL, 1.5),
    "Tor saves-at-least": slowed(tor.LOW_LEVEL, 1.5),
    "Tor saves-at-most": slowed(tor.LOW_LEVEL, 2),
    "NetBSD lock-costs": slowed(netbsd.LOCKED, 0.5, block_size=4),
    "NetBSD lock-costs-little-when-long": slowed(netbsd.LOCKED, 1.2, block_size=256, threads=1),
    "NetBSD own-state-before-shared": slowed(netbsd.PER_THREAD, 1.5, block_size=256, threads=1),
    "NetBSD sharing-slower-than-in-turn": slowed(netbsd.LOCKED, 0.3, threads=4),
    "NetBSD own-state-scales": slowed(netbsd.PER_THREAD, 2, threads=4),
    "NetBSD unlocked-nearly-like-hc128": slowed(netbsd.UNLOCKED, 1.3, block_size=4),
    "NetBSD unlocked-worst-at-once": slowed(netbsd.UNLOCKED, 0.1, threads=4),
    "NetBSD unlocked-worse-by-ten": slowed(netbsd.UNLOCKED, 5, threads=4),
    "NetBSD locked-worse-than-own-state": slowed(netbsd.LOCKED, 0.05, threads=4),
    "NetBSD own-state-costs": slowed(netbsd.PER_THREAD, 1.3, block_size=4),
    "NetBSD hc128-faster": slowed(netbsd.HC, 1.5, block_size=4),
    "NetBSD arc4-scales-better": slowed(netbsd.PER_THREAD, 1.5, threads=4),
    "NetBSD arc4-slower-at-once": slowed(netbsd.PER_THREAD, 0.7, threads=4),
    "NetBSD inlining-gains": slowed(netbsd.HC_INLINED, 1.2, block_size=0),
    "Ciphers linear": slowed("openssl/aria-128-cbc", 1.4, bytes=10**9),
    "Ciphers decryption-like-encryption": slowed("openssl/camellia-*", 1.2, op="decrypt"),
    "Ciphers aes-decrypts-slower": slowed("openssl/aes-256-cbc", 0.7, op="decrypt"),
    "Ciphers aes-decryption-by-instructions": slowed("openssl/aes-*", 1.3, op="decrypt", mask=NO_AES),
    "Ciphers aes-far-ahead": slowed("openssl/aes-128-ctr", 10, mask=""),
    "Ciphers aes-by-instructions": slowed("openssl/aes-*", 0.03, mask=NO_AES),
    "Ciphers aes-without-like-others": slowed("openssl/aes-*", 0.3, mask=NO_AES),
    "Ciphers camellia-may-lead": slowed("openssl/aes-*", 0.5, mask=NO_AES),
    "Ciphers aria-slower": slowed("openssl/aria-*", 0.7),
    "Ciphers longer-keys-little-slower": slowed("openssl/*-256-*", 1.4),
    "Ciphers cbc-decryption-no-faster": slowed("openssl/aes-*-cbc", 0.2, op="decrypt"),
    "Ciphers 3des-linear": slowed("openssl/3des-*", 1.5, bytes=10**9),
    "Ciphers 3des-decrypts-faster": slowed("openssl/3des-*", 1.1, op="decrypt"),
    "Ciphers 3des-decryption-like-encryption": slowed("openssl/3des-*", 1.2, op="decrypt"),
    "Ciphers 3des-ecb-before-cbc": slowed("openssl/3des-cbc", 0.9),
    "Ciphers 3des-at-least-five": slowed("openssl/3des-*", 0.8),
    "Ciphers 3des-at-most-ten": slowed("openssl/3des-*", 2),
    "Ciphers 3des-over-camellia": slowed("openssl/3des-ecb", 2),
    "Rust ring-gcm-fastest": slowed(rust.RING_GCM, 2, bytes=10**8),
    "Rust order-at-100-mb": slowed(rust.CHACHA, 0.5, bytes=10**8),
    "Rust xchacha-like-chacha": slowed(rust.XCHACHA, 1.3, bytes=10**8),
    "Rust xchacha-dearer-when-short": slowed(rust.XCHACHA, 0.8, bytes=100),
    "Rust ring-chacha-over-rustcrypto": slowed(rust.RING_CHACHA, 1.5, bytes=10**8),
    "Rust ring-gcm-over-rustcrypto": slowed(rust.RING_GCM, 2, bytes=10**8),
    "Rust rustcrypto-gcm-fastest-when-short": slowed(rust.RUST_GCM, 1.5, bytes=100),
    "Rust ring-chacha-first-when-short": slowed(rust.RING_CHACHA, 1.2, bytes=100),
    "Rust ring-gcm-fastest-from-1-kb": slowed(rust.RING_CHACHA, 0.4, bytes=10**6),
    "Rust bytes-cheaper-in-longer": slowed(rust.RUST_GCM, 1.2, bytes=10**5),
    "Rust speed-ends-growing": slowed(rust.CHACHA, 0.8, bytes=10**7),
    "Rust slower-at-100-mb": slowed(rust.RING_GCM, 0.8, bytes=10**8),
    "Rust gcm-by-instructions": slowed("openssl/aes-256-ctr", 0.01, mask=NO_AES),
    "Rust openssl-gcm-over-chacha": slowed(rust.SYSTEMS_GCM, 1.3, bytes=16384),
    "Rust openssl-gcm-first-at-every-size": slowed(rust.SYSTEMS_GCM, 1.5, bytes=1024),
    "Rust openssl-grows": slowed(rust.SYSTEMS_CHACHA, 1.1, bytes=16384),
    "Rust openssl-chacha-before-ring": slowed(rust.SYSTEMS_CHACHA, 1.5, bytes=10**5),
    "Rust openssl-gcm-like-ring": slowed(rust.SYSTEMS_GCM, 1.3, bytes=10**5),
}
"""Worlds in which a claim that its document bears out does not hold."""

THEREFORE: dict[str, Change] = {
    "Ciphers longer-keys-slower": slowed("openssl/*-256-*", 1.4),
    "Ciphers ecb-fastest": slowed("openssl/*-ecb", 0.9),
    "Ciphers cbc-slowest": slowed("openssl/*-cbc", 1.1),
    "Ciphers cbc-encrypts-much-slower": slowed("openssl/aes-*-cbc", 5, op="encrypt"),
}
"""Worlds in which a claim holds that its document's own table contradicts."""

CONTRADICTED = {*THEREFORE, "Tor o3-helps-everywhere"}
"""The numbers of the last are another computer's than those of the simulated world."""

SAID = {
    "Tor saves-at-least", "Tor saves-at-most", "NetBSD unlocked-worse-by-ten", "NetBSD own-state-costs",
    "NetBSD arc4-slower-at-once", "Ciphers 3des-at-least-five", "Ciphers 3des-at-most-ten",
    "Ciphers 3des-over-camellia", "Rust ring-gcm-fastest", "Tor o3-helps-everywhere",
}  # fmt: skip
"""The published number is in the text, or another computer's, and the table says something else."""

AT_ONCE = [name for name, claim in MEASURED.items() if claim.document == "NetBSD" and "cores" in claim.statement]
MASKED = [
    name for name, claim in MEASURED.items() if "instructions" in claim.measure or "without them" in claim.measure
]


def find(name: str, paper: Paper, **how: Any) -> Finding:
    return judged(BY_NAME[name], paper(BY_NAME[name].study, **how), "a record")


def only(evidence: Evidence, keep: Callable[[Any], Any]) -> Evidence:
    """The same run with some of its samples."""
    return replace(evidence, samples=evidence.samples[keep(evidence.samples)])


def test_every_claim_has_a_name_of_its_own_and_a_study() -> None:
    keys = [claim.key for claims in all_claims().values() for claim in claims]
    assert len(set(keys)) == len(keys)
    assert {name for name, claim in BY_NAME.items() if not claim.study} == set(UNDECIDABLE)
    assert {*OTHERWISE, *THEREFORE} == set(MEASURED)
    for document, studies in STUDIES.items():
        assert {claim.study for claim in CLAIMS if claim.document == document} - {""} == studies


@pytest.mark.parametrize("name", BY_NAME)
def test_places_and_numbers_are_those_of_the_published_data(name: str) -> None:
    claim = BY_NAME[name]
    assert claim.place in {*published.load(claim.document)["place"], *PARTS_WITHOUT_NUMBERS}
    assert claim.statement.format(*claim.printed()).endswith(".")
    assert claim.differs.endswith(".")
    for number in range(len(claim.numbers)):
        assert f"{{{number}}}" in claim.statement


@pytest.mark.parametrize("name", [name for name, claim in BY_NAME.items() if claim.expected])
def test_what_a_document_prints_counts_as_reproduced_unless_it_contradicts_itself(name: str) -> None:
    claim = BY_NAME[name]
    assert claim.expected is not None
    expected = claim.expected(*claim.printed())
    inside = claim.rule(expected).judge(expected, expected) == "reproduced"
    assert inside == (name not in CONTRADICTED)
    assert inside or "Its own" in claim.statement


@pytest.mark.parametrize("name", MEASURED)
def test_in_the_world_of_its_document_a_claim_is_what_the_document_makes_of_it(name: str, paper: Paper) -> None:
    found = find(name, paper)
    assert (found.verdict, found.reason) == ("not reproduced" if name in THEREFORE else "reproduced", "")
    assert found.estimate is not None
    assert found.estimate.low <= found.estimate.value <= found.estimate.high
    # The extremes that claims name are those of the tables.
    if found.published == found.published and name not in SAID:
        assert found.estimate.value == pytest.approx(found.published, rel=0.01)


@pytest.mark.parametrize("name", MEASURED)
def test_in_another_world_it_is_not(name: str, paper: Paper) -> None:
    found = find(name, paper, change={**OTHERWISE, **THEREFORE}[name])
    assert (found.verdict, found.reason) == ("reproduced" if name in THEREFORE else "not reproduced", "")
    assert found.why == ("" if name in THEREFORE else BY_NAME[name].differs)


@pytest.mark.parametrize("name", MEASURED)
def test_what_cannot_be_told_is_inconclusive(name: str, paper: Paper) -> None:
    for how, says in (
        ({"pair": None}, "no A/A pair"),
        ({"pair": 50.0}, "noise"),
    ):
        found = find(name, paper, **how)
        assert found.verdict == "inconclusive"
        assert says in found.reason
    found = judged(BY_NAME[name], paper("compositions"))
    assert (found.verdict, found.estimate) == ("inconclusive", None)
    assert "was not measured as wanted" in found.reason or "threads or more" in found.reason


@pytest.mark.parametrize("name", UNDECIDABLE)
def test_what_no_record_can_decide_says_what_it_would_take(name: str) -> None:
    found = judged(BY_NAME[name], Evidence.nothing())
    assert (found.verdict, found.reason, found.measured) == ("inconclusive", UNDECIDABLE[name], "-")


def test_the_case_that_is_missing_is_named_with_its_length(paper: Paper) -> None:
    evidence = only(paper("message-sizes"), lambda s: s["implementation"].ne(rust.RING_GCM) | s["bytes"].ne(100))
    found = judged(BY_NAME["Rust rustcrypto-gcm-fastest-when-short"], evidence)
    assert found.reason == "ring/aes-256-gcm (whole seal 100 B) was not measured as wanted"
    assert judged(BY_NAME["Rust ring-gcm-fastest"], evidence).verdict == "reproduced"


def test_one_length_says_nothing_of_another(paper: Paper) -> None:
    evidence = only(paper("block-ciphers"), lambda s: s["bytes"].eq(10**9))
    found = judged(BY_NAME["Ciphers linear"], evidence)
    assert found.reason == "openssl/aes-128-ecb was measured with one length, two are wanted"


@pytest.mark.parametrize("name", MASKED)
def test_without_a_control_nothing_is_said_of_what_another_process_measured(name: str, paper: Paper) -> None:
    found = judged(BY_NAME[name], only(paper("block-ciphers"), lambda s: s["mask"].ne(CONTROL)))
    assert (found.verdict, "no A/A pair" in found.reason) == ("inconclusive", True)
    assert find(name, paper, change=slowed("openssl/*", 60, mask=CONTROL)).verdict == "inconclusive"


def test_where_the_instructions_cannot_be_hidden_the_library_says_why(paper: Paper) -> None:
    evidence = paper("block-ciphers")
    samples = evidence.samples.copy()
    hidden = samples["mask"].eq(NO_AES)
    samples.loc[hidden, "status"] = "failed: under mask no-aes: it computes something else"
    found = judged(BY_NAME["Rust gcm-by-instructions"], replace(evidence, samples=samples))
    assert found.reason == "openssl/aes-256-ctr failed: under mask no-aes: it computes something else"
    found = judged(BY_NAME["Rust gcm-by-instructions"], replace(evidence, samples=samples[~hidden]))
    assert found.reason == "openssl/aes-256-ctr (whole encrypt no-aes) was not measured as wanted"


@pytest.mark.parametrize("name", AT_ONCE)
def test_there_are_no_more_streams_than_cores(name: str, paper: Paper) -> None:
    for cores, says in ((1, "2 logical cores or more, this one has 1"), (None, "how many logical cores")):
        found = find(name, paper, cores=cores)
        assert (found.verdict, says in found.reason) == ("inconclusive", True)
    # With two cores it is two streams, whatever four do.
    two = find(name, paper, cores=2)
    assert two.estimate is not None
    assert find(name, paper, cores=2, change=slowed("*", 1000, threads=4)).estimate == two.estimate


def test_scaling_of_four_streams_takes_four_cores(paper: Paper) -> None:
    found = find("NetBSD own-state-scales", paper, cores=2)
    assert found.reason == "takes a machine with 4 logical cores or more, this one has 2"
    assert find("NetBSD own-state-scales", paper, cores=4).verdict == "reproduced"


def test_a_saving_that_is_none_is_below_zero(paper: Paper) -> None:
    claim: Claim = BY_NAME["Tor saves-at-most"]
    found = judged(claim, paper("cells", change=slowed(tor.LOW_LEVEL, 2)))
    assert found.estimate is not None
    assert found.estimate.value == pytest.approx(0.2 * (1 - 9.2 / 7.3), rel=0.02)
    assert found.measured.startswith("\N{MINUS SIGN}5")
