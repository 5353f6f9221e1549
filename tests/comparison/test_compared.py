from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import aeadlab
from aeadlab.comparison import Compared, compare
from aeadlab.comparison.text import compared_text
from aeadlab.errors import ArgumentError, RecordError, UnknownNameError
from aeadlab.records.reading import load_record, provenance_of
from tests.fixtures.journals import rewritten

WriteRecord = Callable[..., Path]
OLD, NEW = "20260101T000000Z", "20260102T000000Z"
OPENSSL, RING = "openssl/aes-256-gcm", "ring/aes-256-gcm"


def verdicts(compared: Compared) -> dict[str, set[str]]:
    return {str(name): set(rows["verdict"]) for name, rows in compared.table.groupby("implementation")}


def test_runs_of_the_same_code_do_not_differ(write_record: WriteRecord) -> None:
    result = compare(write_record(OLD), write_record(NEW))
    assert result.counts() == {"slower": 0, "faster": 0, "no credible difference": 10}
    assert result.table["ratio"].between(0.97, 1.03).all()
    assert result.warnings == ()
    assert "not interleaved" in result.how
    assert result.unmatched.empty


def test_slower_and_faster_rows_come_first(write_record: WriteRecord) -> None:
    result = compare(write_record(OLD), write_record(NEW, factors={OPENSSL: 1.05, RING: 0.9}))
    assert verdicts(result) == {
        "baseline/memcpy": {"no credible difference"}, OPENSSL: {"slower"}, RING: {"faster"}
    }  # fmt: skip
    assert result.table["verdict"].tolist() == ["slower"] * 4 + ["faster"] * 4 + ["no credible difference"] * 2
    assert result.table["ratio"][:4].tolist() == pytest.approx([1.05] * 4, rel=0.02)
    assert (result.table["seconds_b"] / result.table["seconds_a"]).tolist() == pytest.approx(
        result.table["ratio"].tolist(), rel=0.01
    )
    assert set(result.table["processes_a"]) == {10} and set(result.table["rounds_b"]) == {30}


def test_swapping_the_sides_inverts_the_ratios(write_record: WriteRecord) -> None:
    a, b = write_record(OLD), write_record(NEW, factors={OPENSSL: 1.2})
    keys = ["implementation", "op", "bytes"]
    there, back = (result.table.set_index(keys).sort_index() for result in (compare(a, b), compare(b, a)))
    assert (there["ratio"] * back["ratio"]).tolist() == pytest.approx([1.0] * len(there))
    assert (there["low"] * back["high"]).tolist() == pytest.approx([1.0] * len(there))


def test_attributes_a_shift_of_the_baselines_to_the_machine(write_record: WriteRecord) -> None:
    everything = dict.fromkeys(("baseline/memcpy", OPENSSL, RING), 1.25)
    result = compare(write_record(OLD), write_record(NEW, factors=everything))
    assert result.counts()["slower"] == 0
    assert "baselines' shift 2" in result.how
    assert result.table["noise_high"].gt(1.18).all()


def test_without_baselines_uses_the_shift_of_all_rows(write_record: WriteRecord) -> None:
    names = (OPENSSL, RING, "boringssl/aes-256-gcm")
    old = write_record(OLD, names=names)
    everything = compare(old, write_record(NEW, names=names, factors=dict.fromkeys(names, 1.2)))
    assert set(everything.table["verdict"]) == {"no credible difference"}
    assert any("no baseline" in text for text in everything.warnings)
    one = compare(old, write_record("20260103T000000Z", names=names, factors={OPENSSL: 1.2}))
    assert verdicts(one)[OPENSSL] == {"slower"}
    assert verdicts(one)[RING] == {"no credible difference"}


@pytest.mark.parametrize(
    ("sources", "verdict"), [(("1", "2"), "slower"), (("1", "1"), "no credible difference")], ids=["other", "same"]
)
def test_parsplit_is_a_baseline_only_with_unchanged_code(
    write_record: WriteRecord, sources: tuple[str, str], verdict: str
) -> None:
    sides = []
    for stamp, source, factor in zip((OLD, NEW), sources, (1.0, 1.2), strict=True):
        record = load_record(write_record(stamp, extension={"sources": source}))
        split = record.samples["bytes"] == 1 << 20
        record.samples.loc[split, "engine"] = "parsplit"
        record.samples.loc[split, "seconds"] *= factor
        sides.append(record)
    result = compare(*sides)
    assert {str(engine): set(rows["verdict"]) for engine, rows in result.table.groupby("engine")} == {
        "parsplit": {verdict}, "whole": {"no credible difference"}
    }  # fmt: skip


@pytest.mark.parametrize("processes", [1, 2])
def test_fewer_than_three_processes_report_no_difference(write_record: WriteRecord, processes: int) -> None:
    old = write_record(OLD, processes=processes)
    result = compare(old, write_record(NEW, factors={OPENSSL: 1.1, RING: 2.0}))
    assert set.union(*verdicts(result).values()) == {"no credible difference"}
    assert any("all rows have a side with fewer than 3 processes" in text for text in result.warnings)


def test_uses_the_larger_of_both_noise_floors(write_record: WriteRecord) -> None:
    old, new = (load_record(write_record(stamp)) for stamp in (OLD, NEW))
    new.samples.loc[new.samples["replica"] == 1, "seconds"] *= 1.5
    for a, b in ((old, new), (new, old)):
        result = compare(a, b)
        assert result.table["noise_high"].between(1.49, 1.53).all()
        assert result.table["noise_low"].tolist() == pytest.approx((1 / result.table["noise_high"]).tolist())


def test_a_smaller_bias_of_the_other_record_does_not_replace_the_larger_one(write_record: WriteRecord) -> None:
    sides = [load_record(write_record(stamp)) for stamp in (OLD, NEW)]
    for record, factor in zip(sides, (1.5, 1.2), strict=True):
        record.samples.loc[record.samples["replica"] == 1, "seconds"] *= factor
    for pair in (sides, sides[::-1]):
        result = compare(*pair)
        assert result.table["noise_high"].between(1.49, 1.53).all()
        assert "bias between A/A arms of A" in result.how and "bias between A/A arms of B" in result.how


def test_a_shift_of_short_baselines_does_not_judge_long_messages(write_record: WriteRecord) -> None:
    old, new = (load_record(write_record(stamp)) for stamp in (OLD, NEW))
    sizes = sorted(new.samples["bytes"].unique())
    memcpy = new.samples["implementation"].eq("baseline/memcpy") & new.samples["bytes"].eq(sizes[0])
    new.samples.loc[memcpy, "seconds"] *= 1.4
    noise = compare(old, new).table.groupby("bytes")["noise_high"].max()
    assert noise[sizes[0]] > 1.35 and noise[sizes[-1]] < 1.05


def test_lists_unmatched_cases_with_their_reasons(write_record: WriteRecord) -> None:
    old = write_record(OLD, failures={2: "SIGSEGV"})
    new = write_record(NEW, names=("baseline/memcpy", OPENSSL), refused={RING: "it is absent"})
    result = compare(old, new)
    assert len(result.table) == 5
    only = result.unmatched[["implementation", "op", "bytes", "only", "why"]].to_numpy().tolist()
    assert [OPENSSL, "seal", 4096, "A", "failed: SIGSEGV"] in only
    assert [OPENSSL, "seal", 4096, "B", "A: failed: SIGSEGV"] in only
    assert [row[4] for row in only if row[0] == RING] == ["not timed in B: it is absent"] * 4
    assert len(only) == 6


def test_excludes_unverified_implementations(write_record: WriteRecord) -> None:
    bad = {"ok": False, "checks": []}
    good = {"ok": True, "checks": []}
    verified = {"baseline/memcpy": good, OPENSSL: good, RING: bad}
    old = write_record(OLD, verified=verified)
    result = compare(old, write_record(NEW))
    assert RING not in set(result.table["implementation"])
    why = result.unmatched[result.unmatched["implementation"] == RING].groupby("only")["why"].unique()
    assert {side: list(texts) for side, texts in why.items()} == {
        "A": ["not verified in A"],
        "B": ["not verified in A"],
    }
    assert any(text.startswith("verified by different checks") for text in result.warnings)
    with pytest.raises(ArgumentError, match=f"{RING} was not verified in study-{OLD}"):
        compare(OPENSSL, RING, record=old)


@pytest.mark.parametrize(
    ("changes", "warning"),
    [
        (
            {"machine": {"cpu_model_name": "Other CPU", "cpu_affinity": "0-1"}},
            "different machines: CPU Test CPU -> Oth",
        ),
        ({"machine": {"cpu_count": 64}}, "different machines: CPUs 2 -> 64"),
        ({"machine": {"cpu_affinity": "1"}}, "different machine settings: CPU affinity 0-1 -> 1"),
        ({"size": 1 << 21}, "different profiles: large messages of 1048576 and 2097152 bytes"),
        ({"quality": ["!load", "aslr"]}, "B: measured under critical conditions: load"),
        ({"commit": {"id": "f" * 40, "dirty": True}}, "B was measured with uncommitted changes"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_warns_about_different_conditions(write_record: WriteRecord, changes: dict[str, Any], warning: str) -> None:
    result = compare(write_record(OLD), write_record(NEW, **changes))
    assert [text for text in result.warnings if text.startswith(warning)], result.warnings


def test_a_shift_between_machines_is_not_noise(write_record: WriteRecord) -> None:
    everything = dict.fromkeys(("baseline/memcpy", OPENSSL, RING), 2.0)
    result = compare(write_record(OLD), write_record(NEW, factors=everything, machine={"cpu_model_name": "Slow"}))
    assert result.machines == 2
    assert result.counts()["slower"] == 10


def test_notes_the_other_differences(write_record: WriteRecord) -> None:
    baseline = {"kind": "aead", "version": "1.0", "flags": ["baseline"]}
    new = {
        "baseline/memcpy": baseline,
        OPENSSL: {"kind": "aead", "version": "2.0", "flags": []},
        RING: {"kind": "aead", "version": "1.0", "flags": []},
    }
    result = compare(write_record(OLD), write_record(NEW, implementations=new))
    assert result.notes == (f"versions: {OPENSSL} 1.0 -> 2.0",)
    sources = {"extension": {"sources": "s"}}
    same = compare(write_record(OLD, study="x", **sources), write_record("20260103T000000Z", **sources))
    assert same.notes[0] == "study x -> study"
    assert same.notes[1].startswith("both runs used the same compiled code")


def test_pairs_two_implementations_by_round(write_record: WriteRecord) -> None:
    record = load_record(write_record(factors={RING: 1.04}))
    slow_round = record.samples["round"] % 3 == 0
    record.samples.loc[slow_round, "seconds"] *= 5
    result = compare(OPENSSL, RING, record=record)
    assert result.table["verdict"].tolist() == ["slower"] * 4
    assert result.table["ratio"].tolist() == pytest.approx([1.04] * 4, rel=0.01)
    assert result.table["low"].gt(1.02).all() and result.table["high"].lt(1.06).all()
    assert result.how.startswith("Paired by round, 10 processes, 30 rounds. Noise floor: 1.0% (preset margin 1.0%).")
    assert "implementation" not in result.table.columns


def test_compares_implementations_of_the_latest_record(write_record: WriteRecord) -> None:
    write_record(OLD, factors={RING: 2.0})
    write_record(NEW, factors={RING: 0.5})
    write_record("20260103T000000Z", study="other")
    assert set(compare(OPENSSL, RING, study="study").table["verdict"]) == {"faster"}
    result = compare(OPENSSL, RING)
    assert "other-20260103" in result.a and "the latest of study other" in result.a
    assert set(result.table["verdict"]) == {"no credible difference"}


def test_lists_unmatched_cases_of_implementations(write_record: WriteRecord) -> None:
    path = write_record(failures={6: "SIGFPE"})
    result = compare(OPENSSL, RING, record=path)
    assert len(result.table) == 3
    assert result.unmatched[["implementation", "only", "why"]].to_numpy().tolist() == [
        [OPENSSL, OPENSSL, f"{RING}: failed: SIGFPE"],
        [RING, RING, "failed: SIGFPE"],
    ]


def test_few_rounds_give_no_credible_difference(write_record: WriteRecord) -> None:
    short = {"rounds": 4, "processes": 1}
    result = compare(write_record(OLD, **short), write_record(NEW, factors={OPENSSL: 9.0}, **short))
    assert set(result.table["verdict"]) == {"no credible difference"}
    paired = compare(OPENSSL, RING, record=write_record("20260105T000000Z", factors={RING: 9.0}, **short))
    assert set(paired.table["verdict"]) == {"no credible difference"}


def test_rejects_missing_records(write_record: WriteRecord, tmp_path: Path) -> None:
    path = write_record()
    with pytest.raises(RecordError, match="there is no record nothing.parquet"):
        compare(path, "nothing.parquet")
    with pytest.raises(RecordError, match=f"there is no record {tmp_path / 'x'}"):
        compare(path, tmp_path / "x")
    with pytest.raises(RecordError, match="no previous record of study study .*it has 1 of your own, at least 2"):
        compare("previous", "latest")
    with pytest.raises(RecordError, match="no latest record of study cells .*; `aeadlab measure cells` makes one"):
        compare(path, "latest", study="cells")


def test_rejects_a_record_compared_with_itself(write_record: WriteRecord, tmp_path: Path) -> None:
    path = write_record()
    copy = tmp_path / "copy.parquet"
    copy.write_bytes(path.read_bytes())
    for other in (path, str(path), "latest", copy, load_record(copy)):
        with pytest.raises(ArgumentError, match=r"both sides are one record, study-.*: name two runs, or two"):
            compare(path, other)
    with pytest.raises(ArgumentError, match=f"{RING} is compared with itself"):
        compare(RING, RING, record=path)


def test_rejects_sides_without_a_common_case(write_record: WriteRecord) -> None:
    old, new = write_record(OLD, names=("baseline/memcpy", OPENSSL)), write_record(NEW, names=(RING,))
    with pytest.raises(ArgumentError, match=f"no verified case in common: implementation is .*{OPENSSL} .*{RING}"):
        compare(old, new)
    with pytest.raises(
        ArgumentError, match="have no case in common in study-.*: op is encrypt on one side and open, se"
    ):
        compare("baseline/memcpy", OPENSSL, record=old)


def test_a_record_without_an_aa_pair_has_the_preset_margin(write_record: WriteRecord) -> None:
    record = write_record(noise_pair=False, factors={RING: 1.005})
    result = compare(OPENSSL, RING, record=record)
    assert set(result.table["verdict"]) == {"no credible difference"}
    assert result.table["noise_high"].tolist() == pytest.approx([1.01] * 4)


def test_rejects_another_schema_version(write_record: WriteRecord) -> None:
    old, new = write_record(OLD), write_record(NEW, schema=99)
    with pytest.raises(RecordError, match=f"{new} .*it has schema version 99, this aeadlab reads"):
        compare(old, new)
    with pytest.raises(RecordError, match="schema version 99"):
        compare("previous", "latest")


def test_rejects_a_damaged_record(write_record: WriteRecord) -> None:
    old, new = write_record(OLD), write_record(NEW)
    new.write_bytes(new.read_bytes()[:500])
    with pytest.raises(RecordError, match=f"{new} is damaged or not a Parquet file"):
        compare(old, new)


def test_rejects_unknown_names(write_record: WriteRecord) -> None:
    path = write_record(refused={"ring/aes-128-gcm": "it is absent"})
    with pytest.raises(
        UnknownNameError, match="'nonsense' is no record, no git revision of this repository and no imp"
    ):
        compare(path, "nonsense")
    with pytest.raises(UnknownNameError, match=f"has no implementation 'openssl/aes-256-gc'; did you mean {OPENSSL}"):
        compare("openssl/aes-256-gc", RING, record=path)
    with pytest.raises(UnknownNameError, match=r"no implementation 'ring/aes-128-gcm' \(not timed: it is absent\)"):
        compare(OPENSSL, "ring/aes-128-gcm")


def test_compares_a_record_of_schema_version_1(write_record: WriteRecord) -> None:
    old, new = write_record(OLD), write_record(NEW)
    table = pq.read_table(old).drop_columns(["cache", "mask", "flags"])
    rewritten(old, table, json.dumps(provenance_of(old) | {"schema": 1}).encode())
    assert len(compare(old, new).table) == 10


def test_page_and_text_hold_rows_warnings_and_notes(write_record: WriteRecord) -> None:
    changes: dict[str, Any] = {"factors": {OPENSSL: 1.2}, "quality": ["!<b>"], "refused": {RING: "no"}}
    result = compare(write_record(OLD), write_record(NEW, names=("baseline/memcpy", OPENSSL), **changes))
    page = result._repr_html_()
    for part in ("slower", "Warning", "&lt;b&gt;", "not interleaved", "Only in A: 4 cases", "study-20260101", "1.2"):
        assert part in page, part
    assert "<b>," not in page and page.count("<table ") == 1
    assert page.count("<tr>") == len(result.table) + 1
    assert repr(result) == compared_text(result)
    assert aeadlab.compare is compare and aeadlab.Compared is Compared
