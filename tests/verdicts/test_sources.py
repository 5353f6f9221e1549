"""What a source states about its record."""

from __future__ import annotations

import json

import pytest

from aeadlab.records.reading import load_record, provenance_of
from aeadlab.verdicts.sources import Source, _is_smoke, _lengths
from tests.conftest import WriteRecord
from tests.fixtures.journals import rewritten


@pytest.mark.parametrize(
    ("lengths", "words"),
    [
        ([64], "messages of 64 B"),
        ([64, 4096], "messages of 64 B and 4 KiB"),
        ([64, 4096, 1 << 20], "messages of 64 B, 4 KiB and 1 MiB"),
        ([64, 128, 4096, 1 << 20], "messages of 64 B to 1 MiB (4 lengths)"),
    ],
)
def test_up_to_three_lengths_are_listed(lengths: list[int], words: str) -> None:
    assert _lengths(lengths).replace("\N{NO-BREAK SPACE}", " ") == words


@pytest.mark.parametrize(
    ("commit", "cautions"),
    [
        (None, []),
        ({"id": "f" * 40, "dirty": False, "files": ["a.py"]}, []),
        ({"id": "f" * 40, "dirty": True, "files": ["a.py", "b.py"]}, ["measured with uncommitted changes: a.py, b.py"]),
        (
            {"id": "f" * 40, "dirty": True},
            ["measured with uncommitted changes, and the record does not say of which files"],
        ),
    ],
)
def test_uncommitted_changes_are_a_caution(
    write_record: WriteRecord, commit: dict[str, object] | None, cautions: list[str]
) -> None:
    record = load_record(write_record())
    record.provenance["commit"] = commit
    assert list(Source.from_record(record).cautions) == cautions


def test_the_cpu_has_family_and_model_where_its_name_has_no_number(write_record: WriteRecord) -> None:
    facts = {"cpu_model_name": "AMD EPYC", "cpu_family": "26", "cpu_model": "2", "cpu_count": 2}
    about = Source.from_record(load_record(write_record(machine=facts))).about
    assert about.endswith(", AMD EPYC (family 26, model 2), 2 logical cores")


def test_unknown_facts_are_stated(write_record: WriteRecord) -> None:
    record = load_record(write_record())
    record.provenance["machine"] = None
    source = Source.from_record(record)
    assert source.about.endswith(", unknown machine, unknown logical cores")
    assert (source.record, source.cpu, source.evidence.cores) == (record.name, "", None)


@pytest.mark.parametrize(("profile", "is_smoke"), [("smoke", True), ("smoke*", True), ("tiny", False)])
def test_records_of_profile_smoke_are_recognised(write_record: WriteRecord, profile: str, is_smoke: bool) -> None:
    path = write_record()
    plan = provenance_of(path)["plan"]
    plan["profile"]["name"] = profile
    changed = json.dumps(provenance_of(path) | {"plan": plan}).encode()
    assert _is_smoke(rewritten(path, text=changed)) == is_smoke
