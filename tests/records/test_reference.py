from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from aeadlab import paths
from aeadlab.records.reading import load_record
from aeadlab.records.reference import note, origin, own_records, reference_cpu
from aeadlab.studies.draw import figure_provenance

WriteRecord = Callable[..., Path]


def test_names_the_cpu_of_a_reference_record_and_of_its_copies(write_record: WriteRecord, own_folders: Path) -> None:
    folder = own_folders / "reference"
    reference = write_record(machine={"cpu_model_name": "AMD EPYC"}, folder=folder)
    unnamed = write_record("20260103T000000Z", machine={}, folder=folder)
    own = write_record("20260104T000000Z")
    copy = shutil.copy(reference, own.parent)
    cpus = [reference_cpu(load_record(path)) for path in (reference, copy, unnamed, own)]
    assert cpus == ["an AMD EPYC", "an AMD EPYC", "an unknown CPU", ""]
    assert [origin(cpu) for cpu in cpus[2:]] == ["from the reference record of an unknown CPU, not measured here", ""]
    assert own_records() == own_records("study") == [own]
    assert ", a reference record, not measured here" in repr(load_record(reference))
    assert "reference record" not in repr(load_record(own))


def test_records_of_one_name_differ_by_family_and_model(write_record: WriteRecord, own_folders: Path) -> None:
    records = [
        load_record(
            write_record(
                machine={"cpu_model_name": "AMD EPYC", "cpu_family": family, "cpu_model": model},
                folder=own_folders / "reference",
                study=study,
            )
        )
        for study, family, model in (("cells", "25", "17"), ("blocks", "26", "2"))
    ]
    names = ["AMD EPYC (family 25, model 17)", "AMD EPYC (family 26, model 2)"]
    assert [reference_cpu(record) for record in records] == [f"an {name}" for name in names]
    assert f"of an {names[0]} and an {names[1]}, not" in note({each.study: reference_cpu(each) for each in records})
    for record, name in zip(records, names, strict=True):
        assert f", {name}, a reference record" in repr(record)
        assert figure_provenance(record, "lines", "lncs")["cpu"] == name


def test_without_a_checkout_there_is_no_reference_record(
    write_record: WriteRecord, own_folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_record(folder=own_folders / "reference")
    monkeypatch.setattr(paths, "checkout", lambda: None)
    assert reference_cpu(load_record(path)) == ""


def test_the_note_has_the_command_where_the_user_has_no_record(write_record: WriteRecord) -> None:
    assert note({"cells": "", "memory": ""}) == note({}) == ""
    assert note({"cells": "an AMD EPYC", "memory": ""}) == (
        "There is no record of your own of cells: the answer is from the reference record of an AMD EPYC, not measured "
        "here; `aeadlab measure cells` makes one."
    )
    write_record(study="cells")
    assert note({"cells": "an A"}) == "The answer for cells is from the reference record of an A, not measured here."
    assert note({"cells": "an A", "memory": "an A", "blocks": "a B"}) == (
        "There is no record of your own of memory and blocks: the answer is from reference records of an A and a B, "
        "not measured here; `aeadlab measure STUDY` makes one."
    )
