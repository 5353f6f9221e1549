from __future__ import annotations

from pathlib import Path

from aeadlab.records.reading import load_record
from aeadlab.records.storing import store_journal
from tests.fixtures.journals import PROVENANCE, journal, sample, stored


def test_a_record_has_the_refused_implementations(tmp_path: Path) -> None:
    refused = {"gone/aes-256-gcm": "it is absent"}
    path = store_journal(journal(tmp_path, sample(0)), {**PROVENANCE, "refused": refused}, tmp_path).path
    assert load_record(path).refused == refused


def test_a_record_has_the_cores_and_data_caches_of_its_machine(tmp_path: Path) -> None:
    caches = [
        {"level": 1, "type": "data", "size": 32768},
        {"level": 1, "type": "instruction", "size": 65536},
        {"level": 3, "type": "unified", "size": None},
    ]
    machine = {"cpu_count": 4, "cpu_affinity_count": 2, "caches": caches}
    record = store_journal(journal(tmp_path, sample(0)), {**PROVENANCE, "machine": machine}, tmp_path)
    assert (record.cores, record.caches) == (2, {"L1": 32768})
    unknown = load_record(stored(tmp_path / "unknown", sample(0)))
    assert (unknown.cores, unknown.caches, unknown.refused) == (None, {}, {})


def test_repr_lists_medians_and_untimed_cases(tmp_path: Path) -> None:
    refused = {"evil/<b>": "evil/<b> crashes"}
    journalled = journal(tmp_path, *(sample(0, round) for round in range(6)), sample(3, 0), failures={1: "SIGSEGV"})
    record = load_record(store_journal(journalled, {**PROVENANCE, "refused": refused}, tmp_path).path)
    failed = "aeadlab/aes-256-ctr+blake3 open 4096 B parsplit in 1024 B blocks, 2 threads, rayon, keyed"
    assert record.not_timed == {**refused, failed: "SIGSEGV"}
    page = record._repr_html_()
    for part in ("study study, profile tiny, 1 cases, 7 samples", "openssl/aes-256-gcm</th>", "evil/&lt;b&gt; crashes"):
        assert part in page
    assert f"{failed}: SIGSEGV" in page
    first, shared, case, *rest = repr(record).splitlines()
    assert first.startswith(f"<Record {record.path.name}: study study, profile tiny, 1 cases, 7 samples")
    assert shared == "  1 MiB, seal, whole message, 1 thread, keyed"
    assert case == "  openssl/aes-256-gcm  977 GiB/s (977, equal samples)"
    assert rest == ["  not timed: evil/<b> crashes", f"  not timed: {failed}: SIGSEGV"]


def test_repr_without_samples_lists_the_reasons(tmp_path: Path) -> None:
    record = load_record(stored(tmp_path, failures=dict.fromkeys(range(4), "no")))
    assert "no case has a counted sample" in repr(record) and repr(record).count(": no") == 4
    assert "No case has a counted sample" in record._repr_html_()
