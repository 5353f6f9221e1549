"""Comparing: two records, commits, computers or implementations, and ranking the implementations of one record."""

from aeadlab.comparison.compared import compare
from aeadlab.comparison.computers import TwoComputers, two_computers
from aeadlab.comparison.frames import Compared, Ranked
from aeadlab.comparison.ranked import rank

__all__ = ["Compared", "Ranked", "TwoComputers", "compare", "rank", "two_computers"]
