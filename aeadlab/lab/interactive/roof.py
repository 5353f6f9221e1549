"""The roofline of threads: the cores limit a slow implementation, memory a fast one."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from matplotlib.ticker import FuncFormatter
from pandas import DataFrame

from aeadlab.display.names import in_words
from aeadlab.display.units import count_noun, significant
from aeadlab.figures import style
from aeadlab.figures.palette import appearance_of
from aeadlab.lab.illustrated import Illustrated
from aeadlab.lab.interactive.panel import panel, slider
from aeadlab.records.record import Record
from aeadlab.stats import LIMITS, medians
from aeadlab.stats.selection import default_cases, named_rows
from aeadlab.verdicts import published

COLUMNS: Final = ("implementation", "place", "one_thread", "all_threads", "threads")
"""``place`` is ``here``, the computer of the record, or ``paper``; speeds are in GiB/s."""


def roof(cores: int, one_thread: float, memory: float) -> float:
    """Return the speed with all cores: that of one thread times the cores, at most the memory limit."""
    return min(cores * one_thread, memory)


def roofline_points(record: Record | None) -> DataFrame:
    """Return the implementations of a record under ParSplit, and those of the ETH paper, with `COLUMNS`."""
    rows = [_paper("cryptopp/aes-256-gcm")]
    if record is not None:
        table = medians(default_cases(record.samples))
        table = table[(table["engine"] == "parsplit") & table["op"].isin(["seal", "encrypt"]) & (table["mask"] == "")]
        counts = [count for count in table["threads"] if count <= (record.cores or count)]
        for name, cases in table.groupby("implementation", observed=True):
            speed = cases.groupby("threads")["gib_per_s"].max()
            if {1, max(counts)} <= {*speed.index} and max(counts) > 1:
                rows.append((name, "here", speed[1], speed[max(counts)], max(counts)))
    return DataFrame(rows, columns=list(COLUMNS))


def _paper(name: str) -> tuple[Any, ...]:
    one = published.lookup("ETH", implementation=name, quantity="median time", variant="whole", operation="seal")
    best = published.lookup("ETH", implementation=name, quantity="fastest time", variant="parsplit").iloc[0]
    speeds = (row["bytes"] / 2**30 / row["seconds"] for row in (one.iloc[0], best))
    return (name, "paper", *speeds, int(best["threads"]))


def draw_roofline(cores: int, one_thread: float, memory: float, points: DataFrame, venue: str = "lncs") -> Illustrated:
    """Draw the roof of a computer with `points` of `roofline_points`, and the speed of one implementation on it.

    Parameters
    ----------
    cores
        At least 1.
    one_thread, memory
        Speed of one thread and memory limit in GiB/s.
    """
    space = style.venue(venue)
    reached = roof(cores, one_thread, memory)
    with style.settings():
        figure = style.new_figure(space.width, 2.9)
        axes = figure.add_axes((0.1, 0.16, 0.5, 0.8))
        speeds = np.geomspace(0.2, 200, 200)
        axes.plot(speeds, np.minimum(cores * speeds, memory), color=style.EDGE)
        axes.plot(speeds, speeds, color=style.FAINT, linestyle=":")
        for row in named_rows(points):
            here = row.place == "here"
            colour = appearance_of(row.implementation).colour
            label = f"{in_words(row.implementation)}{'' if here else ', paper'}"
            marker = "o" if here else "s"
            axes.plot(row.one_thread, row.all_threads, marker, color=colour, label=label, linestyle="none")
        axes.plot(one_thread, reached, "*", color="black", markersize=9, linestyle="none", label="sliders")
        axes.set(xscale="log", yscale="log", xlim=(0.5, 100), ylim=(0.5, 200))
        axes.set_xlabel("speed of one thread (GiB/s)")
        axes.set_ylabel("speed of all threads (GiB/s)")
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False)
    limit = "memory" if memory < cores * one_thread else "the number of cores"
    needed = int(np.ceil(memory / one_thread))
    sentences = [
        f"With {count_noun(cores, 'core')}, {significant(one_thread)} GiB/s in one thread become "
        f"{significant(reached)} GiB/s, {significant(reached / one_thread)} times as much; {limit} is the limit.",
        f"Memory is reached with {count_noun(needed, 'core')}; a cipher of twice the speed would need "
        f"{count_noun(-(-needed // 2), 'core')} and would be "
        f"{significant(roof(cores, 2 * one_thread, memory) / reached)} times as fast with all cores.",
    ]
    return Illustrated(sentences, figure)


def roofline(record: Record | None = None, venue: str = "lncs") -> Any:
    """Return sliders for cores, one-thread speed and memory limit, with the roofline that they describe.

    The points are the implementations of the record, and one of the ETH paper; the sliders start at the record's
    cores, its OpenSSL AES-256-GCM and its memcpy where it has them.
    """
    points = roofline_points(record)
    here = points[points["place"] == "here"].set_index("implementation")
    one, memory = 3.0, 40.0
    if "openssl/aes-256-gcm" in here.index:
        one = float(here["one_thread"]["openssl/aes-256-gcm"])
    if LIMITS["separate"] in here.index:
        memory = float(here["all_threads"][LIMITS["separate"]])
    return panel(
        lambda **values: draw_roofline(**values, points=points, venue=venue),
        cores=slider("cores", 1, 128, (record.cores if record is not None else None) or 8),
        one_thread=slider("one thread (GiB/s)", 0.5, 30.0, round(one, 1), 0.1),
        memory=slider("memory limit (GiB/s)", 1.0, 150.0, round(memory, 1), 0.5),
    )
