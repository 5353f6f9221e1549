"""Heat map of compositions: every cipher with every MAC, alone and under ParSplit (the ETH paper's Section 6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import seaborn
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from pandas import DataFrame

from aeadlab.display.units import significant, size_name
from aeadlab.errors import ArgumentError
from aeadlab.figures import rows, style
from aeadlab.figures.palette import COLOURS
from aeadlab.stats.roofline import limits_in_words
from aeadlab.stats.selection import is_baseline, named_rows
from aeadlab.studies.eth.baselines.table import REFERENCE
from aeadlab.studies.eth.compositions.table import compositions_table
from aeadlab.verdicts import published

_SHADES: Final = LinearSegmentedColormap.from_list("aeadlab", ["#F4F8FB", COLOURS[1]])
"""From paper to the palette's blue; lightness decreases monotonically, so that the scale also works in grey."""

_HATCH: Final = "#B5B5B5"

_TITLE: Final = 0.19
_ROW: Final = 0.26
_PART: Final = 0.17
_GAP: Final = 0.05
_BETWEEN: Final = 0.14
_LEAST_CELL: Final = 0.27
_MOST_CELL: Final = 0.44


def composition_heat_map(
    samples: DataFrame, venue: str = "lncs", refused: Mapping[str, str] = MappingProxyType({})
) -> tuple[Figure, DataFrame]:
    """Draw the speed of every cipher with every MAC, alone and under ParSplit.

    A cell has the median in GiB/s and a second number: alone, the time in percent beyond that of its cipher and its MAC
    together; under ParSplit, the speed-up over the composition alone. The speeds of ciphers and MACs alone are at the
    edges of the first panel. Cells that were not measured or failed are hatched. In a narrow column the panels are
    below each other. The table is that of `compositions_table`.

    `refused` has the reason for each implementation that was excluded before timing. `aeadlab.errors.ArgumentError` is
    raised if there are more ciphers than fit into the column.
    """
    space = style.venue(venue)
    table = compositions_table(samples, published.load("ETH"), refused)
    composed = table[table["role"] == "composition"]
    engines = list(dict.fromkeys(composed["engine"]))
    ciphers, macs = (list(dict.fromkeys(composed[half])) for half in ("cipher", "mac"))
    left = 0.1 + max(_label_width(name) for name in (*macs, "cipher/alone"))
    top = _TITLE + 0.1 + max(_label_width(name) for name in (*ciphers, "MAC/alone")) + _PART + _GAP
    cell, side_by_side = _cell_width(space.width, left, len(ciphers), len(engines))
    panel_height = len(macs) * _ROW
    height = top + panel_height + (0 if side_by_side else (len(engines) - 1) * (panel_height + _BETWEEN + _TITLE))
    lines = [line for note in _notes(table) for line in rows.wrap(note, space.width - 0.06)]
    foot = style.LINE * len(lines) + 0.08
    with style.settings():
        figure = style.new_figure(space.width, height + foot)
        for number, engine in enumerate(engines):
            # The column of MACs alone is at the right of the first panel.
            x = left + number * ((len(ciphers) + 1) * cell + _GAP + _BETWEEN if side_by_side else 0)
            y = top + number * (0 if side_by_side else panel_height + _BETWEEN + _TITLE)
            box = (x, height + foot - y - panel_height, len(ciphers) * cell, panel_height)
            axes = figure.add_axes(tuple(np.divide(box, (space.width, height + foot) * 2)))
            cells = composed[composed["engine"] == engine]
            _draw_panel(
                axes, cells, ciphers if side_by_side or not number else [], [] if side_by_side and number else macs
            )
            title_y = _TITLE / 2 if side_by_side or not number else y - _TITLE / 2
            figure.text(
                x / space.width, 1 - title_y / (height + foot), _title(cells), va="center_baseline",
                fontsize=style.TITLE, weight="bold",
            )  # fmt: skip
            if not number:
                _write_parts(axes, table, ciphers, macs, cell)
        rows.write_notes(figure, lines)
    return figure, table


def _cell_width(width: float, left: float, ciphers: int, engines: int) -> tuple[float, bool]:
    """Return the width of a cell in inches, and whether the panels are side by side."""
    for side_by_side in (True, False) if width >= style.WIDE_COLUMN else (False,):
        panels = engines if side_by_side else 1
        room = width - left - 0.04 - _GAP - _BETWEEN * (panels - 1)
        cell = min(room / (panels * ciphers + 1), _MOST_CELL)
        if cell >= _LEAST_CELL:
            return cell, side_by_side
    raise ArgumentError(
        f"{ciphers} ciphers do not fit into a column of {width:.2f} inches, where there is room for "
        f"{int(room / _LEAST_CELL) - 1}: choose a wider venue, or fewer of them"
    )


def _draw_panel(axes: Axes, cells: DataFrame, column_labels: list[str], row_labels: list[str]) -> None:
    macs, ciphers = (list(dict.fromkeys(cells[half])) for half in ("mac", "cipher"))
    cells = cells.assign(text=[_cell_text(row) for row in named_rows(cells)])
    speeds, texts = (
        cells.pivot(index="mac", columns="cipher", values=column).loc[macs, ciphers] for column in ("gib_per_s", "text")
    )
    # The hatched background shows where there is no cell.
    axes.patch.set(facecolor="white", edgecolor=_HATCH, hatch="////", linewidth=0)
    fastest = cells["gib_per_s"].max()
    seaborn.heatmap(
        speeds.astype(float), vmin=0, vmax=fastest if fastest > 0 else 1, cmap=_SHADES, annot=texts, fmt="",
        annot_kws={"fontsize": style.TEXT, "linespacing": 0.95}, linewidths=0.6, linecolor="white", cbar=False,
        xticklabels=[name.replace("/", "\n") for name in column_labels],
        yticklabels=[name.replace("/", "\n") for name in row_labels], ax=axes,
    )  # fmt: skip
    axes.grid(False)
    axes.set(xlabel="", ylabel="")
    axes.tick_params(left=False, bottom=False, labelbottom=False, labeltop=True)
    axes.tick_params(axis="x", rotation=90, pad=72 * (_PART + _GAP))
    axes.tick_params(axis="y", rotation=0, pad=2)
    for text in axes.texts:
        column, row = map(int, text.get_position())
        shade = _SHADES(speeds.iat[row, column] / fastest)[:3]
        # Seaborn's own choice is white on the middle shades, where dark text has more contrast.
        text.set_color("white" if np.dot(shade, (0.299, 0.587, 0.114)) < 0.55 else style.EDGE)
    for row in named_rows(cells[cells["best"]]):
        corner = ciphers.index(row.cipher), macs.index(row.mac)
        axes.add_patch(Rectangle(corner, 1, 1, fill=False, edgecolor=style.EDGE, linewidth=1.4, clip_on=False))


def _title(cells: DataFrame) -> str:
    if cells["engine"].iloc[0] == "whole":
        return "alone"
    threads = int(cells["threads"].max()) if cells["threads"].notna().any() else 0
    return f"under ParSplit, {threads} thread{'s' * (threads != 1)}" if threads else "under ParSplit"


def _write_parts(axes: Axes, table: DataFrame, ciphers: list[str], macs: list[str], cell: float) -> None:
    """Write the speeds of ciphers alone above the panel, and of MACs alone at its right."""
    parts = table[table["role"].isin(["cipher", "mac"])]
    speeds = dict(zip(parts["implementation"], parts["gib_per_s"], strict=True))
    text: dict[str, Any] = {"va": "center_baseline", "fontsize": style.TEXT}
    # The unit of the axes is a cell.
    above, right = -(_PART / 2 + _GAP) / _ROW, len(ciphers) + _GAP / cell + 0.5
    axes.text(-_GAP / cell, above, "cipher alone", ha="right", color=style.FAINT, **text)
    for column, cipher in enumerate(ciphers):
        axes.text(column + 0.5, above, _speed(speeds.get(cipher, np.nan)), ha="center", **text)
    axes.text(
        right, -(_PART + _GAP) / _ROW - 0.1, "MAC\nalone", rotation=90, ha="center", va="bottom", fontsize=style.TEXT,
        color=style.FAINT,
    )  # fmt: skip
    for row, mac in enumerate(macs):
        axes.text(right, row + 0.5, _speed(speeds.get(mac, np.nan)), ha="center", **text)


def _speed(gib_per_s: float) -> str:
    return significant(gib_per_s) if not gib_per_s < 1 else f"{gib_per_s:.2f}"


def _cell_text(row: Any) -> str:
    """Return the two lines of a cell; the second is left out where it is unknown."""
    if row.engine == "parsplit":
        second = f"\N{MULTIPLICATION SIGN}{significant(row.speed_up, 2)}" if np.isfinite(row.speed_up) else ""
    elif np.isfinite(row.slower_percent):
        percent = round(row.slower_percent)
        second = f"{percent:+d}".replace("-", "\N{MINUS SIGN}") if percent else "0"
    else:
        second = ""
    return f"{_speed(row.gib_per_s)}\n{second}".rstrip()


def _notes(table: DataFrame) -> list[str]:
    composed = table[table["role"] == "composition"]
    size = size_name(int(table["bytes"].iloc[0]))
    return [
        f"Cells: GiB/s, median, {size} sealed; darker: faster, from 0 to the panel's fastest, which is framed. "
        "Below, alone: % of time beyond cipher alone plus MAC alone"
        + "".join(f"; under ParSplit ({setting}): times as fast as alone" for setting in _parsplit_setting(composed))
        + "."
        + " Hatched: not measured, or failed." * bool((composed["status"] != "ok").any()),
        *_thread_note(composed),
        *_reference_notes(table),
        *_published_notes(composed),
    ]


def _parsplit_setting(composed: DataFrame) -> list[str]:
    """Return block size and schedule of ParSplit; empty where it was not used."""
    split = composed[composed["engine"] == "parsplit"].dropna(subset=["block_size"])
    return [f"{size_name(int(row.block_size))} blocks, {row.schedule}" for row in named_rows(split.head(1))]


def _thread_note(composed: DataFrame) -> list[str]:
    whole = composed[(composed["engine"] == "whole") & composed["threads"].gt(1).fillna(False)]
    libraries = sorted({str(mac).partition("/")[0] for mac in whole["mac"]})
    if not libraries:
        return []
    return [
        f"{_join(libraries)} alone: with {whole['threads'].max()} threads of its own; under ParSplit with one a call."
    ]


def _reference_notes(table: DataFrame) -> list[str]:
    """Return the speeds of other AEADs and of the memory limits, and the fastest compositions' shares of these."""
    ok = table[table["status"] == "ok"]
    limits = {*ok["limit"].dropna()}
    limit = limits_in_words(ok["limit"])
    references = []
    for name, cases in ok[ok["role"] == "reference"].groupby("implementation", sort=False):
        if is_baseline(str(name)) and name not in limits:
            continue
        speeds = (f"{_speed(row.gib_per_s)}{_share(row)} {_engine_text(row)}" for row in named_rows(cases))
        references.append(f"{name} {', '.join(speeds)}")
    best = ok[ok["best"] & ok["share_of_limit"].notna()]
    shares = _join([f"{_percent(row.share_of_limit)} {_engine_text(row)}" for row in named_rows(best)])
    return ([f"For comparison, GiB/s (share of {limit}): {'; '.join(references)}."] if references else []) + (
        [f"The fastest compositions reach {shares} of {limit}'s speed."] if shares else []
    )


def _engine_text(row: Any) -> str:
    return "alone" if row.engine == "whole" else "under ParSplit"


def _share(row: Any) -> str:
    return f" ({_percent(row.share_of_limit)})" if np.isfinite(row.share_of_limit) else ""


def _published_notes(composed: DataFrame) -> list[str]:
    """Return the published times of compositions in the table."""
    return [
        f"{row.published_document} ({size_name(row.published_bytes)}, {row.published_hardware}): {row.cipher} with "
        f"{row.mac} took {significant(row.published_relative_time)} times as long as {REFERENCE}"
        + (f"; here {significant(row.relative_time)} times." if np.isfinite(row.relative_time) else ".")
        for row in named_rows(composed.dropna(subset=["published_relative_time"]))
    ]


def _percent(share: float) -> str:
    return f"{significant(100 * share, 2)} %"


def _join(words: Sequence[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _label_width(name: str) -> float:
    """Return the width in inches of the longer part of ``library/algorithm``."""
    return max(style.text_width(part) for part in name.split("/"))


FIGURES: Final = {"figure-compositions": composition_heat_map}
