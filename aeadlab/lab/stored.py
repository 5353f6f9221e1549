"""Reference records in place of a measurement: profile ``reference`` of notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from aeadlab import paths
from aeadlab.bench.profile import PROFILES, REFERENCE
from aeadlab.catalogue.patterns import matches
from aeadlab.dimensions import BASELINE
from aeadlab.errors import ArgumentError, RecordError
from aeadlab.records.lookup import records_of
from aeadlab.records.reading import load_record
from aeadlab.records.record import Record
from aeadlab.studies import Selection

if TYPE_CHECKING:
    from pandas import Series


def reference_record(study: str, selection: Selection | None = None, **measuring: Any) -> Record:
    """Return the newest reference record of a study, with the samples of a selection and of the baselines only.

    Parameters
    ----------
    selection
        Names, algorithms or globs of implementations, thread counts and block sizes; None selects all.
    **measuring
        Settings of a measurement by name, such as a size; a value that is not zero or None raises.

    Raises
    ------
    aeadlab.errors.RecordError
        If there is no reference record, or it has no case of a selected value; the message names the command that
        measures the case.
    aeadlab.errors.ArgumentError
        If a setting of a measurement is given.
    """
    if given := [f"{name}={value!r}" for name, value in measuring.items() if value]:
        raise ArgumentError(
            f"{', '.join(given)} given with profile {REFERENCE}, which measures nothing: choose one of {[*PROFILES]}"
        )
    folder = paths.reference_records()
    found = records_of(study, folder)
    if not found:
        raise RecordError(f"there is no record of study {study} in {folder}: `aeadlab measure {study}` measures one")
    record = load_record(found[-1])
    return record if selection is None else _selected(record, selection)


def _selected(record: Record, selection: Selection) -> Record:
    samples = record.samples
    names = samples["implementation"].astype(str)
    split = samples["engine"].eq("parsplit")
    matching = {
        pattern: [name for name in names.unique() if matches(pattern, name)]
        for pattern in selection.implementations or ()
    }
    _check(record, "implementation", [pattern for pattern, found in matching.items() if not found])
    threads, sizes = selection.threads or (), selection.block_sizes or ()
    counts = samples["threads"]
    _check(record, "threads", [count for count in threads if count not in set(counts)])
    _check(record, "block-size", [size for size in sizes if size not in set(samples["block_size"])])
    kept = counts.gt(0)
    if matching:
        kept &= names.isin(sum(matching.values(), [])) | names.str.startswith(BASELINE)
    if threads:
        # Speed-ups are relative to one thread.
        kept &= counts.isin([1, *threads])
    if sizes:
        kept &= ~split | samples["block_size"].isin(sizes)
    return restricted(record, kept)


def restricted(record: Record, kept: Series[bool]) -> Record:
    """Return a record with these samples only, and with the planned cases of their implementations."""
    samples = record.samples[kept]
    names = {*samples["implementation"]}
    plan = record.provenance["plan"]
    cases = [case for case in plan["cases"] if case["implementation"] in names]
    return replace(record, samples=samples, provenance={**record.provenance, "plan": {**plan, "cases": cases}})


def _check(record: Record, option: str, missing: Sequence[object]) -> None:
    if missing:
        listed = ", ".join(map(str, missing))
        options = f" --{option} ".join(("", *map(str, missing))).rstrip()
        raise RecordError(
            f"{record.name} has no case with {option.replace('-', ' ')} {listed}: "
            f"`aeadlab measure {record.study}{options}` measures it"
        )
