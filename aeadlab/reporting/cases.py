"""The sections with a table of all cases, and with the cases that were not timed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from aeadlab.display.conditions import CONDITIONS, HEADINGS, in_words
from aeadlab.display.markup import (
    Cell,
    Content,
    Html,
    bullet_list,
    element,
    join,
    paragraph,
    table,
    text_table,
    truncate,
)
from aeadlab.display.units import DASH, count_noun, duration, interval, percent, signed_percent, significant, size_name
from aeadlab.reporting.analysis import MAX_CASES, Analysis
from aeadlab.stats import OUTLIER_CLASSES, Modes
from aeadlab.stats.roofline import COPY, COPY_STREAM, LIMITS, MEMCPY, XOR

_SIZES = ("bytes", "block_size")
_NUMBERS = (*_SIZES, "threads")
_MAX_REASONS = 200
_LIMITS = {
    MEMCPY: "baseline/memcpy",
    COPY: "baseline/copy, which writes with ordinary stores as libraries do",
    COPY_STREAM: "baseline/copy-stream for implementations that use streaming stores",
    XOR: "baseline/xor for cases in place",
}
_LEGEND = (
    "Medians with 95 % intervals below them. GiB/s is 2^30 bytes of payload per second; cycles are those of "
    "the time-stamp counter. The limit is the speed of {limits}, with "
    "the same size and thread count in the same rounds; if several engines were measured, the fastest is used. A "
    "digest writes no output and can exceed the limit. Outliers, by Tukey's fences, are included in all numbers."
)


def cases(analysis: Analysis) -> Html:
    """Return the conditions that all cases share, a legend, and a table for each kind."""
    rows = analysis.cases
    if rows.empty:
        return paragraph("No case has a counted sample.")
    varying = [name for name in CONDITIONS if rows[name].nunique() > 1]
    common = in_words(rows.iloc[0], [name for name in CONDITIONS if name not in varying])
    parts: list[Content] = [paragraph(f"Conditions of all cases: {common}.") if common else None]
    parts.append(paragraph(_legend(analysis)))
    if analysis.common_flags:
        parts.append(paragraph(f"Flags of all samples: {', '.join(analysis.common_flags)}."))
    listed = sum(map(len, analysis.listed.values()))
    if listed < len(rows):
        parts.append(
            paragraph(
                element("b", f"{listed:,} of {len(rows):,} cases are listed"),
                f", the fastest of each kind, since a page is limited to {MAX_CASES:,}; the record has all of them.",
            )
        )
    columns = {**_COLUMNS}
    if {*rows["limit"].dropna()} <= {*LIMITS.values()}:
        del columns["of memcpy"]
    headings = ["implementation", *(HEADINGS[name] for name in varying), *columns]
    for kind, group in analysis.listed.items():
        cells = [
            [*_names(row, varying), *(column(row, analysis, int(case)) for column in columns.values())]
            for case, row in zip(group.index, group.to_dict("records"), strict=True)
        ]
        parts += [element("h3", kind, f" ({count_noun(len(group), 'case')})"), table(headings, cells)]
    return join(parts)


def _legend(analysis: Analysis) -> str:
    """Return the meaning of the numbers, with the limits that cases of this record have."""
    used = {*analysis.cases["limit"].dropna()}
    return _LEGEND.format(limits=" or ".join(text for name, text in _LIMITS.items() if name in used) or _LIMITS[MEMCPY])


def not_timed(analysis: Analysis) -> Html:
    """Return the failed cases and the implementations that were not timed, with reasons, and the unmeasured cases."""
    parts: list[Content] = []
    if failures := analysis.failures:
        rows: list[list[Content | Cell]] = [
            [f.implementation, Cell(f"{f.cases:,}", key=f.cases), f.first, truncate(f.reason)]
            for f in failures[:_MAX_REASONS]
        ]
        parts += [element("h3", "Failed"), text_table(("implementation", "cases", "first case", "reason"), rows)]
        if len(failures) > _MAX_REASONS:
            parts.append(paragraph(f"{len(failures) - _MAX_REASONS:,} more reasons are in the record."))
    if refused := analysis.section("refused"):
        reasons = [[name, truncate(str(reason))] for name, reason in sorted(refused.items())]
        listed = text_table(("implementation", "reason"), reasons[:_MAX_REASONS])
        parts += [element("h3", "Absent or not verified"), listed]
    if unmeasured := analysis.unmeasured:
        parts += [element("h3", "Planned, without a sample"), bullet_list(unmeasured[:_MAX_REASONS])]
        if len(unmeasured) > _MAX_REASONS:
            parts.append(paragraph(f"And {len(unmeasured) - _MAX_REASONS:,} more."))
    return join(parts) if parts else paragraph("All planned cases were timed.")


def _names(row: Mapping[Any, Any], varying: list[str]) -> Iterator[Content | Cell]:
    yield Cell(row["implementation"], "A/A, second arm" if row["replica"] else None)
    for name in varying:
        value = row[name]
        text = size_name(int(value)) if name in _SIZES and (value or name == "bytes") else str(value or DASH)
        yield Cell(text, key=float(value)) if name in _NUMBERS else text


def _median(row: Mapping[Any, Any], analysis: Analysis, case: int) -> Cell:
    return Cell(*duration(row["median"], row["low"], row["high"]), key=row["median"])


def _speed(row: Mapping[Any, Any], analysis: Analysis, case: int) -> Cell:
    if not row["bytes"]:
        return Cell(DASH, key=float("nan"))
    ends = interval(row["gib_per_s_low"], row["gib_per_s_high"], 4)
    return Cell(significant(row["gib_per_s"], 4), ends, row["gib_per_s"])


def _cycles(row: Mapping[Any, Any], analysis: Analysis, case: int) -> Cell:
    return Cell(significant(row["cycles_per_byte"]), key=row["cycles_per_byte"])


def _share(row: Mapping[Any, Any], analysis: Analysis, case: int) -> Cell:
    return _percent(row, "share")


def _share_of_memcpy(row: Mapping[Any, Any], analysis: Analysis, case: int) -> Cell:
    return _percent(row, "share_of_memcpy")


def _percent(row: Mapping[Any, Any], name: str) -> Cell:
    return Cell(percent(row[name]), interval(100 * row[f"{name}_low"], 100 * row[f"{name}_high"]), row[name])


def _outliers(row: Mapping[Any, Any], analysis: Analysis, case: int) -> Cell:
    counts = {name: int(row[f"outliers_{name}"]) for name in OUTLIER_CLASSES if name != "none"}
    lines = [element("small", f"{number} {name.replace('_', ' ')}") for name, number in counts.items() if number]
    total = sum(counts.values())
    return Cell([str(total), lines], key=total)


def _count(row: Mapping[Any, Any], analysis: Analysis, case: int) -> Cell:
    return Cell(f"{row['n']:,}", key=row["n"])


def _flags(row: Mapping[Any, Any], analysis: Analysis, case: int) -> Cell:
    counts = analysis.flags_of(case)
    return Cell(", ".join(f"{flag} {n:,}" for flag, n in counts.items()) or DASH, key=sum(counts.values()))


def _modes(row: Mapping[Any, Any], analysis: Analysis, case: int) -> Cell:
    modes = analysis.modes[case]
    drift = f"by {signed_percent(100 * modes.drift.change)} %" if modes.drift.found else ""
    kind = "drift" if modes.kind == "too few" and drift else modes.kind
    return Cell(_MODES[kind], _describe_modes(modes) or drift)


def _describe_modes(modes: Modes) -> str:
    if modes.kind != "two":
        return ""
    parts = zip(modes.shares, modes.medians, strict=True)
    words = [f"{percent(share)} at {duration(median)[0]}" for share, median in parts]
    return f"{', '.join(words)}: factor {significant(modes.ratio)}"


_MODES = {"one": "no second mode found", "two": "two modes", "drift": "drift", "too few": "too few samples"}

_COLUMNS = {
    "median": _median,
    "GiB/s": _speed,
    "cycles/byte": _cycles,
    "of the limit": _share,
    "of memcpy": _share_of_memcpy,
    "outliers": _outliers,
    "n": _count,
    "flagged": _flags,
    "modes, drift": _modes,
}
