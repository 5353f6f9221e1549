"""The study's figures inside the page, drawn anew from the record."""

from __future__ import annotations

from base64 import b64encode

from aeadlab.figures.export import image
from aeadlab.markup import Html, element, joined, paragraph
from aeadlab.reporting.digest import Digest

LARGEST = 300_000
"""Bytes of an SVG; a figure of more curves than that becomes a PNG."""

ALL = 1_200_000
"""Bytes that all figures share."""

_VENUE = "ieee-double"
_DOTS_PER_INCH = 160


def pictures(digest: Digest) -> Html:
    """Every figure of the study, or why there is none."""
    study = digest.study
    if study is None:
        name = digest.record.study
        return paragraph(f"There is no study called {name} in this aeadlab that could draw figures of the record.")
    if not study.figures:
        return paragraph("The study has no figures.")
    largest = min(LARGEST, ALL // len(study.figures))
    return joined([_figure(digest, name, largest) for name in study.figures])


def _figure(digest: Digest, name: str, largest: int) -> Html:
    assert digest.study is not None
    try:
        figure, _ = digest.study.figures[name](digest.record.samples, _VENUE)
        kind, content = "svg+xml", image(figure, "svg")
        if len(content) > largest:
            kind, content = "png", image(figure, "png", _DOTS_PER_INCH)
    except Exception as error:  # A study may draw whatever it likes; its fault must not cost the reader the numbers.
        why = str(error) or type(error).__name__
        return paragraph(element("b", name), f" cannot be drawn from this record: {why}")
    # As an image of its own: its names cannot clash with another figure's, and nothing in it can run.
    source = f"data:image/{kind};base64,{b64encode(content).decode()}"
    width, _ = figure.get_size_inches()
    shown = element("img", src=source, alt=f"{name}; the tables below hold its numbers", width=f"{96 * width:.0f}")
    return element("figure", shown, element("figcaption", name))
