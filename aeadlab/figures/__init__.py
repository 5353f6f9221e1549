"""The drawing toolkit: style, palette, rows, curves, captions, ticks, shared charts, and export."""

from aeadlab.figures.export import export
from aeadlab.figures.palette import Appearance, appearance_of
from aeadlab.figures.style import VENUES, Venue, venue

__all__ = ["VENUES", "Appearance", "Venue", "appearance_of", "export", "venue"]
