"""The controls of the form: what they are called, what they offer, how they are laid out; not what they do."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import ipywidgets as widgets

from aeadlab.catalogue import Catalogue, Description
from aeadlab.figures.exploration import QUANTITIES
from aeadlab.figures.style import VENUES
from aeadlab.kinds import OPS
from aeadlab.units import size_name

SIZES: Final = (64, 1 << 10, 16 << 10, 64 << 10, 1 << 20, 16 << 20, 256 << 20, 1 << 30)
BLOCK_SIZES: Final = (1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20)
SAMPLES: Final = (10, 30, 100)
ENGINES: Final = {"whole message": "whole", "ParSplit": "parsplit"}

MOST_OFFERED: Final = 400
"""Names in the list at once: a page with some thousand is slow to lay out."""

_LABEL: Final = {"description_width": "7em"}


def cores() -> int:
    """Logical cores that this process may use."""
    return len(os.sched_getaffinity(0))


@dataclass
class Offer:
    """The implementations that can be measured, by name."""

    descriptions: Mapping[str, Description]

    @classmethod
    def of(cls, catalogue: Catalogue) -> Offer:
        """All that the catalogue has and that can be timed."""
        return cls({i.name: i.description for i in catalogue if OPS[i.description.kind]})

    def matching(self, words: str, chosen: Sequence[str]) -> tuple[str, ...]:
        """Names that hold every one of these words, or whose kind one is; those chosen stay, and stand first."""
        wanted = words.lower().split()
        found = (n for n, d in self.descriptions.items() if all(word in n or word == d.kind for word in wanted))
        return tuple(dict.fromkeys((*chosen, *sorted(found))))[: max(MOST_OFFERED, len(chosen))]

    def is_parallel(self, name: str) -> bool:
        """Whether an implementation uses several threads by itself, and can be told how many."""
        return name in self.descriptions and "parallel" in self.descriptions[name].flags


@dataclass
class Controls:
    """The widgets of the form, by what they are for."""

    offer: Offer
    filter: Any = field(init=False)
    implementations: Any = field(init=False)
    bytes: Any = field(init=False)
    engine: Any = field(init=False)
    block_size: Any = field(init=False)
    threads: Any = field(init=False)
    samples: Any = field(init=False)
    live: Any = field(init=False)
    measure: Any = field(init=False)
    stop: Any = field(init=False)
    progress: Any = field(init=False)
    status: Any = field(init=False)
    quantity: Any = field(init=False)
    venue: Any = field(init=False)
    export: Any = field(init=False)
    figure: Any = field(init=False)
    table: Any = field(init=False)

    def __post_init__(self) -> None:
        wide = widgets.Layout(width="24em")
        self.filter = widgets.Text(
            description="filter", placeholder="words, such as: openssl gcm aead", style=_LABEL, layout=wide
        )
        self.implementations = widgets.SelectMultiple(description="which", rows=10, style=_LABEL, layout=wide)
        self.bytes = _dropdown("message", SIZES, 1 << 20, size_name)
        self.engine = widgets.ToggleButtons(
            description="engine",
            options=list(ENGINES.items()),
            style={**_LABEL, "button_width": "auto"},
            tooltips=["one call over the message", "cut into blocks that are sealed by several threads"],
        )
        self.block_size = _dropdown("blocks of", BLOCK_SIZES, 64 << 10, size_name)
        self.threads = widgets.IntSlider(
            1, min=1, max=cores(), description="threads", continuous_update=False, style=_LABEL, layout=wide
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
            description="width of", options=list(VENUES), style=_LABEL, layout=widgets.Layout(width="16em")
        )
        self.export = widgets.Button(description="Export", icon="save", disabled=True)
        # At its own size: stretched, its letters would be blurred.
        self.figure = widgets.Image(
            format="png", layout=widgets.Layout(display="none", max_width="100%", align_self="flex-start")
        )
        self.table = widgets.HTML()
        # Tables look as those of other cells do.
        self.table.add_class("jp-RenderedHTMLCommon")
        for name, widget in vars(self).items():
            # By these a page's style, and a test of the page, can find them.
            if name != "offer":
                widget.add_class(f"aeadlab-{name.replace('_', '-')}")

    def box(self) -> Any:
        """All of them: what is asked for on the left, what was found on the right."""
        asked = widgets.VBox(
            [
                *(self.filter, self.implementations, self.bytes, self.engine, self.block_size, self.threads),
                *(self.samples, self.live, widgets.HBox([self.measure, self.stop]), self.progress),
            ],
            layout=widgets.Layout(flex="0 1 26em"),
        )
        view = widgets.HBox([self.quantity, self.venue, self.export], layout=widgets.Layout(flex_flow="row wrap"))
        # Beside what is asked where the window is wide, else below.
        found = widgets.VBox(
            [self.status, view, self.figure, self.table], layout=widgets.Layout(flex="1 1 40em", min_width="0")
        )
        box = widgets.HBox([asked, found], layout=widgets.Layout(flex_flow="row wrap"))
        box.add_class("aeadlab-explore")
        return box

    @property
    def asking(self) -> tuple[Any, ...]:
        """Those that say what is measured: another value needs new samples."""
        return self.implementations, self.bytes, self.engine, self.block_size, self.threads, self.samples


def include(dropdown: Any, value: int, words: Callable[[int], str]) -> None:
    """Choose a value that a dropdown may not have yet."""
    if value not in (known for _, known in dropdown.options):
        dropdown.options = sorted([*dropdown.options, (words(value), value)], key=lambda option: option[1])
    dropdown.value = value


def _dropdown(name: str, values: Iterable[int], value: int, words: Callable[[int], str]) -> Any:
    return widgets.Dropdown(
        description=name,
        options=[(words(each), each) for each in values],
        value=value,
        style=_LABEL,
        layout=widgets.Layout(width="16em"),
    )
