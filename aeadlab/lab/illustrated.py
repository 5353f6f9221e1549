"""Sentences with their figure, as a notebook shows them."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any

from matplotlib.figure import Figure

from aeadlab.display.markup import Html, element, join, paragraph
from aeadlab.display.terminal import fill
from aeadlab.figures import style


@dataclass(frozen=True)
class Illustrated:
    """Sentences, and the figure that shows them; or in its place an object with the reason of its absence."""

    sentences: Sequence[str]
    figure: Any

    def png(self, dots_per_inch: int = 150) -> bytes:
        """Return the figure; nothing if it is absent."""
        if not isinstance(self.figure, Figure):
            return b""
        # Without the reduction of colours of exported files, which takes longer than to draw.
        buffer = BytesIO()
        with style.settings():
            self.figure.savefig(buffer, format="png", dpi=dots_per_inch)
        return buffer.getvalue()

    @property
    def text(self) -> Html:
        """The sentences as HTML, with the reason of an absent figure."""
        return join(map(paragraph, self._texts()))

    def _texts(self) -> list[str]:
        return [*self.sentences, *([] if isinstance(self.figure, Figure) else [repr(self.figure)])]

    def __repr__(self) -> str:
        return "\n".join(map(fill, self._texts()))

    def _repr_html_(self) -> str:
        if not (png := self.png()):
            return self.text
        address = f"data:image/png;base64,{base64.b64encode(png).decode()}"
        return join([self.text, element("img", src=address, alt=" ".join(self.sentences), class_="aeadlab-answer")])
