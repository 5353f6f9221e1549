"""Numbers as text, for figures."""

from aeadlab.units import signed_percent, significant, size_name

__all__ = ["signed_percent", "significant", "size_name"]
