from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from aeadlab import stats
from aeadlab.bench.case import Case
from aeadlab.doctor import findings
from aeadlab.records import Record
from aeadlab.reporting import digest as module
from aeadlab.reporting.digest import OF_THE_RUN, Digest

MakeRecord = Callable[..., Record]
MIB = 1 << 20
SEAL = Case("openssl/aes-256-gcm", "seal", MIB)


def test_each_case_has_its_summary_its_share_and_its_own_samples(record: Record) -> None:
    digest = Digest(record)
    assert len(digest.cases) == 6
    expected = stats.summary(record.samples)
    assert digest.cases[expected.columns].equals(expected)
    assert digest.cases["share"].notna().sum() == 5
    for case, row in digest.cases.iterrows():
        samples = digest.samples_of(int(str(case)))
        assert set(samples["implementation"]) == {row["implementation"]}
        assert len(samples) == row["n"] == 12
        assert samples["seconds"].median() == row["median"]


def test_the_fastest_of_each_kind_is_said_with_those_that_it_is_not_told_from(make: MakeRecord) -> None:
    # The second arm of the A/A pair is no rival, and does not lead.
    times = {SEAL: 60_000, replace(SEAL, replica=1): 59_000}
    times |= {Case(f"{name}/aes-256-gcm", "seal", MIB): ns for name, ns in (("ring", 60_100), ("rustcrypto", 250_000))}
    # Faster, but not alike: it opens, and another moves fewer bytes.
    times |= {Case("openssl/aes-256-gcm", "open", MIB): 30_000, Case("ring/aes-256-gcm", "seal", 4096): 300}
    times[Case("baseline/memcpy", "encrypt", MIB)] = 20_000
    (leader,) = Digest(make(times=times)).leaders
    assert (leader.kind, leader.rivals) == ("aead", 2)
    assert (leader.row["op"], leader.row["bytes"], leader.row["replica"]) == ("seal", MIB, 0)
    assert {leader.row["implementation"], *leader.untold} == {"openssl/aes-256-gcm", "ring/aes-256-gcm"}


def test_what_was_slowed_down_on_purpose_does_not_lead(make: MakeRecord) -> None:
    times = {SEAL: 60_000, Case("ring/aes-256-gcm", "seal", MIB, cache="cold"): 30_000}
    times[Case("ring/aes-256-gcm", "seal", MIB, mask="vaes")] = 20_000
    (leader,) = Digest(make(times=times)).leaders
    assert (leader.row["implementation"], leader.rivals) == ("openssl/aes-256-gcm", 0)


def test_without_an_aa_pair_or_with_few_rounds_nothing_is_told_apart(make: MakeRecord) -> None:
    times = {SEAL: 60_000, Case("rustcrypto/aes-256-gcm", "seal", MIB): 250_000}
    assert Digest(make(times=times)).noise is None
    few = Digest(make("few", {**times, replace(SEAL, replica=1): 60_000}, rounds=3))
    assert few.noise is None
    assert few.leaders[0].untold == ("rustcrypto/aes-256-gcm",)


def test_failures_of_one_reason_are_one_and_their_samples_do_not_count(make: MakeRecord) -> None:
    digest = Digest(make(failures={1: "SIGSEGV", 0: "wrong answer", 2: "wrong answer"}))
    assert [(f.implementation, f.reason, f.cases) for f in digest.failures] == [
        ("openssl/aes-256-gcm", "wrong answer", 2),
        ("rustcrypto/aes-256-gcm", "SIGSEGV", 1),
    ]
    assert digest.failures[0].first == SEAL.label
    assert len(digest.cases) == 3
    assert digest.unmeasured == []


def test_planned_cases_without_a_sample_are_missed(make: MakeRecord) -> None:
    record = make()
    samples = record.samples[record.samples["implementation"] != "blake3/blake3"]
    digest = Digest(replace(record, samples=samples))
    assert digest.unmeasured == [Case("blake3/blake3", "digest", MIB).label]


def test_flags_of_the_run_are_told_from_those_of_a_case(make: MakeRecord) -> None:
    digest = Digest(make(quality=["!load"], changes={0: {"involuntary_switches": 1}}))
    assert digest.common_flags == ["!load"]
    counts = {tuple(row[["implementation", "op", "replica"]]): digest.flags_of(i) for i, row in digest.cases.iterrows()}
    assert counts.pop(("openssl/aes-256-gcm", "seal", 0)) == {"preempted": 12}
    assert set(map(len, counts.values())) == {0}


def test_of_very_many_cases_the_fastest_of_each_kind_are_listed(
    make: MakeRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = make()
    assert {kind: len(rows) for kind, rows in Digest(record).listed.items()} == {"aead": 4, "cipher": 1, "hash": 1}
    aeads = Digest(record).listed["aead"]
    assert aeads["op"].tolist() == ["seal", "seal", "seal", "open"]
    assert aeads["median"][:3].is_monotonic_increasing
    monkeypatch.setattr(module, "MOST_CASES", 5)
    digest = Digest(record)
    (fastest,) = digest.listed["aead"].index
    assert digest.cases["gib_per_s"][fastest] == digest.cases.query("kind == 'aead'")["gib_per_s"].max()
    assert len(digest.steadiness) == 3


def test_what_was_judged_over_the_run_keeps_its_level(make: MakeRecord) -> None:
    busy = {"load_avg_1min": 9.0, "cpu_count": 2, "cpu_turbo": True}
    (load,) = (f for f in findings(busy) if f.name == "load")
    assert load.level == "critical"

    record = make(machine=busy)

    def level(name: str, flags: list[str] | None) -> str:
        digest = Digest(replace(record, provenance={**record.provenance, "quality": flags}))
        (found,) = (finding for finding in digest.findings if finding.name == name)
        return found.level

    # After a run the load is the run's own: only what was flagged counts.
    assert level("load", ["turbo"]) == "info"
    assert level("load", ["load"]) == "warning"
    assert level("load", ["!load"]) == "critical"
    assert level("load", None) == "critical"
    # Facts that a run does not change are judged as they are, whatever an older doctor knew of them.
    assert level("turbo", []) == "warning"


def test_what_is_judged_over_a_run_are_names_that_the_doctor_gives() -> None:
    assert set(OF_THE_RUN) < {finding.name for finding in findings({})}
