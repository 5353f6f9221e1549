"""A kernel that crashes during a run fails one case, which the record lists."""

from __future__ import annotations

from typing import Any

ROUNDS = 6


def test_a_crash_in_the_third_sample_fails_one_case(planted: Any) -> None:
    # Its first call is the warm-up.
    crash = {"UNITS": "(call == 3 ? *(volatile uint64_t *)8 : 10)"}
    found = planted.run({"before": {"UNITS": 10}, "crashing": crash, "after": {"UNITS": 10}}, rounds=ROUNDS)
    rows = found.record.samples
    crashing = rows[rows["implementation"] == "crashing/xor-tag"]
    reason = crashing[crashing["order"] < 0]
    assert reason["status"].tolist() == ["failed: the process ended with SIGSEGV"]
    kept = crashing[crashing["order"] >= 0]
    assert kept["round"].tolist() == [-1, 0, 1], "the samples before the crash are kept"
    assert set(kept["status"]) == {"failed: the case failed later"}, "they are excluded from the statistics"
    assert found.of(planted.case("crashing")).empty
    for name in ("before", "after"):
        assert found.of(planted.case(name))["round"].tolist() == list(range(ROUNDS))
    starts = [note for note in found.record.provenance["notes"] if "start" in note]
    assert len(starts) == 2, "the first worker crashed, and a second one took the remaining samples"
