"""Column widths of venues, fonts, line weights, and Matplotlib settings that give the same bytes on every machine."""

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

from aeadlab.display.nearest import hint
from aeadlab.errors import UnknownNameError


@dataclass(frozen=True)
class Venue:
    """The space that a venue gives a figure.

    Attributes
    ----------
    width, height
        Inches; the height is that of the page's text, to be shared with the caption.
    source
        Document that states the numbers.
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

TEXT: Final = 7.0
"""Smallest text size in points, as printed."""

TITLE: Final = 7.5
"""Size of titles and axis labels in points, as printed."""

LINE: Final = 0.12
"""Inches from one line of text to the next."""

WIDE_COLUMN: Final = 4.5
"""Column width in inches from which panels are side by side; in narrower columns they are below each other."""

EDGE: Final = "#1A1A1A"
"""Colour of edges and error bars."""

FAINT: Final = "#6E6E6E"
"""Colour of secondary elements: limits, reference lines, column headings, reasons for absent values."""

CONTEXT: Final = "#BDBDBD"
"""Colour of series that are not emphasised."""

_SETTINGS: Final[dict[str, Any]] = {
    # DejaVu Sans is included in Matplotlib, which prefers its own fonts: every machine uses the same glyphs.
    "font.family": ["DejaVu Sans"],
    "font.size": TEXT,
    # Hinted glyphs in the PNG would be wider than those in the PDF and overlap.
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
    "pdf.compression": 9,
    # LaTeX sets the text of a PGF file in the fonts of the document.
    "pgf.rcfonts": False,
    # Text as outlines: a viewer without DejaVu would substitute a font and break the layout.
    "svg.fonttype": "path",
    "svg.hashsalt": "aeadlab",
}


@contextmanager
def settings() -> Iterator[None]:
    """Apply Matplotlib's defaults and the lab's settings, independent of the user's configuration.

    Matplotlib reads some settings when a figure is created and others when it is rendered: use it for both.
    """
    # Reading the backend would select one, which is up to the notebook.
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
        listed = f"available venues: {', '.join(VENUES)}"
        raise UnknownNameError(f"there is no venue {name!r}; {hint(name, VENUES, listed)}")
    return VENUES[name]


class VenueFigure(Figure):
    """A figure outside pyplot, which would display it twice and keep it in memory; notebooks show it at its size."""

    caption: str = ""
    """The whole caption, of which the picture may show a part; see `aeadlab.figures.caption`."""

    def _repr_png_(self) -> bytes:
        buffer = BytesIO()
        with settings():
            self.savefig(buffer, format="png", dpi=150)
        return buffer.getvalue()


def new_figure(width: float, height: float) -> VenueFigure:
    """Return an empty figure of this size in inches; create it and draw into it within `settings`."""
    figure = VenueFigure(figsize=(width, height))
    FigureCanvasAgg(figure)
    return figure


@cache
def text_width(text: str, size: float = TEXT, weight: str = "normal") -> float:
    """Return the width of one line of text in inches."""
    font = FontProperties(family="DejaVu Sans", weight=weight, size=size)
    width, _, _ = text_to_path.get_text_width_height_descent(text, font, ismath=False)
    return float(width) / 72
