"""Heat map of compositions: every cipher with every MAC, alone and under ParSplit (the ETH paper's Section 6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from pandas import DataFrame

from aeadlab.errors import ArgumentError
from aeadlab.figures import rows, style
from aeadlab.figures.compositions_table import compositions_table, names
from aeadlab.figures.palette import COLOURS
from aeadlab.figures.plain import MEMCPY, each, is_baseline
from aeadlab.figures.single_threaded_table import REFERENCE
from aeadlab.units import significant, size_name

_SHADES: Final = LinearSegmentedColormap.from_list("aeadlab", ["#F4F8FB", COLOURS[1]])
"""From paper to the blue of the palette: lightness falls all the way, so that it is a scale in grey as well."""

_HATCH: Final = "#B5B5B5"

_TITLE: Final = 0.19
_ROW: Final = 0.26
_PART: Final = 0.17
_GAP: Final = 0.05
_BETWEEN: Final = 0.14
_LEAST_CELL: Final = 0.27
_MOST_CELL: Final = 0.44


def composition_heat_map(
    samples: DataFrame, published: DataFrame | None = None, venue: str = "lncs"
) -> tuple[Figure, DataFrame]:
    """Draw the speed of every cipher with every MAC, alone and under ParSplit.

    A cell is the median in GiB/s. Below it stands, alone, what the composition takes beyond its cipher alone and its
    MAC alone in percent, and under ParSplit, how many times as fast as alone it is. Ciphers and MACs alone stand at the
    edges of the first panel. What was not measured or failed is hatched and has a dash.

    Parameters
    ----------
    samples
        One row per sample; see `compositions_table` for what is taken from it.
    published
        What `aeadlab.published.load` returns for a document, of which a note says what it found of such a composition.
    venue
        One of `aeadlab.figures.style.VENUES`. In a narrow column the panels stand below each other.

    Returns
    -------
    figure
        As wide as the venue's column.
    table
        What is drawn; see `compositions_table`.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If the samples hold no composition, or more ciphers than fit into the column.
    aeadlab.errors.UnknownNameError
        If there is no such venue.
    """
    space = style.venue(venue)
    table = compositions_table(samples, published)
    grid = _Grid.of(table, space)
    lines = [line for note in _notes(table) for line in rows.wrapped(note, space.width - 0.06)]
    height = grid.height + style.LINE * len(lines) + 0.08
    with style.settings():
        figure = style.new_figure(space.width, height)
        axes = figure.add_axes((0, 0, 1, 1))
        # The data are inches on paper, from the top left corner.
        axes.set(xlim=(0, space.width), ylim=(height, 0))
        axes.axis("off")
        for position, engine in enumerate(grid.engines):
            _draw_panel(axes, grid, table, position, engine)
        for position, line in enumerate(lines):
            _write(axes, 0.03, grid.height + 0.06 + (position + 0.5) * style.LINE, line, ha="left")
    return figure, table


@dataclass(frozen=True)
class _Grid:
    """Where things are, in inches from the top left corner."""

    ciphers: tuple[str, ...]
    macs: tuple[str, ...]
    engines: tuple[str, ...]
    beside: bool
    cell: float
    left: float
    head: float

    @classmethod
    def of(cls, table: DataFrame, space: style.Venue) -> _Grid:
        composed = table[table["role"] == "composition"]
        ciphers, macs = (tuple(names(table, half)) for half in ("cipher", "mac"))
        engines = tuple(dict.fromkeys(composed["engine"]))
        left = 0.1 + max(_widest(name) for name in (*macs, "cipher/alone"))
        head = _TITLE + 0.1 + max(_widest(name) for name in (*ciphers, "MAC/alone"))
        columns = {True: len(engines) * len(ciphers) + 1, False: len(ciphers) + 1}
        for beside in (True, False):
            room = space.width - left - 0.04 - _GAP - (_BETWEEN * (len(engines) - 1) if beside else 0)
            cell = min(room / columns[beside], _MOST_CELL)
            if cell >= _LEAST_CELL and (not beside or space.width >= style.BESIDE_FROM):
                return cls(ciphers, macs, engines, beside, cell, left, head)
        raise ArgumentError(
            f"{len(ciphers)} ciphers do not fit into a column of {space.width:.2f} inches, where there is room for "
            f"{int(room / _LEAST_CELL) - 1}: choose a wider venue, or fewer of them"
        )

    @property
    def height(self) -> float:
        """Inches that the panels take."""
        if self.beside:
            return self._bottom(0)
        return self._bottom(len(self.engines) - 1)

    def _bottom(self, panel: int) -> float:
        return self.top(panel) + len(self.macs) * _ROW

    def top(self, panel: int) -> float:
        """Of the first row of compositions."""
        first = self.head + _PART + _GAP
        return first if self.beside or not panel else first + panel * (len(self.macs) * _ROW + _BETWEEN + _TITLE)

    def x(self, panel: int, column: int) -> float:
        """Left edge of a column; the one after the last is that of the MACs alone."""
        gap = _GAP if column == len(self.ciphers) else 0.0
        if not self.beside or not panel:
            return self.left + column * self.cell + gap
        first = self.left + (len(self.ciphers) + 1) * self.cell + _GAP + _BETWEEN
        return first + ((panel - 1) * len(self.ciphers) + column) * self.cell


def _draw_panel(axes: Axes, grid: _Grid, table: DataFrame, panel: int, engine: str) -> None:
    cells = table[(table["role"] == "composition") & (table["engine"] == engine)]
    found = {(row.mac, row.cipher): row for row in each(cells)}
    top, left = grid.top(panel), grid.x(panel, 0)
    title_at = _TITLE / 2 if grid.beside or not panel else top - _TITLE / 2
    _write(axes, left, title_at, _title(cells), ha="left", fontsize=style.TITLE, weight="bold")
    fastest = cells["gib_per_s"].max()
    for line, mac in enumerate(grid.macs):
        if grid.beside and panel:
            break
        _write_lines(axes, grid.left - 0.05, top + (line + 0.5) * _ROW, mac)
    for column, cipher in enumerate(grid.ciphers):
        if grid.beside or not panel:
            bottom = grid.head if not panel else grid.top(panel)
            _write_upright(axes, grid.x(panel, column) + grid.cell / 2, bottom - 0.05, cipher)
        for line, mac in enumerate(grid.macs):
            corner = grid.x(panel, column), top + line * _ROW
            _draw_cell(axes, corner, grid.cell, found[mac, cipher], fastest)
    # The fastest once more, so that no neighbour covers its frame.
    for row in each(cells[cells["best"]]):
        corner = grid.x(panel, grid.ciphers.index(row.cipher)), top + grid.macs.index(row.mac) * _ROW
        axes.add_patch(Rectangle(corner, grid.cell, _ROW, fill=False, edgecolor=style.EDGE, linewidth=1.4, zorder=3))
    if not panel:
        _draw_parts(axes, grid, table)


def _title(cells: DataFrame) -> str:
    if cells["engine"].iloc[0] == "whole":
        return "alone"
    threads = int(cells["threads"].max()) if cells["threads"].notna().any() else 0
    return f"under ParSplit, {threads} thread{'s' * (threads != 1)}" if threads else "under ParSplit"


def _draw_cell(axes: Axes, corner: tuple[float, float], width: float, row: Any, fastest: float) -> None:
    x, y = corner
    middle = x + width / 2
    if row.status != "ok":
        axes.add_patch(
            Rectangle(corner, width, _ROW, facecolor="white", edgecolor=_HATCH, hatch="////", linewidth=0.4, zorder=1)
        )
        paper = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}
        _write(axes, middle, y + _ROW / 2, "\N{EN DASH}", bbox=paper)
        return
    colour = _SHADES(row.gib_per_s / fastest)
    axes.add_patch(Rectangle(corner, width, _ROW, facecolor=colour, edgecolor="white", linewidth=0.6, zorder=1))
    ink = "white" if np.dot(colour[:3], (0.299, 0.587, 0.114)) < 0.55 else style.EDGE
    weight = "bold" if row.best else "normal"
    below = _below(row)
    _write(axes, middle, y + (0.3 if below else 0.5) * _ROW, _speed(row.gib_per_s), color=ink, weight=weight)
    _write(axes, middle, y + 0.72 * _ROW, below, color=ink, style="italic")


def _draw_parts(axes: Axes, grid: _Grid, table: DataFrame) -> None:
    """Ciphers alone above the first panel, MACs alone at its right."""
    speeds = {row.implementation: row.gib_per_s for row in each(table[table["role"].isin(["cipher", "mac"])])}
    level = grid.head + _PART / 2
    _write(axes, grid.left - 0.05, level, "cipher alone", ha="right", color=style.FAINT)
    for column, cipher in enumerate(grid.ciphers):
        _write(axes, grid.x(0, column) + grid.cell / 2, level, _speed(speeds.get(cipher, np.nan)))
    middle = grid.x(0, len(grid.ciphers)) + grid.cell / 2
    _write_upright(axes, middle, grid.head - 0.05, "MAC/alone")
    for line, mac in enumerate(grid.macs):
        _write(axes, middle, grid.top(0) + (line + 0.5) * _ROW, _speed(speeds.get(mac, np.nan)))


def _speed(gib_per_s: float) -> str:
    return significant(gib_per_s) if not gib_per_s < 1 else f"{gib_per_s:.2f}"


def _below(row: Any) -> str:
    """The second line of a cell."""
    if row.engine == "parsplit":
        return f"\N{MULTIPLICATION SIGN}{significant(row.speed_up, 2)}" if np.isfinite(row.speed_up) else ""
    if not np.isfinite(row.slower_percent):
        return ""
    percent = round(row.slower_percent)
    return f"{percent:+d}".replace("-", "\N{MINUS SIGN}") if percent else "0"


def _notes(table: DataFrame) -> list[str]:
    composed = table[table["role"] == "composition"]
    size = size_name(int(table["bytes"].iloc[0]))
    return [
        f"Cells: GiB/s, median, {size} sealed; darker: faster, from 0 to the panel's fastest, which is framed. "
        "Italic, alone: % of time beyond cipher alone plus MAC alone"
        + "".join(f"; under ParSplit ({how}): times as fast as alone" for how in _blocks(composed))
        + "."
        + " Hatched: not measured, or failed." * bool((composed["status"] != "ok").any()),
        *_parallel(composed),
        *_compared(table),
        *_published(composed),
    ]


def _blocks(composed: DataFrame) -> list[str]:
    """How ParSplit cut the message, none where it was not used."""
    split = composed[composed["engine"] == "parsplit"].dropna(subset=["block_size"])
    return [f"{size_name(int(row.block_size))} blocks, {row.schedule}" for row in each(split.head(1))]


def _parallel(composed: DataFrame) -> list[str]:
    whole = composed[(composed["engine"] == "whole") & composed["threads"].gt(1).fillna(False)]
    libraries = sorted({str(mac).partition("/")[0] for mac in whole["mac"]})
    if not libraries:
        return []
    return [
        f"{_and(libraries)} alone: with {whole['threads'].max()} threads of its own; under ParSplit with one a call."
    ]


def _compared(table: DataFrame) -> list[str]:
    """AEADs and memcpy, with shares of memcpy's speed, and the fastest compositions' shares."""
    good = table[table["status"] == "ok"]
    told = []
    for name, cases in good[good["role"] == "reference"].groupby("implementation", sort=False):
        if is_baseline(str(name)) and name != MEMCPY:
            continue
        told.append(f"{name} {', '.join(f'{_speed(row.gib_per_s)}{_share(row)} {_how(row)}' for row in each(cases))}")
    best = good[good["best"] & good["share_of_memcpy"].notna()]
    shares = _and([f"{_percent(row.share_of_memcpy)} {_how(row)}" for row in each(best)])
    return ([f"For comparison, GiB/s (share of memcpy): {'; '.join(told)}."] if told else []) + (
        [f"The fastest compositions reach {shares} of memcpy's speed."] if shares else []
    )


def _how(row: Any) -> str:
    return "alone" if row.engine == "whole" else "under ParSplit"


def _share(row: Any) -> str:
    known = np.isfinite(row.share_of_memcpy) and row.implementation != MEMCPY
    return f" ({_percent(row.share_of_memcpy)})" if known else ""


def _published(composed: DataFrame) -> list[str]:
    """What a document says of a composition that is in the table."""
    return [
        f"{row.published_document} ({size_name(row.published_bytes)}, {row.published_hardware}): {row.cipher} with "
        f"{row.mac} took {significant(row.published_relative_time)} times as long as {REFERENCE}"
        + (f"; here {significant(row.relative_time)} times." if np.isfinite(row.relative_time) else ".")
        for row in each(composed.dropna(subset=["published_relative_time"]))
    ]


def _percent(share: float) -> str:
    return f"{significant(100 * share, 2)} %"


def _and(words: Sequence[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _widest(name: str) -> float:
    """Inches of the longer part of ``library/algorithm``."""
    return max(style.text_width(part) for part in name.split("/"))


def _write_lines(axes: Axes, x: float, y: float, name: str) -> None:
    library, algorithm = name.split("/")
    _write(axes, x, y - 0.05, library, ha="right", color=style.FAINT)
    _write(axes, x, y + 0.05, algorithm, ha="right")


def _write_upright(axes: Axes, x: float, bottom: float, name: str) -> None:
    """Two lines that are read from below."""
    for offset, part, colour in zip((-0.055, 0.055), name.split("/"), (style.FAINT, "black"), strict=True):
        axes.text(x + offset, bottom, part, rotation=90, ha="center", va="bottom", fontsize=style.TEXT, color=colour)


def _write(axes: Axes, x: float, y: float, text: str, **look: Any) -> None:
    if text:
        axes.text(x, y, text, **{"ha": "center", "va": "center_baseline", "fontsize": style.TEXT, "zorder": 4, **look})
