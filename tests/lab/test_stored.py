from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import aeadlab
from aeadlab.errors import ArgumentError, RecordError, UnknownNameError
from aeadlab.lab import prepared
from aeadlab.lab.prepared import Absent, Prepared
from aeadlab.lab.stored import reference_record
from aeadlab.studies import Selection

Write = Callable[..., Path]
GCM, RING, MEMCPY = "openssl/aes-256-gcm", "ring/aes-256-gcm", "baseline/memcpy"


@pytest.fixture
def reference(write_record: Write, own_folders: Path) -> Path:
    """A simulated reference record of study baselines."""
    return write_record(study="baselines", folder=own_folders / "reference", factors={"ring/aes-256-gcm": 1.05})


def opened(**parameters: Any) -> Prepared:
    return aeadlab.prepare("baselines", "reference", **parameters)


def test_opens_the_newest_reference_record_and_measures_nothing(
    reference: Path, write_record: Write, own_folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    newest = write_record("20260202T030405Z", study="baselines", folder=own_folders / "reference")
    monkeypatch.setattr(prepared, "measure", lambda *_, **__: pytest.fail("measured"))
    study = opened()
    assert study.measure() is study.record and study.record is not None
    assert study.record.path == newest != reference
    assert newest.name in repr(study) and "not measured here" in repr(study) and "Expected" not in repr(study)
    assert {case.implementation for case in study.cases} == {GCM, RING, MEMCPY}
    assert all(case.replica == 0 for case in study.cases)


@pytest.mark.usefixtures("reference")
def test_selects_within_the_record_and_keeps_the_baselines() -> None:
    record = opened(implementations=["ring/*"]).record
    assert record is not None
    assert {*record.samples["implementation"]} == {RING, MEMCPY}
    assert {case["implementation"] for case in record.provenance["plan"]["cases"]} == {RING, MEMCPY}
    assert record.not_timed == {}, "cases that are not selected are not missing"


@pytest.mark.usefixtures("reference")
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"implementations": [GCM, "foo/bar"]}, "no case with implementation foo/bar: .*--implementation foo/bar`"),
        ({"threads": [1, 3, 7]}, "has no case with threads 3, 7: `aeadlab measure baselines --threads 3 --threads 7`"),
        ({"block_sizes": ["5K"]}, "has no case with block size 5120: `aeadlab measure baselines --block-size 5120`"),
    ],
)
def test_names_missing_cases_and_the_command_that_measures_them(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(RecordError, match=message) as caught:
        opened(**parameters)
    assert "\n" not in str(caught.value)


@pytest.mark.usefixtures("reference")
def test_rejects_settings_of_a_measurement_and_unknown_profiles() -> None:
    with pytest.raises(ArgumentError, match="size='4K' given with profile reference, which measures nothing"):
        opened(size="4K")
    with pytest.raises(UnknownNameError, match="no profile is called 'referencee'; did you mean reference"):
        aeadlab.prepare("baselines", "referencee")
    with pytest.raises(UnknownNameError, match="no profile is called 'reference'"):
        aeadlab.measure("baselines", "reference")


def test_without_a_record_names_the_command(own_folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aeadlab.paths.reference_records", lambda: own_folders)
    with pytest.raises(RecordError, match="no record of study baselines in .*: `aeadlab measure baselines`"):
        reference_record("baselines", Selection())


@pytest.mark.usefixtures("reference")
def test_functions_that_measure_are_called_in_other_profiles_only() -> None:
    def seen(*values: int, **settings: int) -> tuple[Any, ...]:
        return *values, settings

    absent = opened().live(seen, 1)
    assert isinstance(absent, Absent) and "seen is absent: it measures" in repr(absent)
    small = aeadlab.prepare("baselines", "smoke", implementations=[MEMCPY])
    assert small.live(seen, 1, runs=5, smoke={"runs": 2}) == (1, {"runs": 2})
    large = aeadlab.prepare("baselines", "quick", implementations=[MEMCPY])
    assert large.live(seen, 1, runs=5, smoke={"runs": 2}) == (1, {"runs": 5})
    assert opened().keep("gantt", absent) is absent


@pytest.mark.usefixtures("reference")
def test_absent_figures_name_the_command() -> None:
    assert "`aeadlab measure baselines` measures all cases" in repr(opened().show("figure-3-hashes"))


@pytest.mark.usefixtures("reference")
def test_answers_in_sentences_with_the_figure() -> None:
    answer = opened().answer("figure-2-aeads")
    first, *_, source = answer.sentences
    assert first.startswith("OpenSSL AES-256-GCM has the shortest median time of 2 AEADs in one thread: 1.0")
    assert source == "From the reference record of a Test CPU, not measured here."
    assert answer.png().startswith(b"\x89PNG") and "<img" in answer._repr_html_() and source in repr(answer)


@pytest.mark.usefixtures("reference")
def test_a_table_is_computed_once_with_its_figure_and_holds_all_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    study = opened()
    study.show("figure-2-aeads")
    monkeypatch.setattr(prepared, "drawn", lambda *_: pytest.fail("drawn again"))
    short, all_columns = study.table("figure-2-aeads"), study.table("figure-2-aeads", columns="all")
    assert list(short.columns) == list(all_columns.columns)
    assert len(short.shown.columns) <= 10 < len(all_columns.columns)


@pytest.mark.usefixtures("reference")
def test_look_at_shows_cases_of_the_record() -> None:
    seen = aeadlab.look_at([GCM], profile="reference", threads=[])
    assert {*seen.table["implementation"]} == {GCM, MEMCPY} and {*seen.table["op"]} == {"seal", "encrypt"}
    assert "from the reference record of a Test CPU" in repr(seen) and seen.not_timed == {}
    assert "profile='reference'" in seen.call
    with pytest.raises(RecordError, match="no case with implementation foo/bar"):
        aeadlab.look_at(["foo/bar"], profile="reference")
