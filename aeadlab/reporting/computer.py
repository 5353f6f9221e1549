"""The doctor's findings about the machine of a record, as they were when it was made."""

from __future__ import annotations

from aeadlab import doctor
from aeadlab.markup import Content, Html, element, joined, listed, paragraph
from aeadlab.reporting.digest import Digest


def computer(digest: Digest) -> Html:
    """One entry per finding, the worst first, in colours of their levels and with the advice that goes with them."""
    if not digest.known("machine"):
        return paragraph("The record has no facts about its machine.")
    flags = digest.provenance.get("quality")
    said = "Flags of the run: " + (", ".join(flags) if flags else "none") + "." if flags is not None else ""
    return joined([paragraph(said), listed(map(_entry, digest.findings), "findings")])


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
