from __future__ import annotations

import re
from pathlib import Path

import pytest

from aeadlab import paths
from aeadlab.errors import ArgumentError, UnknownNameError
from aeadlab.studies.claims import claims_of
from aeadlab.verdicts.evaluation import evaluate_all
from aeadlab.verdicts.findings import Findings
from aeadlab.verdicts.pages import END, START, default_pages, fill, write_findings
from aeadlab.verdicts.text import as_markdown


@pytest.fixture(scope="module")
def findings() -> Findings:
    """Return the findings without any record; claims that require one are inconclusive."""
    return Findings(evaluate_all(claims_of(), {}), {})


def test_replaces_only_the_text_between_the_markers(findings: Findings) -> None:
    text = f"# Title\n\n{START}\nold\n{END}\n\nrest\n"
    once = fill(text, findings)
    assert once == f"# Title\n\n{START}\n\n{as_markdown(findings)}\n\n{END}\n\nrest\n"
    assert fill(once, findings) == once


def test_keys_in_a_marker_select_rows_in_their_order(findings: Findings) -> None:
    start = "<!-- claims evp-slower fastest-aead -->"
    filled = fill(f"{start}\n{END}\n", findings)
    assert filled.startswith(f"{start}\n\n| finding, quantity |")
    tor, eth = filled.splitlines()[4:6]
    assert tor.startswith("| [Tor](docs/FINDINGS.md#tor): ") and eth.startswith("| [ETH](docs/FINDINGS.md#eth): ")
    assert fill(filled, findings) == filled


def test_rejects_a_marker_with_an_unknown_key(findings: Findings, tmp_path: Path) -> None:
    good, bad = tmp_path / "good.md", tmp_path / "bad.md"
    good.write_text(f"{START}{END}")
    bad.write_text(f"<!-- claims no-such-claim -->{END}")
    with pytest.raises(UnknownNameError, match="there is no claim 'no-such-claim'"):
        write_findings([good, bad], lambda: findings)
    assert good.read_text() == f"{START}{END}"


@pytest.mark.parametrize("text", ["", START, END, f"{START}{START}{END}", f"{START}{END}{END}", f"{END}{START}"])
def test_rejects_a_page_without_matching_markers(text: str, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(text)
    with pytest.raises(ArgumentError, match="start markers and"):
        write_findings([page], lambda: pytest.fail("the claims were evaluated"))


def test_every_document_has_a_section_with_its_claims(findings: Findings) -> None:
    sections = as_markdown(findings).split("\n## ")[1:]
    names = [section.partition("\n")[0] for section in sections]
    assert names == [*dict.fromkeys(claim.document for claim in claims_of()), "Records"]
    for name, section in zip(names[:-1], sections, strict=False):
        assert section.count("\n| ") == 2 + len(claims_of(name))


def test_the_page_on_claims_counts_them() -> None:
    page = (Path(__file__).parents[2] / "docs/CLAIMS.md").read_text(encoding="utf-8")
    counted = {name: int(count) for name, count in re.findall(r"^\| (\w+) \| (\d+) \|", page, re.MULTILINE)}
    assert counted == {name: len(claims_of(name)) for name in dict.fromkeys(one.document for one in claims_of())}


def test_only_a_page_that_changes_is_written(
    findings: Findings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, current = tmp_path / "old.md", tmp_path / "current.md"
    old.write_text(f"{START}{END}")
    current.write_text(fill(f"{START}{END}", findings))
    current.chmod(0o444)
    written: list[Path] = []
    write_text = Path.write_text
    monkeypatch.setattr(Path, "write_text", lambda path, *given: written.append(path) or write_text(path, *given))
    write_findings([old, current], lambda: findings)
    assert written == [old]
    assert old.read_text() == current.read_text()
    written.clear()
    write_findings([old, current], lambda: findings)
    assert written == []


def test_pages_of_a_checkout_hold_the_findings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "checkout", lambda: tmp_path)
    assert default_pages() == (tmp_path / "docs/FINDINGS.md", tmp_path / "README.md")
    monkeypatch.setattr(paths, "checkout", lambda: None)
    with pytest.raises(ArgumentError, match="not installed from a checkout: name the file to write"):
        default_pages()
    with pytest.raises(ArgumentError, match=r"none\.md cannot be read \(No such file or directory\)"):
        write_findings([tmp_path / "none.md"], lambda: pytest.fail("the claims were evaluated"))
