"""Whole messages on one thread: Figures 2 and 3."""
