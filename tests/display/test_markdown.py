from __future__ import annotations

from aeadlab.display.markdown import table


def test_escapes_cells_and_aligns_numbers() -> None:
    lines = table(("name", "time"), [("a|b\nc", "1.5")], 1)
    assert lines == ["| name | time |", "| --- | ---: |", "| a\\|b c | 1.5 |"]
    assert table(("name",), [])[1] == "| --- |"
