"""Any two records beside each other: which they are, what is written, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest

from aeadlab import paths, two_computers
from aeadlab.errors import ArgumentError, RecordError, UnknownNameError
from aeadlab.records import Record, load_record

Write = Callable[..., Path]
EARLIER, LATER = "20260102T030405Z", "20260202T030405Z"
OTHER = {"cpu_model_name": "Other CPU", "cpu_count": 8, "cpu_affinity": "0-7", "mem_total": 8 << 30, "kernel": "6.1"}


@pytest.fixture(autouse=True)
def no_image(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a file of the figure holds is tested with the figure."""
    monkeypatch.setattr(import_module("aeadlab.figures.export"), "image", lambda *_: b"")


def never() -> Record:
    pytest.fail("nothing is measured before the left record is found")


def test_two_records_are_drawn_written_and_compared(write_record: Write, tmp_path: Path) -> None:
    left, right = write_record(EARLIER), write_record(LATER, machine=OTHER, factors={"ring/aes-256-gcm": 3.0})
    both = two_computers(left, str(right), "ieee", tmp_path / "out")
    assert both.figure.get_size_inches()[0] == pytest.approx(3.5)
    names = {f"figure-two-computers.{ending}" for ending in ("pdf", "svg", "png", "csv", "json")}
    assert {path.name for path in both.files} == {path.name for path in (tmp_path / "out/figures").iterdir()} == names
    told = json.loads((tmp_path / "out/figures/figure-two-computers.json").read_text())["provenance"]
    assert told["records"] == {"left": left.name, "right": right.name}
    row = both.table.set_index(["implementation", "op"]).loc[("ring/aes-256-gcm", "seal")]
    assert row["right_relative_time"] / row["left_relative_time"] == pytest.approx(3, rel=0.1)
    assert both.compared is not None and both.compared.machines == 2 and both.uncompared == ""
    assert any("different machines" in text for text in both.cautions)
    assert left.name in repr(both) and "Other CPU" in both._repr_html_()


def test_where_lengths_differ_relations_are_compared_and_times_are_not(write_record: Write) -> None:
    left, right = write_record(EARLIER, size=1 << 22), write_record(LATER, size=1 << 21, machine=OTHER)
    both = two_computers(left, right)
    # 4 KiB is in both records.
    assert set(both.table["left_bytes"]) == set(both.table["right_bytes"]) == {4096}
    large = [load_record(path) for path in (left, right)]
    big = [Record(one.path, one.samples[one.samples["bytes"] > 4096], one.provenance) for one in large]
    both = two_computers(*big)
    assert (set(both.table["left_bytes"]), set(both.table["right_bytes"])) == ({1 << 22}, {1 << 21})
    assert both.compared is None and both.uncompared
    assert f"Times themselves are not compared, only relations: {both.uncompared}." in repr(both)


def test_nothing_named_is_the_newest_reference_record_and_what_is_measured_now(
    write_record: Write, own_folders: Path
) -> None:
    reference = own_folders / "reference"
    write_record(EARLIER, study="baselines", folder=reference)
    newest = write_record(LATER, study="baselines", folder=reference)
    write_record("20260302T030405Z", study="blocks", folder=reference)
    now = load_record(write_record("20260402T030405Z", study="baselines"))
    both = two_computers("", lambda: now)
    assert (both.left.record.path, both.right.record.path) == (newest, now.path)
    assert "measured now" in repr(both) and "the newest reference record of study baselines" in repr(both)
    assert both.files[0].parent == paths.results() / "figures"


def test_two_runs_of_one_computer_are_told_apart_by_their_dates(write_record: Write) -> None:
    both = two_computers(write_record(EARLIER), write_record(LATER))
    said = " ".join(text.get_text() for text in both.figure.texts)
    assert f"A: Test CPU, {EARLIER.replace('T', ' ').removesuffix('Z')}" in said and LATER[:8] in said


@pytest.mark.usefixtures("write_record")
def test_without_a_reference_record_one_is_asked_for(own_folders: Path) -> None:
    with pytest.raises(RecordError, match="left: there is no record of study baselines .*give the path of a record"):
        two_computers("", never)


@pytest.mark.parametrize(
    ("content", "why"),
    [(None, "there is no record"), (b"", "damaged or no Parquet"), (b"PAR1", "damaged or no Parquet")],
)
def test_what_is_no_record_is_refused_with_what_to_give(
    write_record: Write, tmp_path: Path, content: bytes | None, why: str
) -> None:
    path = tmp_path / "gone.parquet"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(RecordError, match=rf"^left: .*{why}.*Give the path of a record, a .parquet file"):
        two_computers(path, never)
    with pytest.raises(RecordError, match=rf"^right: .*{why}.*Give the path of a record, a .parquet file"):
        two_computers(write_record(), str(path))


def test_a_parquet_file_of_somebody_else_is_no_record(tmp_path: Path) -> None:
    import pandas as pd

    pd.DataFrame({"a": [1]}).to_parquet(tmp_path / "other.parquet")
    with pytest.raises(RecordError, match="left: .*not a record of aeadlab.*Give the path"):
        two_computers(tmp_path / "other.parquet", never)


@pytest.mark.usefixtures("write_record")
def test_a_word_that_means_no_record_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="'baslines' is no record, .*give the path of a record"):
        two_computers("baslines", never)


def test_a_record_beside_itself_is_refused(write_record: Write) -> None:
    path = write_record()
    with pytest.raises(ArgumentError, match="both sides are one record"):
        two_computers(path, path)


def test_records_without_a_common_case_are_refused(write_record: Write) -> None:
    left = write_record(EARLIER, names=("baseline/memcpy", "openssl/aes-256-gcm"))
    gcm = load_record(left)
    lone = Record(gcm.path, gcm.samples[gcm.samples["op"] == "seal"], {**gcm.provenance, "date": LATER})
    right = load_record(write_record(LATER, names=("openssl/aes-256-gcm", "ring/aes-256-gcm")))
    other = Record(right.path, right.samples[right.samples["op"] != "open"], right.provenance)
    with pytest.raises(ArgumentError, match=r"no case in common but openssl/aes-256-gcm.*measure the same study"):
        two_computers(lone, other)


def test_what_was_not_verified_is_not_drawn(write_record: Write) -> None:
    left = write_record(EARLIER)
    checks = {"ok": True, "checks": []}
    names = ("baseline/memcpy", "openssl/aes-256-gcm")
    right = write_record(LATER, verified=dict.fromkeys(names, checks))
    table = two_computers(left, right).table.set_index(["implementation", "op"])
    assert table.loc[("ring/aes-256-gcm", "seal"), "right_status"] == "not measured"
    nothing = write_record("20260302T030405Z", verified={})
    with pytest.raises(ArgumentError, match=r"nothing in .*20260302T030405Z.* was verified .*aeadlab measure"):
        two_computers(left, nothing)


def test_an_unknown_venue_is_refused_before_anything_is_read() -> None:
    with pytest.raises(UnknownNameError, match="there is no venue 'nature'"):
        two_computers("gone.parquet", never, "nature")


def test_a_folder_that_cannot_be_written_is_refused(write_record: Write, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ArgumentError, match=r"figures cannot be written to .*file/figures.*choose another folder"):
        two_computers(write_record(EARLIER), write_record(LATER), output=tmp_path / "file")
