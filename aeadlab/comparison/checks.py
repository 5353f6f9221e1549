"""What a record must have before anything in it is judged."""

from __future__ import annotations

import difflib

from aeadlab.comparison.circumstances import verified
from aeadlab.errors import ArgumentError, UnknownNameError
from aeadlab.records import Record
from aeadlab.stats import NoiseFloor, noise_floor


def noise_of(record: Record) -> NoiseFloor:
    """The noise floor of a record.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If it has no A/A pair; the message names the record.
    """
    samples = record.samples
    again = samples[samples["replica"] == 1]
    # Only these can be pairs; a record may hold a million other samples.
    pairs = samples[samples["implementation"].isin(again["implementation"]) & samples["bytes"].isin(again["bytes"])]
    try:
        return noise_floor(pairs)
    except ArgumentError as error:
        raise ArgumentError(f"{record.path.name}: {error}") from error


def check_implementation(record: Record, name: str) -> None:
    """See whether a record has an implementation that may be judged.

    Raises
    ------
    aeadlab.errors.UnknownNameError
        If it is not in the record; the message names the nearest, and the reason if it was refused.
    aeadlab.errors.ArgumentError
        If it was not verified.
    """
    here = sorted(record.samples["implementation"].unique())
    if name not in here:
        near = difflib.get_close_matches(name, here, n=1, cutoff=0.4)
        hint = f"did you mean {near[0]}?" if near else f"it has {', '.join(here)}"
        refused = record.provenance.get("refused", {}).get(name)
        raise UnknownNameError(
            f"{record.path.name} has no implementation {name!r}{f' (refused: {refused})' if refused else ''}; {hint}"
        )
    if name not in verified(record):
        raise ArgumentError(f"{name} was not verified in {record.path.name}: what may compute anything is not judged")
