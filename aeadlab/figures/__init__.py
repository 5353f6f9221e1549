"""Figures for papers: one function per figure, which returns it with the table that it shows, and their export."""

from aeadlab.figures.exploration import exploration
from aeadlab.figures.export import export
from aeadlab.figures.palette import Look, look
from aeadlab.figures.single_threaded import aead_bars, hash_bars
from aeadlab.figures.style import VENUES, Venue, venue

__all__ = ["VENUES", "Look", "Venue", "aead_bars", "exploration", "export", "hash_bars", "look", "venue"]
