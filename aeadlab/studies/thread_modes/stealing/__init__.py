"""Rayon's division of equal blocks between threads: a closed form, a discrete-event simulation, and traces.

Every function raises `aeadlab.errors.ArgumentError` if a count, a length or a time is out of range.
"""

from __future__ import annotations

from aeadlab.studies.thread_modes.stealing.division import Levels, leaves, lengths, levels, upper_level
from aeadlab.studies.thread_modes.stealing.expected import expected_modes
from aeadlab.studies.thread_modes.stealing.observed import (
    TracedRun,
    one_run_of_each_mode,
    rule_check,
    traced_runs,
    waiting_accuracy,
)
from aeadlab.studies.thread_modes.stealing.simulation import Costs, Leaf, SimulatedRun, simulate
from aeadlab.studies.thread_modes.stealing.traces import keeps_first_pair, leaf_table, predicted_leaves

__all__ = (
    "Costs", "Leaf", "Levels", "SimulatedRun", "TracedRun", "expected_modes", "keeps_first_pair", "leaf_table",
    "leaves", "lengths", "levels", "one_run_of_each_mode", "predicted_leaves", "rule_check", "simulate", "traced_runs",
    "upper_level", "waiting_accuracy",
)  # fmt: skip
