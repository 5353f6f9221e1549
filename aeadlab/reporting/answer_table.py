"""The cases of a record that answer its question, as a table of a terminal's size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan
from typing import Final

import numpy as np
from pandas import DataFrame, Series

from aeadlab.bench.masks.masks import CONTROL
from aeadlab.catalogue.kinds import OPS, UNPROTECTED
from aeadlab.dimensions import BASELINE
from aeadlab.display.conditions import shared, varied
from aeadlab.display.terminal import WIDTH, fill
from aeadlab.display.units import count_noun, duration, short_size, signed_percent, significant, size_name
from aeadlab.errors import ArgumentError
from aeadlab.parsplit.schedules import ETH_PAPER
from aeadlab.records.record import Record
from aeadlab.stats.ablation import mask_ratios
from aeadlab.stats.medians import medians
from aeadlab.stats.roofline import COPIES, COPY, COPY_STREAM, LIMITING, LIMITS, XOR
from aeadlab.stats.selection import CASE_COLUMNS, is_baseline, usable
from aeadlab.stats.text import case_lines, number
from aeadlab.studies.claims import claims_of
from aeadlab.studies.tables import relative_time
from aeadlab.verdicts.counterparts import Counterpart, counterparts
from aeadlab.verdicts.published import DOCUMENTS

MAX_LINES: Final = 25
"""Lines of a table with its headings and notes."""

_OPS: Final = list(dict.fromkeys(op for ops in OPS.values() for op in ops))
_SPLIT_ON: Final = [
    *("implementation", "op", "bytes", "threads", "model", "tags", "placement", "aad_bytes", "cache", "mask"),
]
_LIMIT_HEADING: Final = "% limit"
_MAX_SPLITS: Final = 2
"""Largest number of block sizes that are columns; more are rows."""


def answer_table(record: Record, lines: int = MAX_LINES) -> list[str]:
    """Return a table of at most `lines` lines: speed, shares of limits, overhead of splitting and published speed.

    Where there are more cases, it has the fastest of each group of conditions, and further ones with a published speed.
    """
    try:
        cases = medians(record.samples)
    except ArgumentError:
        return ["no case has a counted sample"]
    cases = cases[cases["mask"] != CONTROL]
    # The documents of claims that were added here have no published numbers.
    documents = sorted({claim.document for claim in claims_of() if claim.study == record.study} & {*DOCUMENTS})
    has_number = [any(found) for found in zip(*(counterparts(name, cases) for name in documents), strict=True)]
    cases, left_out = _usual(cases, has_number or [False] * len(cases))
    cases, splits = _splits_as_columns(cases, record.samples)
    columns = varied(cases)
    if "op" not in columns and cases.loc[~_is_baseline(cases), "op"].nunique() > 1:
        columns.insert(0, "op")
        cases = cases.sort_values("op", key=lambda ops: ops.map(_OPS.index), kind="stable", ignore_index=True)
    published = {name: column for name in documents if any(column := counterparts(name, cases))}
    notes = {_split_heading(splits[0]): _split_note(splits)} if splits else {}
    notes |= {name: _published_note(name, column) for name, column in published.items()}
    notes[_LIMIT_HEADING] = _limit_note(cases)
    # Two lines are those of the headings and of the number of further cases.
    room = lines - 2 - _height([shared(cases), *notes.values()])
    chosen = _choose(cases, columns, published, _unprotected(record), room)
    shown = cases.iloc[chosen]
    selected = {name: [column[at] for at in chosen] for name, column in published.items()}
    numbers = _numbers(shown, record.samples, splits, selected)
    columns = [column for column in columns if shown[column].nunique() > 1]
    while len((rows := case_lines(shown, columns, numbers))[0]) > WIDTH and len(numbers) > 1:
        numbers.pop("time" if "time" in numbers else next(reversed(numbers)))
    if len(rows[0]) > WIDTH:
        rows = case_lines(shown, columns, numbers, gap=1)
    hidden = len(cases) - len(shown) + left_out
    more = f"and {count_noun(hidden, 'more case')} in the report" if hidden else ""
    notes[_LIMIT_HEADING] = _limit_note(shown)
    notes = {heading: note for heading, note in notes.items() if heading in numbers}
    texts = [fill(shared(shown.drop(columns=columns))), *rows, more, *map(fill, notes.values())]
    return "\n".join(filter(None, texts)).splitlines()


def _height(texts: Sequence[str]) -> int:
    return sum(fill(text).count("\n") + 1 for text in texts if text)


def _usual(cases: DataFrame, has_number: Sequence[bool]) -> tuple[DataFrame, int]:
    """Return the cases without those that only a claim needs, and the number of these.

    They have associated data and no published speed, or are under ParSplit as published, beside cases of the same study
    without.
    """
    published = cases["schedule"].eq(ETH_PAPER) & (cases["model"].eq("rekeyed") | _is_baseline(cases))
    if cases["model"].ne("rekeyed").all():
        published &= False
    special = cases["aad_bytes"].gt(0) & ~np.asarray(has_number, dtype=np.bool_) | published
    kept: DataFrame = cases[~special] if not special.all() else cases
    return kept.reset_index(drop=True), len(cases) - len(kept)


def _splits_as_columns(cases: DataFrame, samples: DataFrame) -> tuple[DataFrame, list[int]]:
    """Return the cases without those under ParSplit on one thread, and the block sizes of their overheads.

    The overhead of a block size is the column of its number, in percent of the time of the whole message. If there
    are too many block sizes, or several schedules, the cases are unchanged.
    """
    single = cases["engine"].eq("parsplit") & cases["threads"].eq(1)
    whole = cases["engine"].eq("whole") & cases["threads"].eq(1)
    split = cases[single].merge(cases.loc[whole, _SPLIT_ON], on=_SPLIT_ON)
    sizes = sorted({int(size) for size in split["block_size"]})
    if not 0 < len(sizes) <= _MAX_SPLITS or split["schedule"].nunique() > 1:
        return cases.reset_index(drop=True), []
    timed = usable(samples, [*CASE_COLUMNS, "process", "round", "seconds"])
    timed = timed[timed["replica"].eq(0) & timed["threads"].eq(1)]
    timed = timed[timed["schedule"].isin({"", *split["schedule"]})]
    times = {engine: timed[timed["engine"] == engine] for engine in ("parsplit", "whole")}
    overhead = relative_time(times["parsplit"], times["whole"], _SPLIT_ON, "overhead", percent=True)
    for size in sizes:
        column = overhead.loc[overhead["block_size"] == size, [*_SPLIT_ON, "overhead"]].assign(engine="whole")
        cases = cases.merge(column.rename(columns={"overhead": size}), "left", [*_SPLIT_ON, "engine"])
    counted = cases.merge(split[_SPLIT_ON].drop_duplicates().assign(folded=True), "left", _SPLIT_ON)["folded"].eq(True)
    folded = cases["engine"].eq("parsplit") & cases["threads"].eq(1) & counted
    return cases[~folded].reset_index(drop=True), sizes


def _unprotected(record: Record) -> set[str]:
    """Return the implementations of a record that protect no data."""
    facts = record.provenance.get("implementations") or {}
    return {name for name, fact in facts.items() if UNPROTECTED & set(fact.get("flags") or ())}


def _is_baseline(cases: DataFrame) -> Series[bool]:
    return cases["implementation"].map(is_baseline).astype(bool)


def _choose(
    cases: DataFrame,
    columns: Sequence[str],
    published: Mapping[str, Sequence[Counterpart | None]],
    unprotected: set[str],
    room: int,
) -> list[int]:
    """Return the positions of at most `room` cases in ascending order.

    These are the fastest case of each group, then those with a published number, then the next fastest of each group.
    Groups are the cases that agree in `columns`, without the last of these where there are more groups than rows.
    Baselines are last, except for copies that have one case each.
    """
    last = cases["implementation"].isin(unprotected) | _is_baseline(cases)
    by = list(columns)
    while by and len(cases.loc[~last, by].drop_duplicates()) > room:
        by.pop()
    has_number = [any(numbers) for numbers in zip(*published.values(), strict=True)] or [False] * len(cases)
    ranked = cases.assign(last=last, has_number=has_number).sort_values("gib_per_s", ascending=False, kind="stable")
    place = ranked.groupby([*by, "last"], observed=True, sort=False).cumcount()
    copies = ranked["implementation"].astype(object).where(ranked["implementation"].isin(COPIES))
    ranked["last"] &= copies.groupby(copies).transform("size").ne(1)
    ranked = ranked.assign(place=place, behind=place.gt(0) & ~ranked["has_number"])
    return sorted(ranked.sort_values(["last", "behind", "place"], kind="stable").index[:room])


def _numbers(
    cases: DataFrame,
    samples: DataFrame,
    splits: Sequence[int],
    published: Mapping[str, Sequence[Counterpart | None]],
) -> dict[str, list[str]]:
    """Return the columns of numbers as text by heading, the less important ones last."""
    numbers = {"GiB/s": list(map(number, cases["gib_per_s"]))}
    of_memcpy = {"% memcpy": _percents(cases["share"])} if cases["share"].notna().any() else {}
    has_limit = bool(_limit_note(cases))
    numbers |= {_LIMIT_HEADING: _percents(cases["share_of_limit"])} if has_limit else of_memcpy
    if cases["mask"].ne("").any():
        numbers["of unmasked"] = _of_unmasked(cases, samples)
    for size in splits:
        if cases.loc[~_is_baseline(cases), size].notna().any():
            numbers[_split_heading(size)] = [_or_dash(percent, signed_percent(percent)) for percent in cases[size]]
    for document, column in published.items():
        if any(column):
            numbers[document] = ["-" if found is None else significant(found.speed) for found in column]
    return numbers | (of_memcpy if has_limit else {}) | {"time": [duration(seconds)[0] for seconds in cases["seconds"]]}


def _of_unmasked(cases: DataFrame, samples: DataFrame) -> list[str]:
    """Return the speed of each masked case relative to the same case without a mask."""
    on = [column for column in CASE_COLUMNS if column in cases.columns]
    ratios = cases[on].merge(mask_ratios(samples)[[*on, "ratio"]].drop_duplicates(on), "left", on)
    return list(map(number, ratios["ratio"]))


def _percents(shares: Series[float]) -> list[str]:
    return [_or_dash(share, significant(100 * share)) for share in shares]


def _limit_note(cases: DataFrame) -> str:
    """Return which limits the shares are of; ``""`` if these are memcpy and, in place, XOR."""
    limits = {*cases["limit"].dropna()}
    if limits <= {*LIMITS.values()}:
        return ""
    streaming = ", ".join(sorted(set(cases.loc[cases["limit"] == COPY_STREAM, "implementation"])))
    stores = {COPY: " (ordinary stores)", COPY_STREAM: f" (streaming stores, for {streaming})", XOR: " (in place)"}
    words = [name.removeprefix(BASELINE) + stores.get(name, "") for name in LIMITING if name in limits]
    return f"{_LIMIT_HEADING}: of the speed of {' or '.join(words)}"


def _or_dash(value: float, text: str) -> str:
    return "-" if isnan(value) else text


def _split_heading(size: int) -> str:
    return f"{short_size(size)} %"


def _split_note(sizes: Sequence[int]) -> str:
    return f"{', '.join(map(_split_heading, sizes))}: additional time under ParSplit in such blocks, 1 thread"


def _published_note(document: str, column: Sequence[Counterpart | None]) -> str:
    found = [one for one in column if one is not None]
    hardware = ", ".join(sorted({one.hardware for one in found}))
    lengths = {one.bytes for one in found}
    length = f"{size_name(lengths.pop())} on " if len(lengths) == 1 else ""
    return f"{document}: published GiB/s, {length}{hardware}"
