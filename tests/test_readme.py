"""The README's Python does what it says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

README = (Path(__file__).resolve().parents[1] / "README.md").read_text(encoding="utf-8")


def test_a_reader_can_paste_the_examples_one_after_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    content = bytes(range(256)) * 1000
    (tmp_path / "backup.tar").write_bytes(content)
    examples = re.findall(r"^```python\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    assert len(examples) == 2
    names: dict[str, Any] = {}
    for number, example in enumerate(examples):
        exec(compile(example, f"README example {number + 1}", "exec"), names)
    assert bytes(names["view"]) == names["sealed"]
    assert (tmp_path / "restored.tar").read_bytes() == content
    refused, end = capsys.readouterr().out.splitlines()
    assert "a tag does not match" in refused
    assert end == repr(content[-100:])


def test_every_claim_has_its_row_between_the_markers() -> None:
    from aeadlab.judgement import claims_of, judged
    from aeadlab.judgement.markers import END, START, filled
    from aeadlab.published import DOCUMENTS

    assert filled(README, "", "README.md") != README
    table = README.partition(START)[2].partition(END)[0]
    rows = [line for line in table.splitlines() if line.startswith(tuple(f"| {name}, " for name in DOCUMENTS))]
    assert len(rows) == len(claims_of())
    # Written anew with `aeadlab claims --write README.md` when a claim or a reference record changes.
    assert all(judged(claim, None).statement in row for claim, row in zip(claims_of(), rows, strict=True))
