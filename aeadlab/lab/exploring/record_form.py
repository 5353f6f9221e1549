"""The form of `aeadlab.explore` for a stored record: widgets that change a `RecordView`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import ipywidgets as widgets

from aeadlab.display.markup import bullet_list, element
from aeadlab.errors import Error
from aeadlab.lab.exploring.figure import QUANTITIES
from aeadlab.lab.exploring.record_view import AXES, RecordView
from aeadlab.records.lookup import stored_records
from aeadlab.records.reading import load_record

_STYLE = {"description_width": "8em"}
_WIDE = {"width": "28em"}
_RESULTS = {"flex": "1 1 40em", "min_width": "0"}


class RecordForm:
    """Filters, axes, names with completion, points and a second record; a notebook shows them as widgets.

    Attributes
    ----------
    view
        The view that the form shows.
    """

    def __init__(self, view: RecordView) -> None:
        self.view = view
        record = view.record
        filters = {column: ["", *view.values(column)] for column in ("kind", "library", "algorithm")}
        others = [path for path in reversed(stored_records(record.study)) if path.name != record.path.name]
        self.controls: dict[str, Any] = {
            **{name: _list(name, [(value or "all", value) for value in values]) for name, values in filters.items()},
            "names": widgets.TagsInput(allowed_tags=view.values("implementation"), allow_duplicates=False),
            "x": _list("x axis", [("automatic", ""), *((axis.replace("_", " "), axis) for axis in AXES)]),
            "y": _list("y axis", [(name, name) for name in QUANTITIES]),
            "point": _list("samples of", [("no point", "")]),
            "other": _list("compare with", [("no record", None), *((path.name, path) for path in others)]),
        }
        for name in ("kind", "library", "algorithm", "x", "y"):
            self.controls[name].value = getattr(view, name)
        self.controls["names"].value = list(view.names)
        self.export_button = widgets.Button(description="Export", icon="save")
        self.picture = widgets.Image(format="png", layout=widgets.Layout(max_width="100%", align_self="flex-start"))
        self.text, self.table, self.status = widgets.HTML(), widgets.HTML(), widgets.HTML()
        self.table.add_class("jp-RenderedHTMLCommon")
        shown = {"export": self.export_button, "picture": self.picture, "status": self.status, "text": self.text}
        for name, widget in {**self.controls, **shown}.items():
            # Style sheets and browser tests select the widgets by these classes.
            widget.add_class(f"aeadlab-record-{name}")
        for control in self.controls.values():
            control.observe(self._on_change, "value")
        self.export_button.on_click(lambda _: self.export())
        label = widgets.Label("lines in colour: type a name, then press Tab or Enter")
        inputs = [*self.controls.values()]
        inputs.insert(3, label)
        self._box = widgets.HBox(
            [
                widgets.VBox([*inputs, self.export_button], layout=widgets.Layout(flex="0 1 30em")),
                widgets.VBox([self.status, self.text, self.picture, self.table], layout=widgets.Layout(**_RESULTS)),
            ],
            layout=widgets.Layout(flex_flow="row wrap"),
        )
        self._show(view)

    def export(self) -> None:
        """Write the figure as shown, its table and the call, and list the files in the form."""
        try:
            files = self.view.export()
        except Error as error:
            self.status.value = element("p", str(error), style="color:#b2182b")
        else:
            written = bullet_list(file.name for file in files)
            self.status.value = element("div", f"Written to {files[0].parent}:", written)

    def _on_change(self, _: Any) -> None:
        values = {name: control.value for name, control in self.controls.items()}
        other: Path | None = values.pop("other")
        try:
            second = None if other is None else load_record(other)
            view = RecordView(self.view.record, **{**values, "names": tuple(values["names"])}, other=second)
            if view.point and view.point not in view.points:
                view = replace(view, point="")
            self._show(view)
        except Error as error:
            self.status.value = element("p", str(error), style="color:#b2182b")

    def _show(self, view: RecordView) -> None:
        result, point = view.illustrated, self.controls["point"]
        self.view = view
        options = [("no point", ""), *((name, name) for name in [*view.points][:400])]
        if tuple(options) != tuple(point.options):
            point.unobserve(self._on_change, "value")
            point.options, point.value = options, view.point
            point.observe(self._on_change, "value")
        self.status.value = ""
        self.text.value, self.picture.value, self.table.value = result.text, result.png(130), view.as_html()

    def _repr_mimebundle_(self, **options: Any) -> Any:
        return self._box._repr_mimebundle_(**options)


def _list(description: str, options: list[tuple[str, Any]]) -> Any:
    return widgets.Dropdown(
        description=description, options=options, value=options[0][1], style=_STYLE, layout=widgets.Layout(**_WIDE)
    )
