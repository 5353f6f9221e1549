from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import aeadlab
from aeadlab import paths
from aeadlab.comparison import Ranked, rank
from aeadlab.comparison.text import ranked_text
from aeadlab.errors import ArgumentError, RecordError, UnknownNameError

WriteRecord = Callable[..., Path]
OPENSSL, RING, BORING = "openssl/aes-256-gcm", "ring/aes-256-gcm", "boringssl/aes-256-gcm"


def test_ranks_implementations_without_baselines(write_record: WriteRecord) -> None:
    path = write_record(factors={OPENSSL: 1.3})
    result = rank(path)
    assert result.table[["place", "implementation", "cases"]].to_numpy().tolist() == [[1, RING, 4], [2, OPENSSL, 4]]
    assert result.table["ratio"].tolist() == pytest.approx([1.0, 1.3], rel=0.01)
    assert set(result.table[["kind", "engine"]].itertuples(index=False, name=None)) == {("aead", "whole")}
    assert result.warnings[0].startswith("a geometric mean gives every case the same weight")
    assert aeadlab.rank is rank


def test_ranks_common_cases_and_warns_of_the_others(write_record: WriteRecord) -> None:
    # Cases 2 and 3 seal with OpenSSL: 4 KiB and 1 MiB.
    path = write_record(factors={OPENSSL: 1.3}, failures={2: "SIGSEGV"})
    result = rank(path)
    assert set(result.table["cases"]) == {3}
    assert result.table["cases_here"].tolist() == [4, 3]
    assert "aead whole: 3 of 4 cases are ranked; the others are not common to all implementations" in result.warnings
    assert result.groups["left_out"].tolist() == [1]


def test_names_an_implementation_whose_cases_all_failed(write_record: WriteRecord) -> None:
    names = (OPENSSL, RING, BORING)
    result = rank(write_record(names=names, failures=dict.fromkeys((4, 5, 6, 7), "no")))
    assert RING not in set(result.table["implementation"])
    assert f"aead whole: not ranked, since all their cases failed: {RING}" in result.warnings


def test_groups_by_the_given_columns(write_record: WriteRecord) -> None:
    path = write_record(factors={OPENSSL: 1.3})
    assert rank(path, by=["op", "bytes"]).table["cases"].tolist() == [1] * 8
    everything = rank(path, by=[])
    assert everything.table["implementation"].tolist() == [RING, OPENSSL]
    with pytest.raises(UnknownNameError, match="'colour' is not a column .*: choose from algorithm, kind, engine"):
        rank(path, by=["colour"])


def test_checksums_are_not_ranked_among_hashes() -> None:
    (path,) = paths.reference_records().glob("everything-*.parquet")
    names = ["twox-hash/xxh3", "crc32c/crc-32c", "blake3/blake3", "openssl/sha-256"]
    table = rank(path, implementations=names).table
    ranked = {kind: [*part["implementation"]] for kind, part in table.groupby("kind")}
    assert ranked == {"checksum": names[:2], "hash": names[2:]}


def test_gives_the_reason_of_a_group_without_a_ranking(write_record: WriteRecord) -> None:
    result = rank(write_record(), by=["kind"], implementations=[OPENSSL, RING], reference=OPENSSL)
    assert result.table["ratio"].tolist()[result.table["implementation"].tolist().index(OPENSSL)] == 1.0
    with pytest.raises(ArgumentError, match="has nothing to rank: aead whole .*expected at least two"):
        rank(write_record("20260105T000000Z"), implementations=[OPENSSL])
    path = write_record("20260106T000000Z")
    with pytest.raises(ArgumentError, match="no case is common to all of baseline/memcpy, .*, which differ in op"):
        rank(path, implementations=[OPENSSL, "baseline/memcpy"])


def test_rejects_unusable_records_and_unknown_names(write_record: WriteRecord, tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="there is no latest record of any study"):
        rank()
    path = write_record()
    with pytest.raises(RecordError, match="there is no record"):
        rank(tmp_path / "x.parquet")
    with pytest.raises(UnknownNameError, match="has no implementation 'x/y'"):
        rank(path, implementations=["x/y"])
    with pytest.raises(UnknownNameError, match="has no implementation 'x/y'"):
        rank(path, reference="x/y")
    with pytest.raises(RecordError, match="schema version 99"):
        rank(write_record("20260106T000000Z", schema=99))


def test_page_and_text_hold_the_ranking_and_warnings(write_record: WriteRecord) -> None:
    result = rank(write_record(quality=["!load"]))
    assert isinstance(result, Ranked)
    page = result._repr_html_()
    for part in ("geometric mean", "Warning", "critical conditions: load", RING, "4 of 4", "place"):
        assert part in page
    assert repr(result) == ranked_text(result)


def test_too_few_processes_are_a_warning(write_record: WriteRecord) -> None:
    few = rank(write_record(processes=1))
    assert any(warning.startswith("places are equal, and intervals hold within 1 process:") for warning in few.warnings)
    more = rank(write_record("20260107T000000Z", processes=6))
    assert not any("places are equal" in warning for warning in more.warnings)


def test_the_default_is_the_newest_record_that_has_something_to_rank(write_record: WriteRecord) -> None:
    write_record("20260103T000000Z", study="older")
    rankable = write_record("20260104T000000Z", study="rankable")
    broken = write_record("20260105T000000Z", study="broken")
    broken.write_bytes(b"no Parquet")
    newest = write_record("20260106T000000Z", study="newest", names=("baseline/memcpy", OPENSSL))
    result = rank()
    assert set(result.table["implementation"]) == {OPENSSL, RING}
    why = f"the latest with something to rank, since {newest.name} has nothing"
    assert result.record.startswith(f"{rankable.name} ({why})")
    for words in ({"study": "newest"}, {"record": newest}):
        with pytest.raises(ArgumentError, match=f"{newest.name} has nothing to rank"):
            rank(**words)  # type: ignore[arg-type]
    for path in (rankable, rankable.with_name("older-20260103T000000Z")):
        for file in path.parent.glob(f"{path.stem}*"):
            file.unlink()
    with pytest.raises(ArgumentError, match=f"{newest.name} has nothing to rank"):
        rank()
