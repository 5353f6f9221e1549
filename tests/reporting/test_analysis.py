from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import pytest

from aeadlab import paths, stats
from aeadlab.bench.case import Case
from aeadlab.host.doctor import findings
from aeadlab.records.lookup import stored_records
from aeadlab.records.reading import load_record
from aeadlab.records.record import Record
from aeadlab.reporting import analysis as module
from aeadlab.reporting.analysis import RUN_FINDINGS, Analysis

MakeRecord = Callable[..., Record]
MIB = 1 << 20
SEAL = Case("openssl/aes-256-gcm", "seal", MIB)


def test_each_case_has_summary_share_and_samples(record: Record) -> None:
    analysis = Analysis(record)
    assert len(analysis.cases) == 6
    expected = stats.summary(record.samples)
    assert analysis.cases[expected.columns].equals(expected)
    assert analysis.cases["share"].notna().sum() == 5
    for case, row in analysis.cases.iterrows():
        samples = analysis.samples_of(int(str(case)))
        assert set(samples["implementation"]) == {row["implementation"]}
        assert len(samples) == row["n"] == 12
        assert samples["seconds"].median() == row["median"]


def test_leader_lists_its_indistinguishable_rivals(make: MakeRecord) -> None:
    # The second arm of the A/A pair is neither a leader nor a rival.
    times = {SEAL: 60_000, replace(SEAL, replica=1): 59_000}
    times |= {Case(f"{name}/aes-256-gcm", "seal", MIB): ns for name, ns in (("ring", 60_100), ("rustcrypto", 250_000))}
    # These are faster, but with another operation or size.
    times |= {Case("openssl/aes-256-gcm", "open", MIB): 30_000, Case("ring/aes-256-gcm", "seal", 4096): 300}
    times[Case("baseline/memcpy", "encrypt", MIB)] = 20_000
    (leader,) = Analysis(make(times=times)).leaders
    assert (leader.kind, leader.rivals) == ("aead", 2)
    assert (leader.row["op"], leader.row["bytes"], leader.row["replica"]) == ("seal", MIB, 0)
    assert {leader.row["implementation"], *leader.indistinguishable} == {"openssl/aes-256-gcm", "ring/aes-256-gcm"}


def test_cold_or_masked_cases_do_not_lead(make: MakeRecord) -> None:
    times = {SEAL: 60_000, Case("ring/aes-256-gcm", "seal", MIB, cache="cold"): 30_000}
    times[Case("ring/aes-256-gcm", "seal", MIB, mask="vaes")] = 20_000
    (leader,) = Analysis(make(times=times)).leaders
    assert (leader.row["implementation"], leader.rivals) == ("openssl/aes-256-gcm", 0)


def test_nothing_is_distinguishable_with_fewer_than_three_processes(make: MakeRecord) -> None:
    times = {SEAL: 60_000, Case("rustcrypto/aes-256-gcm", "seal", MIB): 250_000}
    few, enough = (Analysis(make(f"of-{rounds}", times, rounds=rounds)) for rounds in (4, 6))
    assert (few.noise.pairs, few.noise.high) == (0, pytest.approx(1.01))
    assert few.leaders[0].indistinguishable == ("rustcrypto/aes-256-gcm",)
    assert enough.leaders[0].indistinguishable == ()


def test_groups_failures_by_implementation_and_reason(make: MakeRecord) -> None:
    analysis = Analysis(make(failures={1: "SIGSEGV", 0: "wrong answer", 2: "wrong answer"}))
    assert [(f.implementation, f.reason, f.cases) for f in analysis.failures] == [
        ("openssl/aes-256-gcm", "wrong answer", 2),
        ("rustcrypto/aes-256-gcm", "SIGSEGV", 1),
    ]
    assert analysis.failures[0].first == SEAL.label
    assert len(analysis.cases) == 3
    assert analysis.unmeasured == []


def test_lists_planned_cases_without_a_sample(make: MakeRecord) -> None:
    record = make()
    samples = record.samples[record.samples["implementation"] != "blake3/blake3"]
    analysis = Analysis(replace(record, samples=samples))
    assert analysis.unmeasured == [Case("blake3/blake3", "digest", MIB).label]


def test_separates_common_flags_from_those_of_cases(make: MakeRecord) -> None:
    analysis = Analysis(make(quality=["!load"], changes={0: {"involuntary_switches": 1}}))
    assert analysis.common_flags == ["!load"]
    counts = {
        tuple(row[["implementation", "op", "replica"]]): analysis.flags_of(i) for i, row in analysis.cases.iterrows()
    }
    assert counts.pop(("openssl/aes-256-gcm", "seal", 0)) == {"preempted": 12}
    assert set(map(len, counts.values())) == {0}


def test_lists_the_fastest_of_each_kind_of_many_cases(make: MakeRecord, monkeypatch: pytest.MonkeyPatch) -> None:
    record = make()
    assert {kind: len(rows) for kind, rows in Analysis(record).listed.items()} == {"aead": 4, "cipher": 1, "hash": 1}
    aeads = Analysis(record).listed["aead"]
    assert aeads["op"].tolist() == ["seal", "seal", "seal", "open"]
    assert aeads["median"][:3].is_monotonic_increasing
    monkeypatch.setattr(module, "MAX_CASES", 5)
    analysis = Analysis(record)
    (fastest,) = analysis.listed["aead"].index
    assert analysis.cases["gib_per_s"][fastest] == analysis.cases.query("kind == 'aead'")["gib_per_s"].max()
    assert len(analysis.modes) == 3


def test_run_findings_keep_the_level_of_the_run(make: MakeRecord) -> None:
    busy = {"load_avg_1min": 9.0, "cpu_count": 2, "cpu_turbo": True}
    (load,) = (f for f in findings(busy) if f.name == "load")
    assert load.level == "critical"

    record = make(machine=busy)

    def level(name: str, flags: list[str] | None) -> str:
        analysis = Analysis(replace(record, provenance={**record.provenance, "quality": flags}))
        (finding,) = (finding for finding in analysis.findings if finding.name == name)
        return finding.level

    # After a run the load is caused by the run itself, so only the flag counts.
    assert level("load", ["turbo"]) == "info"
    assert level("load", ["load"]) == "warning"
    assert level("load", ["!load"]) == "critical"
    assert level("load", None) == "critical"
    # Other findings are derived from the stored facts, without the flags.
    assert level("turbo", []) == "warning"


def test_run_findings_are_names_of_findings() -> None:
    assert set(RUN_FINDINGS) < {finding.name for finding in findings({})}


@pytest.mark.parametrize("largest", ["samples", "cases"])
def test_all_statistics_of_the_largest_reference_record_take_at_most_5_s(largest: str) -> None:
    records = [load_record(path) for path in stored_records(folders=[paths.reference_records()])]
    size = {"samples": len, "cases": lambda samples: samples["implementation"].nunique()}[largest]
    record = max(records, key=lambda each: size(each.samples))
    analysis = Analysis(record)
    # CPU time, which other programs do not lengthen.
    start = time.process_time()
    assert len(analysis.cases) > 300
    assert analysis.leaders and analysis.noise.pairs and len(analysis.modes) == len(analysis.cases)
    stats.medians(record.samples)
    stats.mask_ratios(record.samples)
    assert stats.disturbed(record.samples).any()
    assert time.process_time() - start < 5
