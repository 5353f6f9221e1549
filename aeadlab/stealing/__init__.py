"""How Rayon divides equal blocks between threads: in a closed form, and event by event."""

from __future__ import annotations

from aeadlab.stealing.division import busiest, leaves, lengths
from aeadlab.stealing.expected import expected_modes
from aeadlab.stealing.simulation import Costs, Leaf, Simulated, simulate

__all__ = (
    "Costs",
    "Leaf",
    "Simulated",
    "busiest",
    "expected_modes",
    "leaves",
    "lengths",
    "simulate",
)
