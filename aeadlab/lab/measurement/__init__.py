"""Measurement of a study, from its name to a stored record and its summary."""

from aeadlab.lab.measurement.measurement import measure
from aeadlab.lab.measurement.summary import is_complete, summary

__all__ = ["is_complete", "measure", "summary"]
