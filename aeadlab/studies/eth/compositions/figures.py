"""Heat map of compositions: every cipher with every MAC, alone and under ParSplit (the ETH paper's Section 6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from pandas import DataFrame

from aeadlab.display.units import significant, size_name
from aeadlab.errors import ArgumentError
from aeadlab.figures import style
from aeadlab.figures.caption import Caption
from aeadlab.figures.heat_map import broken_width, draw_cells
from aeadlab.stats.roofline import limits_in_words
from aeadlab.stats.selection import named_rows
from aeadlab.studies.eth.baselines.table import REFERENCE
from aeadlab.studies.eth.compositions.table import compositions_table
from aeadlab.verdicts import published

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
    left = 0.1 + broken_width((*macs, "cipher/alone"))
    top = _TITLE + 0.1 + broken_width((*ciphers, "MAC/alone")) + _PART + _GAP
    cell, side_by_side = _cell_width(space.width, left, len(ciphers), len(engines))
    panel_height = len(macs) * _ROW
    height = top + panel_height + (0 if side_by_side else (len(engines) - 1) * (panel_height + _BETWEEN + _TITLE))
    caption = Caption(_sentences(table), space.width)
    foot = caption.height + 0.04
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
        caption.write(figure)
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
    fastest = cells["gib_per_s"].max()
    draw_cells(axes, texts, speeds / (fastest if fastest > 0 else 1), 72 * (_PART + _GAP))
    axes.tick_params(labeltop=bool(column_labels), labelleft=bool(row_labels))
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


def _sentences(table: DataFrame) -> list[str]:
    composed = table[table["role"] == "composition"]
    size = size_name(int(table["bytes"].iloc[0]))
    split = "".join(f"; under ParSplit ({setting}): speed-up" for setting in _parsplit_setting(composed))
    return [
        *_results(table),
        "Hatched: not measured, or failed." * bool((composed["status"] != "ok").any()),
        f"Cells: GiB/s (darker: faster; framed: fastest); below, alone: % more time than cipher plus MAC{split}.",
        f"{size} sealed, medians; intervals are in the table.",
        *_thread_note(composed),
        *_published_notes(composed),
    ]


def _results(table: DataFrame) -> list[str]:
    """Return the fastest compositions with their share of the limit beside the AEAD of the same library."""
    ok = table[table["status"] == "ok"]
    parts = []
    for row in named_rows(ok[ok["best"]]):
        speeds = ok.loc[ok["implementation"].eq(REFERENCE) & ok["engine"].eq(row.engine), "gib_per_s"]
        others = [f"{REFERENCE} {_speed(float(speed))}" for speed in speeds.head(1)]
        if np.isfinite(row.share_of_limit):
            others.insert(0, f"{significant(100 * row.share_of_limit, 2)} % of {limits_in_words([row.limit])}")
        beside = f" ({'; '.join(others)})" * bool(others)
        parts.append(f"{_engine_text(row)} {_speed(row.gib_per_s)} GiB/s{beside}")
    return [f"Fastest composition: {'; '.join(parts)}."] if parts else []


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


def _engine_text(row: Any) -> str:
    return "alone" if row.engine == "whole" else "under ParSplit"


def _published_notes(composed: DataFrame) -> list[str]:
    """Return the published times of compositions in the table."""
    return [
        f"{row.published_document} ({size_name(row.published_bytes)}, {row.published_hardware}): {row.cipher} with "
        f"{row.mac} took {significant(row.published_relative_time)} times as long as {REFERENCE}"
        + (f"; here {significant(row.relative_time)} times." if np.isfinite(row.relative_time) else ".")
        for row in named_rows(composed.dropna(subset=["published_relative_time"]))
    ]


def _join(words: Sequence[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


FIGURES: Final = {"figure-compositions": composition_heat_map}
