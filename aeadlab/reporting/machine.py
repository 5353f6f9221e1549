"""The section with the doctor's findings about the machine of a record."""

from __future__ import annotations

from aeadlab.display.markup import Content, Html, bullet_list, element, join, paragraph
from aeadlab.host import doctor
from aeadlab.reporting.analysis import Analysis


def machine(analysis: Analysis) -> Html:
    """Return the findings with their levels and advice, the most severe first."""
    if not analysis.record.machine:
        return paragraph("The record has no facts about its machine.")
    flags = analysis.provenance.get("quality")
    quality = None if flags is None else paragraph(f"Quality flags of the run: {', '.join(flags) or 'none'}.")
    return join([quality, bullet_list(map(_entry, analysis.findings), "findings")])


def _entry(finding: doctor.Finding) -> Content:
    level = doctor.UNKNOWN if finding.value == doctor.UNKNOWN else finding.level
    parts: list[Content] = [
        *(element("span", level, class_=f"level {level}"), " "),
        *(element("b", finding.name), f" {finding.value}" if level != doctor.UNKNOWN else ""),
        element("span", finding.means, class_="means"),
    ]
    if finding.advice:
        parts.append(element("span", "\N{RIGHTWARDS ARROW} ", finding.advice, class_="means advice"))
    return parts
