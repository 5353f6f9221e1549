"""The form of `aeadlab.explore`: controls over `aeadlab.look_at`, which measures in a thread of its own."""

from __future__ import annotations

import threading
from typing import Any, Final

from aeadlab.catalogue import load
from aeadlab.errors import Error
from aeadlab.exploring.controls import Controls, Offer, include
from aeadlab.exploring.exploration import IMPLEMENTATIONS, Exploration, look_at
from aeadlab.figures.export import image
from aeadlab.front_end import shows_widgets
from aeadlab.markup import Content, element, listed
from aeadlab.units import size_name
from aeadlab.verify.report import FAULTS, fault

LIVE_UP_TO: Final = 16 << 20
"""Bytes of a message up to which a change is measured at once: that takes a second or two."""

FILTER: Final = "aes-256-gcm aead"
"""What the list of implementations is filtered by at first."""

_DRAWING: Final = threading.Lock()
"""Matplotlib's settings are those of the process: forms draw one after the other."""


class Form:
    """A form to choose, measure, look and export; a notebook shows it as widgets.

    Attributes
    ----------
    exploration
        What the form shows; None before anything was measured.
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
        controls.filter.observe(self._filtered, "value")
        for control in controls.asking:
            control.observe(self._changed, "value")
        for control in (controls.quantity, controls.venue):
            control.observe(lambda _: self._draw(), "value")
        controls.measure.on_click(lambda _: self.measure())
        controls.stop.on_click(lambda _: self.stop())
        controls.export.on_click(lambda _: self.export())
        self._draw()
        self._say(
            problem or "Choose, then press Measure. Everything is verified before it is timed.", bad=bool(problem)
        )

    def measure(self) -> None:
        """Measure what is chosen, in another thread; what is being measured is ended first."""
        with self._state:
            if self._thread is not None:
                self._again = True
                self._stop.set()
                return
            asked = self._asked()
            if not asked["implementations"]:
                self._say("Choose at least one implementation.", bad=True)
                return
            self._stop, self._again = threading.Event(), False
            # Of its own each time, or two runs of one second would be one record.
            self._seed += 1
            self._thread = threading.Thread(
                target=self._measure, args=(asked, self._seed, self._stop), name="aeadlab-explore", daemon=True
            )
            self._working(True)
            self._thread.start()

    def stop(self) -> None:
        """End what is being measured, and show what there is of it."""
        with self._state:
            self._again = False
            self._stop.set()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until nothing is being measured; False if that takes longer."""
        while (thread := self._thread) is not None:
            thread.join(seconds)
            if thread.is_alive():
                return False
        return True

    def export(self) -> None:
        """Write the figure as it is shown, its table and the samples; the form says where they are."""
        if self.exploration is None:
            return
        try:
            with _DRAWING:
                view = {"venue": self.controls.venue.value, "quantity": self.controls.quantity.value}
                files = self.exploration.export(**view)
        except Error as error:
            self._say(str(error), bad=True)
        else:
            self._say(f"Written to {files[0].parent}:", listed(file.name for file in files))

    def _asked(self) -> dict[str, Any]:
        controls = self.controls
        asked = {
            "implementations": list(controls.implementations.value),
            "bytes": controls.bytes.value,
            "engine": controls.engine.value,
            "samples": controls.samples.value,
        }
        if not controls.threads.disabled:
            asked["threads"] = controls.threads.value
        if not controls.block_size.disabled:
            asked["block_size"] = controls.block_size.value
        return asked

    def _measure(self, asked: dict[str, Any], seed: int, stop: threading.Event) -> None:
        try:
            found = look_at(**asked, seed=seed, stop=stop, progress=self._progressed)
        except FAULTS as error:
            # Whatever it is: nobody sees the traceback of a thread.
            self._say(str(error) if isinstance(error, Error) else fault(error), bad=True)
        else:
            self.exploration = found
            self._draw()
            self._say(f"Ended early: {found.stopped}." if found.stopped else f"Measured: {found.record.path}")
        finally:
            with self._state:
                self._thread = None
                self._working(False)
                if self._again:
                    self.measure()

    def _progressed(self, what: str, done: int, planned: int) -> None:
        bar = self.controls.progress
        bar.max, bar.value = max(planned, 1), done
        self._say(f"{what}: {done} of {planned} {'samples' if what == 'measuring' else 'implementations'}")

    def _working(self, working: bool) -> None:
        controls = self.controls
        controls.stop.disabled = not working
        controls.progress.value = 0
        controls.progress.layout.visibility = "visible" if working else "hidden"

    def _changed(self, change: Any) -> None:
        controls = self.controls
        if change["owner"] is controls.bytes:
            controls.live.value = change["new"] <= LIVE_UP_TO
        self._enable()
        if controls.live.value:
            self.measure()

    def _filtered(self, change: Any) -> None:
        """Offer what the filter lets through, without a choice being lost or taken for a new one."""
        which = self.controls.implementations
        chosen = which.value
        which.unobserve(self._changed, "value")
        which.options = self.controls.offer.matching(change["new"], chosen)
        which.value = chosen
        which.observe(self._changed, "value")

    def _enable(self) -> None:
        controls = self.controls
        whole = controls.engine.value == "whole"
        controls.block_size.disabled = whole
        controls.threads.disabled = whole and not any(map(controls.offer.is_parallel, controls.implementations.value))

    def _set(self, start: Exploration | None) -> None:
        """Set the controls, to what `start` was measured with where there is one; of several values to the first."""
        controls = self.controls
        asked = dict(start.asked) if start is not None else {}
        names = tuple(
            name for name in asked.get("implementations", IMPLEMENTATIONS) if name in controls.offer.descriptions
        )
        controls.filter.value = FILTER
        controls.implementations.options = controls.offer.matching(FILTER, names)
        controls.implementations.value = names
        if start is not None:
            asked.setdefault("bytes", int(start.samples["bytes"].max()))
            asked.setdefault("samples", int(start.table["n"].max()))
        for name, words in (("bytes", size_name), ("block_size", size_name), ("samples", str)):
            if name in asked:
                include(getattr(controls, name), _first(asked[name]), words)
        controls.threads.value = _first(asked.get("threads", 1))
        controls.engine.value = _first(asked.get("engine", "whole"))
        controls.live.value = controls.bytes.value <= LIVE_UP_TO
        self._enable()

    def _draw(self) -> None:
        found, controls = self.exploration, self.controls
        if found is None:
            return
        with _DRAWING:
            drawn = image(found.draw(controls.venue.value, controls.quantity.value), "png", 150)
        controls.table.value = found.as_html()
        controls.export.disabled = False
        controls.figure.value = drawn
        controls.figure.layout.display = None

    def _say(self, *said: Content, bad: bool = False) -> None:
        self.controls.status.value = element("div", *said, style="color:#b2182b" if bad else None)

    def _repr_mimebundle_(self, **options: Any) -> Any:
        return self._box._repr_mimebundle_(**options)


def explore(start: Exploration | None = None) -> Form | Exploration:
    """Choose implementations, size, blocks, threads and engine in a form, measure live, look, export.

    Where no front end shows widgets (papermill, nbclient, `aeadlab run`, a plain interpreter) it gives a small
    `look_at` in their place, and says so; `aeadlab.front_end.shows_widgets` says how that is found out.

    Parameters
    ----------
    start
        What the form shows first; None shows nothing until something is measured.

    Returns
    -------
    Form or Exploration
        The form, whose ``.exploration`` is what it shows; without widgets `start`, or what was looked at.
    """
    if shows_widgets():
        return Form(start)
    print("Nothing here shows widgets: in JupyterLab explore() is a form. This is what look_at() gives:")
    return look_at(bytes=64 << 10, samples=6) if start is None else start


def _first(values: Any) -> Any:
    return values[0] if isinstance(values, list | tuple) else values
