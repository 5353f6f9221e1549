"""Comparisons and rankings as text for a terminal, as JSON, as Markdown and as CSV."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import isnan
from typing import Any, Final

import pandas as pd

from aeadlab.comparison.columns import KEY, label_columns
from aeadlab.comparison.results import VERDICTS, Compared, Ranked
from aeadlab.display.conditions import case_name, shared
from aeadlab.display.markdown import cell, table as markdown_table
from aeadlab.display.terminal import paragraphs, wrap
from aeadlab.display.units import count_noun
from aeadlab.stats.interval import unit

_CASE_WIDTH: Final = 45
_MAX_UNMATCHED: Final = 12


def compared_text(compared: Compared) -> str:
    """Return a comparison in at most 80 columns: both sides, warnings, the slower rows, and the others."""
    table = compared.table
    columns = label_columns(table)
    blocks = [
        wrap(compared.reference_record, ""),
        [*wrap(f"A: {compared.a}", "   "), *wrap(f"B: {compared.b}", "   ")],
        wrap(compared.how, ""),
        _warnings(compared.warnings),
        wrap(f"Conditions of all rows: {shared(table)}.", ""),
        wrap("Ratio: time of B over time of A, with its 95 % interval; below 1, B is faster.", ""),
    ]
    for verdict in VERDICTS:
        rows = table[table["verdict"] == verdict]
        if not rows.empty:
            heading = f"{verdict} ({len(rows)})"
            lines = [f"{heading:<{_CASE_WIDTH}} {'ratio':>8} {'from':>8} {'to':>8} {'p adj':>7}"]
            for row in rows.to_dict("records"):
                numbers = " ".join(f"{_ratio(row[name]):>8}" for name in ("ratio", "low", "high"))
                lines += _row(case_name(row, columns), f" {numbers} {row['p_adjusted']:>7.2g}")
            blocks.append(lines)
    blocks += [[line for text in _unmatched(compared.unmatched) for line in wrap(text)], _notes(compared.notes)]
    return paragraphs(blocks)


def ranked_text(ranked: Ranked) -> str:
    """Return a ranking in at most 80 columns, one block for each group."""
    blocks = [wrap(ranked.reference_record, ""), wrap(ranked.record), _notes(ranked.notes)]
    groups: Any = (
        ranked.table.groupby(list(ranked.by), observed=True, sort=False) if ranked.by else [((), ranked.table)]
    )
    for values, rows in groups:
        first = rows.iloc[0]
        name = " ".join(map(str, values)) or "all"
        heading = f"{name}: {count_noun(first['cases'], 'case')}, {unit(int(first['processes']), int(first['rounds']))}"
        lines = [*wrap(heading), f"{'':>3}  {'':<26}{'mean':>7}{'from':>7}{'to':>7}{'best case':>14}{'worst case':>14}"]
        for row in rows.to_dict("records"):
            numbers = "".join(f"{_ratio(row[column]):>7}" for column in ("ratio", "low", "high"))
            numbers += "".join(f"{_range(row, name):>14}" for name in ("best", "worst"))
            lines += _row(str(row["implementation"]), numbers, f"{row['place']:>3}  ", 26)
        blocks.append(lines)
    return paragraphs([*blocks, _warnings(ranked.warnings)])


def compared_markdown(compared: Compared) -> str:
    """Return a comparison as a Markdown table, such as for the description of a change."""
    columns = label_columns(compared.table)
    rows = [
        (
            case_name(row, columns),
            _ratio(row["ratio"]),
            f"{_ratio(row['low'])} to {_ratio(row['high'])}",
            f"{_ratio(row['noise_low'])} to {_ratio(row['noise_high'])}",
            f"{row['p_adjusted']:.2g}",
            f"**{row['verdict']}**" if row["verdict"] != VERDICTS[-1] else row["verdict"],
        )
        for row in compared.table.to_dict("records")
    ]
    headings = ("case", "time of B / time of A", "95 % interval", "noise band", "adjusted p", "verdict")
    head = [f"- A: {cell(compared.a)}", f"- B: {cell(compared.b)}", f"- {cell(compared.how)}"]
    head += [f"- **Warning**: {cell(text)}" for text in compared.warnings]
    head += [f"- Conditions of all rows: {cell(shared(compared.table))}"]
    tail = [f"- {cell(line)}" for line in (*_unmatched(compared.unmatched), *compared.notes)]
    return paragraphs([_origin(compared), head, markdown_table(headings, rows, 1), tail])


def ranked_markdown(ranked: Ranked) -> str:
    """Return a ranking as a Markdown table."""
    headings = (*ranked.by, "implementation", "place", "geometric mean", "95 % interval", "best", "worst", "cases")
    rows = [
        (
            *(str(row[column]) for column in ranked.by),
            row["implementation"],
            str(row["place"]),
            _ratio(row["ratio"]),
            f"{_ratio(row['low'])} to {_ratio(row['high'])}",
            *(
                f"{_ratio(row[name])} ({_ratio(row[f'{name}_low'])} to {_ratio(row[f'{name}_high'])})"
                for name in ("best", "worst")
            ),
            f"{row['cases']} of {row['cases_here']}",
        )
        for row in ranked.table.to_dict("records")
    ]
    head = [f"- {cell(ranked.record)}", *(f"- {cell(note)}" for note in ranked.notes)]
    warnings = [f"- **Warning**: {cell(text)}" for text in ranked.warnings]
    return paragraphs([_origin(ranked), head, markdown_table(headings, rows, len(ranked.by) + 1), warnings])


def compared_csv(compared: Compared) -> str:
    """Return a comparison as CSV with all columns and digits.

    Cases of one side have the verdict ``only in A`` or ``only in B``, and the reason in the column ``note``.
    """
    rows, unmatched = compared.table.assign(note=""), compared.unmatched
    only = unmatched.assign(verdict="only in " + unmatched["only"].astype(str), note=unmatched["why"])
    columns = [c for c in KEY if c in rows.columns or c in only.columns]
    columns += [c for c in rows.columns if c not in columns]
    parts = [part.reindex(columns=columns) for part in (rows, only) if len(part)]
    return _csv(pd.concat([part.astype(object) for part in parts]))


def ranked_csv(ranked: Ranked) -> str:
    """Return a ranking as CSV with all digits."""
    return _csv(ranked.table)


def compared_json(compared: Compared) -> str:
    """Return a comparison as JSON, its numbers with all digits."""
    return _json(
        {
            "a": compared.a,
            "b": compared.b,
            "reference_record": compared.reference_record or None,
            "how": compared.how,
            "counts": compared.counts(),
            "rows": _records(compared.table),
            "unmatched": _records(compared.unmatched),
            "machines": compared.machines,
            "warnings": compared.warnings,
            "notes": compared.notes,
        }
    )


def ranked_json(ranked: Ranked) -> str:
    """Return a ranking as JSON, its numbers with all digits."""
    return _json(
        {
            "record": ranked.record,
            "reference_record": ranked.reference_record or None,
            "by": ranked.by,
            "reference": ranked.reference,
            "rows": _records(ranked.table),
            "groups": _records(ranked.groups),
            "warnings": ranked.warnings,
            "notes": ranked.notes,
        }
    )


COMPARED: Final[dict[str, Callable[[Compared], str]]] = {
    "text": compared_text,
    "json": compared_json,
    "markdown": compared_markdown,
    "csv": compared_csv,
}
"""The formats of a comparison."""
RANKED: Final[dict[str, Callable[[Ranked], str]]] = {
    "text": ranked_text,
    "json": ranked_json,
    "markdown": ranked_markdown,
    "csv": ranked_csv,
}
"""The formats of a ranking."""


def _unmatched(cases: pd.DataFrame) -> Iterator[str]:
    """Iterate over lines with the cases of one side and one reason; long lists are truncated."""
    if cases.empty:
        return
    columns = label_columns(cases)
    for (only, why), group in cases.groupby(["only", "why"], sort=True, observed=True):
        names = [case_name(row, columns) for row in group.to_dict("records")]
        if len(names) > _MAX_UNMATCHED:
            counts = group["implementation"].value_counts(sort=False)
            names = [f"{name} ({count} cases)" for name, count in counts.items()]
        more = f"; and {len(names) - _MAX_UNMATCHED} more" if len(names) > _MAX_UNMATCHED else ""
        yield f"only in {only} ({why}): {'; '.join(names[:_MAX_UNMATCHED])}{more}"


def _warnings(warnings: Sequence[str]) -> list[str]:
    return [line for text in warnings for line in wrap(f"WARNING: {text}.")]


def _notes(notes: Sequence[str]) -> list[str]:
    return [line for text in notes for line in wrap(f"note: {text}")]


def _row(name: str, numbers: str, indent: str = "  ", width: int = _CASE_WIDTH - 2) -> list[str]:
    """Return a name, wrapped to `width` columns, with numbers in its first line."""
    first, *rest = wrap(name, "", width) or [""]
    return [f"{indent}{first:<{width}}{numbers}", *(f"{' ' * len(indent)}  {line}" for line in rest)]


def _range(row: Mapping[Any, Any], name: str) -> str:
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    return (
        "-"
        if isnan(low) or isnan(high)
        else " to ".join(f"{end:.3g}" if end < 1000 else f"{end:.0f}" for end in (low, high))
    )


def _ratio(value: float) -> str:
    """Return a ratio with three decimals, or four significant digits if it is large; a dash if it is unknown."""
    if value != value:
        return "-"
    return f"{value:.3f}" if value < 100 else f"{value:.4g}" if value < 1000 else f"{value:.0f}"


def _origin(result: Compared | Ranked) -> list[str]:
    return [cell(result.reference_record)] if result.reference_record else []


def _records(table: pd.DataFrame) -> list[dict[Any, Any]]:
    """Return the rows of a table, with None for NaN, which JSON does not have."""
    return table.astype(object).where(table.notna(), None).to_dict("records")


def _json(content: Mapping[str, Any]) -> str:
    # NumPy's numbers are not JSON.
    return json.dumps(content, indent=1, default=lambda value: value.item())


def _csv(table: pd.DataFrame) -> str:
    return str(table.to_csv(index=False, lineterminator="\n")).removesuffix("\n")
