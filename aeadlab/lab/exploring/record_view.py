"""A view of a stored record: some of its cases, drawn as lines over an axis, with the samples of one point."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter
from pandas import DataFrame

from aeadlab import paths
from aeadlab.comparison import Compared, compare
from aeadlab.dimensions import BASELINE
from aeadlab.display import listing
from aeadlab.display.conditions import HEADINGS, case_name, varied
from aeadlab.display.markup import Html, element, join, paragraph
from aeadlab.display.names import in_words
from aeadlab.display.nearest import hint
from aeadlab.display.units import count_noun, short_size, time_unit
from aeadlab.errors import ArgumentError, UnknownNameError
from aeadlab.figures import style
from aeadlab.figures.export import export
from aeadlab.figures.palette import appearance_of
from aeadlab.lab.exploring.figure import QUANTITIES
from aeadlab.lab.illustrated import Illustrated
from aeadlab.records.record import Record
from aeadlab.records.reference import origin, reference_cpu
from aeadlab.stats import medians
from aeadlab.stats.selection import CASE_COLUMNS, counted, named_rows

AXES: Final = ("bytes", "block_size", "threads", "aad_bytes", "implementation")
MOST_COLOURED: Final = 7
MOST_ROWS: Final = 30

_GREY: Final = "#C4C4C4"


@dataclass(frozen=True)
class RecordView:
    """Cases of a record as a figure.

    Attributes
    ----------
    kind, library, algorithm
        Values that cases must have; ``""`` for all.
    names
        Implementations that are drawn in colour; empty for the fastest seven.
    x, y
        One of `AXES`, by default that with most values; and one of
        `aeadlab.lab.exploring.figure.QUANTITIES`.
    point
        Name of a case of `points` whose samples are drawn below; ``""`` for none.
    other
        A second record, drawn with dashed lines.
    """

    record: Record
    kind: str = ""
    library: str = ""
    algorithm: str = ""
    names: tuple[str, ...] = ()
    x: str = ""
    y: str = "speed"
    point: str = ""
    other: Record | None = None

    def __post_init__(self) -> None:
        for name, known in (("x", ("", *AXES)), ("y", tuple(QUANTITIES)), ("kind", ("", *self.values("kind")))):
            if (given := getattr(self, name)) not in known:
                raise UnknownNameError(f"{name} {given!r} given; {hint(given, [one for one in known if one])}")
        if unknown := [name for name in self.names if name not in self.values("implementation")]:
            listed = hint(unknown[0], self.values("implementation"))
            raise UnknownNameError(f"{self.record.name} has no implementation {unknown[0]!r}; {listed}")

    def values(self, column: str) -> list[str]:
        """Return the kinds, libraries, algorithms or implementations of the record."""
        kept = self.record.samples.drop_duplicates(["kind", "implementation"])
        return sorted({str(value) for value in _named(kept)[column]})

    @cached_property
    def table(self) -> DataFrame:
        """Medians of the cases; see `aeadlab.stats.medians`.

        Raises
        ------
        aeadlab.errors.ArgumentError
            If the record has no case with these values.
        """
        return self._medians(self.record)

    def _medians(self, record: Record) -> DataFrame:
        samples = record.samples[counted(record.samples)]
        kept = samples["kind"].eq(self.kind) | (self.kind == "")
        names = _named(samples)
        for column in ("library", "algorithm"):
            if value := getattr(self, column):
                kept &= names[column].eq(value)
        if not kept.any():
            wanted = ", ".join(filter(None, (self.kind, self.library, self.algorithm)))
            raise ArgumentError(f"{record.name} has no case of {wanted or 'any kind'} with a sample: choose others")
        # The share of memcpy requires memcpy, which is not drawn with the others of another kind.
        table = medians(samples[kept | names["library"].eq("baseline")])
        chosen = {*samples.loc[kept, "implementation"]}
        return table[table["implementation"].isin(chosen)].reset_index(drop=True)

    @cached_property
    def axis(self) -> str:
        """The axis `x`, or that of `AXES` of which an implementation has most values."""
        if self.x:
            return self.x
        values = self.table.groupby("implementation", observed=True)[list(AXES[:-1])].nunique().max()
        return str(values.idxmax()) if values.max() > 1 else "implementation"

    @cached_property
    def points(self) -> dict[str, Any]:
        """The row of each case by its name in words, the coloured implementations first."""
        several = varied(self.table)
        order = {name: number for number, name in enumerate(self.coloured)}
        rows: list[dict[Any, Any]] = self.table.to_dict("records")
        rows.sort(key=lambda row: order.get(row["implementation"], len(order)))
        return {case_name(row, several): row for row in rows}

    @cached_property
    def coloured(self) -> tuple[str, ...]:
        """The implementations drawn in colour."""
        if self.names:
            return self.names[:MOST_COLOURED]
        fastest = self.table.groupby("implementation", observed=True)["gib_per_s"].max().sort_values(ascending=False)
        ranked = sorted(map(str, fastest.index), key=lambda name: name.startswith(BASELINE))
        return tuple(ranked[:MOST_COLOURED])

    @cached_property
    def compared(self) -> Compared | str | None:
        """The comparison with the other record; the reason if there is none; None without a second record."""
        if self.other is None:
            return None
        try:
            return compare(self.record, self.other)
        except ArgumentError as error:
            return str(error)

    def samples_of(self, point: str) -> DataFrame:
        """Return the counted samples of a case of `points`, in the order of measurement."""
        if point not in self.points:
            raise UnknownNameError(f"there is no point {point!r}; {hint(point, self.points)}")
        row, samples = self.points[point], self.record.samples
        kept = counted(samples) & samples["replica"].eq(0)
        for column in CASE_COLUMNS:
            if column in row:
                kept &= samples[column].eq(row[column])
        return samples[kept].sort_values("order", kind="stable")

    def draw(self, venue: str = "lncs") -> Figure:
        """Draw the lines, and below them the samples of the point."""
        space = style.venue(venue)
        lower = 1.3 if self.point else 0.0
        with style.settings():
            figure = style.new_figure(space.width, 3.0 + lower)
            height = 3.0 + lower
            axes = figure.add_axes((0.11, (lower + 0.5) / height, 0.47, 2.35 / height))
            if self.axis == "implementation":
                self._draw_dots(axes)
            else:
                self._draw_lines(axes)
            if self.point:
                self._draw_samples(figure.add_axes((0.11, 0.4 / height, 0.86, 0.75 / height)))
        return figure

    def _draw_lines(self, axes: Axes) -> None:
        shown = QUANTITIES[self.y]
        scale, unit = shown.unit(float(self.table[shown.column].max()))
        several = [column for column in varied(self.table) if column != self.axis]
        for record, line in ((self.record, "-"), (self.other, "--")):
            if record is None:
                continue
            table = self.table if record is self.record else self._medians(record)
            # Whole messages have no block size, and a logarithmic axis has no zero.
            table = table[table[self.axis] > 0].dropna(subset=shown.column).sort_values(self.axis, kind="stable")
            columns = [self.axis, shown.column, f"{shown.column}_low", f"{shown.column}_high"]
            emphasised, lines = table["implementation"].isin(self.coloured), ["implementation", *(several or ["op"])]
            style_of_all: dict[str, Any] = {"linestyle": line, "markersize": 3, "linewidth": 0.8, "elinewidth": 0.5}
            # The others at once, since a thousand calls take seconds.
            x, y, reach = _points(table[~emphasised], lines, columns, scale)
            axes.errorbar(x, y, reach, color=_GREY, marker="o", zorder=1, **style_of_all)
            for name, rows in table[emphasised].groupby("implementation", observed=True):
                look = appearance_of(str(name))
                label = in_words(str(name)) if record is self.record else None
                x, y, reach = _points(rows, lines, columns, scale)
                axes.errorbar(x, y, reach, color=look.colour, marker=look.marker, label=label, zorder=3, **style_of_all)
        axes.set_xscale("log", base=10 if self.axis == "aad_bytes" else 2)
        if self.axis in ("bytes", "block_size", "aad_bytes"):
            axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: short_size(int(value))))
        else:
            axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        if shown.column == "seconds":
            axes.set_yscale("log")
        axes.set(xlabel=self.axis.replace("_", " "), ylabel=f"{shown.name} ({unit})")
        handles, labels = axes.get_legend_handles_labels()
        unique = dict(zip(labels, handles, strict=True))
        place: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.02), "handlelength": 1}
        axes.legend(unique.values(), unique.keys(), frameon=False, **place)

    def _draw_dots(self, axes: Axes) -> None:
        shown = QUANTITIES[self.y]
        rows = self.table.dropna(subset=shown.column).sort_values("seconds", kind="stable").head(MOST_ROWS)
        scale, unit = shown.unit(float(rows[shown.column].max()))
        several = varied(self.table)
        for place, row in enumerate(named_rows(rows)):
            colour = appearance_of(row.implementation).colour if row.implementation in self.coloured else _GREY
            axes.plot(scale * getattr(row, shown.column), place, "o", color=colour, markersize=3)
        labels = [case_name(row, several) for row in rows.to_dict("records")]
        axes.yaxis.tick_right()
        axes.set_yticks(range(len(labels)), labels, fontsize=5)
        axes.set_ylim(len(labels) - 0.4, -0.6)
        axes.set_xlim(left=0)
        axes.set_xlabel(f"{shown.name} ({unit})")

    def _draw_samples(self, axes: Axes) -> None:
        samples = self.samples_of(self.point)
        seconds = samples["seconds"].to_numpy(dtype=float)
        scale, unit = time_unit(float(np.median(seconds)))
        axes.scatter(range(len(seconds)), seconds / scale, c=samples["process"] % 2, cmap="coolwarm", s=4)
        axes.set(xlabel="sample, coloured by process", ylabel=f"time ({unit})")
        axes.set_title(self.point, fontsize=style.TEXT, loc="left")

    @property
    def illustrated(self) -> Illustrated:
        """The figure with a sentence about the cases."""
        lines = count_noun(self.table["implementation"].nunique(), "implementation")
        source = origin(reference_cpu(self.record))
        text = f"{count_noun(len(self.table), 'case')} of {lines}{f', {source}' if source else ''}. In colour: "
        text += f"{', '.join(map(in_words, self.coloured))}."
        several = [HEADINGS[column] for column in varied(self.table) if column != self.axis]
        text += f" Lines of one implementation differ in {', '.join(several)}." if several else ""
        second = f" Dashed: {self.other.name}." if self.other is not None else ""
        return Illustrated([text + second], self.draw())

    @property
    def call(self) -> str:
        """The call that returns the same view."""
        given = [field for field in fields(self)[1:] if getattr(self, field.name) != field.default]
        arguments = [_loaded(self.record), *(f"{field.name}={_text(getattr(self, field.name))}" for field in given)]
        return f"aeadlab.explore({', '.join(arguments)})"

    def export(self, name: str | None = None, folder: str | Path = "", venue: str = "lncs") -> list[Path]:
        """Write the figure as PDF, SVG and PNG, its table as CSV, and the call as JSON; return the files.

        `name` is the file name without suffix, None ``view-`` and the record's; `folder` is by default
        ``explorations`` in the results folder.
        """
        target = Path(folder) if str(folder) else paths.results() / "explorations"
        about = {"record": self.record.name, "commit": self.record.provenance.get("commit"), "call": self.call}
        return export(self.draw(venue), self.table, name or f"view-{self.record.path.stem}", target, about)

    def as_html(self) -> Html:
        """Return the comparison, the table and the call, without the figure."""
        compared = self.compared
        second = compared._repr_html_() if isinstance(compared, Compared) else compared and paragraph(compared)
        call = paragraph("The call of this view: ", element("code", self.call))
        return join([second, listing.as_html(self.table, MOST_ROWS), call])

    def __repr__(self) -> str:
        return "\n".join([repr(self.illustrated), *listing.as_text(self.table), self.call])

    def _repr_html_(self) -> str:
        return join([Html(self.illustrated._repr_html_()), self.as_html()])


def _named(samples: DataFrame) -> DataFrame:
    """Return the samples with the columns ``library`` and ``algorithm``."""
    parts = samples["implementation"].astype(str).str.partition("/")
    return samples.assign(library=parts[0], algorithm=parts[2])


def _points(rows: DataFrame, lines: list[str], columns: list[str], scale: float) -> tuple[Any, Any, Any]:
    """Return the points of lines and the lengths of their intervals, with an absent value after each line.

    Parameters
    ----------
    rows
        In the order of the axis.
    lines
        Columns whose values are equal in a line.
    columns
        Those of the axis, the quantity, and the ends of its interval.
    """
    numbers = rows.groupby(lines, observed=True, sort=False).ngroup().to_numpy()
    order = np.argsort(numbers, kind="stable")
    values = rows[columns].to_numpy(dtype=float)[order]
    values = np.insert(values, np.flatnonzero(np.diff(numbers[order])) + 1, np.nan, axis=0)
    x, y, low, high = values.T
    return x, scale * y, np.nan_to_num(scale * np.array([y - low, high - y])).clip(0)


def _loaded(record: Record) -> str:
    return f"aeadlab.load_record({str(record.path)!r})"


def _text(value: object) -> str:
    return _loaded(value) if isinstance(value, Record) else repr(value)
