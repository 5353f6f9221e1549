"""Figures and tables for LaTeX; neither needs LaTeX to be installed."""

from __future__ import annotations

import re
from io import StringIO
from typing import Any, Final

from matplotlib.backends.backend_mixed import MixedModeRenderer
from matplotlib.backends.backend_pgf import RendererPgf
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path
from pandas import DataFrame

from aeadlab.figures import style

_ESCAPED: Final = re.compile(r"([%_#&$])")

_HEAD: Final = r"""%% Include with \input{FILE.pgf} and \usepackage{pgf}; the text has the fonts of the document.
\begingroup
\makeatletter
\begin{pgfpicture}
\pgfpathrectangle{\pgfpointorigin}{\pgfqpoint{%fin}{%fin}}
\pgfusepath{use as bounding box, clip}
"""
_FOOT: Final = r"""\end{pgfpicture}
\makeatother
\endgroup
"""


class _Renderer(RendererPgf):
    """Places text by Matplotlib's own fonts and not by those of an installed LaTeX; so is the layout of the PDF."""

    def get_text_width_height_descent(self, s: str, prop: FontProperties, ismath: Any) -> tuple[float, float, float]:
        """Return the extent of a text in pixels."""
        width, height, descent = text_to_path.get_text_width_height_descent(s, prop, ismath=False)
        scale = self.dpi / 72
        return width * scale, height * scale, descent * scale

    def draw_text(self, gc: Any, x: float, y: float, s: str, *arguments: Any, **more: Any) -> None:
        """Draw a text, in which the characters that LaTeX reserves are escaped."""
        super().draw_text(gc, x, y, _ESCAPED.sub(r"\\\1", s), *arguments, **more)  # type: ignore[no-untyped-call]


_Mixed: Final[Any] = MixedModeRenderer
_Untyped: Final[Any] = _Renderer


def pgf(figure: Figure) -> str:
    """Return a figure in the language of the LaTeX package PGF, at its own size."""
    width, height = map(float, figure.get_size_inches())
    file = StringIO()
    file.write(_HEAD % (width, height))
    with style.settings():
        # Matplotlib's backends have no types.
        renderer: Any = _Mixed(figure, width, height, figure.dpi, _Untyped(figure, file))
        figure.draw(renderer)
    file.write(_FOOT)
    return file.getvalue()


def booktabs(table: DataFrame) -> str:
    """Return a table with the rules of the LaTeX package booktabs, without columns whose values are all equal.

    Numbers have four significant digits; the CSV has all.
    """
    varied = [column for column in table if table[column].nunique(dropna=False) > 1 or len(table) == 1]
    return table[varied].to_latex(index=False, escape=True, float_format="%.4g", na_rep="")
