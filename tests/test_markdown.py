from __future__ import annotations

from aeadlab.markdown import table


def test_a_cell_stays_a_cell_and_numbers_stand_to_the_right() -> None:
    lines = table(("name", "time"), [("a|b\nc", "1.5")], 1)
    assert lines == ["| name | time |", "| --- | ---: |", "| a\\|b c | 1.5 |"]
    assert table(("name",), [])[1] == "| --- |"
