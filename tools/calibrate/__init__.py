"""Simulations of the procedures that the lab judges with."""
