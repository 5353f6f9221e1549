"""The section with the figures of the record's study, drawn from the record."""

from __future__ import annotations

from base64 import b64encode

from aeadlab.display.markup import Html, element, join, paragraph
from aeadlab.figures.export import image
from aeadlab.reporting.analysis import Analysis

MAX_SVG = 300_000
"""Maximum size in bytes of an SVG image; a larger figure is included as PNG."""

MAX_TOTAL = 1_200_000
"""Maximum size in bytes of all SVG images of a page."""

_VENUE = "ieee-double"
_DOTS_PER_INCH = 160


def figures(analysis: Analysis) -> Html:
    """Return all figures of the study, or the reason why there is none."""
    study = analysis.study
    if study is None:
        return paragraph(f"This version of aeadlab has no study {analysis.record.study}, and no figures for it.")
    if not study.figures:
        return paragraph("The study has no figures.")
    limit = min(MAX_SVG, MAX_TOTAL // len(study.figures))
    return join([_figure(analysis, name, limit) for name in study.figures])


def _figure(analysis: Analysis, name: str, limit: int) -> Html:
    assert analysis.study is not None
    try:
        figure, _ = analysis.study.draw(name, analysis.record, _VENUE)
        kind, content = "svg+xml", image(figure, "svg")
        if len(content) > limit:
            kind, content = "png", image(figure, "png", _DOTS_PER_INCH)
    except Exception as error:  # A study is arbitrary code: its failure must not prevent the rest of the page.
        reason = str(error) or type(error).__name__
        return paragraph(element("b", name), f" cannot be drawn from this record: {reason}")
    # Within an image, identifiers cannot collide with those of another figure, and no script runs.
    source = f"data:image/{kind};base64,{b64encode(content).decode()}"
    width, _ = figure.get_size_inches()
    drawn = element("img", src=source, alt=f"{name}; the tables below have its numbers", width=f"{96 * width:.0f}")
    return element("figure", drawn, element("figcaption", name))
