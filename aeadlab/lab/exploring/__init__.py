"""Quick measurements of a few implementations, by a call or by a form in a notebook."""

from aeadlab.lab.exploring.exploration import Exploration, look_at
from aeadlab.lab.exploring.form import Form, explore

__all__ = ["Exploration", "Form", "explore", "look_at"]
