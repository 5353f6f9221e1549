"""The widgets of the form: their names, values and layout."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import ipywidgets as widgets

from aeadlab.catalogue import Catalogue, Description
from aeadlab.catalogue.kinds import OPS
from aeadlab.display import names
from aeadlab.display.units import size_name
from aeadlab.figures.style import VENUES
from aeadlab.host.cores import process_cores
from aeadlab.lab.exploring.figure import QUANTITIES

SIZES: Final = (64, 1 << 10, 16 << 10, 64 << 10, 1 << 20, 16 << 20, 256 << 20, 1 << 30)
BLOCK_SIZES: Final = (1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20)
SAMPLES: Final = (10, 30, 100)
ENGINES: Final = {"whole message": "whole", "ParSplit": "parsplit"}

MAX_OFFERED: Final = 400
"""Maximum number of names in the list: a browser is slow with thousands."""

_LABEL: Final = {"description_width": "7em"}


@dataclass
class Offer:
    """The implementations that can be measured, by name."""

    descriptions: Mapping[str, Description]

    @classmethod
    def of(cls, catalogue: Catalogue) -> Offer:
        """Return all implementations of a catalogue that have an operation to time."""
        return cls({i.name: i.description for i in catalogue if OPS[i.description.kind]})

    def matching(self, words: str, chosen: Sequence[str]) -> tuple[str, ...]:
        """Return the chosen names, then those of which every word is a part of the name, or the kind."""
        terms = words.lower().split()
        searched = ((name, f"{name} {names.in_words(name).lower()}", d.kind) for name, d in self.descriptions.items())
        matches = (name for name, text, kind in searched if all(term in text or term == kind for term in terms))
        return tuple(dict.fromkeys((*chosen, *sorted(matches))))[: max(MAX_OFFERED, len(chosen))]

    def labelled(self, words: str, chosen: Sequence[str]) -> list[tuple[str, str]]:
        """Return the names that match, each after its label in words, or after itself where two labels are equal."""
        matching = self.matching(words, chosen)
        counts = Counter(map(names.in_words, matching))
        return [(label if counts[label := names.in_words(name)] == 1 else name, name) for name in matching]

    def is_parallel(self, name: str) -> bool:
        """Return whether an implementation uses several threads by itself, and takes a thread count."""
        return name in self.descriptions and "parallel" in self.descriptions[name].flags


class Controls:
    """The widgets of the form, and the implementations that they offer."""

    def __init__(self, offer: Offer) -> None:
        self.offer = offer
        wide = widgets.Layout(width="24em")
        self.filter = widgets.Text(
            description="filter", placeholder="words, such as: openssl gcm aead", style=_LABEL, layout=wide
        )
        self.implementations = widgets.SelectMultiple(description="choose", rows=10, style=_LABEL, layout=wide)
        self.bytes = _dropdown("message", SIZES, 1 << 20, size_name)
        self.engine = widgets.ToggleButtons(
            description="engine",
            options=list(ENGINES.items()),
            style={**_LABEL, "button_width": "auto"},
            tooltips=["one call over the message", "cut into blocks that are sealed by several threads"],
        )
        self.block_size = _dropdown("blocks of", BLOCK_SIZES, 64 << 10, size_name)
        self.threads = widgets.IntSlider(
            1, min=1, max=process_cores(), description="threads", continuous_update=False, style=_LABEL, layout=wide
        )
        self.samples = _dropdown("samples", SAMPLES, 30, str)
        self.live = widgets.Checkbox(True, description="measure whenever something changes", indent=False)
        self.measure = widgets.Button(description="Measure", button_style="primary", icon="play")
        self.stop = widgets.Button(description="Stop", icon="stop", disabled=True)
        self.progress = widgets.IntProgress(layout=widgets.Layout(width="auto", visibility="hidden"))
        self.status = widgets.HTML()
        self.quantity = widgets.ToggleButtons(
            description="show", options=list(QUANTITIES), style={**_LABEL, "button_width": "auto"}
        )
        self.venue = widgets.Dropdown(
            description="width of",
            options=[(_venue_label(name), name) for name in VENUES],
            style=_LABEL,
            layout=widgets.Layout(width="18em"),
        )
        self.answer = widgets.HTML()
        self.export = widgets.Button(description="Export", icon="save", disabled=True)
        # Not stretched to the width of the page, which would blur the text.
        self.figure = widgets.Image(
            format="png", layout=widgets.Layout(display="none", max_width="100%", align_self="flex-start")
        )
        self.table = widgets.HTML()
        # JupyterLab's style of tables in cell outputs.
        self.table.add_class("jp-RenderedHTMLCommon")
        for name, widget in vars(self).items():
            # Style sheets and browser tests select the widgets by these classes.
            if name != "offer":
                widget.add_class(f"aeadlab-{name.replace('_', '-')}")

    def box(self) -> Any:
        """Return the layout: inputs on the left, results on the right, or below in a narrow window."""
        inputs = widgets.VBox(
            [
                *(self.filter, self.implementations, self.bytes, self.engine, self.block_size, self.threads),
                *(self.samples, self.live, widgets.HBox([self.measure, self.stop]), self.progress),
            ],
            layout=widgets.Layout(flex="0 1 26em"),
        )
        view = widgets.HBox([self.quantity, self.venue, self.export], layout=widgets.Layout(flex_flow="row wrap"))
        results = widgets.VBox(
            [self.status, self.answer, view, self.figure, self.table],
            layout=widgets.Layout(flex="1 1 40em", min_width="0"),
        )
        box = widgets.HBox([inputs, results], layout=widgets.Layout(flex_flow="row wrap"))
        box.add_class("aeadlab-explore")
        return box

    @property
    def inputs(self) -> tuple[Any, ...]:
        """The widgets whose change requires new samples."""
        return self.implementations, self.bytes, self.engine, self.block_size, self.threads, self.samples


def include(dropdown: Any, value: int, label: Callable[[int], str]) -> None:
    """Select a value of a dropdown, which is added if it is not an option yet."""
    if value not in (option for _, option in dropdown.options):
        dropdown.options = sorted([*dropdown.options, (label(value), value)], key=lambda option: option[1])
    dropdown.value = value


def _venue_label(name: str) -> str:
    venue, _, double = name.partition("-")
    return f"{venue.upper()}, both columns" if double else venue.upper()


def _dropdown(name: str, values: Iterable[int], value: int, label: Callable[[int], str]) -> Any:
    return widgets.Dropdown(
        description=name,
        options=[(label(option), option) for option in values],
        value=value,
        style=_LABEL,
        layout=widgets.Layout(width="16em"),
    )
