"""The cases that only one side has, and why."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from aeadlab.comparison import circumstances
from aeadlab.records import Record
from aeadlab.stats.selection import counted


@dataclass(frozen=True)
class Arm:
    """What one side measured.

    Attributes
    ----------
    samples
        Without the second arms of A/A pairs; failed and unverified ones are still there.
    """

    name: str
    record: Record
    samples: pd.DataFrame

    @property
    def verified(self) -> pd.DataFrame:
        """Samples of implementations that passed their verification."""
        return self.samples[self.samples["implementation"].isin(circumstances.verified(self.record))]


def unmatched(a: Arm, b: Arm, matched: pd.DataFrame, on: Sequence[str]) -> pd.DataFrame:
    """Cases without a partner: implementation, the columns `on`, ``only`` (the side that has it) and ``why``.

    Parameters
    ----------
    matched
        The cases, by the columns `on`, that both have.
    """
    keys = list(on)
    columns = list(dict.fromkeys(["implementation", *keys]))
    both = set(_keys(matched, keys))
    parts = []
    for arm, other in ((a, b), (b, a)):
        cases = arm.samples[columns].drop_duplicates()
        cases = cases[[key not in both for key in _keys(cases, keys)]]
        reasons = _reasons(arm, other, keys) if len(cases) else str
        why = [reasons(row) for row in cases.to_dict("records")]
        parts.append(cases.assign(only=arm.name, why=pd.Series(why, index=cases.index, dtype=object)))
    return pd.concat(parts, ignore_index=True)


def _reasons(arm: Arm, other: Arm, keys: list[str]) -> Callable[[dict[Any, Any]], str]:
    failed, failed_there = _failures(arm.samples, keys), _failures(other.samples, keys)
    here, there = circumstances.verified(arm.record), circumstances.verified(other.record)
    present = set(_keys(other.samples[keys].drop_duplicates(), keys))
    refused: Mapping[str, str] = other.record.provenance.get("refused", {})

    def why(row: dict[Any, Any]) -> str:
        name, key = row["implementation"], tuple(row[column] for column in keys)
        if key in failed:
            return failed[key]
        if key in failed_there:
            return f"{other.name}: {failed_there[key]}"
        if name not in here:
            return f"not verified in {arm.name}"
        if key in present and name not in there:
            return f"not verified in {other.name}"
        if name in refused:
            return f"refused in {other.name}: {refused[name]}"
        return f"not measured in {other.name}"

    return why


def _failures(samples: pd.DataFrame, keys: list[str]) -> dict[tuple[Any, ...], str]:
    """Cases without a sample that counts, and what their status says."""
    # The row that says why a case failed has no place in the order of the run, and so comes first.
    bad = samples[~samples["status"].eq("ok")].sort_values("order").drop_duplicates(keys)
    if bad.empty:
        return {}
    good = set(_keys(samples.loc[counted(samples), keys].drop_duplicates(), keys))
    found = dict(zip(_keys(bad, keys), map(str, bad["status"]), strict=True))
    return {key: why for key, why in found.items() if key not in good}


def _keys(frame: pd.DataFrame, keys: list[str]) -> list[tuple[Any, ...]]:
    return list(frame[keys].itertuples(index=False, name=None))
