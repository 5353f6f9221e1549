from __future__ import annotations

from aeadlab.display.markdown import document, table


def test_escapes_cells_and_aligns_numbers() -> None:
    lines = table(("name", "time"), [("a|b\nc", "1.5")], 1)
    assert lines == ["| name | time |", "| --- | ---: |", "| a\\|b c | 1.5 |"]
    assert table(("name",), [])[1] == "| --- |"


def test_a_document_has_a_list_and_a_table_for_each_part() -> None:
    rows = [{"name": "a|b", "n": 1, "empty": "", "ok": True}, {"name": "c", "n": 0.123456, "empty": None, "ok": False}]
    content = {"path": "x", "rows": rows, "notes": ["first", "second"], "none": [], "counts": {"a": 1, "b": [1, 2]}}
    assert document(content).split("\n\n") == [
        "- path: x",
        "## rows",
        "| name | n | ok |\n| --- | --- | --- |\n| a\\|b | 1 | yes |\n| c | 0.1235 | no |",
        "## notes",
        "- first\n- second",
        "## counts",
        "- a: 1\n- b: 1; 2",
    ]
    assert document([{"a": 1}]) == "| a |\n| --- |\n| 1 |"
