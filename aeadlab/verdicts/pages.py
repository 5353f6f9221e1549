"""Markdown pages with findings between marker lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from aeadlab import paths
from aeadlab.errors import ArgumentError
from aeadlab.verdicts.findings import Findings
from aeadlab.verdicts.text import as_markdown, as_markdown_rows

START: Final = "<!-- claims -->"
END: Final = "<!-- /claims -->"
_PLACE: Final = re.compile(r"(<!-- claims((?: [a-z0-9-]+)*) -->).*?" + END, re.DOTALL)


def default_pages() -> tuple[Path, ...]:
    """Return the pages of the checkout that hold findings.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If aeadlab was not installed from a checkout.
    """
    root = paths.checkout()
    if root is None:
        raise ArgumentError("aeadlab is not installed from a checkout: name the file to write")
    return root / "docs/FINDINGS.md", root / "README.md"


def write_findings(pages: Sequence[Path], evaluate: Callable[[], Findings]) -> None:
    """Replace the text between the markers of each page; a page without a change is not written.

    ``<!-- claims -->`` receives all findings, ``<!-- claims KEY KEY -->`` one row for each of these claims.

    The findings are evaluated once, which takes seconds, after all pages have been read and their markers checked.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If a page cannot be read, or its markers do not match.
    aeadlab.errors.UnknownNameError
        If there is no claim of a key.
    """
    before = {page: _read(page) for page in pages}
    for page, text in before.items():
        _check(text, str(page))
    findings = evaluate()
    after = {page: fill(text, findings) for page, text in before.items()}
    for page, text in after.items():
        if text != before[page]:
            page.write_text(text, "utf-8")


def fill(text: str, findings: Findings) -> str:
    """Return the text with the findings between its markers."""

    def with_findings(place: re.Match[str]) -> str:
        keys = place[2].split()
        content = as_markdown_rows(findings, keys) if keys else as_markdown(findings, page=True)
        return f"{place[1]}\n\n{content.strip()}\n\n{END}"

    return _PLACE.sub(with_findings, text)


def _check(text: str, name: str) -> None:
    starts, ends, places = text.count("<!-- claims"), text.count(END), len(_PLACE.findall(text))
    if not starts == ends == places > 0:
        raise ArgumentError(
            f"{name} has {starts} start markers and {ends} end markers of claims: put {START} and {END}, in this "
            "order, where the findings belong"
        )


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except OSError as error:
        raise ArgumentError(f"{path} cannot be read ({error.strerror}): name a file that has the markers") from error
