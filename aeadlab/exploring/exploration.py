"""A quick look at some implementations: measured, tabulated, drawn, exported."""

from __future__ import annotations

import base64
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, Final

from aeadlab import listing, paths
from aeadlab.bench.case import Engine
from aeadlab.bench.profile import Profile
from aeadlab.dimensions import sweep
from aeadlab.errors import ArgumentError, MeasurementError
from aeadlab.figures.style import venue as find_venue
from aeadlab.markup import Html, element, joined, paragraph
from aeadlab.progress import Watcher, watched_by
from aeadlab.records import Record
from aeadlab.stats import medians
from aeadlab.stats.selection import counted
from aeadlab.studies import Selection

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

NAME: Final = "explore"
"""Of the records, in place of a study's."""

EFFORT: Final = Profile(NAME, 1 << 20, 30, 0.0, 2e-4, 30.0)
"""Seconds for a few implementations: one process, no warm-up beyond one execution."""

IMPLEMENTATIONS: Final = ("openssl/aes-256-gcm", "ring/aes-256-gcm", "rustcrypto/aes-256-gcm")
"""Looked at where nothing is asked for: one algorithm of three libraries that are always there."""


@dataclass(frozen=True)
class Exploration:
    """What a look at some implementations gave; a notebook shows it as a figure and a table.

    Attributes
    ----------
    record
        The run, as `aeadlab.sweep` gave it: every sample, verified, with its provenance.
    asked
        What `look_at` was called with, by the names of its arguments; what is as usual is left out.
    folder
        Where the record is and exports go.
    venue
        Whose column the figure is as wide as.
    """

    record: Record
    asked: Mapping[str, Any]
    folder: Path
    venue: str = "lncs"

    @property
    def call(self) -> str:
        """What to call to look again."""
        names, *told = (
            f"{value!r}" if name == "implementations" else f"{name}={value!r}" for name, value in self.asked.items()
        )
        return f"aeadlab.look_at({', '.join([names, *told])})"

    @property
    def samples(self) -> DataFrame:
        """One row per sample, as in the record."""
        return self.record.samples

    @cached_property
    def table(self) -> DataFrame:
        """One row per case: speed, time and cycles with intervals, share of memcpy; see `aeadlab.stats.medians`."""
        return medians(self.samples)

    @property
    def figure(self) -> Figure:
        """The speeds and the distribution of the samples."""
        return self.draw()

    def draw(self, venue: str | None = None, quantity: str = "speed") -> Figure:
        """Draw the medians in this quantity, and the samples; see `aeadlab.figures.exploration`.

        Parameters
        ----------
        venue
            None is `venue`.

        Raises
        ------
        aeadlab.errors.UnknownNameError
            If there is no such venue or quantity.
        """
        from aeadlab.figures.exploration import exploration

        return exploration(self.samples, venue or self.venue, quantity)[0]

    @property
    def stopped(self) -> str | None:
        """How far the run came where it was ended before its time, in words."""
        ends = [note[key] for note in self.record.provenance["notes"] for key in ("stopped", "cut") if key in note]
        return ends[0] if ends else None

    @property
    def not_timed(self) -> dict[str, str]:
        """Implementations and cases without a sample that counts, and why."""
        names = dict.fromkeys(case["implementation"] for case in self.record.provenance["plan"]["cases"])
        told = self.record.not_timed
        late = [name for name in names if name not in set(self.table["implementation"])]
        # Cases are named by their labels, which begin with the implementation.
        known = {name.split()[0] for name in told}
        return {**told, **{name: "no sample before the run was stopped" for name in late if name not in known}}

    def export(
        self,
        name: str | None = None,
        folder: str | Path | None = None,
        *,
        venue: str | None = None,
        quantity: str = "speed",
    ) -> list[Path]:
        """Write the figure as PDF, SVG and PNG, its table as CSV, its origin as JSON, and the samples.

        Parameters
        ----------
        name
            Of the files, without ending; None is the record's.
        folder, venue
            None is `folder`, which is in the results folder unless told otherwise, and `venue`.

        Returns
        -------
        list of Path
            Those of `aeadlab.figures.export`, then ``NAME-samples.csv`` and ``NAME-samples.parquet``; the latter is the
            record, which `aeadlab.load_record` reads.

        Raises
        ------
        aeadlab.errors.ArgumentError
            If the name is not one, or the folder cannot be written.
        aeadlab.errors.UnknownNameError
            If there is no such venue or quantity.
        """
        from aeadlab.figures.export import export

        name = self.record.path.stem if name is None else name
        folder = self.folder if folder is None else Path(folder)
        origin = {
            "record": self.record.path.name,
            "commit": self.record.provenance.get("commit"),
            "call": self.call,
            "venue": venue or self.venue,
            "quantity": quantity,
        }
        written = export(self.draw(venue, quantity), self.table, name, folder, origin)
        tidy, whole = (folder / f"{name}-samples.{ending}" for ending in ("csv", "parquet"))
        try:
            self.samples.to_csv(tidy, index=False, lineterminator="\n")
            shutil.copyfile(self.record.path, whole)
        except OSError as error:
            raise ArgumentError(f"samples cannot be written to {folder} ({error.strerror}): choose another") from error
        return [*written, tidy, whole]

    def as_html(self) -> Html:
        """The table, and what else must be known, without the figure."""
        return joined(
            [
                paragraph(element("b", "Ended early"), f": {self.stopped}.") if self.stopped else None,
                listing.as_html(self.table),
                listing.reasons_html("Not timed:", self.not_timed),
                paragraph("The same again: ", element("code", self.call)),
            ]
        )

    def __repr__(self) -> str:
        lines = [f"ended early: {self.stopped}"] * (self.stopped is not None)
        lines += [*listing.as_text(self.table, 20), *(f"not timed: {why}" for why in listing.told(self.not_timed))]
        return "\n  ".join([f"<Exploration {self.record.path.name}>", *lines])

    def _repr_html_(self) -> str:
        from aeadlab.figures.export import image

        drawn = base64.b64encode(image(self.draw(), "png", 150)).decode()
        return joined([element("img", src=f"data:image/png;base64,{drawn}", alt="medians and samples"), self.as_html()])


def look_at(
    implementations: str | Sequence[str] = (),
    *,
    bytes: int | Sequence[int] | None = None,
    block_size: int | Sequence[int] | str = 64 << 10,
    threads: int | Sequence[int] | str = 1,
    engine: Engine | Sequence[Engine] = "whole",
    samples: int | None = None,
    profile: str | Profile = EFFORT,
    venue: str = "lncs",
    output: str | Path = "",
    seed: int = 1,
    stop: Event | None = None,
    progress: Watcher | None = None,
) -> Exploration:
    """Verify and measure some implementations now, beside memcpy, in a few seconds.

    Parameters
    ----------
    implementations
        Names in the catalogue, or these as text such as ``"ring/aes-256-gcm, openssl/aes-256-gcm"``; empty is one
        algorithm of three libraries.
    bytes
        Lengths of the message; None is the profile's, 1 MiB unless told otherwise.
    block_size, threads
        Of ParSplit; several values are all measured. Empty, as a notebook's parameter may be, is as if left out.
    engine
        ``whole`` or ``parsplit``, or both; what cannot be split is measured whole.
    samples
        Of each case; None is the profile's, 30 unless told otherwise.
    profile
        Effort: ``smoke``, ``quick``, ``paper`` or a `Profile`.
    venue
        ``lncs``, ``ieee``, ``acm`` or ``usenix``, or one of these with ``-double``: width of the figure.
    output
        Folder for what is measured and exported; ``""`` is the results folder. Both go to ``explorations`` in it, so
        that the newest record of a study stays the newest record.
    seed
        Of the random order of cases and of the data.
    stop
        Set by another thread, it ends the run; what was sampled until then is there.
    progress
        Called with ``verifying`` or ``measuring``, how much of it is done, and how much there is; None shows a bar
        where somebody looks.

    Returns
    -------
    Exploration
        With ``.samples``, ``.table``, ``.figure`` and ``.export()``.

    Raises
    ------
    aeadlab.errors.MeasurementError
        If it is stopped before there is a sample, or no case can be measured; the message says why.
    aeadlab.errors.Error
        Otherwise as `aeadlab.sweep`.
    """
    find_venue(venue)
    chosen = Selection.of(implementations, threads, block_size)
    asked: dict[str, Any] = {
        "implementations": list(chosen.implementations or IMPLEMENTATIONS),
        "bytes": bytes,
        "block_size": _one_or_several(chosen.block_sizes or (64 << 10,)),
        "threads": _one_or_several(chosen.threads or (1,)),
        "engine": engine,
        "samples": samples,
        "seed": seed,
        "profile": profile,
    }
    folder = (Path(output).expanduser().absolute() if str(output) else paths.results()) / "explorations"

    def watch(what: str, done: int, planned: int) -> None:
        what = "measuring" if what == NAME else what
        # A run that measures hears of it by itself, and keeps its samples.
        if what == "verifying" and stop is not None and stop.is_set():
            raise MeasurementError("stopped before there was a sample")
        if progress is not None:
            progress(what, done, planned)

    def measured() -> Record:
        return sweep(**asked, name=NAME, folder=folder, stop=stop)

    if progress is None and stop is None:
        record = measured()
    else:
        with watched_by(watch):
            record = measured()
    if not counted(record.samples).any():
        raise MeasurementError(f"nothing could be measured: {'; '.join(listing.told(record.not_timed))}")
    told = {name: value for name, value in asked.items() if value != _USUAL.get(name)}
    return Exploration(record, told, folder, venue)


_USUAL: Final = {"block_size": 64 << 10, "threads": 1, "engine": "whole", "seed": 1, "profile": EFFORT}
"""What need not be said, besides None."""


def _one_or_several(values: tuple[int, ...]) -> int | list[int]:
    return values[0] if len(values) == 1 else list(values)
