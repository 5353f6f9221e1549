from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pytest

import aeadlab
from aeadlab.comparison import Compared, compare
from aeadlab.comparison.text import compared_text
from aeadlab.errors import ArgumentError, RecordError, UnknownNameError
from aeadlab.records import load_record, provenance_of

WriteRecord = Callable[..., Path]
OLD, NEW = "20260101T000000Z", "20260102T000000Z"
OPENSSL, RING = "openssl/aes-256-gcm", "ring/aes-256-gcm"


def verdicts(found: Compared) -> dict[str, set[str]]:
    return {str(name): set(rows["verdict"]) for name, rows in found.groupby("implementation")}


def test_two_runs_of_one_code_do_not_differ(write_record: WriteRecord) -> None:
    found = compare(write_record(OLD), write_record(NEW))
    assert found.counts() == {"worse": 0, "improved": 0, "no credible difference": 10}
    assert found["ratio"].between(0.97, 1.03).all()
    assert found.cautions == ()
    assert "not interleaved" in found.how
    assert found.unmatched.empty


def test_a_slower_and_a_faster_library_are_found_and_come_first(write_record: WriteRecord) -> None:
    found = compare(write_record(OLD), write_record(NEW, factors={OPENSSL: 1.05, RING: 0.9}))
    assert verdicts(found) == {
        "baseline/memcpy": {"no credible difference"}, OPENSSL: {"worse"}, RING: {"improved"}
    }  # fmt: skip
    assert found["verdict"].tolist() == ["worse"] * 4 + ["improved"] * 4 + ["no credible difference"] * 2
    assert found["ratio"][:4].tolist() == pytest.approx([1.05] * 4, rel=0.02)
    assert (found["seconds_b"] / found["seconds_a"]).tolist() == pytest.approx(found["ratio"].tolist(), rel=0.01)
    assert set(found["processes_a"]) == {10} and set(found["rounds_b"]) == {30}


def test_the_other_way_round_is_the_inverse(write_record: WriteRecord) -> None:
    a, b = write_record(OLD), write_record(NEW, factors={OPENSSL: 1.2})
    keys = ["implementation", "op", "bytes"]
    there, back = (pd.DataFrame(found).set_index(keys).sort_index() for found in (compare(a, b), compare(b, a)))
    assert (there["ratio"] * back["ratio"]).tolist() == pytest.approx([1.0] * len(there))
    assert (there["low"] * back["high"]).tolist() == pytest.approx([1.0] * len(there))


def test_a_shift_of_the_whole_machine_is_no_difference_of_the_code(write_record: WriteRecord) -> None:
    everything = dict.fromkeys(("baseline/memcpy", OPENSSL, RING), 1.2)
    found = compare(write_record(OLD), write_record(NEW, factors=everything))
    assert found.counts()["worse"] == 0
    assert "baselines' shift 2" in found.how
    assert found["noise_high"].gt(1.18).all()


def test_without_a_baseline_what_all_rows_share_counts_as_the_machines(write_record: WriteRecord) -> None:
    names = (OPENSSL, RING, "boringssl/aes-256-gcm")
    old = write_record(OLD, names=names)
    everything = compare(old, write_record(NEW, names=names, factors=dict.fromkeys(names, 1.2)))
    assert set(everything["verdict"]) == {"no credible difference"}
    assert any("no baseline" in text for text in everything.cautions)
    one = compare(old, write_record("20260103T000000Z", names=names, factors={OPENSSL: 1.2}))
    assert verdicts(one)[OPENSSL] == {"worse"}
    assert verdicts(one)[RING] == {"no credible difference"}


@pytest.mark.parametrize(
    ("sources", "verdict"), [(("1", "2"), "worse"), (("1", "1"), "no credible difference")], ids=["other", "same"]
)
def test_parsplit_over_a_baseline_is_a_witness_only_where_it_cannot_have_changed(
    write_record: WriteRecord, sources: tuple[str, str], verdict: str
) -> None:
    sides = []
    for stamp, source, factor in zip((OLD, NEW), sources, (1.0, 1.2), strict=True):
        record = load_record(write_record(stamp, extension={"sources": source}))
        split = record.samples["bytes"] == 1 << 20
        record.samples.loc[split, "engine"] = "parsplit"
        record.samples.loc[split, "seconds"] *= factor
        sides.append(record)
    found = compare(*sides)
    assert {str(engine): set(rows["verdict"]) for engine, rows in found.groupby("engine")} == {
        "parsplit": {verdict}, "whole": {"no credible difference"}
    }  # fmt: skip


def test_records_of_one_process_claim_only_what_is_large(write_record: WriteRecord) -> None:
    old = write_record(OLD, processes=1)
    found = compare(old, write_record(NEW, processes=1, factors={OPENSSL: 1.1, RING: 2.0}))
    assert verdicts(found)[OPENSSL] == {"no credible difference"}
    assert verdicts(found)[RING] == {"worse"}
    assert any("all rows are with one process" in text for text in found.cautions)


def test_the_larger_noise_floor_of_both_counts(write_record: WriteRecord) -> None:
    old, new = (load_record(write_record(stamp)) for stamp in (OLD, NEW))
    new.samples.loc[new.samples["replica"] == 1, "seconds"] *= 1.5
    for a, b in ((old, new), (new, old)):
        found = compare(a, b)
        assert found["noise_high"].between(1.49, 1.53).all()
        assert found["noise_low"].tolist() == pytest.approx((1 / found["noise_high"]).tolist())


def test_what_only_one_side_has_is_listed_with_its_reason(write_record: WriteRecord) -> None:
    old = write_record(OLD, failures={2: "SIGSEGV"})
    new = write_record(NEW, names=("baseline/memcpy", OPENSSL), refused={RING: "it is absent"})
    found = compare(old, new)
    assert len(found) == 5
    only = found.unmatched[["implementation", "op", "bytes", "only", "why"]].to_numpy().tolist()
    assert [OPENSSL, "seal", 4096, "A", "failed: SIGSEGV"] in only
    assert [OPENSSL, "seal", 4096, "B", "A: failed: SIGSEGV"] in only
    assert [row[4] for row in only if row[0] == RING] == ["refused in B: it is absent"] * 4
    assert len(only) == 6


def test_what_was_not_verified_is_not_judged(write_record: WriteRecord) -> None:
    bad = {"ok": False, "checks": []}
    good = {"ok": True, "checks": []}
    verified = {"baseline/memcpy": good, OPENSSL: good, RING: bad}
    old = write_record(OLD, verified=verified)
    found = compare(old, write_record(NEW))
    assert RING not in set(found["implementation"])
    why = found.unmatched[found.unmatched["implementation"] == RING].groupby("only")["why"].unique()
    assert {side: list(texts) for side, texts in why.items()} == {
        "A": ["not verified in A"],
        "B": ["not verified in A"],
    }
    assert any(text.startswith("verified by other checks") for text in found.cautions)
    with pytest.raises(ArgumentError, match=f"{RING} was not verified in study-{OLD}"):
        compare(OPENSSL, RING, record=old)


@pytest.mark.parametrize(
    ("changes", "caution"),
    [
        (
            {"machine": {"cpu_model_name": "Other CPU", "cpu_affinity": "0-1"}},
            "different machines: CPU Test CPU -> Oth",
        ),
        ({"machine": {"cpu_count": 64}}, "different machines: CPUs 2 -> 64"),
        ({"machine": {"cpu_affinity": "1"}}, "the machine was set otherwise: CPU mask 0-1 -> 1"),
        ({"size": 1 << 21}, "different profiles: large messages of 1048576 and 2097152 bytes"),
        ({"quality": ["!load", "aslr"]}, "B: measured under conditions that spoil measurements: load"),
        ({"commit": {"id": "f" * 40, "dirty": True}}, "B was measured with changes that are not in its commit"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_circumstances_that_differ_are_cautioned(
    write_record: WriteRecord, changes: dict[str, Any], caution: str
) -> None:
    found = compare(write_record(OLD), write_record(NEW, **changes))
    assert [text for text in found.cautions if text.startswith(caution)], found.cautions


def test_another_machine_is_compared_but_not_taken_for_noise(write_record: WriteRecord) -> None:
    everything = dict.fromkeys(("baseline/memcpy", OPENSSL, RING), 2.0)
    found = compare(write_record(OLD), write_record(NEW, factors=everything, machine={"cpu_model_name": "Slow"}))
    assert found.machines == 2
    assert found.counts()["worse"] == 10


def test_what_differs_besides_is_noted(write_record: WriteRecord) -> None:
    baseline = {"kind": "aead", "version": "1.0", "flags": ["baseline"]}
    new = {
        "baseline/memcpy": baseline,
        OPENSSL: {"kind": "aead", "version": "2.0", "flags": []},
        RING: {"kind": "aead", "version": "1.0", "flags": []},
    }
    found = compare(write_record(OLD), write_record(NEW, implementations=new))
    assert found.notes == (f"versions: {OPENSSL} 1.0 -> 2.0",)
    sources = {"extension": {"sources": "s"}}
    same = compare(write_record(OLD, study="x", **sources), write_record("20260103T000000Z", **sources))
    assert same.notes[0] == "study x -> study"
    assert same.notes[1].startswith("both runs are of the same compiled code")


def test_two_implementations_are_paired_by_round(write_record: WriteRecord) -> None:
    record = load_record(write_record(factors={RING: 1.04}))
    slow_round = record.samples["round"] % 3 == 0
    record.samples.loc[slow_round, "seconds"] *= 5
    found = compare(OPENSSL, RING, record=record)
    assert found["verdict"].tolist() == ["worse"] * 4
    assert found["ratio"].tolist() == pytest.approx([1.04] * 4, rel=0.01)
    assert found["low"].gt(1.02).all() and found["high"].lt(1.06).all()
    assert found.how.startswith("Paired by round.")
    assert "implementation" not in found.columns
    assert found.notes[0].startswith("the rounds are of 10 processes: a difference under about 5 % may be the layout")


def test_two_implementations_of_the_latest_record(write_record: WriteRecord) -> None:
    write_record(OLD, factors={RING: 2.0})
    write_record(NEW, factors={RING: 0.5})
    write_record("20260103T000000Z", study="other")
    assert set(compare(OPENSSL, RING, study="study")["verdict"]) == {"improved"}
    found = compare(OPENSSL, RING)
    assert "other-20260103" in found.a and "the latest of study other" in found.a
    assert set(found["verdict"]) == {"no credible difference"}


def test_cases_of_one_implementation_alone_are_listed(write_record: WriteRecord) -> None:
    path = write_record(failures={6: "SIGFPE"})
    found = compare(OPENSSL, RING, record=path)
    assert len(found) == 3
    assert found.unmatched[["implementation", "only", "why"]].to_numpy().tolist() == [
        [OPENSSL, OPENSSL, f"{RING}: failed: SIGFPE"],
        [RING, RING, "failed: SIGFPE"],
    ]


def test_few_rounds_allow_no_claim(write_record: WriteRecord) -> None:
    short = {"rounds": 4, "processes": 1}
    found = compare(write_record(OLD, **short), write_record(NEW, factors={OPENSSL: 9.0}, **short))
    assert set(found["verdict"]) == {"no credible difference"}
    assert "The noise floor is unknown" in found.how
    paired = compare(OPENSSL, RING, record=write_record("20260105T000000Z", factors={RING: 9.0}, **short))
    assert set(paired["verdict"]) == {"no credible difference"}


def test_no_such_record(write_record: WriteRecord, tmp_path: Path) -> None:
    path = write_record()
    with pytest.raises(RecordError, match="there is no record nothing.parquet"):
        compare(path, "nothing.parquet")
    with pytest.raises(RecordError, match=f"there is no record {tmp_path / 'x'}"):
        compare(path, tmp_path / "x")
    with pytest.raises(RecordError, match="there is no previous record of study study .*there are 1, 2 are wanted"):
        compare("previous", "latest")
    with pytest.raises(RecordError, match="no latest record of study unheard .* run `aeadlab measure unheard`"):
        compare(path, "latest", study="unheard")


def test_a_record_with_itself(write_record: WriteRecord, tmp_path: Path) -> None:
    path = write_record()
    copy = tmp_path / "copy.parquet"
    copy.write_bytes(path.read_bytes())
    for other in (path, str(path), "latest", copy, load_record(copy)):
        with pytest.raises(ArgumentError, match=r"both sides are one record, study-.*: name two runs, or two"):
            compare(path, other)
    with pytest.raises(ArgumentError, match=f"{RING} is compared with itself"):
        compare(RING, RING, record=path)


def test_no_common_case(write_record: WriteRecord) -> None:
    old, new = write_record(OLD, names=("baseline/memcpy", OPENSSL)), write_record(NEW, names=(RING,))
    with pytest.raises(ArgumentError, match=f"no verified case in common: implementation is .*{OPENSSL} .*{RING}"):
        compare(old, new)
    with pytest.raises(
        ArgumentError, match="have no case in common in study-.*: op is encrypt on one side and open, se"
    ):
        compare("baseline/memcpy", OPENSSL, record=old)


@pytest.mark.parametrize("which", [0, 1])
def test_a_record_without_an_a_a_pair(write_record: WriteRecord, which: int) -> None:
    paths = [write_record(OLD, noise_pair=which != 0), write_record(NEW, noise_pair=which != 1)]
    with pytest.raises(ArgumentError, match=f"^{paths[which].name}: the samples hold no A/A pair .*measure the study"):
        compare(*paths)
    with pytest.raises(ArgumentError, match=f"^{paths[which].name}: the samples hold no A/A pair"):
        compare(OPENSSL, RING, record=paths[which])


def test_a_record_of_another_schema(write_record: WriteRecord) -> None:
    old, new = write_record(OLD), write_record(NEW, schema=99)
    with pytest.raises(RecordError, match=f"{new} has schema version 99, this aeadlab reads"):
        compare(old, new)
    with pytest.raises(RecordError, match="schema version 99"):
        compare("previous", "latest")


def test_a_damaged_record(write_record: WriteRecord) -> None:
    old, new = write_record(OLD), write_record(NEW)
    new.write_bytes(new.read_bytes()[:500])
    with pytest.raises(RecordError, match=f"{new} is damaged or no Parquet file"):
        compare(old, new)


def test_names_that_mean_nothing(write_record: WriteRecord) -> None:
    path = write_record(refused={"ring/aes-128-gcm": "it is absent"})
    with pytest.raises(
        UnknownNameError, match="'nonsense' is no record, no git revision of this repository and no imp"
    ):
        compare(path, "nonsense")
    with pytest.raises(UnknownNameError, match=f"has no implementation 'openssl/aes-256-gc'; did you mean {OPENSSL}"):
        compare("openssl/aes-256-gc", RING, record=path)
    with pytest.raises(UnknownNameError, match=r"no implementation 'ring/aes-128-gcm' \(refused: it is absent\)"):
        compare(OPENSSL, "ring/aes-128-gcm")


def test_a_record_of_version_1_is_compared(write_record: WriteRecord) -> None:
    old, new = write_record(OLD), write_record(NEW)
    table = pq.read_table(old)
    metadata = json.dumps(provenance_of(old) | {"schema": 1}).encode()
    pq.write_table(table.drop_columns(["cache", "mask", "flags"]).replace_schema_metadata({b"aeadlab": metadata}), old)
    assert len(compare(old, new)) == 10


def test_the_frame_is_a_frame_and_its_page_says_everything(write_record: WriteRecord) -> None:
    changes: dict[str, Any] = {"factors": {OPENSSL: 1.2}, "quality": ["!<b>"], "refused": {RING: "no"}}
    found = compare(write_record(OLD), write_record(NEW, names=("baseline/memcpy", OPENSSL), **changes))
    page = found._repr_html_()
    for part in ("worse", "Caution", "&lt;b&gt;", "not interleaved", "Only in A: 4 cases", "study-20260101", "1.2"):
        assert part in page, part
    assert "<b>," not in page and page.count("<table>") == 1
    assert page.count("<tr>") == len(found) + 1
    assert type(found[found["verdict"] == "worse"]) is pd.DataFrame
    assert "ratio" in found.head(2)._repr_html_()
    assert repr(found) == compared_text(found) and "2 rows" in repr(found.head(2))
    assert found.to_csv().count("\n") == len(found) + 1
    assert aeadlab.compare is compare and aeadlab.Compared is Compared
