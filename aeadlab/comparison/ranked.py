"""Ranks the implementations of a record, one ranking per group of comparable cases."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import pandas as pd

from aeadlab.comparison import circumstances
from aeadlab.comparison.checks import check_implementation, noise_of
from aeadlab.comparison.frames import Ranked
from aeadlab.comparison.names import KEY, NAMED
from aeadlab.comparison.sides import Side, find_side
from aeadlab.errors import ArgumentError, UnknownNameError
from aeadlab.records import Record
from aeadlab.stats.ranking import ranking
from aeadlab.stats.selection import counted

BY: Final = ("kind", "engine")
"""What makes a group by default: an AEAD is not ranked with a hash, nor a Python call with a native one."""

CAUTION: Final = (
    "a geometric mean weighs every case alike, whether anyone needs it or not, and hides where an implementation is "
    "slow: the worst case stands beside it"
)
"""What is said beside every ranking."""
_COLUMNS: Final = [
    *("place", "implementation", "ratio", "low", "high", "best", "worst", "cases", "cases_here", "rounds"),
]


def rank(
    record: str | Path | Record = "latest",
    *,
    study: str | None = None,
    by: Sequence[str] = BY,
    implementations: Sequence[str] | None = None,
    reference: str | None = None,
) -> Ranked:
    """Rank implementations by the geometric mean of their time ratios, on the cases that all of them have.

    Parameters
    ----------
    record
        A path, ``latest``, ``previous``, a git revision, or a record that is loaded.
    study
        Whose record is meant, if not by its path; None means the study of the newest record.
    by
        Case columns; each combination of their values is ranked by itself.
    implementations
        Whom to rank; None means all but baselines. Fewer may have more cases in common.
    reference
        The implementation whose time is 1; None means whoever is fastest in each case. Groups without it have no
        ranking.

    Returns
    -------
    Ranked
        A frame with one row per group and implementation, the fastest first: the columns `by`, then those of
        `aeadlab.stats.ranking.Ranking.table`, ``cases`` (in the intersection) and ``rounds``.

    Raises
    ------
    aeadlab.errors.RecordError
        If there is no such record, or it is damaged or of another schema version.
    aeadlab.errors.UnknownNameError
        If the record has no such implementation or case column.
    aeadlab.errors.ArgumentError
        If the record has no A/A pair, or no group of two implementations with a common case.
    """
    side = find_side(record, study)
    samples = side.record.samples
    for column in by:
        if column not in KEY or column in NAMED[:2]:
            raise UnknownNameError(
                f"{column!r} does not make groups; {', '.join(c for c in KEY if c not in NAMED[:2])} do"
            )
    chosen = _chosen(side.record, implementations, reference)
    noise = noise_of(side.record)
    arms = samples[(samples["replica"] == 0) & samples["implementation"].isin(chosen)]
    on = [column for column in KEY if column not in NAMED and column not in by and column != "kind"]
    tables, groups = [], []
    for key, part in arms.groupby(list(by), observed=True, sort=True) if by else [((), arms)]:
        values: dict[str, Any] = dict(zip(by, key, strict=True))
        names = set(part["implementation"])
        failed = names - set(part.loc[counted(part), "implementation"])
        told = {**values, "implementations": ", ".join(sorted(names)), "failed": ", ".join(sorted(failed))}
        try:
            found = ranking(part, on, noise, reference)
        except ArgumentError as error:
            groups.append({**told, "cases": 0, "left_out": 0, "rounds": 0, "why": str(error)})
            continue
        here = {"cases": len(found.cases), "rounds": found.rounds}
        groups.append({**told, **here, "left_out": len(found.left_out), "why": ""})
        tables.append(found.table.assign(**values, **here))
    if not tables:
        reasons = "; ".join(f"{' '.join(str(g[c]) for c in by)} ({g['implementations']}): {g['why']}" for g in groups)
        raise ArgumentError(f"{side.record.path.name} has nothing to rank: {reasons or 'no implementation is chosen'}")
    return Ranked.of(
        pd.concat(tables, ignore_index=True)[[*by, *_COLUMNS]],
        by=tuple(by),
        record=side.about,
        reference=reference,
        groups=pd.DataFrame(groups),
        cautions=_cautions(side, pd.DataFrame(groups), by),
        notes=_notes(reference, noise.high),
    )


def _chosen(record: Record, implementations: Sequence[str] | None, reference: str | None) -> set[str]:
    verified = circumstances.verified(record)
    here = sorted(set(record.samples["implementation"]))
    named = [*(implementations or ()), *([reference] if reference else [])]
    for name in named:
        check_implementation(record, name)
    if implementations is not None:
        return set(named)
    return {name for name in here if name in verified} - circumstances.controls(record, record) | set(named)


def _cautions(side: Side, groups: pd.DataFrame, by: Sequence[str]) -> list[str]:
    found = [CAUTION]
    for row in groups.to_dict("records"):
        name = " ".join(str(row[column]) for column in by) or "all"
        if row["why"]:
            found.append(f"{name}: no ranking: {row['why']}")
            continue
        if row["failed"]:
            found.append(f"{name}: without a sample that counts, and not ranked: {row['failed']}")
        if row["left_out"]:
            found.append(
                f"{name}: {row['cases']} of {row['cases'] + row['left_out']} cases are ranked; {row['left_out']} are "
                "left out, which not all implementations have"
            )
    return found + circumstances.spoilt(side.record)


def _notes(reference: str | None, high: float) -> list[str]:
    one = f"{reference} is 1" if reference else "whoever is fastest in a case is 1 there"
    apart = (
        f"those within the noise floor ({high - 1:.1%}) share a place"
        if high == high
        else "the noise floor is unknown (fewer than six rounds), so all share a place"
    )
    return [f"geometric mean over cases of time ratios; {one}; {apart}"]
