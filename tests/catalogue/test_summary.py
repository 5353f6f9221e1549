from __future__ import annotations

from collections import Counter

from aeadlab.catalogue import load, summary
from aeadlab.catalogue.implementation import Description
from tests.display.test_markup import text_of


class Named:
    def __init__(self, library: str, algorithm: str, kind: str, version: str = "1") -> None:
        self.description = Description(library, algorithm, kind, version)  # type: ignore[arg-type]


FEW = [Named("a", "x", "aead"), Named("a", "y", "hash", "<2>"), Named("b", "x", "aead")]


def test_summary_has_a_row_per_library_with_its_counts() -> None:
    page = summary.as_html(FEW, {"c": "<b>not installed</b>"})  # type: ignore[arg-type]
    rows = [text_of(row).strip() for row in page.split("<tr>")[1:]]
    assert rows[0] == "libraryversionaeadhashall"
    assert rows[1] == "a1, <2>112" and rows[2] == "b111" and rows[3].startswith("all213")
    assert "c: &lt;b&gt;not installed" in page
    assert summary.as_text(FEW, {"c": "gone"}).splitlines() == [  # type: ignore[arg-type]
        "<Catalogue: 3 implementations of 2 libraries (2 aead, 1 hash)>",
        "  absent: c: gone",
    ]


def test_catalogue_representations_contain_the_counts() -> None:
    catalogue = load()
    counts = Counter(i.description.kind for i in catalogue)
    assert f"{len(catalogue)} implementations of " in repr(catalogue)
    assert all(f"{count} {kind}" in repr(catalogue) for kind, count in counts.items())
    page = catalogue._repr_html_()
    assert page.count("<tr>") == 2 + len({i.description.library for i in catalogue})
