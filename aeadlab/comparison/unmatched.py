"""The cases that only one side of a comparison has, with the reasons."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from aeadlab.records.provenance_diff import verified
from aeadlab.records.record import Record
from aeadlab.stats.selection import counted


@dataclass(frozen=True)
class Arm:
    """The samples of one side of a comparison.

    Attributes
    ----------
    samples
        Samples without the second arms of A/A pairs, but with failed and unverified ones.
    """

    name: str
    record: Record
    samples: pd.DataFrame

    @property
    def verified(self) -> pd.DataFrame:
        """Samples of implementations that passed their verification."""
        return self.samples[self.samples["implementation"].isin(verified(self.record))]


def unmatched(a: Arm, b: Arm, matched: pd.DataFrame, on: Sequence[str]) -> pd.DataFrame:
    """Return the cases of one side only: implementation, the columns `on`, ``only`` (the side) and ``why``.

    Parameters
    ----------
    matched
        The cases of both sides, by the columns `on`.
    """
    keys = list(on)
    columns = list(dict.fromkeys(["implementation", *keys]))
    both = set(_keys(matched, keys))
    parts = []
    for arm, other in ((a, b), (b, a)):
        cases = arm.samples[columns].drop_duplicates()
        cases = cases[[key not in both for key in _keys(cases, keys)]]
        reason = _reasons(arm, other, keys) if len(cases) else str
        why = [reason(row) for row in cases.to_dict("records")]
        parts.append(cases.assign(only=arm.name, why=pd.Series(why, index=cases.index, dtype=object)))
    return pd.concat(parts, ignore_index=True)


def _reasons(arm: Arm, other: Arm, keys: list[str]) -> Callable[[dict[Any, Any]], str]:
    """Return a function that returns the reason why `other` has no match for a case of `arm`."""
    failed, failed_other = _failures(arm.samples, keys), _failures(other.samples, keys)
    verified_own, verified_other = verified(arm.record), verified(other.record)
    present = set(_keys(other.samples[keys].drop_duplicates(), keys))
    refused = other.record.refused

    def reason(row: dict[Any, Any]) -> str:
        name, key = row["implementation"], tuple(row[column] for column in keys)
        if key in failed:
            return failed[key]
        if key in failed_other:
            return f"{other.name}: {failed_other[key]}"
        if name not in verified_own:
            return f"not verified in {arm.name}"
        if key in present and name not in verified_other:
            return f"not verified in {other.name}"
        if name in refused:
            return f"not timed in {other.name}: {refused[name]}"
        return f"not measured in {other.name}"

    return reason


def _failures(samples: pd.DataFrame, keys: list[str]) -> dict[tuple[Any, ...], str]:
    """Return the status of each case without a counted sample."""
    # The row with the reason of a failed case has the order -1, and is therefore the first.
    failed = samples[~samples["status"].eq("ok")].sort_values("order").drop_duplicates(keys)
    if failed.empty:
        return {}
    measured = set(_keys(samples.loc[counted(samples), keys].drop_duplicates(), keys))
    reasons = dict(zip(_keys(failed, keys), map(str, failed["status"]), strict=True))
    return {key: why for key, why in reasons.items() if key not in measured}


def _keys(frame: pd.DataFrame, keys: list[str]) -> list[tuple[Any, ...]]:
    return list(frame[keys].itertuples(index=False, name=None))
