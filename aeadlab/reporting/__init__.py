"""A record as one self-contained HTML file."""

from aeadlab.reporting.page import SECTIONS, Section, find_record, page, report

__all__ = ["SECTIONS", "Section", "find_record", "page", "report"]
