from __future__ import annotations

import unicodedata

import pytest

from aeadlab.display.printable import printable


@pytest.mark.parametrize("text", ["", "openssl/aes-256-gcm", "é — 3 µs", "日本語", "a\N{NO-BREAK SPACE}b"])
def test_keeps_printable_text(text: str) -> None:
    assert printable(text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\x1b[31mred\x1b[0m", "\N{REPLACEMENT CHARACTER}[31mred\N{REPLACEMENT CHARACTER}[0m"),
        ("two\r\nlines\tof text", "two lines of text"),
        ("a\N{LINE SEPARATOR}b\x85c", "a b c"),
        ("over\N{RIGHT-TO-LEFT OVERRIDE}write\0", "over\N{REPLACEMENT CHARACTER}write\N{REPLACEMENT CHARACTER}"),
        ("file\udcff.parquet", "file\N{REPLACEMENT CHARACTER}.parquet"),
    ],
)
def test_replaces_what_a_terminal_would_obey(text: str, expected: str) -> None:
    assert printable(text) == expected


def test_every_result_can_be_printed_in_one_line() -> None:
    every = "".join(map(chr, range(0x110000)))
    result = printable(every)
    assert {unicodedata.category(c) for c in result}.isdisjoint({"Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"})
    result.encode()


def test_shortens_long_text() -> None:
    assert printable("x" * 10, limit=10) == "x" * 10
    assert printable("x" * 11, limit=10) == "x" * 9 + "…"
