"""Models of a measurement with sliders, for notebooks."""

from aeadlab.lab.interactive.block_parts import block_sizes
from aeadlab.lab.interactive.message_parts import message_lengths
from aeadlab.lab.interactive.roof import roofline
from aeadlab.lab.interactive.scheduling import schedules

__all__ = ["block_sizes", "message_lengths", "roofline", "schedules"]
