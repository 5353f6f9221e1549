"""Trying things out: a few implementations measured at once, from a call or from a form in a notebook."""

from aeadlab.exploring.exploration import Exploration, look_at
from aeadlab.exploring.form import Form, explore

__all__ = ["Exploration", "Form", "explore", "look_at"]
