"""Crafted records are errors with file and reason, or are read as what they are, in every function that reads one."""

from __future__ import annotations

import contextlib
import json
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from aeadlab import cli, paths
from aeadlab.errors import Error, RecordError
from aeadlab.records import stored_provenance
from aeadlab.records.columns import OPTIONAL, TYPES
from aeadlab.records.reading import METADATA_KEY, load_record, provenance_of
from aeadlab.records.record import Record
from aeadlab.records.storing import sealed
from tests.fixtures.crafted_records import ESCAPES, VALUES, Make, crafted, provenance_paths, replaced, with_provenance
from tests.fixtures.record_readers import READERS, check_printable
from tests.fixtures.thorough import share

CRAFTED = dict(crafted())
SEVERAL = list(READERS)
RAISING = [name for name in READERS if name != "provenance"]
"""The functions that need the samples."""


@pytest.fixture(scope="module")
def good() -> bytes:
    """A small part of a reference record."""
    path = next((Path(__file__).parents[2] / "data/records").glob("cells-*.parquet"))
    table = pq.read_table(path)
    for name in (name for name in TYPES if name not in table.column_names):
        # Records of an older version lack it.
        table = table.append_column(name, pa.array([OPTIONAL[name]] * len(table), TYPES[name]))
    text = stored_provenance.unpack(pq.read_metadata(path).metadata[METADATA_KEY])
    return sealed(table.filter(pc.less(table["round"], 1)), text)


@pytest.fixture(scope="module")
def good_record(good: bytes, tmp_path_factory: pytest.TempPathFactory) -> Record:
    path = tmp_path_factory.mktemp("good") / "good.parquet"
    path.write_bytes(good)
    return load_record(path)


@pytest.fixture
def crafted_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(paths.RESULTS, str(tmp_path / "results"))
    return tmp_path / "record.parquet"


def test_the_corpus_has_at_least_five_hundred_records() -> None:
    assert len(CRAFTED) >= 500


@pytest.mark.parametrize(("number", "make"), share(enumerate(CRAFTED.values()), 3), ids=share(CRAFTED, 3))
def test_crafted_records(number: int, make: Make, crafted_path: Path, good: bytes, good_record: Record) -> None:
    make(crafted_path, good)
    started = time.process_time()
    try:
        record = load_record(crafted_path)
    except RecordError as error:
        assert crafted_path.stem in str(error) and "\n" not in str(error)
        with pytest.raises(Error):
            READERS[RAISING[number % len(RAISING)]](crafted_path, good_record.path, crafted_path.parent)
    else:
        assert record.study == good_record.study
        with contextlib.suppress(Error):
            READERS[SEVERAL[number % len(SEVERAL)]](crafted_path, good_record.path, crafted_path.parent)
    assert time.process_time() - started < 20


def test_what_is_read_is_unchanged(crafted_path: Path, good: bytes, good_record: Record) -> None:
    """A flipped bit is detected, or changes nothing that is read."""
    for name, make in CRAFTED.items():
        if "flipped" in name or "pages of version" in name or "row group" in name or "checksum" in name:
            make(crafted_path, good)
            try:
                record = load_record(crafted_path)
            except RecordError:
                continue
            assert record.samples.equals(good_record.samples)
            assert record.provenance == good_record.provenance


@pytest.mark.parametrize("part", range(6))
def test_a_part_of_a_provenance_may_be_anything(
    part: int, crafted_path: Path, good: bytes, good_record: Record
) -> None:
    """A third of the parts; the fuzz target of provenances replaces all of them by all values."""
    values = (*VALUES, ...)
    for number, path in enumerate([*provenance_paths(good_record.provenance)][part::18]):
        text = json.dumps(replaced(good_record.provenance, path, values[(part + number) % len(values)])).encode()
        with_provenance(text)(crafted_path, good)
        try:
            record = load_record(crafted_path)
        except RecordError as error:
            assert str(crafted_path) in str(error) and "\n" not in str(error)
            continue
        assert record.samples.equals(good_record.samples)
        if number % 6 == part:
            reader = READERS[SEVERAL[number % len(SEVERAL)]]
            try:
                reader(crafted_path, good_record.path, crafted_path.parent)
            except Error as error:
                check_printable(str(error))


@pytest.mark.parametrize(
    "words",
    [
        ("compare", "RECORD", "GOOD"),
        ("rank", "RECORD"),
        ("report", "RECORD"),
        ("figure", "all", "--record", "RECORD"),
        ("claims", "--record", "RECORD"),
    ],
    ids=lambda words: words[0],
)
@pytest.mark.parametrize("name", ["octets: noise", "files: a pipe", "values: wall_ns of -1", "provenances: deep lists"])
def test_verbs_report_crafted_records_in_one_line(
    words: tuple[str, ...],
    name: str,
    crafted_path: Path,
    good: bytes,
    good_record: Record,
    capsys: pytest.CaptureFixture[str],
) -> None:
    CRAFTED[name](crafted_path, good)
    given = {"RECORD": str(crafted_path), "GOOD": str(good_record.path)}
    assert cli.main([given.get(word, word) for word in words]) in (cli.FAILED, cli.INVALID_ARGUMENTS)
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and err.startswith(f"aeadlab {words[0]}: ")


def test_file_names_are_printed_without_control_characters(
    crafted_path: Path, good: bytes, good_record: Record, capsys: pytest.CaptureFixture[str]
) -> None:
    path = crafted_path.with_name(f"{ESCAPES}.parquet".replace("/", ""))
    path.write_bytes(good)
    check_printable(load_record(path).name)
    assert cli.main(["compare", str(path), str(good_record.path)]) in (cli.FAILED, cli.INVALID_ARGUMENTS, cli.OK)
    assert cli.main(["rank", str(path)]) in (cli.FAILED, cli.OK)
    check_printable("".join(capsys.readouterr()))


def test_paths_that_no_file_can_have(good_record: Record) -> None:
    for path in ("a\0b.parquet", "x" * 5000, str(good_record.path / "inside"), "", "\udcff.parquet"):
        for read in (load_record, provenance_of):
            with pytest.raises(RecordError):
                read(Path(path))
