from __future__ import annotations

from aeadlab.display.terminal import WIDTH, fill, paragraphs, wrap


def test_lines_fit_without_breaks_at_hyphens() -> None:
    names = [f"library-{n}/aes-256-gcm-siv" for n in range(9)]
    lines = wrap(" ".join(names), "    ")
    assert max(map(len, lines)) <= WIDTH
    assert [line.startswith("    ") for line in lines] == [False, *[True] * (len(lines) - 1)] and len(lines) > 2
    assert " ".join(lines).split() == names
    assert fill(" ".join(names), "    ").splitlines() == lines


def test_empty_blocks_are_omitted() -> None:
    assert paragraphs([["a", "b"], [], ["c"]]) == "a\nb\n\nc"
