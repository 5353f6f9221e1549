"""How Rayon divides equal blocks between threads: in a closed form, event by event, and as read from traces."""

from __future__ import annotations

from aeadlab.stealing.division import Levels, busiest, leaves, lengths, levels
from aeadlab.stealing.expected import expected_modes
from aeadlab.stealing.observed import Observed, observe, one_of_each
from aeadlab.stealing.simulation import Costs, Leaf, Simulated, simulate
from aeadlab.stealing.traces import kept_its_pair, leaf_table, predicted_leaves
from aeadlab.stealing.waiting import waiting

__all__ = (
    "Costs",
    "Leaf",
    "Levels",
    "Observed",
    "Simulated",
    "busiest",
    "expected_modes",
    "kept_its_pair",
    "leaf_table",
    "leaves",
    "lengths",
    "levels",
    "observe",
    "one_of_each",
    "predicted_leaves",
    "simulate",
    "waiting",
)
