"""Reference records: those in ``data/records`` of the checkout, which another computer measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from aeadlab.host.cpu_name import cpu_name
from aeadlab.paths import is_reference
from aeadlab.records.lookup import stored_records
from aeadlab.records.record import Record


def own_records(study: str | None = None) -> list[Path]:
    """Return the user's own records of a study, or of all studies, the oldest first."""
    return [path for path in stored_records(study) if not is_reference(path)]


def reference_cpu(record: Record) -> str:
    """Return the CPU of a reference record with its article, ``an AMD EPYC``; ``""`` for any other record."""
    if not is_reference(record.path):
        return ""
    name = cpu_name(record.machine) or "unknown CPU"
    return f"{'an' if name[0] in 'AEIOUaeiou' else 'a'} {name}"


def origin(cpu: str) -> str:
    """Return the origin of an answer in words, for a CPU of `reference_cpu`; ``""`` for ``""``."""
    return f"from the reference record of {cpu}, not measured here" if cpu else ""


def note(cpus: Mapping[str, str]) -> str:
    """Return the sentence for an answer from reference records, with the command that measures here.

    Parameters
    ----------
    cpus
        By study the CPU of `reference_cpu`. Studies with ``""`` are ignored; ``""`` is returned if there is no other.
    """
    studies = [study for study, cpu in cpus.items() if cpu]
    if not studies:
        return ""
    cpu = _listed(list(dict.fromkeys(cpu for cpu in cpus.values() if cpu)))
    records = "the reference record" if len(studies) == 1 else "reference records"
    source = f"from {records} of {cpu}, not measured here"
    missing = [study for study in studies if not own_records(study)]
    if not missing:
        return f"The answer for {_listed(studies)} is {source}."
    command = f"`aeadlab measure {missing[0] if len(missing) == 1 else 'STUDY'}` makes one"
    return f"There is no record of your own of {_listed(missing)}: the answer is {source}; {command}."


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
