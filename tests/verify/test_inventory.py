from __future__ import annotations

from typing import Any

from aeadlab.catalogue import Description
from aeadlab.verify import Report
from aeadlab.verify.inventory import Inventory


def describe(library: str, algorithm: str, **facts: Any) -> Description:
    return Description(library, algorithm, "aead", **{"version": "1"} | facts)


def test_a_library_of_two_origins_has_two_headings() -> None:
    linked = [describe("both", "one"), describe("both", "two")]
    plugin = describe("both", "three", version="2", origin="/plugins/both.so")
    text = Inventory([*linked, plugin], {}).as_text()
    assert [block.splitlines()[0] for block in text.split("\n\n")[:2]] == ["both  1  (linked)", "both  2  (plugin)"]


def test_shows_different_kernels_in_their_rows() -> None:
    kernels = {"one": "AVX2", "two": "SSE2", "three": ""}
    rows = [describe("mixed", algorithm, kernel=kernel) for algorithm, kernel in kernels.items()]
    text = Inventory(rows, {}).as_text()
    assert "kernel" not in text
    ends = {line.split()[0]: line.split()[-1] for line in text.splitlines()[2:5]}
    assert ends == {"one": "[AVX2]", "two": "[SSE2]", "three": "-"}


def test_wraps_long_texts_without_truncation() -> None:
    flags = frozenset({"in-place", "thread-safe", "parallel", "any-nonce-length", "research", "historical"})
    long = describe("library", "a-rather-long-algorithm-name", version="v" * 100, kernel="k" * 200, flags=flags)
    text = Inventory([long], {"x" * 90: "y" * 90}).as_text()
    assert max(map(len, text.splitlines())) <= 80
    joined = "".join(text.split())
    words = flags - {"in-place", "thread-safe", "any-nonce-length"}
    assert all(part in joined for part in ("v" * 100, "k" * 200, "x" * 90, "y" * 90, *words))
    assert " itn " in text


def test_shows_verdicts_and_reasons() -> None:
    rows = [describe("library", name) for name in ("right", "wrong", "alone", "new")]
    reports = {
        "library/right": Report("library/right", "1", (), False, ""),
        "library/wrong": Report("library/wrong", "1", (), False, "known answers: 3 of 5 failed"),
        "library/alone": Report("library/alone", "1", (), True, "cannot be verified"),
    }
    block = Inventory(rows, {}, reports=reports).as_text().split("\n\n")[0]
    lines = [line.split() for line in block.splitlines()[2:]]
    assert [line[-1] for line in lines if line[1] == "aead"] == ["ok", "FAILED", "?", "-"]
    assert [" ".join(line) for line in lines if line[1] != "aead"] == [
        "known answers: 3 of 5 failed",
        "cannot be verified",
    ]
