"""Ranks the implementations of a record, with one ranking for each group of comparable cases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

from aeadlab.catalogue import patterns
from aeadlab.comparison.checks import check_implementation
from aeadlab.comparison.columns import IDENTITY, KEY
from aeadlab.comparison.results import Ranked
from aeadlab.comparison.sides import Side, find_side
from aeadlab.display.nearest import hint
from aeadlab.display.units import count_noun
from aeadlab.errors import ArgumentError, RecordError, UnknownNameError
from aeadlab.records import provenance_diff
from aeadlab.records.lookup import stored_records
from aeadlab.records.reading import load_record
from aeadlab.records.record import Record
from aeadlab.stats.noise_floor import noise_widths
from aeadlab.stats.processes import FEWEST, Floats
from aeadlab.stats.ranking import ranking
from aeadlab.stats.selection import counted

BY: Final = ("kind", "engine")
"""The columns that form the groups by default: AEADs and hashes are ranked separately, as are the engines."""

CHECKSUM: Final = "checksum"
"""The kind in a ranking of hashes that are not cryptographic, so that they are not ranked among those that are."""

MEAN_WARNING: Final = (
    "a geometric mean gives every case the same weight and hides the cases in which an implementation is slow: see the "
    "worst case in each row"
)
"""The first warning of every ranking."""
EXTREMES: Final = tuple(f"{name}{end}" for name in ("best", "worst") for end in ("", "_low", "_high"))
_GROUP_COLUMNS: Final = tuple(column for column in KEY if column not in IDENTITY[:2])
_COLUMNS: Final = [
    *("place", "implementation", "ratio", "low", "high", *EXTREMES, "cases", "cases_here", "rounds", "processes"),
]


def rank(
    record: str | Path | Record = "latest",
    *,
    study: str | None = None,
    by: Sequence[str] = BY,
    implementations: Sequence[str] | None = None,
    reference: str | None = None,
) -> Ranked:
    """Rank implementations by the geometric mean of their time ratios over the cases that all of them have.

    Parameters
    ----------
    record
        A path, ``latest``, ``previous``, a git revision, or a loaded record.
    study
        The study of the record, unless this is given by its path. None means any study for a revision, and otherwise
        the study of the newest record; ``latest`` is then the newest record that has something to rank.
    by
        Case columns; each combination of their values is a group with its own ranking. Hashes that are not
        cryptographic have the kind `CHECKSUM`.
    implementations
        The implementations to rank: names, algorithms or globs. None means all verified ones except baselines. Fewer
        can have more cases in common.
    reference
        The implementation whose time is 1; None means the fastest of each case. Groups without it have no ranking.

    Returns
    -------
    Ranked
        Its ``table`` has one row for each group and implementation, the fastest first: the columns `by`, those of
        `aeadlab.stats.ranking.Ranking.table`, ``cases`` (number of common cases), ``rounds`` and ``processes``.

    Raises
    ------
    aeadlab.errors.RecordError
        If the record does not exist, is damaged, or has an unsupported schema version.
    aeadlab.errors.UnknownNameError
        If the record has no such implementation or case column.
    aeadlab.errors.ArgumentError
        If a named implementation was not verified, or no group has a ranking.
    """
    for column in by:
        if column not in _GROUP_COLUMNS:
            listed = f"choose from {', '.join(_GROUP_COLUMNS)}"
            raise UnknownNameError(f"{column!r} is not a column to group by: {hint(column, _GROUP_COLUMNS, listed)}")
    first = find_side(record, study)
    try:
        return _rank(first, by, implementations, reference)
    except _NothingToRankError:
        if record != "latest" or study is not None:
            raise
        for side in _older(first):
            with suppress(_NothingToRankError, UnknownNameError):
                return _rank(side, by, implementations, reference)
        raise


class _NothingToRankError(ArgumentError):
    """Raised where no group of a record has a ranking."""


def _older(newest: Side) -> Iterator[Side]:
    """Yield the records of all studies before `newest`, the newest first, without those that cannot be read."""
    paths = stored_records()
    names = [path.name for path in paths]
    for path in reversed(paths[: names.index(newest.record.name)]):
        with suppress(RecordError):
            record = load_record(path)
            yield Side(record, f"the latest with something to rank, since {newest.record.name} has nothing")


def _rank(side: Side, by: Sequence[str], implementations: Sequence[str] | None, reference: str | None) -> Ranked:
    samples = side.record.samples
    chosen = _select(side.record, implementations, reference)
    selected = samples[(samples["replica"] == 0) & samples["implementation"].isin(chosen)]
    if "kind" in by:
        checksums = selected["implementation"].isin(_checksums(side.record))
        selected = selected.assign(kind=selected["kind"].astype(object).mask(checksums, CHECKSUM))
    on = [column for column in KEY if column not in IDENTITY and column not in by and column != "kind"]
    tables, groups = [], []
    for key, part in selected.groupby(list(by), observed=True, sort=True) if by else [((), selected)]:
        values: dict[str, Any] = dict(zip(by, key, strict=True))
        names = set(part["implementation"])
        failed = names - set(part.loc[counted(part), "implementation"])
        group = {
            **values,
            "implementations": ", ".join(sorted(names)),
            "failed": ", ".join(sorted(failed)),
        }
        try:
            ranked = ranking(part, on, partial(_noise_widths, samples, values, names), reference)
        except ArgumentError as error:
            none = dict.fromkeys(("cases", "left_out", "rounds", "processes"), 0)
            groups.append({**group, **none, "margin": 0.0, "why": str(error)})
            continue
        sizes = {"cases": len(ranked.cases), "rounds": ranked.rounds, "processes": ranked.processes}
        margin = float(np.expm1(ranked.margin))
        groups.append({**group, **sizes, "left_out": len(ranked.left_out), "margin": margin, "why": ""})
        tables.append(ranked.table.assign(**values, **sizes))
    if not tables:
        reasons = "; ".join(
            f"{' '.join(str(g[c]) for c in by) or 'all'} ({g['implementations']}): {g['why']}" for g in groups
        )
        why = reasons or "no implementation is selected"
        raise _NothingToRankError(f"{side.record.name} has nothing to rank: {why}")
    return Ranked(
        pd.concat(tables, ignore_index=True)[[*by, *_COLUMNS]],
        by=tuple(by),
        record=side.about,
        reference=reference,
        groups=pd.DataFrame(groups),
        warnings=tuple(_warnings(side, groups, by)),
        notes=(_note(reference, [group["margin"] for group in groups]),),
        reference_record=side.note,
    )


def _select(record: Record, implementations: Sequence[str] | None, reference: str | None) -> set[str]:
    matched = [name for pattern in implementations or () for name in _matching(record, pattern)]
    named = [*matched, *([reference] if reference else [])]
    for name in named:
        check_implementation(record, name)
    if implementations is not None:
        return set(named)
    verified = set(record.samples["implementation"]) & provenance_diff.verified(record)
    return verified - provenance_diff.shared_baselines(record, record) | set(named)


def _checksums(record: Record) -> set[str]:
    facts = record.provenance.get("implementations", {})
    return {name for name, fact in facts.items() if "not-cryptographic" in fact.get("flags", ())}


def _matching(record: Record, pattern: str) -> list[str]:
    """Return the verified implementations of a record that match a pattern; the pattern itself if none does."""
    names = set(record.samples["implementation"]) & provenance_diff.verified(record)
    return sorted(name for name in names if patterns.matches(pattern, name)) or [pattern]


def _noise_widths(samples: pd.DataFrame, same: dict[str, Any], names: set[str], cases: pd.DataFrame) -> Floats:
    """Return the noise floor of each case of a group, whose columns `same` are needed for the driving class."""
    return noise_widths(samples, cases.assign(**same), names)


def _warnings(side: Side, groups: Sequence[dict[str, Any]], by: Sequence[str]) -> list[str]:
    warnings = [MEAN_WARNING]
    for group in groups:
        name = " ".join(str(group[column]) for column in by) or "all"
        if group["why"]:
            warnings.append(f"{name}: no ranking: {group['why']}")
            continue
        if group["failed"]:
            warnings.append(f"{name}: not ranked, since all their cases failed: {group['failed']}")
        if group["left_out"]:
            total = group["cases"] + group["left_out"]
            warnings.append(
                f"{name}: {group['cases']} of {total} cases are ranked; "
                "the others are not common to all implementations"
            )
    processes = min((group["processes"] for group in groups if not group["why"]), default=FEWEST)
    if processes < FEWEST:
        warnings.append(
            f"places are equal, and intervals hold within {count_noun(processes, 'process', 'processes')}: measure "
            f"with profile quick, which has more than the {FEWEST} that are required"
        )
    return warnings + provenance_diff.critical_conditions(side.record)


def _note(reference: str | None, margins: Sequence[float]) -> str:
    unit = f"the time of {reference} is 1" if reference else "the time of the fastest in each case is 1"
    places = (
        f"an implementation is behind another only if it is slower by more than {max(margins):.1%}, with 95 % "
        "confidence in all pairs at once (Bonferroni, over processes)"
    )
    level = "" if reference else " at a level for all pairs"
    return f"geometric mean of time ratios over cases, with intervals of 95 %{level}; {unit}; {places}"
