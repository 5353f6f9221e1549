"""The time that a plan is expected to take, from that of a record of the same study."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from aeadlab.bench.plan import Plan

_START_SECONDS: Final = 1.0
"""Time in which a process starts and loads the libraries."""

_RATES: Final = (1e5, 1e12)
"""Bounds of the mean speed of a study's cases in bytes per second."""

_STEPS: Final = 60


def expected_seconds(plan: Plan, record: Mapping[str, Any]) -> float | None:
    """Return the seconds of a plan's processes at the mean speed of a record, or None if the record has no times.

    The speed is that at which the record's own plan takes as long as the record did. Other implementations, lengths
    and computers have other speeds, so that the result is the order of magnitude.

    Parameters
    ----------
    record
        The provenance of a record of the same study.
    """
    spent = sum(note.get("spent", 0.0) for note in record["notes"])
    if spent <= 0:
        return None
    before = Plan.from_json(record["plan"])
    low, high = _RATES
    for _ in range(_STEPS):
        rate = (low * high) ** 0.5
        low, high = (rate, high) if _seconds(before, rate) > spent else (low, rate)
    return _seconds(plan, low)


def _seconds(plan: Plan, rate: float) -> float:
    """Return the seconds of a plan whose cases process `rate` bytes per second."""
    profile = plan.profile
    processes = len(profile.shares)
    warmed = {c.implementation for c in plan.cases if not plan.named or c.implementation in plan.named}
    seconds = processes * (_START_SECONDS + profile.warm_up_seconds * len(warmed))
    for index, case in enumerate(plan.cases):
        sample = max(profile.sample_seconds, case.bytes / rate)
        rounds = plan.rounds_of(index)
        if profile.case_seconds is not None:
            rounds = min(rounds, profile.turns_within(int(profile.case_seconds / sample)))
        # Each process executes a case once before its samples.
        seconds += sample * (rounds + min(rounds, processes))
    return seconds
