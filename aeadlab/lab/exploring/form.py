"""The form of `aeadlab.explore`: widgets that call `aeadlab.look_at` in another thread."""

from __future__ import annotations

import threading
from typing import Any, Final

from aeadlab.catalogue import load
from aeadlab.display.front_end import shows_widgets
from aeadlab.display.markup import Content, bullet_list, element, join, paragraph
from aeadlab.display.units import size_name
from aeadlab.errors import ArgumentError, Error
from aeadlab.figures.export import image
from aeadlab.lab.exploring.controls import Controls, Offer, include
from aeadlab.lab.exploring.exploration import IMPLEMENTATIONS, Exploration, look_at
from aeadlab.lab.exploring.record_form import RecordForm
from aeadlab.lab.exploring.record_view import RecordView
from aeadlab.records.record import Record
from aeadlab.verify.report import FAULTS, fault

LIVE_UP_TO: Final = 16 << 20
"""Largest message in bytes for which a changed input starts a measurement, which then takes a second or two."""

FILTER: Final = "aes-256-gcm aead"
"""Initial filter of the list of implementations."""

_DRAWING: Final = threading.Lock()
"""Held while drawing, since Matplotlib's settings are global to the process."""


class Form:
    """A form to choose, measure, view and export; a notebook shows it as widgets.

    Attributes
    ----------
    exploration
        The result that the form shows; None before the first measurement, and while no implementation is chosen.
    """

    def __init__(self, start: Exploration | None = None) -> None:
        self.exploration = start
        try:
            offer, problem = Offer.of(load()), ""
        except Error as error:
            offer, problem = Offer({}), str(error)
        self.controls = controls = Controls(offer)
        self._box = controls.box()
        self._state = threading.RLock()
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()
        self._again = False
        self._seed = 0
        self._set(start)
        controls.filter.observe(self._on_filter, "value")
        for control in controls.inputs:
            control.observe(self._on_input, "value")
        for control in (controls.quantity, controls.venue):
            control.observe(lambda _: self._draw(), "value")
        controls.measure.on_click(lambda _: self.measure())
        controls.stop.on_click(lambda _: self.stop())
        controls.export.on_click(lambda _: self.export())
        self._draw()
        self._show_status(
            problem or "Choose, then press Measure. Everything is verified before it is timed.", error=bool(problem)
        )

    def measure(self) -> None:
        """Measure the chosen cases in another thread; a running measurement is stopped first."""
        with self._state:
            if self._thread is not None:
                self._again = True
                self._stop.set()
                return
            arguments = self._arguments()
            if not arguments["implementations"]:
                self._clear()
                return
            self._stop, self._again = threading.Event(), False
            # A new seed each time, since the file names of two records of one second differ only by it.
            self._seed += 1
            self._thread = threading.Thread(
                target=self._measure, args=(arguments, self._seed, self._stop), name="aeadlab-explore", daemon=True
            )
            self._show_running(True)
            self._thread.start()

    def stop(self) -> None:
        """Stop the measurement, and show the samples taken until then."""
        with self._state:
            self._again = False
            self._stop.set()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the end of the measurement; return False if it takes longer than `seconds`."""
        while (thread := self._thread) is not None:
            thread.join(seconds)
            if thread.is_alive():
                return False
        return True

    def export(self) -> None:
        """Write the figure as shown, its table and the samples, and list the files in the form."""
        if self.exploration is None:
            return
        try:
            with _DRAWING:
                files = self.exploration.export(venue=self.controls.venue.value, quantity=self.controls.quantity.value)
        except Error as error:
            self._show_status(str(error), error=True)
        else:
            self._show_status(f"Written to {files[0].parent}:", bullet_list(file.name for file in files))

    def _arguments(self) -> dict[str, Any]:
        controls = self.controls
        names = ("bytes", "engine", "samples", "threads", "block_size")
        enabled = {name: getattr(controls, name) for name in names if not getattr(controls, name).disabled}
        values = {name: control.value for name, control in enabled.items()}
        return {"implementations": list(controls.implementations.value), **values}

    def _measure(self, arguments: dict[str, Any], seed: int, stop: threading.Event) -> None:
        try:
            exploration = look_at(**arguments, seed=seed, stop=stop, progress=self._show_progress)
        except FAULTS as error:
            # All errors are shown in the form, since the traceback of a thread is not visible in a notebook.
            self._show_status(str(error) if isinstance(error, Error) else fault(error), error=True)
        else:
            self._show_result(exploration)
        finally:
            with self._state:
                self._thread = None
                self._show_running(False)
                if self._again:
                    self.measure()

    def _show_result(self, exploration: Exploration) -> None:
        with self._state:
            if not self.controls.implementations.value:
                # The choice was deleted meanwhile.
                self._clear()
                return
            self.exploration = exploration
            self._draw()
            stopped = exploration.stopped
            self._show_status(f"Ended early: {stopped}." if stopped else f"Measured: {exploration.record.path}")

    def _clear(self) -> None:
        """Remove the result, because a figure of other implementations than the chosen ones misleads."""
        controls = self.controls
        self.exploration = None
        controls.answer.value = controls.table.value = ""
        controls.figure.value = b""
        controls.figure.layout.display = "none"
        controls.export.disabled = True
        self._show_status("Choose at least one implementation.", error=True)

    def _show_progress(self, stage: str, done: int, planned: int) -> None:
        bar = self.controls.progress
        bar.max, bar.value = max(planned, 1), done
        units = {"measuring": "samples", "warming up": "cases"}.get(stage, "implementations")
        self._show_status(f"{stage}: {done} of {planned} {units}")

    def _show_running(self, running: bool) -> None:
        controls = self.controls
        controls.stop.disabled = not running
        controls.progress.value = 0
        controls.progress.layout.visibility = "visible" if running else "hidden"

    def _on_input(self, change: Any) -> None:
        controls = self.controls
        if change["owner"] is controls.bytes:
            controls.live.value = change["new"] <= LIVE_UP_TO
        self._enable()
        if not controls.implementations.value:
            self.stop()
            self._clear()
        elif controls.live.value:
            self.measure()

    def _on_filter(self, change: Any) -> None:
        """Filter the list of implementations; the choice stays, and does not count as changed."""
        choices = self.controls.implementations
        chosen = choices.value
        choices.unobserve(self._on_input, "value")
        choices.options = self.controls.offer.labelled(change["new"], chosen)
        choices.value = chosen
        choices.observe(self._on_input, "value")

    def _enable(self) -> None:
        controls = self.controls
        whole = controls.engine.value == "whole"
        controls.block_size.disabled = whole
        controls.threads.disabled = whole and not any(map(controls.offer.is_parallel, controls.implementations.value))

    def _set(self, start: Exploration | None) -> None:
        """Set the widgets to the arguments of `start`, or to defaults; of several values, to the first."""
        controls = self.controls
        arguments = dict(start.arguments) if start is not None else {}
        chosen = arguments.get("implementations", IMPLEMENTATIONS)
        names = tuple(name for name in chosen if name in controls.offer.descriptions)
        controls.filter.value = FILTER
        controls.implementations.options = controls.offer.labelled(FILTER, names)
        controls.implementations.value = names
        if start is not None:
            arguments.setdefault("bytes", int(start.samples["bytes"].max()))
            arguments.setdefault("samples", int(start.table["n"].max()))
        for name, label in (("bytes", size_name), ("block_size", size_name), ("samples", str)):
            if name in arguments:
                include(getattr(controls, name), _first(arguments[name]), label)
        controls.threads.value = _first(arguments.get("threads", 1))
        controls.engine.value = _first(arguments.get("engine", "whole"))
        controls.live.value = controls.bytes.value <= LIVE_UP_TO
        self._enable()

    def _draw(self) -> None:
        exploration, controls = self.exploration, self.controls
        if exploration is None:
            return
        with _DRAWING:
            png = image(exploration.draw(controls.venue.value, controls.quantity.value), "png", 150)
        controls.answer.value = join(paragraph(answer) for answer in exploration.answers)
        controls.table.value = exploration.as_html()
        controls.export.disabled = False
        controls.figure.value = png
        controls.figure.layout.display = None

    def _show_status(self, *content: Content, error: bool = False) -> None:
        self.controls.status.value = element("div", *content, style="color:#b2182b" if error else None)

    def _repr_mimebundle_(self, **options: Any) -> Any:
        return self._box._repr_mimebundle_(**options)


def explore(start: Exploration | Record | None = None, **view: Any) -> Form | Exploration | RecordForm | RecordView:
    """Return a form to choose implementations, size, blocks, threads and engine, to measure, view and export.

    For a record it is a form with filters, axes, the samples of a point and a second record; `view` are attributes of
    `aeadlab.lab.exploring.record_view.RecordView`, which is returned where no front end shows widgets.

    Where no front end shows widgets (papermill, nbclient, `aeadlab run`, a plain interpreter; see
    `aeadlab.display.front_end.shows_widgets`), `start` is returned instead, or a small `look_at`. The ``.exploration``
    of the form is the result that it shows, at first `start`.
    """
    if isinstance(start, Record):
        shown = RecordView(start, **view)
        return RecordForm(shown) if shows_widgets() else shown
    if view:
        raise ArgumentError(f"{', '.join(view)} given without a record: pass one as the first argument")
    if shows_widgets():
        return Form(start)
    print("No front end shows widgets here: in JupyterLab, explore() is a form. Result of look_at() instead:")
    return look_at(bytes=64 << 10, samples=6) if start is None else start


def _first(values: Any) -> Any:
    return values[0] if isinstance(values, list | tuple) else values
