"""Comparing: two records, two commits or two implementations, and ranking the implementations of one record."""

from aeadlab.comparison.compared import compare
from aeadlab.comparison.frames import Compared, Ranked
from aeadlab.comparison.ranked import rank

__all__ = ["Compared", "Ranked", "compare", "rank"]
