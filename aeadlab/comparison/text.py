"""Comparisons and rankings as text for a terminal, as Markdown, as CSV."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from typing import Final

import pandas as pd

from aeadlab.comparison.frames import Compared, Ranked
from aeadlab.comparison.names import KEY, case_name, varying
from aeadlab.markdown import cell
from aeadlab.markdown import table as markdown_table
from aeadlab.terminal import paragraphs, wrap

_CASE: Final = 45
_VERDICTS: Final = ("worse", "improved", "no credible difference")
_MOST_UNMATCHED: Final = 12


def compared_text(found: Compared) -> str:
    """A comparison in at most 80 columns: what was compared, cautions, then the rows, the worse ones first."""
    table = pd.DataFrame(found)
    columns, shared = varying(table)
    blocks = [
        [*wrap(f"A: {found.a}", "   "), *wrap(f"B: {found.b}", "   ")],
        wrap(found.how, ""),
        _cautions(found.cautions),
        wrap(f"All rows: {shared}.", "") if shared else [],
        wrap("Ratio: time of B over time of A, with its 95 % interval; below 1 B is faster.", ""),
    ]
    for verdict in _VERDICTS:
        rows = table[table["verdict"] == verdict]
        if not rows.empty:
            heading = f"{verdict} ({len(rows)})"
            lines = [f"{heading:<{_CASE}} {'ratio':>8} {'from':>8} {'to':>8} {'p adj':>7}"]
            for row in rows.to_dict("records"):
                numbers = " ".join(f"{_ratio(row[name]):>8}" for name in ("ratio", "low", "high"))
                lines += _beside(case_name(row, columns), f" {numbers} {row['p_adjusted']:>7.2g}")
            blocks.append(lines)
    blocks += [[line for text in _only(found.unmatched) for line in wrap(text)], _notes(found.notes)]
    return paragraphs(blocks)


def ranked_text(found: Ranked) -> str:
    """A ranking in at most 80 columns, one block per group."""
    table = pd.DataFrame(found)
    blocks = [wrap(found.record), _notes(found.notes)]
    for values, rows in table.groupby(list(found.by), observed=True, sort=False) if found.by else [((), table)]:
        first = rows.iloc[0]
        name = " ".join(map(str, values)) or "all"
        about = f"{name}: {first['cases']} cases, {first['rounds']} rounds"
        lines = [*wrap(about), f"{'':>3}  {'':<34}{'mean':>8}{'from':>8}{'to':>8}{'best':>8}{'worst':>8}"]
        for row in rows.to_dict("records"):
            numbers = "".join(f"{_ratio(row[column]):>8}" for column in ("ratio", "low", "high", "best", "worst"))
            lines += _beside(str(row["implementation"]), numbers, f"{row['place']:>3}  ", 34)
        blocks.append(lines)
    return paragraphs([*blocks, _cautions(found.cautions)])


def compared_markdown(found: Compared) -> str:
    """A comparison as a Markdown table, for a change's description."""
    columns, shared = varying(pd.DataFrame(found))
    rows = [
        (
            case_name(row, columns),
            _ratio(row["ratio"]),
            f"{_ratio(row['low'])} to {_ratio(row['high'])}",
            f"{_ratio(row['noise_low'])} to {_ratio(row['noise_high'])}",
            f"{row['p_adjusted']:.2g}",
            f"**{row['verdict']}**" if row["verdict"] != _VERDICTS[-1] else row["verdict"],
        )
        for row in found.to_dict("records")
    ]
    names = ("case", "time of B / time of A", "95 % interval", "noise band", "adjusted p", "verdict")
    head = [f"- A: {cell(found.a)}", f"- B: {cell(found.b)}", f"- {cell(found.how)}"]
    head += [f"- **Caution**: {cell(text)}" for text in found.cautions]
    head += [f"- All rows: {cell(shared)}"] if shared else []
    tail = [f"- {cell(line)}" for line in (*_only(found.unmatched), *found.notes)]
    return paragraphs([head, markdown_table(names, rows, 1), tail])


def ranked_markdown(found: Ranked) -> str:
    """A ranking as a Markdown table."""
    names = (*found.by, "implementation", "place", "geometric mean", "95 % interval", "best", "worst", "cases")
    rows = [
        (
            *(str(row[column]) for column in found.by),
            row["implementation"],
            str(row["place"]),
            _ratio(row["ratio"]),
            f"{_ratio(row['low'])} to {_ratio(row['high'])}",
            _ratio(row["best"]),
            _ratio(row["worst"]),
            f"{row['cases']} of {row['cases_here']}",
        )
        for row in found.to_dict("records")
    ]
    head = [f"- {cell(found.record)}", *(f"- {cell(note)}" for note in found.notes)]
    cautions = [f"- **Caution**: {cell(text)}" for text in found.cautions]
    return paragraphs([head, markdown_table(names, rows, len(found.by) + 1), cautions])


def compared_csv(found: Compared) -> str:
    """A comparison as CSV: all columns and digits; cases of one side have its letter as verdict and why in ``note``."""
    rows = pd.DataFrame(found).assign(note="")
    only = found.unmatched.assign(verdict="only in " + found.unmatched["only"].astype(str), note=found.unmatched["why"])
    columns = [c for c in KEY if c in rows.columns or c in only.columns]
    columns += [c for c in rows.columns if c not in columns]
    parts = [part.reindex(columns=columns) for part in (rows, only) if len(part)]
    return _csv(pd.concat([part.astype(object) for part in parts]))


def ranked_csv(found: Ranked) -> str:
    """A ranking as CSV."""
    return _csv(pd.DataFrame(found))


COMPARED: Final[dict[str, Callable[[Compared], str]]] = {
    "text": compared_text,
    "markdown": compared_markdown,
    "csv": compared_csv,
}
"""The formats of a comparison."""
RANKED: Final[dict[str, Callable[[Ranked], str]]] = {
    "text": ranked_text,
    "markdown": ranked_markdown,
    "csv": ranked_csv,
}
"""The formats of a ranking."""


def _only(cases: pd.DataFrame) -> Iterator[str]:
    """Cases of one side, gathered by side, implementation and reason where they are many."""
    if cases.empty:
        return
    columns, _ = varying(cases)
    columns = list(dict.fromkeys(["implementation", *columns]))
    for (only, why), those in cases.groupby(["only", "why"], sort=True, observed=True):
        names = [case_name(row, columns) for row in those.to_dict("records")]
        if len(names) > _MOST_UNMATCHED:
            counts = those["implementation"].value_counts(sort=False)
            names = [f"{name} ({count} cases)" for name, count in counts.items()]
        more = f"; and {len(names) - _MOST_UNMATCHED} more" if len(names) > _MOST_UNMATCHED else ""
        yield f"only in {only} ({why}): {'; '.join(names[:_MOST_UNMATCHED])}{more}"


def _cautions(cautions: Sequence[str]) -> list[str]:
    return [line for text in cautions for line in wrap(f"CAUTION: {text}.")]


def _notes(notes: Sequence[str]) -> list[str]:
    return [line for text in notes for line in wrap(f"note: {text}")]


def _beside(name: str, numbers: str, before: str = "  ", width: int = _CASE - 2) -> list[str]:
    """A name of any length with numbers at its first line."""
    first, *rest = wrap(name, "", width) or [""]
    return [f"{before}{first:<{width}}{numbers}", *(f"{' ' * len(before)}  {line}" for line in rest)]


def _ratio(value: float) -> str:
    """Three decimals, fewer digits after the point for what is large; a dash where it is unknown."""
    if value != value:
        return "-"
    return f"{value:.3f}" if value < 100 else f"{value:.4g}"


def _csv(table: pd.DataFrame) -> str:
    out = io.StringIO()
    table.to_csv(out, index=False, lineterminator="\n")
    return out.getvalue().removesuffix("\n")
