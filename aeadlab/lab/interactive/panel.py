"""Controls with a picture that follows them; without a front end for widgets, the picture alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import ipywidgets as widgets

from aeadlab.display.front_end import shows_widgets
from aeadlab.display.markup import element
from aeadlab.errors import Error
from aeadlab.lab.illustrated import Illustrated

DOTS_PER_INCH: Final = 110

_STYLE: Final = {"description_width": "12em"}
_WIDE: Final = {"width": "34em"}


def slider(description: str, least: float, most: float, value: float, step: float = 1) -> Any:
    """Return a slider of whole numbers, or of decimal ones if the step is one; arrow keys move it."""
    kind = widgets.IntSlider if isinstance(step, int) else widgets.FloatSlider
    bounds = {"min": least, "max": most, "step": step}
    return kind(value, **bounds, description=description, style=_STYLE, layout=widgets.Layout(**_WIDE))


def choice(description: str, options: Sequence[Any], value: Any = None) -> Any:
    """Return a list to choose one of `options` from: values, or pairs of a label and a value."""
    first = options[0][1] if isinstance(options[0], tuple) else options[0]
    return widgets.Dropdown(
        description=description,
        options=list(options),
        value=first if value is None else value,
        style=_STYLE,
        layout=widgets.Layout(**_WIDE),
    )


def panel(draw: Callable[..., Illustrated], **controls: Any) -> Any:
    """Return the controls with what `draw` returns for their values, given by name, which follows every change.

    Without a front end that shows widgets (`aeadlab.display.front_end.shows_widgets`) the result of `draw` for the
    first values is returned.
    """

    def drawn() -> Illustrated:
        return draw(**{name: control.value for name, control in controls.items()})

    if not shows_widgets():
        return drawn()
    text = widgets.HTML()
    picture = widgets.Image(format="png", layout=widgets.Layout(max_width="100%", align_self="flex-start"))
    picture.add_class("aeadlab-picture")

    def redraw(_: Any = None) -> None:
        try:
            result = drawn()
            text.value, picture.value = result.text, result.png(DOTS_PER_INCH)
        except Error as error:
            text.value = element("p", str(error), style="color:#b2182b")

    for name, control in controls.items():
        control.add_class(f"aeadlab-{name.replace('_', '-')}")
        control.observe(redraw, "value")
    redraw()
    return widgets.VBox([*controls.values(), text, picture])
