"""The cases of study everything: each implementation on a short message, and 1 GiB with those that claims compare."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from aeadlab.bench.case import Case
from aeadlab.bench.profile import PROFILES
from aeadlab.catalogue import Catalogue, load
from aeadlab.studies import find_study
from aeadlab.studies.candidates import BASELINES, of_the_paper
from aeadlab.studies.eth.catalogue.study import LARGE_SECONDS
from aeadlab.studies.selection import Selection

LARGE = 1 << 30


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load()


def cases(
    catalogue: Catalogue, profile: str = "quick", budget: float | None = LARGE_SECONDS, **selection: object
) -> list[Case]:
    given = replace(PROFILES[profile], budget_seconds=budget)
    return find_study("everything").cases(catalogue, given, Selection(**selection))  # type: ignore[arg-type]


def test_the_long_message_requires_time(catalogue: Catalogue) -> None:
    usual = PROFILES["quick"].budget_seconds
    assert usual is not None and usual < LARGE_SECONDS
    assert {case.bytes for case in cases(catalogue, budget=usual)} == {256 << 10}
    assert LARGE in {case.bytes for case in cases(catalogue, budget=None)}


def test_the_paper_s_algorithms_are_measured_with_its_message(catalogue: Catalogue) -> None:
    declared = cases(catalogue)
    assert {case.bytes for case in declared} == {256 << 10, LARGE}
    large = {(case.implementation, case.op) for case in declared if case.bytes == LARGE}
    for op in ("seal", "encrypt", "digest"):
        for names in of_the_paper(op).values():
            assert {(name, op) for name in names} <= large
            assert op != "seal" or {(name, "open") for name in names} <= large
    assert {(name, "encrypt") for name in BASELINES} <= large, "the A/A pairs of this length"
    assert len(large) < 150


def test_aeads_of_today_are_selected_by_the_length_of_their_keys(catalogue: Catalogue) -> None:
    of_paper = {name for names in of_the_paper("seal").values() for name in names}
    others = [case for case in cases(catalogue) if case.bytes == LARGE and case.op == "seal"]
    others = [case for case in others if case.implementation not in of_paper]
    keys = {case.implementation: catalogue.find(case.implementation).description.key_bytes for case in others}
    assert {*keys.values()} == {32}
    assert {"libaegis/aegis-256", "hiae/hiae", "rocca/rocca-s", "ring/chacha20-poly1305"} <= keys.keys()
    assert not [name for name in keys if name.endswith(("aegis-128l", "-ccm", "aes-128-siv")) or "camellia" in name]
    assert {case.engine for case in others} == {"whole"}


def test_no_case_is_declared_twice_and_smoke_has_short_messages_only(catalogue: Catalogue) -> None:
    assert max(Counter(cases(catalogue)).values()) == 1
    assert {case.bytes for case in cases(catalogue, "smoke")} == {16 << 10}


def test_a_selection_has_large_messages_only_of_what_claims_compare(catalogue: Catalogue) -> None:
    declared = cases(catalogue, implementations=("libaegis/aegis-128l", "libaegis/aegis-256"))
    large = {case.implementation for case in declared if case.bytes == LARGE}
    assert large == {*BASELINES, "libaegis/aegis-256"}
