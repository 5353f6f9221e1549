from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import aeadlab
from aeadlab.comparison import Ranked, rank
from aeadlab.comparison.text import ranked_text
from aeadlab.errors import ArgumentError, RecordError, UnknownNameError

WriteRecord = Callable[..., Path]
OPENSSL, RING, BORING = "openssl/aes-256-gcm", "ring/aes-256-gcm", "boringssl/aes-256-gcm"


def test_libraries_are_ranked_and_baselines_are_not(write_record: WriteRecord) -> None:
    path = write_record(factors={OPENSSL: 1.3})
    found = rank(path)
    assert found[["place", "implementation", "cases"]].to_numpy().tolist() == [[1, RING, 4], [2, OPENSSL, 4]]
    assert found["ratio"].tolist() == pytest.approx([1.0, 1.3], rel=0.01)
    assert set(found[["kind", "engine"]].itertuples(index=False, name=None)) == {("aead", "whole")}
    assert found.cautions[0].startswith("a geometric mean weighs every case alike")
    assert aeadlab.rank is rank


def test_the_intersection_is_ranked_and_what_is_left_out_is_said(write_record: WriteRecord) -> None:
    # Cases 2 and 3 seal with OpenSSL: 4 KiB and 1 MiB.
    path = write_record(factors={OPENSSL: 1.3}, failures={2: "SIGSEGV"})
    found = rank(path)
    assert set(found["cases"]) == {3}
    assert found["cases_here"].tolist() == [4, 3]
    assert "aead whole: 3 of 4 cases are ranked; 1 are left out, which not all implementations have" in found.cautions
    assert found.groups["left_out"].tolist() == [1]


def test_one_that_failed_altogether_is_named(write_record: WriteRecord) -> None:
    names = (OPENSSL, RING, BORING)
    found = rank(write_record(names=names, failures=dict.fromkeys((4, 5, 6, 7), "no")))
    assert RING not in set(found["implementation"])
    assert f"aead whole: without a sample that counts, and not ranked: {RING}" in found.cautions


def test_groups_by_other_columns(write_record: WriteRecord) -> None:
    path = write_record(factors={OPENSSL: 1.3})
    assert rank(path, by=["op", "bytes"])["cases"].tolist() == [1] * 8
    everything = rank(path, by=[])
    assert everything["implementation"].tolist() == [RING, OPENSSL]
    with pytest.raises(UnknownNameError, match="'colour' does not make groups; algorithm, kind, engine"):
        rank(path, by=["colour"])


def test_groups_that_cannot_be_ranked_say_why(write_record: WriteRecord) -> None:
    found = rank(write_record(), by=["kind"], implementations=[OPENSSL, RING], reference=OPENSSL)
    assert found["ratio"].tolist()[found["implementation"].tolist().index(OPENSSL)] == 1.0
    with pytest.raises(ArgumentError, match="has nothing to rank: aead whole .*two are wanted"):
        rank(write_record("20260105T000000Z"), implementations=[OPENSSL])
    path = write_record("20260106T000000Z")
    with pytest.raises(ArgumentError, match="no case is common to all of baseline/memcpy, .*, which differ in op"):
        rank(path, implementations=[OPENSSL, "baseline/memcpy"])


def test_bad_records_and_names(write_record: WriteRecord, tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="there is no latest record of any study"):
        rank()
    path = write_record()
    with pytest.raises(RecordError, match="there is no record"):
        rank(tmp_path / "x.parquet")
    with pytest.raises(UnknownNameError, match="has no implementation 'x/y'"):
        rank(path, implementations=["x/y"])
    with pytest.raises(UnknownNameError, match="has no implementation 'x/y'"):
        rank(path, reference="x/y")
    with pytest.raises(ArgumentError, match="no A/A pair"):
        rank(write_record("20260105T000000Z", noise_pair=False))
    with pytest.raises(RecordError, match="schema version 99"):
        rank(write_record("20260106T000000Z", schema=99))


def test_the_page_says_everything(write_record: WriteRecord) -> None:
    found = rank(write_record(quality=["!load"]))
    assert isinstance(found, Ranked)
    page = found._repr_html_()
    for part in ("geometric mean", "Caution", "spoil measurements: load", RING, "4 of 4", "place"):
        assert part in page
    assert repr(found) == ranked_text(found)
