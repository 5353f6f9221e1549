"""The study of the forms of the tags: its cases, and its figure from samples with known times."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import pytest
from matplotlib.figure import Figure

from aeadlab import _native
from aeadlab.bench.case import Case
from aeadlab.bench.drivers import driver, share_arena
from aeadlab.bench.plan import with_noise_pairs
from aeadlab.bench.profile import PROFILES
from aeadlab.catalogue import load
from aeadlab.errors import ArgumentError, EmptyFigureError
from aeadlab.figures.style import VENUES, VenueFigure
from aeadlab.studies import Selection
from aeadlab.studies.candidates import PUBLISHED_BLOCK_SIZE
from aeadlab.studies.one_tag.claims import CLAIMS
from aeadlab.studies.one_tag.figures import COLUMNS, tag_costs, tag_table
from aeadlab.studies.one_tag.study import AEAD, CIPHER, OF_AN_AEAD, STUDY

OfCases = Callable[..., pd.DataFrame]
SLOWER = {"concatenated": 1.0, "digest": 1.1, "merkle": 1.2, "standard": 1.3, "blake3": 3.0}


def declared(profile: str = "quick", **chosen: object) -> list[Case]:
    return STUDY.cases(load(), PROFILES[profile], Selection.of(**chosen))


def test_each_form_is_sealed_and_opened_in_blocks_of_1_kib_to_4_mib() -> None:
    cases = declared(threads=3)
    sizes = sorted((1 << power for power in range(10, 23, 2)), key=lambda size: size != PUBLISHED_BLOCK_SIZE)
    for name, forms in ((AEAD, OF_AN_AEAD), (CIPHER, ("blake3",))):
        for form in forms:
            own = [case for case in cases if (case.implementation, case.tags) == (name, form)]
            assert [(case.op, case.block_size) for case in own] == [(op, s) for op in ("seal", "open") for s in sizes]
    assert {case.threads for case in cases} == {3}
    assert len(cases) == 2 * 7 * 5


def test_the_noise_pairs_have_the_block_size_of_the_claims() -> None:
    cases = declared(threads=2)
    pairs = [case for case in with_noise_pairs(cases) if case.replica]
    assert {number for claim in CLAIMS for number in claim.published_numbers()} == {PUBLISHED_BLOCK_SIZE // 1024}
    assert [(case.implementation, case.op, case.tags, case.block_size) for case in pairs] == [
        (AEAD, "seal", "concatenated", PUBLISHED_BLOCK_SIZE), (CIPHER, "seal", "blake3", PUBLISHED_BLOCK_SIZE),
    ]  # fmt: skip


def test_the_standard_tag_is_that_of_gcm_alone() -> None:
    cases = declared(implementations=["openssl/chacha20-poly1305", "aeadlab/aes-256-gcm"])
    forms = {
        name: {case.tags for case in cases if case.implementation == name} for name in {c.implementation for c in cases}
    }
    assert forms == {"openssl/chacha20-poly1305": {*OF_AN_AEAD[:3]}, "aeadlab/aes-256-gcm": {*OF_AN_AEAD}}


def test_every_case_of_profile_smoke_can_be_timed_and_forms_of_one_algorithm_agree() -> None:
    catalogue = load()
    cases = [*declared("smoke"), *declared("smoke", implementations=["aeadlab/aes-256-gcm", "rustcrypto/aes-256-ctr"])]
    drivers = [driver(case, catalogue, 1) for case in cases]
    share_arena(drivers, cases, 1)
    results: dict[tuple[object, ...], set[int | None]] = {}
    for one, case in zip(drivers, cases, strict=True):
        assert one.sample(1)[0] > 0
        if case.op == "seal":
            key = (case.tags, 0 if case.tags == "standard" else case.block_size)
            results.setdefault(key, set()).add(one.fingerprint)
    assert len(results) > 10 and all(len(found) == 1 for found in results.values())


def test_a_form_needs_the_engine_that_has_it() -> None:
    with pytest.raises(ArgumentError, match="tags digest with engine 'whole' and model keyed given: engine parsplit"):
        Case(AEAD, "seal", 1024, tags="digest")
    with pytest.raises(ArgumentError, match="model rekeyed"):
        Case(AEAD, "seal", 1024, "parsplit", "rekeyed", 64, schedule="dynamic", tags="digest")
    settings = {"model": "keyed", "op": "seal", "bytes": 1024, "threads": 1, "placement": "separate"}
    native = load().find(AEAD).native  # type: ignore[attr-defined]
    with pytest.raises(ArgumentError, match='tags "hash" given, one of digest, merkle, blake3 expected'):
        _native.Case(
            native, engine="parsplit", block_size=64, schedule="dynamic", serial_below=None, cold=False, tags="hash",
            **settings,
        )  # fmt: skip


@pytest.fixture
def samples(of_cases: OfCases) -> pd.DataFrame:
    cases = declared(threads=2)
    return of_cases({case: 0.01 * SLOWER[case.tags] * (2 if case.op == "open" else 1) for case in cases})


def test_the_table_has_bytes_and_relative_times(samples: pd.DataFrame) -> None:
    table = tag_table(samples)
    assert tuple(table.columns) == COLUMNS
    assert len(table) == 2 * 7 * 5
    message = 128 << 20
    for form, factor in SLOWER.items():
        own = table[table["tags"] == form]
        assert own["time_over_concatenated"].between(0.98 * factor, 1.02 * factor).all()
        blocks = message // own["block_size"]
        expected = 16 * blocks if form == "concatenated" else 16 if form == "standard" else 32
        assert (own["tag_bytes"] == expected).all()
        assert own["overhead_percent"].tolist() == (100 * own["tag_bytes"] / message).tolist()


@pytest.mark.parametrize("venue", VENUES)
def test_the_figure_is_legible_in_every_venue(
    samples: pd.DataFrame,
    venue: str,
    check_layout: Callable[[Figure, str], None],
    written: Callable[[Figure], list[str]],
) -> None:
    figure, _ = tag_costs(samples, venue)
    check_layout(figure, venue)
    text = written(figure)
    for form in ("digest", "merkle", "standard"):
        assert text.count(f"{form}\n(aes-256-gcm)") == 2
    assert text.count("blake3\n(aes-256-ctr)") == 2
    assert "concatenated\n(aes-256-gcm)" not in text
    assert isinstance(figure, VenueFigure)
    assert figure.caption.startswith(
        "Time to seal relative to concatenated tags, from 1 KiB to 4 MiB blocks: digest 1.10 to 1.10, merkle 1.20"
    )


def test_a_failed_form_is_named_in_the_caption(of_cases: OfCases, noted: Callable[[Figure], str]) -> None:
    cases = declared(threads=2)
    failed = tuple(case for case in cases if case.tags == "merkle")
    times = {case: 0.01 for case in cases if case.tags != "merkle"}
    figure, table = tag_costs(of_cases(times, failed=failed))
    assert "Failed: merkle (aes-256-gcm)." in noted(figure)
    assert table.loc[table["tags"] == "merkle", "status"].eq("failed: it crashed").all()


def test_samples_of_another_study_make_no_figure(of_cases: OfCases) -> None:
    with pytest.raises(EmptyFigureError, match="measure the study one-tag"):
        tag_table(of_cases({Case(AEAD, "seal", 1 << 20): 0.01}))
