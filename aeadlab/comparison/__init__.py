"""Comparison of two records, commits, computers or implementations, and ranking of the implementations of a record."""

from aeadlab.comparison.compared import compare
from aeadlab.comparison.computers import TwoComputers, two_computers
from aeadlab.comparison.ranked import rank
from aeadlab.comparison.results import Compared, Ranked

__all__ = ["Compared", "Ranked", "TwoComputers", "compare", "rank", "two_computers"]
