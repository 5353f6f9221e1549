"""Puts the sections of a report together and writes the file."""

from __future__ import annotations

import contextlib
import os
from base64 import b64encode
from collections.abc import Callable
from hashlib import sha256
from importlib import resources
from pathlib import Path
from typing import NamedTuple

from aeadlab import paths
from aeadlab.errors import ArgumentError, Error, RecordError
from aeadlab.markup import Html, element, paragraph
from aeadlab.records import Record, load_record
from aeadlab.reporting.again import again
from aeadlab.reporting.claimed import claimed
from aeadlab.reporting.computer import computer
from aeadlab.reporting.digest import Digest
from aeadlab.reporting.origin import origin
from aeadlab.reporting.overview import overview
from aeadlab.reporting.pictures import pictures
from aeadlab.reporting.results import results, untimed


class Section(NamedTuple):
    """A part of a report: its heading, its name in links, and what makes it."""

    heading: str
    anchor: str
    make: Callable[[Digest], Html]


SECTIONS: tuple[Section, ...] = (
    Section("Summary", "summary", overview),
    Section("Figures", "figures", pictures),
    Section("What the documents claim", "claims", claimed),
    Section("Every case", "cases", results),
    Section("Not timed", "not-timed", untimed),
    Section("What the doctor found", "machine", computer),
    Section("Provenance", "provenance", origin),
    Section("How to reproduce it", "reproduce", again),
)


def report(record: Record | str | Path, path: str | Path | None = None, *, force: bool = False) -> Path:
    """Write a record as one HTML file that needs nothing else, and return where it is.

    The same record gives the same bytes; where they are there already, nothing is written.

    Parameters
    ----------
    record
        A record, or the path of one.
    path
        The file; None means one of the record's name in ``reports`` in the results folder.
    force
        Whether a file that is there, with other content, is replaced.

    Raises
    ------
    aeadlab.errors.RecordError
        If the record cannot be read or says nothing of its plan.
    aeadlab.errors.ArgumentError
        If the file exists and `force` is not given, or it cannot be written; what was there is as it was.
    """
    record = record if isinstance(record, Record) else load_record(record)
    path = paths.results() / "reports" / f"{record.path.stem}.html" if path is None else Path(path)
    if path.is_dir():
        raise ArgumentError(f"the report {path} cannot be written: it is a folder, name a file in it")
    content = page(record).encode()
    try:
        if path.exists() and path.read_bytes() == content:
            return path
        path.parent.mkdir(parents=True, exist_ok=True)
        _write(path, content, force)
    except FileExistsError as error:
        raise ArgumentError(f"{path} exists already: choose another file, or replace it with --force") from error
    except OSError as error:
        raise ArgumentError(f"the report {path} cannot be written ({error.strerror}): choose another file") from error
    return path


def page(record: Record) -> Html:
    """The whole page.

    Raises
    ------
    aeadlab.errors.RecordError
        If the record says nothing of its plan.
    """
    if not isinstance(record.provenance.get("plan"), dict) or "study" not in record.provenance["plan"]:
        raise RecordError(f"{record.path} is damaged: its provenance names no plan")
    digest = Digest(record)
    style, script = (resources.files(__package__).joinpath(name).read_text("utf-8") for name in ("page.css", "page.js"))
    date = str(record.provenance.get("date") or "")[:10]
    title = f"{record.study}, {date}" if date else record.study
    links = [element("a", section.heading, href=f"#{section.anchor}") for section in SECTIONS]
    head = [
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        # Nothing is fetched, and no script runs but the one below, whatever a record's names may hold.
        element("meta", http_equiv="Content-Security-Policy", content=_policy(style, script)),
        element("title", f"{title}: aeadlab report"),
        element("style", Html(style)),
    ]
    body = [
        element("header", element("h1", title), element("nav", Html(" ".join(links)))),
        element("main", [_section(section, digest) for section in SECTIONS]),
        element("script", Html(script)),
    ]
    document = element("html", element("head", head), element("body", body), lang="en")
    return Html(f"<!DOCTYPE html>\n{document}\n")


def _section(section: Section, digest: Digest) -> Html:
    try:
        content = section.make(digest)
    except Error as error:
        # Times that a clock made up, perhaps: the other sections can still be read.
        content = paragraph(f"This part cannot be made from the record: {error}")
    return element("section", element("h2", section.heading), content, id=section.anchor)


def _policy(style: str, script: str) -> str:
    def allowed(text: str) -> str:
        return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"

    return f"default-src 'none'; img-src data:; style-src {allowed(style)}; script-src {allowed(script)}"


def _write(path: Path, content: bytes, force: bool) -> None:
    """Put a whole file in place at once, so that a reader or a crash never sees half of one."""
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        partial.write_bytes(content)
        if force:
            partial.replace(path)
        else:
            # A hard link fails where the name is taken, which a rename would not.
            os.link(partial, path)
    finally:
        with contextlib.suppress(OSError):
            partial.unlink()
