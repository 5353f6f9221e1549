"""The speeds that documents print for measured cases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any, Final

from pandas import DataFrame

from aeadlab.dimensions import BASELINE, BY_NAME
from aeadlab.verdicts.published import conditions, load, without_duplicates

_QUANTITIES: Final = ("median time", "time", "CPU time", "throughput")
"""Quantities that describe a case; the others are those of a mode, of the best thread count, or of other work."""

_VARIANTS: Final = ("", "whole", "openssl speed")
"""Variants that are whole messages on one thread; others are versions of the code, or parallel."""

_CONDITIONS: Final = ("engine", "threads", "model", "tags", "placement", "aad_bytes", "cache", "mask")


@dataclass(frozen=True)
class Counterpart:
    """The speed of a case in a document, in GiB/s, with the length in bytes and the hardware."""

    speed: float
    bytes: int
    hardware: str


def counterparts(document: str, cases: DataFrame) -> list[Counterpart | None]:
    """Return the counterpart of each case, or None where the document prints no number for it, or several.

    A case and its counterpart are whole messages on one thread, of the same implementation, operation, length and
    conditions (`aeadlab.verdicts.published.conditions`): of *Rust* in place with 32 bytes of associated data. Where
    the document prints one length and all cases have one length, as with a profile of short messages, they may differ
    in it.

    Parameters
    ----------
    cases
        Rows of `aeadlab.stats.medians`.
    """
    rows = without_duplicates(load(document))
    rows = rows[rows["quantity"].isin(_QUANTITIES) & rows["variant"].isin(_VARIANTS) & rows["bytes"].notna()]
    rows = rows[(rows["threads"] == 1).fillna(False).astype(bool)]
    one_length = cases.loc[~cases["implementation"].str.startswith(BASELINE), "bytes"].nunique() == 1
    by_case: dict[tuple[str, str], list[dict[Any, Any]]] = {}
    for row in rows.to_dict("records"):
        by_case.setdefault((row["implementation"], row["operation"]), []).append(row)
    return [
        _counterpart(document, by_case.get((case["implementation"], case["op"]), []), case, one_length)
        for case in cases.to_dict("records")
    ]


def _counterpart(
    document: str, rows: list[dict[Any, Any]], case: Mapping[Any, Any], one_length: bool
) -> Counterpart | None:
    rows = [row for row in rows if _has_conditions(case, conditions(document, row["variant"]))]
    if not (one_length and len({row["bytes"] for row in rows}) == 1):
        rows = [row for row in rows if row["bytes"] == case["bytes"]]
    # A printed throughput is rounded more than the time beside it.
    rows = [row for row in rows if isfinite(row["seconds"])] or rows
    found = {Counterpart(_speed(row), int(row["bytes"]), row["hardware"]) for row in rows}
    return found.pop() if len(found) == 1 else None


def _has_conditions(case: Mapping[Any, Any], given: Mapping[str, str | int]) -> bool:
    """Return whether a case has these conditions and the default of all others: key set up before, all CPU features."""
    return all(case[name] == given.get(name, BY_NAME[name].default) for name in _CONDITIONS)


def _speed(row: Mapping[Any, Any]) -> float:
    return row["bytes"] / row["seconds"] / 2.0**30 if isfinite(row["seconds"]) else float(row["gib_per_s"])
