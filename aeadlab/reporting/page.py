"""Assembles the sections of a report and writes the file."""

from __future__ import annotations

import os
from base64 import b64encode
from collections.abc import Callable
from hashlib import sha256
from importlib import resources
from pathlib import Path
from typing import NamedTuple

from aeadlab import paths
from aeadlab.display.markup import Html, element, paragraph
from aeadlab.display.progress import bar
from aeadlab.errors import ArgumentError, Error, RecordError
from aeadlab.records.lookup import latest
from aeadlab.records.reading import load_record
from aeadlab.records.record import Record
from aeadlab.reporting.analysis import Analysis
from aeadlab.reporting.cases import cases, not_timed
from aeadlab.reporting.claims import claims
from aeadlab.reporting.figures import figures
from aeadlab.reporting.machine import machine
from aeadlab.reporting.provenance import provenance
from aeadlab.reporting.reproduction import reproduction
from aeadlab.reporting.summary import summary
from aeadlab.studies import find_study


class Section(NamedTuple):
    """A section of a report.

    Attributes
    ----------
    anchor
        Its identifier in links.
    render
        Returns the content without the heading.
    """

    heading: str
    anchor: str
    render: Callable[[Analysis], Html]


SECTIONS: tuple[Section, ...] = (
    Section("Summary", "summary", summary),
    Section("Figures", "figures", figures),
    Section("Published claims", "claims", claims),
    Section("All cases", "cases", cases),
    Section("Not timed", "not-timed", not_timed),
    Section("Machine", "machine", machine),
    Section("Provenance", "provenance", provenance),
    Section("Reproduction", "reproduce", reproduction),
)


def report(record: Record | str | Path, path: str | Path | None = None, *, force: bool = False) -> Path:
    """Write a record as one self-contained HTML file, and return its path.

    The same record gives the same bytes. An existing file with these bytes is not written again.

    Parameters
    ----------
    record
        A record, or the path of one.
    path
        The file; None means the name of the record in the folder ``reports`` of the results.
    force
        Whether to replace an existing file with different content.

    Raises
    ------
    aeadlab.errors.RecordError
        If the record cannot be read.
    aeadlab.errors.ArgumentError
        If the file exists and `force` is not given, or if it cannot be written; an existing file is left unchanged.
    """
    record = record if isinstance(record, Record) else load_record(record)
    path = paths.results() / "reports" / f"{record.path.stem}.html" if path is None else Path(path)
    if path.is_dir():
        raise ArgumentError(f"the report {path} cannot be written: it is a folder; give the path of a file")
    content = page(record).encode()
    try:
        if path.exists() and path.read_bytes() == content:
            return path
        path.parent.mkdir(parents=True, exist_ok=True)
        paths.write_atomically(path, content, overwrite=force)
    except FileExistsError as error:
        raise ArgumentError(f"{path} exists already: choose another file, or replace it with --force") from error
    except OSError as error:
        raise ArgumentError(f"the report {path} cannot be written ({error.strerror}): choose another file") from error
    return path


def find_record(name: str | None = None) -> Record:
    """Return the record of a file or the newest record of a study; without a name, the newest of all.

    Raises
    ------
    aeadlab.errors.RecordError
        If there is no such record, or it cannot be read.
    aeadlab.errors.UnknownNameError
        If there is neither a record nor a study of this name.
    """
    if name is None:
        return latest()
    if Path(name).is_file() or name.endswith(".parquet") or os.sep in name:
        return load_record(name)
    try:
        # The records come first, since those of sweeps and of removed studies have no study.
        return latest(name)
    except RecordError:
        find_study(name)
        raise


def page(record: Record) -> Html:
    """Return the whole page."""
    analysis = Analysis(record)
    style, script = (resources.files(__package__).joinpath(name).read_text("utf-8") for name in ("page.css", "page.js"))
    date = str(record.provenance.get("date") or "")[:10]
    title = f"{record.study}, {date}" if date else record.study
    links = [element("a", section.heading, href=f"#{section.anchor}") for section in SECTIONS]
    head = [
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        # The policy blocks network access and all scripts but the one below, whatever names a record has.
        element("meta", http_equiv="Content-Security-Policy", content=_policy(style, script)),
        element("title", f"{title}: aeadlab report"),
        element("style", Html(style)),
    ]
    sections = []
    with bar(len(SECTIONS), "drawing", "section") as shown:
        for section in SECTIONS:
            sections.append(_section(section, analysis))
            shown.update()
    body = [
        element("header", element("h1", title), element("nav", Html(" ".join(links)))),
        element("main", sections),
        element("script", Html(script)),
    ]
    document = element("html", element("head", head), element("body", body), lang="en")
    return Html(f"<!DOCTYPE html>\n{document}\n")


def _section(section: Section, analysis: Analysis) -> Html:
    try:
        content = section.render(analysis)
    except Error as error:
        # A section that fails, such as for invalid times, must not prevent the other sections.
        content = paragraph(f"This section cannot be created from the record: {error}")
    return element("section", element("h2", section.heading), content, id=section.anchor)


def _policy(style: str, script: str) -> str:
    def source(text: str) -> str:
        return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"

    return f"default-src 'none'; img-src data:; style-src {source(style)}; script-src {source(script)}"
