"""The record that decides the claims of each study: a given one, or the newest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from aeadlab.display.units import size_name
from aeadlab.errors import ArgumentError
from aeadlab.host.cpu_name import cpu_name
from aeadlab.records.lookup import stored_records
from aeadlab.records.provenance_diff import critical_conditions
from aeadlab.records.reading import load_record, provenance_of
from aeadlab.records.record import Record
from aeadlab.records.reference import reference_cpu
from aeadlab.stats.processes import FEWEST
from aeadlab.verdicts.evidence import Evidence


@dataclass(frozen=True)
class Source:
    """The file name of a record, its conditions as text, warnings about it as a whole, and its evidence.

    Attributes
    ----------
    cpu
        The CPU of a reference record as text, see `aeadlab.records.reference.reference_cpu`; otherwise ``""``.
    """

    record: str
    about: str
    cautions: tuple[str, ...]
    evidence: Evidence
    cpu: str = ""

    @classmethod
    def from_record(cls, record: Record) -> Source:
        """Return the source; its conditions are study, profile, lengths of the samples, machine and logical cores."""
        evidence = Evidence.from_record(record)
        machine = cpu_name(record.machine) or "unknown machine"
        cores = "unknown logical cores" if evidence.cores is None else f"{evidence.cores} logical cores"
        about = f"{evidence.study}, profile {evidence.profile}, {_lengths(evidence.lengths)}, {machine}, {cores}"
        return cls(
            record.name,
            about,
            (*critical_conditions(record), *_uncommitted(record), *_few_processes(record)),
            evidence,
            reference_cpu(record),
        )


def sources(studies: Iterable[str], given: Sequence[Record | Path | str] = ()) -> dict[str, Source]:
    """Return the record of each study.

    Parameters
    ----------
    studies
        Studies whose newest records are taken, from the results folder, else from the reference records. A record of
        profile smoke supports no conclusion and is taken only where there is no other.
    given
        Records, or their paths, that are taken instead of stored ones.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If two of the given records are of one study.
    aeadlab.errors.RecordError
        If a record cannot be read.
    """
    by_study: dict[str, Source] = {}
    for each in given:
        record = each if isinstance(each, Record) else load_record(each)
        if record.study in by_study:
            raise ArgumentError(
                f"{record.name} and {by_study[record.study].record} are both of study {record.study}: "
                "give one record of each study"
            )
        by_study[record.study] = Source.from_record(record)
    if not given:
        for study in dict.fromkeys(studies):
            if path := _newest(study):
                by_study[study] = Source.from_record(load_record(path))
    return by_study


def _newest(study: str) -> Path | None:
    paths = stored_records(study)[::-1]
    if len(paths) < 2:
        return paths[0] if paths else None
    return next((path for path in paths if not _is_smoke(path)), paths[0])


def _is_smoke(path: Path) -> bool:
    profile = (provenance_of(path).get("plan") or {}).get("profile") or {}
    return str(profile.get("name")).startswith("smoke")


def _lengths(lengths: Sequence[int]) -> str:
    """Return up to three lengths in words, or the range of more."""
    names = [size_name(length) for length in lengths]
    if len(names) <= 3:
        return f"messages of {' and '.join(', '.join(names).rsplit(', ', 1))}"
    return f"messages of {names[0]} to {names[-1]} ({len(names)} lengths)"


def _uncommitted(record: Record) -> list[str]:
    commit = record.provenance.get("commit") or {}
    if not commit.get("dirty"):
        return []
    files = commit.get("files") or ()
    what = f": {', '.join(files)}" if files else ", and the record does not say of which files"
    return [f"measured with uncommitted changes{what}"]


def _few_processes(record: Record) -> list[str]:
    # Each process has its own memory layout, which changes the times of the same code by some percent.
    processes = record.samples["process"].nunique()
    if processes >= FEWEST:
        return []
    which = "one process" if processes == 1 else f"{processes} processes"
    return [
        f"all rounds ran in {which}, and verdicts require {FEWEST} or more: a difference below about 5 % may come from "
        "the memory layout of a process (docs/BIAS.md)"
    ]
