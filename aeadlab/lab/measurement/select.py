"""The cases of a run: those that a study has for a selection, also under CPU feature masks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from aeadlab.bench.case import Case
from aeadlab.bench.masks.masks import find_mask, lacking
from aeadlab.bench.masks.switches import check_environment, with_masks
from aeadlab.bench.profile import Profile
from aeadlab.catalogue import Catalogue, Implementation
from aeadlab.display.listing import first_of
from aeadlab.display.units import short_size, size_name
from aeadlab.errors import ArgumentError, UnknownNameError
from aeadlab.studies import Selection, Study


def select_cases(
    study: Study, profile: Profile, selection: Selection, masks: Sequence[str], catalogue: Catalogue
) -> tuple[list[Case], list[str]]:
    """Return the cases of a study, each also under every requested mask, and the reasons for missing masked ones.

    Masks that the study itself names are skipped where the CPU lacks their features or a library has no switch for
    them. A requested mask that applies to no case is an error. Cases without a mask are first, and none is repeated.
    """
    requested = [find_mask(name) for name in masks]
    own = [mask for mask in map(find_mask, study.masks) if mask not in requested and not lacking(mask)]
    check_environment([*requested, *own])
    plain = study.cases(catalogue, profile, selection)
    if not plain:
        raise ArgumentError(f"study {study.name} has no case for this selection: select other implementations")
    cases, unmasked = with_masks(plain, requested, catalogue)
    maskable = [case for case in plain if not case.mask and study.masked(case)]
    cases += with_masks(maskable, own, catalogue)[0]
    if masks and not any(case.mask for case in cases):
        raise ArgumentError(f"no case of study {study.name} can be masked: {'; '.join(unmasked)}")
    return list(dict.fromkeys(cases)), unmasked


def check_size(study: Study, cases: Sequence[Case], size: int) -> None:
    """Check that a study measures the message length that the user gave.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If the study has fixed lengths, or no case has this one; the message names the lengths.
    """
    lengths = sorted({case.message_bytes or case.bytes for case in cases})
    if study.fixed_lengths or size not in lengths:
        has = study.fixed_lengths or first_of([size_name(length) for length in lengths], 5)
        raise ArgumentError(
            f"study {study.name} has {'fixed' if study.fixed_lengths else 'only'} message lengths, {has}, and size "
            f"{size_name(size)} was given: leave it out, or run `aeadlab speed NAME --size {short_size(size)}`"
        )


def find_implementations(
    cases: Iterable[Case], catalogue: Catalogue
) -> tuple[dict[str, Implementation], dict[str, str]]:
    """Return the available implementations of cases, and for each other name the reason why it is not available."""
    available: dict[str, Implementation] = {}
    absent: dict[str, str] = {}
    for name in dict.fromkeys(case.implementation for case in cases):
        try:
            available[name] = catalogue.find(name)
        except UnknownNameError as error:
            absent[name] = str(error)
    return available, absent
