"""Measurement of a study, from its name to a stored record and its summary."""

from aeadlab.lab.measurement.measurement import measure
from aeadlab.lab.measurement.summary import as_dict, is_complete, summary

__all__ = ["as_dict", "is_complete", "measure", "summary"]
