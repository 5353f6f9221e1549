"""The button of a notebook that shows a reference record: it measures the same study on this computer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import ipywidgets as widgets

from aeadlab.display.markup import element
from aeadlab.errors import Error

if TYPE_CHECKING:
    from aeadlab.lab.prepared import Prepared


def measure_button(study: Prepared) -> Any:
    """Return a box with the description of a study, and a button that measures it with profile ``quick``.

    The kernel is busy until the measurement ends, so that no other cell disturbs it.
    """
    text = widgets.HTML(study._repr_html_())
    button = widgets.Button(description="Measure here", icon="play", tooltip="measure with profile quick")
    button.add_class("aeadlab-measure-here")
    output = widgets.Output()

    def measure(_: Any) -> None:
        button.disabled = True
        try:
            with output:
                record = study.measure_here()
        except Error as error:
            text.value = element("p", str(error), style="color:#b2182b")
        else:
            text.value = element(
                "p", f"Measured: {record.path}. Run > Run Selected Cell and All Below shows it in the cells below."
            )
        finally:
            button.disabled = False

    button.on_click(measure)
    return widgets.VBox([text, button, output])
