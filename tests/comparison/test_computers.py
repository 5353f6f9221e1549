from __future__ import annotations

import json
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest

from aeadlab import paths, two_computers
from aeadlab.errors import ArgumentError, RecordError, UnknownNameError
from aeadlab.records.reading import load_record
from aeadlab.records.record import Record

Write = Callable[..., Path]
EARLIER, LATER = "20260102T030405Z", "20260202T030405Z"
OTHER = {"cpu_model_name": "Other CPU", "cpu_count": 8, "cpu_affinity": "0-7", "mem_total": 8 << 30, "kernel": "6.1"}


@pytest.fixture(autouse=True)
def no_image(monkeypatch: pytest.MonkeyPatch) -> None:
    """Skip drawing the image; test_computers_figure.py covers it."""
    monkeypatch.setattr(import_module("aeadlab.figures.export"), "image", lambda *_: b"")


def never() -> Record:
    pytest.fail("the right record was measured before the left one was read")


def test_draws_writes_and_compares_two_records(write_record: Write, tmp_path: Path) -> None:
    left, right = write_record(EARLIER), write_record(LATER, machine=OTHER, factors={"ring/aes-256-gcm": 3.0})
    both = two_computers(left, str(right), "ieee", tmp_path / "out")
    assert both.figure.get_size_inches()[0] == pytest.approx(3.5)
    names = {f"figure-two-computers.{ending}" for ending in ("pdf", "svg", "png", "csv", "json")}
    assert {path.name for path in both.files} == {path.name for path in (tmp_path / "out/figures").iterdir()} == names
    provenance = json.loads((tmp_path / "out/figures/figure-two-computers.json").read_text())["provenance"]
    assert provenance["records"] == {"left": left.name, "right": right.name}
    row = both.table.set_index(["implementation", "op"]).loc[("ring/aes-256-gcm", "seal")]
    assert row["right_relative_time"] / row["left_relative_time"] == pytest.approx(3, rel=0.1)
    assert both.compared is not None and both.compared.machines == 2 and both.uncompared == ""
    assert any("different machines" in text for text in both.warnings)
    assert left.name in repr(both) and "Other CPU" in both._repr_html_()


def test_different_lengths_compare_only_relative_times(write_record: Write) -> None:
    left, right = write_record(EARLIER, size=1 << 22), write_record(LATER, size=1 << 21, machine=OTHER)
    both = two_computers(left, right)
    # 4 KiB is in both records.
    assert set(both.table["left_bytes"]) == set(both.table["right_bytes"]) == {4096}
    large = [load_record(path) for path in (left, right)]
    big = [Record(one.path, one.samples[one.samples["bytes"] > 4096], one.provenance) for one in large]
    both = two_computers(*big)
    assert (set(both.table["left_bytes"]), set(both.table["right_bytes"])) == ({1 << 22}, {1 << 21})
    assert both.compared is None and both.uncompared
    assert f"Only relative times are compared, not the times themselves: {both.uncompared}." in repr(both)


def test_defaults_to_the_reference_record_and_a_measurement(write_record: Write, own_folders: Path) -> None:
    reference = own_folders / "reference"
    write_record(EARLIER, study="baselines", folder=reference)
    newest = write_record(LATER, study="baselines", folder=reference)
    write_record("20260302T030405Z", study="blocks", folder=reference)
    now = load_record(write_record("20260402T030405Z", study="baselines"))
    both = two_computers("", lambda: now)
    assert (both.left.record.path, both.right.record.path) == (newest, now.path)
    assert "measured now" in repr(both) and "the newest reference record of study baselines" in repr(both)
    assert both.files[0].parent == paths.results() / "figures"


def test_runs_of_one_computer_are_labelled_by_date(write_record: Write) -> None:
    both = two_computers(write_record(EARLIER), write_record(LATER))
    texts = " ".join(text.get_text() for text in both.figure.texts)
    assert f"A: Test CPU, {EARLIER.replace('T', ' ').removesuffix('Z')}" in texts and LATER[:8] in texts


@pytest.mark.usefixtures("write_record")
def test_rejects_a_missing_reference_record(own_folders: Path) -> None:
    with pytest.raises(RecordError, match="left: there is no record of study baselines .*give the path of a record"):
        two_computers("", never)


@pytest.mark.parametrize(
    ("content", "why"),
    [(None, "there is no record"), (b"", "damaged or not a Parquet"), (b"PAR1", "damaged or not a Parquet")],
)
def test_rejects_unreadable_records(write_record: Write, tmp_path: Path, content: bytes | None, why: str) -> None:
    path = tmp_path / "gone.parquet"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(RecordError, match=rf"^left: .*{why}.*Give the path of a record, a .parquet file"):
        two_computers(path, never)
    with pytest.raises(RecordError, match=rf"^right: .*{why}.*Give the path of a record, a .parquet file"):
        two_computers(write_record(), str(path))


def test_rejects_a_foreign_parquet_file(tmp_path: Path) -> None:
    import pandas as pd

    pd.DataFrame({"a": [1]}).to_parquet(tmp_path / "other.parquet")
    with pytest.raises(RecordError, match="left: .*not a Parquet file of aeadlab.*Give the path"):
        two_computers(tmp_path / "other.parquet", never)


@pytest.mark.usefixtures("write_record")
def test_rejects_an_unknown_word() -> None:
    with pytest.raises(UnknownNameError, match="'baslines' is no record, .*give the path of a record"):
        two_computers("baslines", never)


def test_rejects_the_same_record_twice(write_record: Write) -> None:
    path = write_record()
    with pytest.raises(ArgumentError, match="both sides are one record"):
        two_computers(path, path)


def test_rejects_records_without_a_common_case(write_record: Write) -> None:
    left = write_record(EARLIER, names=("baseline/memcpy", "openssl/aes-256-gcm"))
    gcm = load_record(left)
    lone = Record(gcm.path, gcm.samples[gcm.samples["op"] == "seal"], {**gcm.provenance, "date": LATER})
    right = load_record(write_record(LATER, names=("openssl/aes-256-gcm", "ring/aes-256-gcm")))
    other = Record(right.path, right.samples[right.samples["op"] != "open"], right.provenance)
    with pytest.raises(ArgumentError, match=r"no case in common except openssl/aes-256-gcm.*measure the same study"):
        two_computers(lone, other)


def test_omits_unverified_implementations(write_record: Write) -> None:
    left = write_record(EARLIER)
    checks = {"ok": True, "checks": []}
    names = ("baseline/memcpy", "openssl/aes-256-gcm")
    right = write_record(LATER, verified=dict.fromkeys(names, checks))
    table = two_computers(left, right).table.set_index(["implementation", "op"])
    assert table.loc[("ring/aes-256-gcm", "seal"), "right_status"] == "not measured"
    nothing = write_record("20260302T030405Z", verified={})
    with pytest.raises(ArgumentError, match=r"20260302T030405Z.* has no verified implementation; .*aeadlab measure"):
        two_computers(left, nothing)


def test_rejects_an_unknown_venue_before_reading() -> None:
    with pytest.raises(UnknownNameError, match="there is no venue 'nature'"):
        two_computers("gone.parquet", never, "nature")


def test_rejects_an_unwritable_folder(write_record: Write, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ArgumentError, match=r"output folder .*file/figures cannot be written .*choose another"):
        two_computers(write_record(EARLIER), write_record(LATER), output=tmp_path / "file")
