from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from aeadlab.bench.case import Case
from aeadlab.records.reading import load_record
from aeadlab.records.record import Record
from aeadlab.reporting.answer import answer, finding_lines, write_report
from aeadlab.reporting.answer_table import MAX_LINES, answer_table
from aeadlab.studies.rust.study import AS_LINKED

GIB = 1 << 30
REFERENCE = Path(__file__).parents[2] / "data/records"
GCM, CTR, HASH = "openssl/aes-256-gcm", "openssl/aes-256-ctr", "blake3/blake3"
# The whole messages take the times of the ETH paper; splitting costs 28.9 % and 1 %.
SPLIT = {
    Case(GCM, "seal", GIB): 310_000_000,
    Case(GCM, "seal", GIB, "parsplit", block_size=16 << 10, schedule="dynamic"): 399_600_000,
    Case(GCM, "seal", GIB, "parsplit", block_size=256 << 10, schedule="dynamic"): 313_100_000,
    Case("cryptopp/aes-256-gcm", "seal", GIB): 438_000_000,
    Case("pyca/aes-256-gcm", "seal", GIB, "python"): 620_000_000,
    Case(HASH, "digest", GIB): 155_000_000,
    Case("baseline/memcpy", "encrypt", GIB): 62_000_000,
    Case(GCM, "seal", GIB, replica=1): 310_000_000,
}
AS_PUBLISHED = {
    Case(GCM, "seal", GIB, "parsplit", "rekeyed", block_size=16 << 10, schedule="rayon"): 399_600_000,
    Case(GCM, "seal", GIB, "parsplit", "rekeyed", block_size=16 << 10, schedule="rayon", replica=1): 399_600_000,
}
MakeRecord = Callable[..., Record]


def of_profile(record: Record, name: str = "quick", size: int = GIB) -> Record:
    """Return a record as if it were measured with another profile."""
    plan = record.provenance["plan"]
    profile = {**plan["profile"], "name": name, "bytes": size}
    return Record(record.path, record.samples, {**record.provenance, "plan": {**plan, "profile": profile}})


def columns(lines: list[str], heading: str) -> dict[str, str]:
    """Return a column of a table by the first word of each row."""
    place = lines[1].index(heading)
    return {line.split()[0]: line[: place + len(heading)].split()[-1] for line in lines[2:]}


def test_table_has_speed_share_overhead_and_published_speed(make: MakeRecord) -> None:
    lines = answer_table(make(times=SPLIT))
    assert lines[0] == "1 GiB, 1 thread, keyed"
    assert lines[1].split("  ")[0] == "implementation"
    assert lines[-2:] == [
        "16K %, 256K %: additional time under ParSplit in such blocks, 1 thread",
        "ETH: published GiB/s, 1 GiB on AMD EPYC 7742",
    ]
    rows = lines[1:-2]
    assert [line.split()[0] for line in rows[1:]] == [
        *(GCM, "cryptopp/aes-256-gcm", "pyca/aes-256-gcm", "baseline/memcpy", HASH)
    ], "a row for each whole message; the A/A pair and the cases under ParSplit have none"
    table = ["", *rows]
    assert float(columns(table, "GiB/s")[GCM]) == pytest.approx(1 / 0.31, rel=0.03)
    assert float(columns(table, "% memcpy")[GCM]) == pytest.approx(20, rel=0.03)
    assert float(columns(table, "16K %")[GCM]) == pytest.approx(28.9, abs=2)
    assert float(columns(table, "256K %")[GCM].replace("\N{MINUS SIGN}", "-")) == pytest.approx(1, abs=2)
    published = columns(table, "ETH")
    assert (published[GCM], published["cryptopp/aes-256-gcm"]) == ("3.22", "2.28"), "1 GiB in 310.22 and 437.94 ms"
    assert {published["pyca/aes-256-gcm"], published[HASH]} == {"-"}
    assert columns(table, "16K %")["pyca/aes-256-gcm"] == "-"


def test_many_block_sizes_are_rows(make: MakeRecord) -> None:
    sizes = (4096, 8192, 16384)
    split = {Case(GCM, "seal", GIB, "parsplit", block_size=n, schedule="dynamic"): 350_000_000 for n in sizes}
    lines = answer_table(make(times={Case(GCM, "seal", GIB): 310_000_000, **split}))
    assert [line.split()[1] for line in lines[2:6]] == ["whole", "4", "8", "16"]
    assert "K %" not in lines[1]


def test_more_cases_than_lines_leave_the_fastest_of_each_group(make: MakeRecord) -> None:
    lengths = [64 << n for n in range(6)]
    names = [f"lib{i}/aes-256-gcm" for i in range(8)]
    times = {Case(name, "seal", n): (8 - i) * 100 * n for i, name in enumerate(names) for n in lengths}
    lines = answer_table(make(study="message-sizes", times=times))
    assert len(lines) <= MAX_LINES
    rows = [line for line in lines if line.startswith("lib")]
    assert lines[-1] == f"and {48 - len(rows)} more cases in the report"
    groups: dict[str, list[str]] = {}
    for line in rows:
        name, size, unit, *_ = line.split()
        groups.setdefault(f"{size} {unit}", []).append(name.partition("/")[0])
    assert list(groups) == ["64 B", "128 B", "256 B", "512 B", "1 KiB", "2 KiB"]
    assert all(names[:3] == ["lib7", "lib6", "lib5"] and len(names) <= 4 for names in groups.values())


def test_published_implementations_and_memcpy_are_kept(make: MakeRecord) -> None:
    times = {Case(f"lib{i}/aes-256-gcm", "seal", GIB): 1_000_000 * (i + 1) for i in range(60)}
    others = {
        Case("rustcrypto/aes-256-gcm", "seal", GIB): 900_000_000,
        Case("baseline/memcpy", "encrypt", GIB): 500_000,
    }
    others |= {Case("baseline/xor", "encrypt", GIB): 400_000}
    lines = answer_table(make(times={**times, **others}))
    assert len(lines) == MAX_LINES
    shown = [line.split()[0] for line in lines[2:-2]]
    assert shown == [*(f"lib{i}/aes-256-gcm" for i in range(19)), "rustcrypto/aes-256-gcm", "baseline/memcpy"]
    assert lines[-2] == "and 42 more cases in the report"


def test_cases_as_in_the_rust_document_have_its_numbers(make: MakeRecord) -> None:
    """They are in place with associated data; those of other AEADs are left out as usual."""
    names, sizes = ("ring/aes-256-gcm", "rustcrypto/aes-256-gcm", "aws-lc/aes-256-gcm"), (100, 1000)
    times = {Case(name, "seal", size): 3 * size for name in names for size in sizes}
    times |= {Case(name, "seal", size, **AS_LINKED): 4 * size for name in names for size in sizes}
    lines = answer_table(make(study="message-sizes", times=times))
    assert max(map(len, lines)) <= 80
    numbered = [line.split() for line in lines if "in place" in line and "/" in line]
    assert {row[0] for row in numbered} == {*names[:2]} and len(numbered) == 4
    assert lines[-1].startswith("Rust: published GiB/s") and "and 2 more cases in the report" in lines
    ring = next(row for row in numbered if row[0] == names[0] and "100" in row)
    assert "0.434" in ring, "100 bytes in 214.48 ns"


@pytest.mark.parametrize("study", ["baselines", "compositions", "cells"])
def test_reference_records_are_answered_in_25_lines_and_80_columns(study: str) -> None:
    (path,) = REFERENCE.glob(f"{study}-*.parquet")
    lines = answer_table(load_record(path))
    assert len(lines) <= MAX_LINES
    assert max(map(len, lines)) <= 80


def test_a_record_without_samples_has_a_sentence(make: MakeRecord) -> None:
    record = make(times={Case(GCM, "seal", GIB): 1000})
    record = Record(record.path, record.samples[record.samples["warmup"]], record.provenance)
    assert answer_table(record) == ["no case has a counted sample"]


def test_findings_are_sentences_with_verdicts(make: MakeRecord) -> None:
    record = of_profile(make(times=SPLIT | AS_PUBLISHED, notes=[{"start": 4e9, "pid": 7}]))
    first, *rest = finding_lines([record])
    assert first.startswith("16 claims: ") and " reproduced" in first and first.endswith(" inconclusive.")
    text = " ".join(" ".join(rest).split())
    assert len(rest) <= 3
    assert (
        "Reproduced (ETH): Splitting the message costs OpenSSL around 28.8 % of time in one thread; "
        "time under ParSplit as published over time of the whole message: +2"
    ) in text
    basis = r"\(6 processes, 12 rounds; margin [\d.]+ %(; p = \S+, corrected \S+)?\)"
    assert re.search(rf"{basis}, published \+28.8 %\.", text)
    assert max(len(line) for entry in rest for line in entry.splitlines()) <= 80


def test_inconclusive_findings_are_one_sentence_with_the_reason(record: Record) -> None:
    (sentence,) = finding_lines([record])
    assert " ".join(sentence.split()) == (
        "All 16 claims are inconclusive: measured with profile smoke, which supports no conclusion."
    )


def test_a_study_without_claims_has_the_main_results(make: MakeRecord) -> None:
    lines = finding_lines([make(study="memory")])
    assert lines[0].startswith("Fastest aead: openssl/aes-256-gcm at ")
    assert len(lines) == 3 and not any("<" in line for line in lines)


def test_the_report_is_beside_the_record(record: Record) -> None:
    path = write_report(record)
    assert path == record.path.with_suffix(".html")
    assert path.read_text().startswith("<!DOCTYPE html>")
    assert write_report(record) == path, "it is replaced"


def test_masked_cases_have_their_speed_relative_to_unmasked_ones(make: MakeRecord) -> None:
    times: Mapping[Case, Any] = {
        Case(CTR, "encrypt", GIB): 100_000_000,
        Case(CTR, "encrypt", GIB, mask="zen2"): 400_000_000,
        Case(CTR, "encrypt", GIB, mask="nothing"): 100_000_000,
    }
    lines = answer(make(study="memory", times=times)).splitlines()
    assert lines[1].split() == ["implementation", "mask", "GiB/s", "of", "unmasked", "time"]
    (masked,) = (line for line in lines if "zen2" in line)
    assert masked[: lines[1].index("unmasked") + len("unmasked")].split()[-1] == "0.25"
    assert not any(" nothing " in line for line in lines[1:4]), "the control is left out"


COPIES = {
    Case("baseline/copy", "encrypt", GIB): 80_000_000,
    Case("baseline/copy-stream", "encrypt", GIB): 50_000_000,
}
OWN = "aeadlab/aes-256-gcm"
IN_PLACE = {
    Case(GCM, "seal", GIB, placement="in-place"): 300_000_000,
    Case("baseline/xor", "encrypt", GIB, placement="in-place"): 60_000_000,
}


@pytest.mark.parametrize(
    ("more", "note", "shares"),
    [
        ({}, "copy (ordinary stores)", {GCM: 25.8}),
        (
            {Case(OWN, "seal", GIB): 100_000_000},
            f"copy (ordinary stores) or copy-stream (streaming stores, for {OWN})",
            {GCM: 25.8, OWN: 50},
        ),
    ],
)
def test_table_names_the_limit_and_keeps_the_share_of_memcpy(
    make: MakeRecord, more: dict[Case, int], note: str, shares: dict[str, float]
) -> None:
    times = {Case(GCM, "seal", GIB): 310_000_000, Case("baseline/memcpy", "encrypt", GIB): 62_000_000, **COPIES, **more}
    lines = answer_table(make(times=times))
    assert " ".join(map(str.strip, lines)).endswith(f"% limit: of the speed of {note}")
    table = ["", *(line for line in lines if "/" in line.split()[0] or line.startswith("implementation"))]
    limits = columns(table, "% limit")
    for name, share in shares.items():
        assert float(limits[name]) == pytest.approx(share, rel=0.03)
    memcpy = columns(table, "% memcpy")
    assert float(memcpy[GCM]) == pytest.approx(20, rel=0.03)
    assert float(memcpy["baseline/copy"]) == pytest.approx(77.5, rel=0.03)
    assert {limits[case.implementation] for case in COPIES} | {limits["baseline/memcpy"]} == {"-"}


def test_without_the_copies_the_only_limit_is_memcpy(make: MakeRecord) -> None:
    lines = answer_table(make(times={**SPLIT, **IN_PLACE}))
    assert "% memcpy" in "\n".join(lines) and "% limit" not in "\n".join(lines)
    lines = answer_table(make(study="other", times={**SPLIT, **IN_PLACE, **COPIES}))
    assert "% limit: of the speed of copy (ordinary stores) or xor (in place)" in " ".join(lines)
