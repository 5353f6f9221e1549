"""The three copies, the limits of memory, in the cases of the studies."""

from __future__ import annotations

from dataclasses import replace

import pytest

from aeadlab.bench.case import Case
from aeadlab.bench.plan import with_noise_pairs
from aeadlab.bench.profile import PROFILES, Profile
from aeadlab.catalogue import Catalogue, load
from aeadlab.stats.roofline import COPIES
from aeadlab.studies import Selection, all_studies, find_study

OF_MEMORY = (
    *("baselines", "speedup", "blocks", "memory", "compositions", "everything", "message-sizes"),
    *("block-ciphers", "cells", "formats"),
)


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load()


def without_name(case: Case) -> Case:
    return replace(case, implementation="")


@pytest.mark.parametrize("profile", PROFILES.values(), ids=list(PROFILES))
@pytest.mark.parametrize("name", OF_MEMORY)
def test_each_study_of_memory_has_the_three_copies(catalogue: Catalogue, name: str, profile: Profile) -> None:
    declared = find_study(name).cases(catalogue, profile, Selection())
    memcpy, copy, stream = ([without_name(c) for c in declared if c.implementation == copy] for copy in COPIES)
    assert memcpy and memcpy == copy == stream, "the same lengths, threads, placements and schedules"
    named = find_study(name).named
    assert len({copy in named for copy in COPIES}) == 1, "the same number of rounds"


def test_all_studies_with_memcpy_are_studies_of_memory(catalogue: Catalogue) -> None:
    smoke = PROFILES["smoke"]
    cases = {name: study.cases(catalogue, smoke, Selection()) for name, study in all_studies().items()}
    assert {name for name, of in cases.items() if "baseline/memcpy" in {c.implementation for c in of}} == {*OF_MEMORY}


@pytest.mark.parametrize("name", OF_MEMORY)
def test_the_copies_do_not_change_the_noise_pairs(catalogue: Catalogue, name: str) -> None:
    declared = find_study(name).cases(catalogue, PROFILES["quick"], Selection())
    fewer = [case for case in declared if case.implementation not in COPIES[1:]]
    pairs, before = ([c for c in with_noise_pairs(cases) if c.replica] for cases in (declared, fewer))
    assert pairs == before and pairs


@pytest.mark.parametrize("name", OF_MEMORY)
def test_absent_copies_have_the_cases_of_memcpy(catalogue: Catalogue, name: str) -> None:
    here = [one for one in catalogue if one.name not in COPIES[1:]]

    class Older(Catalogue):
        """A computer whose baselines have no copies."""

        def __iter__(self):  # type: ignore[no-untyped-def]
            return iter(here)

    smoke = PROFILES["smoke"]
    assert find_study(name).cases(Older(), smoke, Selection()) == find_study(name).cases(catalogue, smoke, Selection())
