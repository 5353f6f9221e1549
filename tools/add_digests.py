"""Adds digests to records that were stored without them: ``python tools/add_digests.py RECORD.parquet ...``.

It replaces the file only after it has read the new one back and found every sample and the whole provenance unchanged.
Give it records that you trust: the digests show changes from now on, and not earlier ones.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from aeadlab import paths
from aeadlab.errors import Error, RecordError
from aeadlab.records import stored_provenance
from aeadlab.records.digest import SAMPLES_KEY, SUFFIX, sums
from aeadlab.records.reading import METADATA_KEY, record_of, with_derived_columns
from aeadlab.records.storing import sealed


def add_digests(path: Path) -> None:
    """Rewrite a record with digests, and write those of its files beside it."""
    table, metadata = pq.read_table(path), pq.read_metadata(path).metadata
    if METADATA_KEY not in metadata or SAMPLES_KEY in metadata:
        raise RecordError(f"{path} is not a record of aeadlab without digests")
    text = stored_provenance.unpack(metadata[METADATA_KEY])
    content = sealed(table, text)
    record = record_of(path, content)
    before = with_derived_columns(table.to_pandas())
    pd.testing.assert_frame_equal(record.samples[before.columns], before, check_exact=True)
    if record.provenance != stored_provenance.parse(text):
        raise RecordError(f"the provenance of {path} would change")
    beside = path.with_suffix(".json")
    files = {beside.name: beside.read_bytes()} if beside.exists() else {}
    paths.write_atomically(path, content)
    paths.write_atomically(path.with_suffix(SUFFIX), sums({**files, path.name: content}))


def main(arguments: list[str]) -> int:
    """Add digests to all records given; return 1 if one could not be read."""
    failed = 0
    for argument in arguments:
        try:
            add_digests(Path(argument))
        except (OSError, ValueError, Error, pa.ArrowException) as error:
            print(f"{argument}: {error}", file=sys.stderr)
            failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
