"""A record as one HTML file that can be read anywhere, printed, and kept beside a paper."""

from aeadlab.reporting.page import SECTIONS, Section, page, report

__all__ = ["SECTIONS", "Section", "page", "report"]
