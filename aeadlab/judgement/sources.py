"""Which records are asked: those given, or the newest of each study."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from aeadlab.comparison.circumstances import spoilt
from aeadlab.errors import ArgumentError
from aeadlab.judgement.evidence import Evidence
from aeadlab.records import Record, load_record, provenance_of, stored_records
from aeadlab.units import size_name


@dataclass(frozen=True)
class Source:
    """A record that was asked.

    Attributes
    ----------
    about
        Study, profile, message, machine and logical cores, in words.
    cautions
        What speaks against the record as a whole.
    """

    record: str
    about: str
    cautions: tuple[str, ...]
    evidence: Evidence

    @classmethod
    def of(cls, record: Record) -> Source:
        """A record with what it says of itself."""
        evidence = Evidence.of(record)
        machine = (record.provenance.get("machine") or {}).get("cpu_model_name") or "machine unknown"
        cores = "unknown logical cores" if evidence.cores is None else f"{evidence.cores} logical cores"
        about = f"{evidence.study}, profile {evidence.profile}, {size_name(evidence.size)}, {machine}, {cores}"
        return cls(record.path.name, about, (*spoilt(record), *_few_processes(record)), evidence)


def sources(studies: Iterable[str], given: Sequence[Record | Path | str] = ()) -> dict[str, Source]:
    """The record of each study.

    Parameters
    ----------
    studies
        Whose newest records are looked for, in the results folder, then among the reference records. A record of
        profile smoke proves nothing and is taken only where there is no other.
    given
        Records, or paths of some, that are taken instead; nothing else is looked for then.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If two of the given records are of one study.
    aeadlab.errors.RecordError
        If a record cannot be read.
    """
    found: dict[str, Source] = {}
    for each in given:
        record = each if isinstance(each, Record) else load_record(each)
        if record.study in found:
            raise ArgumentError(
                f"{record.path.name} and {found[record.study].record} are both of study {record.study}: give one"
            )
        found[record.study] = Source.of(record)
    if not given:
        for study in dict.fromkeys(studies):
            if path := _newest(study):
                found[study] = Source.of(load_record(path))
    return found


def _newest(study: str) -> Path | None:
    paths = stored_records(study)[::-1]
    return next((path for path in paths if not _is_smoke(path)), paths[0] if paths else None)


def _is_smoke(path: Path) -> bool:
    profile = (provenance_of(path).get("plan") or {}).get("profile") or {}
    return str(profile.get("name")).startswith("smoke")


def _few_processes(record: Record) -> list[str]:
    """A process draws where its memory lies, and that moves unchanged code by some percent."""
    if record.samples["process"].nunique() > 1:
        return []
    return [
        "all rounds are of one process: a difference under about 5 % may be the layout of its memory (docs/BIAS.md)"
    ]
