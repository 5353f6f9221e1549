"""A quick measurement of some implementations with its table, figure and export."""

from __future__ import annotations

import base64
import inspect
import shutil
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, Final

from aeadlab import paths
from aeadlab.bench.case import Engine, Op
from aeadlab.bench.profile import REFERENCE, Profile
from aeadlab.dimensions import BASELINE
from aeadlab.display import listing
from aeadlab.display.markup import Html, element, join, paragraph
from aeadlab.display.progress import Callback, report_to
from aeadlab.display.units import in_bytes
from aeadlab.errors import ArgumentError, MeasurementError
from aeadlab.figures.style import venue as find_venue
from aeadlab.lab.exploring.answer import answers
from aeadlab.lab.stored import reference_record, restricted
from aeadlab.lab.sweep import sweep
from aeadlab.records.record import Record
from aeadlab.records.reference import origin, reference_cpu
from aeadlab.stats import medians
from aeadlab.stats.selection import counted
from aeadlab.studies import Selection

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

NAME: Final = "explore"
"""Name of the records, in place of a study's."""

PROFILE: Final = Profile(NAME, 1 << 20, 30, 0.0, 2e-4, 30.0, processes=6)
"""Five rounds in each of six processes, with one execution of each case as warm-up: seconds for a few cases."""

IMPLEMENTATIONS: Final = ("openssl/aes-256-gcm", "ring/aes-256-gcm", "rustcrypto/aes-256-gcm")
"""Default: one algorithm of three libraries that are always available."""

STORED: Final = ("openssl/aes-256-gcm", "cryptopp/aes-256-gcm", "rustcrypto/aes-256-gcm")
"""Default in profile ``reference``: of these the record of study baselines has cases."""


@dataclass(frozen=True)
class Exploration:
    """The result of `look_at`; a notebook shows it as answers, a figure and a table.

    Attributes
    ----------
    record
        The record as returned by `aeadlab.sweep`.
    arguments
        Arguments of `look_at` by name, without default values.
    folder, venue
        Folder of the record, and venue whose column width the figure has: the defaults for exports.
    """

    record: Record
    arguments: Mapping[str, Any]
    folder: Path
    venue: str = "lncs"

    @property
    def call(self) -> str:
        """The call that measures the same again."""
        arguments = (
            f"{value!r}" if name == "implementations" else f"{name}={value!r}" for name, value in self.arguments.items()
        )
        return f"aeadlab.look_at({', '.join(arguments)})"

    @property
    def samples(self) -> DataFrame:
        """The samples of the record, one row for each."""
        return self.record.samples

    @cached_property
    def table(self) -> DataFrame:
        """Speed, time and cycles of each case with intervals, and its share of memcpy; see `aeadlab.stats.medians`."""
        return medians(self.samples)

    @cached_property
    def answers(self) -> list[str]:
        """One sentence for each length: the fastest, how much faster than the second, and the interval."""
        return answers(self.table, self.samples)

    @property
    def figure(self) -> Figure:
        """Median speeds, and the distribution of the samples."""
        return self.draw()

    def draw(self, venue: str | None = None, quantity: str = "speed") -> Figure:
        """Draw the figure of `aeadlab.lab.exploring.figure.exploration`; `venue` None means the attribute."""
        from aeadlab.lab.exploring.figure import exploration

        return exploration(self.samples, venue or self.venue, quantity)[0]

    @property
    def stopped(self) -> str | None:
        """The number of samples or rounds taken, if the run was stopped or its budget ended it; None otherwise."""
        ends = [note[key] for note in self.record.provenance["notes"] for key in ("stopped", "cut") if key in note]
        return ends[0] if ends else None

    @property
    def not_timed(self) -> dict[str, str]:
        """Reasons why implementations and cases have no valid sample, by name."""
        planned = dict.fromkeys(case["implementation"] for case in self.record.provenance["plan"]["cases"])
        given = self.record.not_timed
        # The second arm of an A/A pair usually has the reason of the first.
        repeated = {f"{name}, A/A" for name in given}
        reasons = {name: why for name, why in given.items() if name not in repeated}
        # Cases are listed by their labels, which begin with the implementation.
        explained = {name.split()[0] for name in reasons} | {*self.table["implementation"]}
        return reasons | {name: "no sample before the run was stopped" for name in planned if name not in explained}

    def export(
        self,
        name: str | None = None,
        folder: str | Path | None = None,
        *,
        venue: str | None = None,
        quantity: str = "speed",
    ) -> list[Path]:
        """Write the figure as PDF, SVG and PNG, its table as CSV, its origin as JSON, and the samples.

        `name` is the file name without suffix, None the record's; `folder` None means the attribute. `venue` and
        `quantity` are those of `draw`.

        Returns
        -------
        list of Path
            The files of `aeadlab.figures.export`, then ``NAME-samples.csv`` and ``NAME-samples.parquet``; the latter is
            the record, which `aeadlab.load_record` reads.

        Raises
        ------
        aeadlab.errors.ArgumentError
            If the name is not a file name, or the folder cannot be written.
        """
        from aeadlab.figures.export import export

        name = self.record.path.stem if name is None else name
        folder = self.folder if folder is None else Path(folder)
        origin = {
            "record": self.record.name,
            "commit": self.record.provenance.get("commit"),
            "call": self.call,
            "venue": venue or self.venue,
            "quantity": quantity,
        }
        written = export(self.draw(venue, quantity), self.table, name, folder, origin)
        table, record = (folder / f"{name}-samples.{ending}" for ending in ("csv", "parquet"))
        try:
            self.samples.to_csv(table, index=False, lineterminator="\n")
            shutil.copyfile(self.record.path, record)
        except OSError as error:
            raise ArgumentError(f"samples cannot be written to {folder} ({error.strerror}): choose another") from error
        return [*written, table, record]

    def as_html(self) -> Html:
        """Return the table, the reasons for missing samples and the call, without the answers and the figure."""
        source = origin(reference_cpu(self.record))
        return join(
            [
                paragraph(element("b", "Ended early"), f": {self.stopped}.") if self.stopped else None,
                listing.as_html(self.table),
                listing.reasons_html("Not timed:", self.not_timed),
                paragraph(source[:1].upper(), source[1:], ".") if source else None,
                paragraph("The call of this result: ", element("code", self.call)),
            ]
        )

    def __repr__(self) -> str:
        lines = [f"<Exploration {self.record.name}>", *filter(None, [origin(reference_cpu(self.record))])]
        lines += [f"ended early: {self.stopped}"] * (self.stopped is not None) + listing.as_text(self.table, 20)
        lines += [f"not timed: {reason}" for reason in listing.named_reasons(self.not_timed)]
        return "\n  ".join([*lines, *self.answers])

    def _repr_html_(self) -> str:
        from aeadlab.figures.export import image

        drawn = base64.b64encode(image(self.draw(), "png", 150)).decode()
        figure = element("img", src=f"data:image/png;base64,{drawn}", alt="medians and samples")
        return join([*map(paragraph, self.answers), figure, self.as_html()])


def look_at(
    implementations: str | Sequence[str] = (),
    *,
    bytes: int | str | Sequence[int | str] | None = None,
    op: Op | Sequence[Op] | None = None,
    block_size: int | Sequence[int] | str = 64 << 10,
    threads: int | Sequence[int] | str = 1,
    engine: Engine | Sequence[Engine] = "whole",
    samples: int | None = None,
    profile: str | Profile = PROFILE,
    venue: str = "lncs",
    output: str | Path = "",
    plugins: Sequence[Path] = (),
    seed: int = 1,
    stop: Event | None = None,
    progress: Callback | None = None,
) -> Exploration:
    """Verify and measure some implementations and memcpy, in a few seconds.

    Parameters
    ----------
    implementations
        Names in the catalogue, or a text such as ``"ring/aes-256-gcm, openssl/aes-256-gcm"``; empty means one
        algorithm of three libraries.
    bytes
        Lengths of the message, as numbers or as texts such as ``"16K"``; None means 1 MiB.
    profile
        As in `aeadlab.sweep`; or ``reference``, which returns cases of the reference record of study baselines.
    op, block_size, threads, engine, samples, plugins, seed, stop
        As in `aeadlab.sweep`; by default 30 samples. An empty list of block sizes or threads, as a notebook's
        parameter may be, means the default.
    venue, output
        As in `aeadlab.prepare`. Records and exports go to the subfolder ``explorations`` of `output`, so that they do
        not become the newest record of a study.
    progress
        Called with ``verifying``, ``warming up`` or ``measuring``, the number done, and the total; None shows a
        progress bar when interactive.

    Raises
    ------
    aeadlab.errors.MeasurementError
        If it is stopped before the first sample, or none of the implementations can be measured at a length; the
        message names the reason.
    aeadlab.errors.Error
        Otherwise as `aeadlab.sweep`.
    """
    find_venue(venue)
    selection = Selection.of(implementations, threads, block_size)
    arguments: dict[str, Any] = {
        "implementations": list(selection.implementations or IMPLEMENTATIONS),
        "bytes": _lengths(bytes),
        "op": op,
        "block_size": _single_or_list(selection.block_sizes or (64 << 10,)),
        "threads": _single_or_list(selection.threads or (1,)),
        "engine": engine,
        "samples": samples,
        "plugins": plugins,
        "seed": seed,
        "profile": profile,
    }
    folder = paths.output_folder(output) / "explorations"
    if profile == REFERENCE:
        return Exploration(_stored(selection, arguments), _changed(arguments), folder, venue)
    with nullcontext() if progress is None else report_to(progress):
        record = sweep(**arguments, name=NAME, folder=folder, stop=stop)
    if not counted(record.samples).any():
        raise MeasurementError(f"no case could be measured: {'; '.join(listing.named_reasons(record.not_timed))}")
    found = Exploration(record, _changed(arguments), folder, venue)
    timed, reasons = {*found.table["implementation"]}, found.not_timed
    if found.stopped is None and timed.isdisjoint(arguments["implementations"]) and reasons:
        # Memory alone answers nothing.
        raise MeasurementError(f"no case could be measured: {'; '.join(listing.named_reasons(reasons))}")
    return found


def _changed(arguments: Mapping[str, Any]) -> dict[str, Any]:
    parameters = inspect.signature(look_at).parameters
    return {name: value for name, value in arguments.items() if value != parameters[name].default}


def _stored(selection: Selection, arguments: Mapping[str, Any]) -> Record:
    """Return the cases of these arguments in the reference record of study baselines, sealing by default."""
    chosen = Selection(selection.implementations or STORED, selection.threads)
    record = reference_record("baselines", chosen, bytes=arguments["bytes"], samples=arguments["samples"])
    wanted = {"engine": arguments["engine"], "op": arguments["op"] or ["seal", "encrypt", "digest"]}
    # Memcpy is called over the whole message only.
    kept = record.samples["implementation"].eq("baseline/memcpy")
    matching = ~record.samples["implementation"].str.startswith(BASELINE)
    for column, values in wanted.items():
        matching &= record.samples[column].isin([values] if isinstance(values, str) else list(values))
    return restricted(record, kept | matching)


def _lengths(bytes: int | str | Sequence[int | str] | None) -> int | list[int] | None:
    if bytes is None:
        return None
    return in_bytes(bytes) if isinstance(bytes, int | str) else [in_bytes(length) for length in bytes]


def _single_or_list(values: tuple[int, ...]) -> int | list[int]:
    return values[0] if len(values) == 1 else list(values)
