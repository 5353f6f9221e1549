"""What all figures share: widths that venues print, fonts, line weights, and settings for equal bytes everywhere."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from typing import Any, Final, cast

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

from aeadlab.errors import UnknownNameError


@dataclass(frozen=True)
class Venue:
    """The space that a venue gives a figure.

    Attributes
    ----------
    width, height
        Inches; the height is that of the page's text, to be shared with the caption.
    source
        Where the numbers come from.
    """

    width: float
    height: float
    source: str


_LNCS = "Springer LNCS author instructions: printing area 122 mm x 193 mm, one column"
_IEEE = "IEEE Author Center, size of graphics: one column 3.5 in, two columns 7.16 in; at most 8.8 in high"
_ACM = "acmart.cls, sigconf on US letter: margins of 54 pt, columns 2 pc apart (1 in = 72.27 pt); text 9.14 in high"
_USENIX = "USENIX conference paper template: text block of 7 in x 9 in, columns 0.33 in apart"

VENUES: Final[dict[str, Venue]] = {
    "lncs": Venue(122 / 25.4, 193 / 25.4, _LNCS),
    "ieee": Venue(3.5, 8.8, _IEEE),
    "ieee-double": Venue(7.16, 8.8, _IEEE),
    "acm": Venue((8.5 - (2 * 54 + 24) / 72.27) / 2, 9.14, _ACM),
    "acm-double": Venue(8.5 - 2 * 54 / 72.27, 9.14, _ACM),
    "usenix": Venue((7 - 0.33) / 2, 9.0, _USENIX),
    "usenix-double": Venue(7.0, 9.0, _USENIX),
}

TEXT: Final = 6.5
"""Size of text in points, as printed; no text is smaller."""

TITLE: Final = 7.0
"""Size of titles and axis labels in points, as printed."""

LINE: Final = 0.115
"""Inches from one line of text to the next."""

BESIDE_FROM: Final = 4.5
"""Inches of column width from which parts of a figure stand beside each other; in narrower columns below."""

EDGE: Final = "#1A1A1A"
"""Colour of edges and error bars."""

FAINT: Final = "#6E6E6E"
"""Colour of what stands back: reference lines, headings of columns, words for what is absent."""

_SETTINGS: Final[dict[str, Any]] = {
    # DejaVu Sans comes with Matplotlib, which looks at its own fonts first: every machine draws the same letters.
    "font.family": ["DejaVu Sans"],
    "font.size": TEXT,
    # Hinted letters of the PNG would be wider than those of the PDF and run into each other.
    "text.hinting": "no_hinting",
    "axes.labelsize": TITLE,
    "axes.titlesize": TITLE,
    "xtick.labelsize": TEXT,
    "ytick.labelsize": TEXT,
    "legend.fontsize": TEXT,
    "axes.linewidth": 0.5,
    "xtick.major.width": 0.5,
    "xtick.major.size": 2.5,
    "xtick.minor.width": 0.4,
    "xtick.minor.size": 1.5,
    "ytick.major.width": 0.5,
    "ytick.major.size": 2.5,
    "ytick.minor.width": 0.4,
    "ytick.minor.size": 1.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "grid.linewidth": 0.4,
    "grid.color": "#D9D9D9",
    "lines.linewidth": 0.9,
    "lines.markersize": 3.5,
    "hatch.linewidth": 0.4,
    "pdf.fonttype": 42,
    # Deflate's output depends on the zlib that Python was built with; fonts are subset, so files stay small without.
    "pdf.compression": 0,
    # Letters as outlines: a viewer without DejaVu would set text in another font and break the layout.
    "svg.fonttype": "path",
    "svg.hashsalt": "aeadlab",
}


@contextmanager
def settings() -> Iterator[None]:
    """Matplotlib's own defaults with the lab's settings, whatever the user's configuration says.

    Some settings are read when a figure is made, others when it is drawn: use it for both.
    """
    # The backend is the notebook's business, and merely reading it would choose one.
    defaults = {key: matplotlib.rcParamsDefault[key] for key in matplotlib.rcParamsDefault if key != "backend"}
    with matplotlib.rc_context(cast("Any", {**defaults, **_SETTINGS})):
        yield


def venue(name: str) -> Venue:
    """Return the space that a venue gives a figure.

    Raises
    ------
    aeadlab.errors.UnknownNameError
        If there is no such venue.
    """
    if name not in VENUES:
        raise UnknownNameError(f"there is no venue {name!r}; wanted one of: {', '.join(VENUES)}")
    return VENUES[name]


class VenueFigure(Figure):
    """A figure without pyplot, so that nothing is shown twice or kept alive; notebooks show it at its printed size."""

    def _repr_png_(self) -> bytes:
        buffer = BytesIO()
        with settings():
            self.savefig(buffer, format="png", dpi=150)
        return buffer.getvalue()


def new_figure(width: float, height: float) -> VenueFigure:
    """Return an empty figure of this size in inches; call it and draw into it within `settings`."""
    figure = VenueFigure(figsize=(width, height))
    FigureCanvasAgg(figure)
    return figure


@cache
def text_width(text: str, size: float = TEXT, weight: str = "normal") -> float:
    """Width of one line of text in inches."""
    font = FontProperties(family="DejaVu Sans", weight=weight, size=size)
    width, _, _ = text_to_path.get_text_width_height_descent(text, font, ismath=False)
    return float(width) / 72
