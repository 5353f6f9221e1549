"""Numbers as text, for figures."""

from aeadlab.units import short_size, signed_percent, significant, size_name

__all__ = ["short_size", "signed_percent", "significant", "size_name"]
