"""The catalogue at a glance: how many implementations of each kind every library brings."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from aeadlab.catalogue.implementation import Implementation
from aeadlab.kinds import KINDS
from aeadlab.listing import reasons_html, told
from aeadlab.markup import Cell, Content, Html, joined, paragraph, table


def as_html(implementations: Iterable[Implementation], absent: Mapping[str, str]) -> Html:
    """A table with one row per library, and what is absent with its reason."""
    libraries = _libraries(implementations)
    total = sum((counts for counts, _ in libraries.values()), start=Counter[str]())
    kinds = [kind for kind in KINDS if total[kind]]
    rows: list[list[Content | Cell]] = [
        [library, ", ".join(sorted(versions)), *_numbers(counts, kinds)]
        for library, (counts, versions) in sorted(libraries.items())
    ]
    rows.append(["all", "", *_numbers(total, kinds)])
    return joined(
        [
            paragraph(_summary(total, len(libraries))),
            table(("library", "version", *kinds, "all"), rows, "numbers"),
            reasons_html("Absent:", absent),
        ]
    )


def as_text(implementations: Iterable[Implementation], absent: Mapping[str, str]) -> str:
    """One line with the counts, and one for each absent library or plugin."""
    libraries = _libraries(implementations)
    total = sum((counts for counts, _ in libraries.values()), start=Counter[str]())
    return "\n  ".join([f"<Catalogue: {_summary(total, len(libraries))}>", *(f"absent: {why}" for why in told(absent))])


def _libraries(implementations: Iterable[Implementation]) -> dict[str, tuple[Counter[str], set[str]]]:
    """Counts by kind and versions of each library."""
    found: dict[str, tuple[Counter[str], set[str]]] = defaultdict(lambda: (Counter(), set()))
    for implementation in implementations:
        counts, versions = found[implementation.description.library]
        counts[implementation.description.kind] += 1
        versions.add(implementation.description.version)
    return found


def _numbers(counts: Counter[str], kinds: Iterable[str]) -> list[Content | Cell]:
    return [Cell(count or "", key=count) for count in (*(counts[kind] for kind in kinds), counts.total())]


def _summary(total: Counter[str], libraries: int) -> str:
    kinds = ", ".join(f"{total[kind]} {kind}" for kind in KINDS if total[kind])
    return f"{total.total()} implementations of {libraries} libraries ({kinds})"
