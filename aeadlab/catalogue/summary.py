"""Summary of the catalogue: the number of implementations of each kind and library."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from aeadlab.catalogue.implementation import Implementation
from aeadlab.catalogue.kinds import KINDS
from aeadlab.display.listing import named_reasons, reasons_html
from aeadlab.display.markup import Cell, Content, Html, join, paragraph, table


def as_html(implementations: Iterable[Implementation], absent: Mapping[str, str]) -> Html:
    """Return a table with one row per library, and the absent libraries with their reasons."""
    libraries = _libraries(implementations)
    total = sum((counts for counts, _ in libraries.values()), start=Counter[str]())
    kinds = [kind for kind in KINDS if total[kind]]
    rows: list[list[Content | Cell]] = [
        [library, ", ".join(sorted(versions)), *_count_cells(counts, kinds)]
        for library, (counts, versions) in sorted(libraries.items())
    ]
    rows.append(["all", "", *_count_cells(total, kinds)])
    return join(
        [
            paragraph(_summary(total, len(libraries))),
            table(("library", "version", *kinds, "all"), rows, "numbers"),
            reasons_html("Absent:", absent),
        ]
    )


def as_text(implementations: Iterable[Implementation], absent: Mapping[str, str]) -> str:
    """Return a line with the counts, and one for each absent library or plugin."""
    libraries = _libraries(implementations)
    total = sum((counts for counts, _ in libraries.values()), start=Counter[str]())
    return "\n  ".join(
        [f"<Catalogue: {_summary(total, len(libraries))}>", *(f"absent: {reason}" for reason in named_reasons(absent))]
    )


def _libraries(implementations: Iterable[Implementation]) -> dict[str, tuple[Counter[str], set[str]]]:
    """Return the number of implementations by kind, and the versions, of each library."""
    libraries: dict[str, tuple[Counter[str], set[str]]] = defaultdict(lambda: (Counter(), set()))
    for implementation in implementations:
        counts, versions = libraries[implementation.description.library]
        counts[implementation.description.kind] += 1
        versions.add(implementation.description.version)
    return libraries


def _count_cells(counts: Counter[str], kinds: Iterable[str]) -> list[Content | Cell]:
    return [Cell(count or "", key=count) for count in (*(counts[kind] for kind in kinds), counts.total())]


def _summary(total: Counter[str], libraries: int) -> str:
    kinds = ", ".join(f"{total[kind]} {kind}" for kind in KINDS if total[kind])
    return f"{total.total()} implementations of {libraries} libraries ({kinds})"
