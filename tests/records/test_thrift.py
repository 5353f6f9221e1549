from __future__ import annotations

import pytest

from aeadlab.records.thrift import Reader


def read(octets: bytes) -> dict[int, object]:
    return Reader(octets, 0, len(octets)).struct()


def test_reads_each_type_by_hand() -> None:
    # Fields 1 to 8: true, false, byte 7, i32 -3, i64 150, "ab", list of i32 [1, -1], struct {1: true}.
    octets = bytes.fromhex("11 12 1307 1505 16ac02 18026162 19250201 1c1100 00")
    assert read(octets) == {1: True, 2: False, 3: 7, 4: -3, 5: 150, 6: b"ab", 7: [1, -1], 8: {1: True}}


def test_reads_a_field_with_its_own_number_and_a_long_list() -> None:
    assert read(bytes.fromhex("05 c801 02 00")) == {100: 1}
    assert read(b"\x19\xf5\x10" + bytes(16) + b"\0") == {1: [0] * 16}
    # The elements of a list of bool are octets, whichever of both types the list has.
    for kind in (1, 2):
        assert read(bytes([0x19, 0x20 | kind, 1, 2, 0])) == {1: [1, 2]}


@pytest.mark.parametrize(
    "octets",
    [
        b"",
        b"\x11",
        b"\x15",
        b"\x15\xff",
        b"\x15" + b"\xff" * 10 + b"\x01",
        b"\x18\x05ab",
        b"\x18\xff\xff\xff\xff\x0f",
        b"\x19\xf5\xff\xff\xff\xff\x0f",
        b"\x19\xfc\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f",
        b"\x1d\x00",
        b"\x1f\x00",
        b"\x1b\x01\x55\x02\x02\x00",
        b"\x1c" * 100,
        b"\x19\x19" * 100,
        b"\x15\x02\x05\x02\x04\x00",
    ],
    ids=bytes.hex,
)
def test_damaged_structs_are_errors(octets: bytes) -> None:
    with pytest.raises(ValueError):
        read(octets)
