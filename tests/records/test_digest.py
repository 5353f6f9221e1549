from __future__ import annotations

import struct

import pyarrow as pa
from blake3 import blake3

from aeadlab.records.digest import provenance_digest, samples_digest, sums


def test_the_digest_of_samples_by_hand() -> None:
    table = pa.table({"op": ["seal", "open", "seal"], "wall_ns": [1, -2, 3], "warmup": [True, False, False]})
    octets = b"op text 3\n"
    for text in (b"seal", b"open"):
        octets += len(text).to_bytes(8, "little") + text
    octets += b"\xff" * 8 + struct.pack("<3I", 0, 1, 0)
    octets += b"wall_ns int64 3\n" + struct.pack("<3q", 1, -2, 3)
    octets += b"warmup bool 3\n" + b"\1\0\0"
    assert samples_digest(table) == blake3(octets).hexdigest().encode()


def test_values_names_types_and_order_change_the_digest() -> None:
    table = pa.table({"a": [1, 2], "b": ["x", "y"]})
    others = [
        pa.table({"a": [2, 1], "b": ["x", "y"]}),
        pa.table({"a": [1, 2], "b": ["y", "x"]}),
        pa.table({"a": [1, 2], "b": ["xy", ""]}),
        pa.table({"b": ["x", "y"], "a": [1, 2]}),
        pa.table({"c": [1, 2], "b": ["x", "y"]}),
        pa.table({"a": pa.array([1, 2], pa.uint64()), "b": ["x", "y"]}),
        pa.table({"a": [1], "b": ["x"]}),
        pa.table({"a": [1, 2]}),
    ]
    assert len({samples_digest(each) for each in (table, *others)}) == len(others) + 1


def test_chunks_and_dictionaries_do_not_change_the_digest() -> None:
    table = pa.table({"a": [1, 2, 1], "b": ["x", "y", "x"]})
    digest = samples_digest(table)
    assert samples_digest(pa.concat_tables([table.slice(0, 1), table.slice(1)])) == digest
    other = pa.DictionaryArray.from_arrays([2, 0, 2], ["y", "unused", "x"])
    assert samples_digest(table.set_column(1, "b", other)) == digest


def test_other_digests() -> None:
    assert provenance_digest(b"{}") == blake3(b"{}").hexdigest().encode()
    assert sums({"a b": b"1"}) == blake3(b"1").hexdigest().encode() + b"  a b\n"
