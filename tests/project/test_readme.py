"""The pages that a visitor reads first."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from aeadlab.verdicts.findings import VERDICTS
from tests.fixtures.examples import find

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_example_runs_as_printed(capsys: pytest.CaptureFixture[str]) -> None:
    (example,) = find("README.md", "ParSplit in Python", "python")
    assert len(example.splitlines()) <= 15
    exec(compile(example, "README example", "exec"), {})
    assert "a tag does not match" in capsys.readouterr().out


def test_the_readme_has_at_most_1000_words() -> None:
    assert len(README.split()) <= 1000


def test_every_question_of_the_readme_has_a_command() -> None:
    commands = re.findall(r"^    (aeadlab (?:speed|compare|tune) .*?) *#.*\?", README, re.MULTILINE)
    assert [command.split()[1] for command in commands] == ["speed", "compare", "tune"]
    assert re.search("^    make paper .*\n    make test ", README, re.MULTILINE)


def test_findings_of_the_readme_have_unit_margin_and_level() -> None:
    (table,) = re.findall("<!-- claims.*?<!-- /claims -->", README, re.DOTALL)
    assert "| n; margin; p |" in table
    for row in re.findall(r"^\| \[.*", table, re.MULTILINE):
        measured, basis, verdict = row.strip("| ").split(" | ")[-3:]
        decided = not verdict.startswith("**inconclusive")
        assert not decided or re.fullmatch(r"\d+/\d+; [\d.]+ %; [\d.e-]+", basis), row


def test_linked_files_exist() -> None:
    for page in (ROOT / "README.md", ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/*.md")):
        links = re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text(encoding="utf-8"))
        assert [link for link in links if not (page.parent / link).exists()] == [], page.name


def test_the_architecture_names_files_that_exist() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    named = re.findall(r"`((?:aeadlab|native|tests)/[\w/.-]+)`", text)
    assert len(named) > 30
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_the_findings_page_states_every_claim() -> None:
    from aeadlab.studies.claims import claims_of
    from aeadlab.verdicts.evaluation import evaluate
    from aeadlab.verdicts.findings import Findings
    from aeadlab.verdicts.text import as_markdown

    # Written again with `aeadlab claims --write` when a claim or a reference record changes.
    page = (ROOT / "docs/FINDINGS.md").read_text(encoding="utf-8")
    findings = tuple(evaluate(claim, None) for claim in claims_of())
    for row in as_markdown(Findings(findings, {})).splitlines():
        if row.startswith("| ") and not row.startswith(("| ---", "| place")):
            place, statement = row.split(" | ")[:2]
            assert f"{place} | {statement} |" in page


def test_the_readme_shows_ten_findings_of_the_page() -> None:
    rows = re.findall(r"^\| \[\w+\]\(docs/FINDINGS\.md#\w+\): .*?\*\*([^*]*)\*\*.* \|$", README, re.MULTILINE)
    assert len(rows) == 10
    assert {"reproduced", "not reproduced"} <= set(rows) <= set(VERDICTS)
