from __future__ import annotations

import base64
import importlib.util
import zlib
from pathlib import Path
from types import ModuleType

import pandas as pd
import pyarrow.parquet as pq
import pytest

from aeadlab.errors import RecordError
from aeadlab.records.reading import METADATA_KEY, load_record
from tests.fixtures.journals import sample, stored


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("add_digests", Path(__file__).parents[2] / "tools/add_digests.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A record as aeadlab stored it before it had digests: with the schema of Arrow, and statistics."""
    path = stored(tmp_path, sample(0), sample(1), failures={2: "SIGSEGV"})
    metadata = pq.read_metadata(path).metadata
    table = pq.read_table(path).to_pandas()
    path.with_suffix(".b3").unlink()
    import pyarrow as pa

    with pq.ParquetWriter(path, pa.Table.from_pandas(table).schema, compression="zstd") as writer:
        writer.write_table(pa.Table.from_pandas(table))
        writer.add_key_value_metadata({METADATA_KEY: metadata[METADATA_KEY]})
    with pytest.raises(RecordError):
        load_record(path)
    return path


def test_adds_digests_without_a_change_of_samples_and_provenance(tool: ModuleType, old: Path) -> None:
    before, text = pq.read_table(old).to_pandas(), pq.read_metadata(old).metadata[METADATA_KEY]
    assert tool.main([str(old)]) == 0
    record = load_record(old)
    pd.testing.assert_frame_equal(record.samples[before.columns], before)
    stored_text = pq.read_metadata(old).metadata[METADATA_KEY]
    assert zlib.decompress(base64.b64decode(stored_text)) == zlib.decompress(base64.b64decode(text))
    assert old.with_suffix(".b3").is_file()


def test_leaves_other_files_as_they_are(tool: ModuleType, old: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert tool.main([str(old)]) == 0
    other = old.with_name("other.parquet")
    pd.DataFrame({"a": [1]}).to_parquet(other)
    missing = old.with_name("missing.parquet")
    before = {path: path.read_bytes() for path in (old, other)}
    assert tool.main([str(old), str(other), str(missing)]) == 1
    assert {path: path.read_bytes() for path in before} == before
    assert capsys.readouterr().err.count("\n") == 3
