"""The tables of a report: every case with what its samples say, and what was not timed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from aeadlab.markup import Cell, Content, Html, element, joined, listed, paragraph, table, texts
from aeadlab.reporting.digest import MOST_CASES, Digest
from aeadlab.reporting.words import DASH, clipped, counted, duration, interval, share
from aeadlab.stats import OUTLIER_CLASSES, Modes
from aeadlab.units import signed_percent, significant, size_name

# What tells cases apart besides the implementation, as it is named and written.
_DIMENSIONS = {
    "op": "op",
    "bytes": "size",
    "engine": "engine",
    "block_size": "blocks",
    "threads": "threads",
    "schedule": "schedule",
    "model": "model",
    "placement": "placement",
    "cache": "cache",
    "mask": "hidden features",
}
_SIZES = ("bytes", "block_size")
_NUMBERS = (*_SIZES, "threads")
_MOST_REASONS = 200


def results(digest: Digest) -> Html:
    """One table per kind."""
    cases = digest.cases
    if cases.empty:
        return paragraph("No case has a sample that counts.")
    varying = [name for name in _DIMENSIONS if cases[name].nunique() > 1]
    parts: list[Content] = [paragraph(_common(cases, varying)), paragraph(_LEGEND)]
    if digest.common_flags:
        parts.append(paragraph(f"Every sample is flagged: {', '.join(digest.common_flags)}."))
    shown = sum(map(len, digest.listed.values()))
    if shown < len(cases):
        parts.append(
            paragraph(
                element("b", f"{shown:,} of {len(cases):,} cases are listed"),
                f", the fastest of each kind (a page holds {MOST_CASES:,}); the record has all of them.",
            )
        )
    headings = ["implementation", *(_DIMENSIONS[name] for name in varying), *_COLUMNS]
    for kind, rows in digest.listed.items():
        written = [
            [*_names(row, varying), *(column(row, digest, int(case)) for column in _COLUMNS.values())]
            for case, row in zip(rows.index, rows.to_dict("records"), strict=True)
        ]
        parts += [element("h3", kind, f" ({counted(len(rows), 'case')})"), table(headings, written)]
    return joined(parts)


def untimed(digest: Digest) -> Html:
    """Failed cases, refused implementations, and cases that the run did not come to; each with its reason."""
    parts: list[Content] = []
    if failures := digest.failures:
        rows: list[list[Content | Cell]] = [
            [f.implementation, Cell(f"{f.cases:,}", key=f.cases), f.first, clipped(f.reason)]
            for f in failures[:_MOST_REASONS]
        ]
        parts += [element("h3", "Failed"), texts(("implementation", "cases", "the first of them", "reason"), rows)]
        if len(failures) > _MOST_REASONS:
            parts.append(paragraph(f"{len(failures) - _MOST_REASONS:,} more reasons are in the record."))
    if refused := digest.known("refused"):
        reasons = [[name, clipped(str(why))] for name, why in sorted(refused.items())]
        parts += [element("h3", "Refused"), texts(("implementation", "reason"), reasons[:_MOST_REASONS])]
    if missing := digest.unmeasured:
        parts += [element("h3", "Planned, without a sample"), listed(missing[:_MOST_REASONS])]
        if len(missing) > _MOST_REASONS:
            parts.append(paragraph(f"And {len(missing) - _MOST_REASONS:,} more."))
    return joined(parts) if parts else paragraph("Everything that was planned was timed.")


_LEGEND = (
    "Medians with 95 % bootstrap intervals below them. GiB/s is 2^30 bytes of payload per second; cycles are those of "
    "the time-stamp counter. The limit is baseline/memcpy, in place baseline/xor, of the same size and threads in the "
    "same rounds; driven in several ways, it is the fastest of them. A digest writes nothing and may be faster. "
    "Outliers, by Tukey's fences, are part of every number."
)


def _common(cases: pd.DataFrame, varying: list[str]) -> str:
    same = {name: cases[name].iloc[0] for name in _DIMENSIONS if name not in varying}
    words = [f"{_DIMENSIONS[name]} {_written(name, value)}" for name, value in same.items() if _written(name, value)]
    return f"The same in all cases: {', '.join(words)}." if words else ""


def _written(name: str, value: Any) -> str:
    if name in _SIZES:
        return size_name(int(value)) if value or name == "bytes" else ""
    return str(value)


def _names(row: Mapping[Any, Any], varying: list[str]) -> Iterator[Content | Cell]:
    yield Cell(row["implementation"], "A/A, second arm" if row["replica"] else None)
    for name in varying:
        text = _written(name, row[name]) or DASH
        yield Cell(text, key=float(row[name])) if name in _NUMBERS else text


def _median(row: Mapping[Any, Any], digest: Digest, case: int) -> Cell:
    return Cell(*duration(row["median"], row["low"], row["high"]), key=row["median"])


def _speed(row: Mapping[Any, Any], digest: Digest, case: int) -> Cell:
    if not row["bytes"]:
        return Cell(DASH, key=float("nan"))
    ends = interval(row["gib_per_s_low"], row["gib_per_s_high"])
    return Cell(significant(row["gib_per_s"], 4), ends, row["gib_per_s"])


def _cycles(row: Mapping[Any, Any], digest: Digest, case: int) -> Cell:
    return Cell(significant(row["cycles_per_byte"]), key=row["cycles_per_byte"])


def _share(row: Mapping[Any, Any], digest: Digest, case: int) -> Cell:
    if row["share"] != row["share"]:
        return Cell(DASH, key=float("nan"))
    ends = interval(100 * row["share_low"], 100 * row["share_high"], 3)
    return Cell(share(row["share"]), ends, row["share"])


def _outliers(row: Mapping[Any, Any], digest: Digest, case: int) -> Cell:
    counts = {name: int(row[f"outliers_{name}"]) for name in OUTLIER_CLASSES if name != "none"}
    lines = [element("small", f"{number} {name.replace('_', ' ')}") for name, number in counts.items() if number]
    total = sum(counts.values())
    return Cell([str(total), lines], key=total)


def _count(row: Mapping[Any, Any], digest: Digest, case: int) -> Cell:
    return Cell(f"{row['n']:,}", key=row["n"])


def _flags(row: Mapping[Any, Any], digest: Digest, case: int) -> Cell:
    counts = digest.flags_of(case)
    return Cell(", ".join(f"{flag} {n:,}" for flag, n in counts.items()) or DASH, key=sum(counts.values()))


def _steadiness(row: Mapping[Any, Any], digest: Digest, case: int) -> Cell:
    modes = digest.steadiness[case]
    note = f"by {signed_percent(100 * modes.drift.change)} %" if modes.drift.found else ""
    return Cell(_VERDICTS[modes.kind] if modes.kind != "too few" or not note else "drift", _split(modes) or note)


def _split(modes: Modes) -> str:
    if modes.kind != "two":
        return ""
    parts = zip(modes.shares, modes.medians, strict=True)
    words = [f"{share(part)} at {duration(median, *2 * (float('nan'),))[0]}" for part, median in parts]
    return f"{', '.join(words)}: {significant(modes.ratio)} times"


_VERDICTS = {"one": "one mode", "two": "two modes", "drift": "drift", "too few": "too few"}

_COLUMNS = {
    "median": _median,
    "GiB/s": _speed,
    "cycles/byte": _cycles,
    "of the limit": _share,
    "outliers": _outliers,
    "n": _count,
    "flagged": _flags,
    "modes, drift": _steadiness,
}
