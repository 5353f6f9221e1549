"""The study of file formats: its cases, and its figures from samples with known times."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import pytest
from matplotlib.figure import Figure

from aeadlab.bench.case import Case
from aeadlab.bench.profile import PROFILES
from aeadlab.catalogue import load
from aeadlab.errors import EmptyFigureError
from aeadlab.figures.style import VENUES, VenueFigure
from aeadlab.files import FORMATS, encrypt, generate_identity
from aeadlab.studies import Selection
from aeadlab.studies.formats.figures import COLUMNS, file_speeds, file_table, overhead
from aeadlab.studies.formats.study import OWN, OWN_FORMATS, PROGRAMS, STUDY, lengths
from aeadlab.verify.reference.files import file_reference

OfCases = Callable[..., pd.DataFrame]


def of_files(samples: pd.DataFrame) -> pd.DataFrame:
    """Return simulated samples with the kind that the catalogue has."""
    return samples.assign(kind=samples["kind"].mask(samples["implementation"].isin(PROGRAMS), "file"))


def declared(profile: str = "quick", **chosen: object) -> list[Case]:
    return STUDY.cases(load(), PROFILES[profile], Selection.of(**chosen))


def test_lengths_grow_by_sixteen_up_to_the_longest() -> None:
    assert lengths(128 << 20) == (4 << 10, 64 << 10, 1 << 20, 16 << 20, 64 << 20)
    assert lengths(1 << 20) == (4 << 10, 64 << 10, 1 << 20)
    assert lengths(100) == (100,)


def test_every_program_seals_and_opens_and_only_aeadlab_has_threads() -> None:
    cases = declared(threads=[1, 3])
    for name in PROGRAMS:
        own = [case for case in cases if case.implementation == name]
        threads = {1, 3} if name.startswith(f"{OWN}/") else {1}
        assert {(case.op, case.threads) for case in own} == {(op, n) for op in ("seal", "open") for n in threads}
        assert {case.bytes for case in own} == {*lengths(64 << 20)}
    assert {case.bytes for case in cases if case.implementation == "baseline/copy"} == {*lengths(64 << 20)}


def test_an_absent_program_has_cases_with_the_reason() -> None:
    cases = [case for case in declared(implementations=["pyrage/age", "pyca/cobblestone-512"])]
    assert {case.implementation for case in cases if case.engine == "python"} == {"pyrage/age"}


@pytest.mark.parametrize("length", [0, 1, 16383, 16384, 65536, 65537, 1_048_544, 1_048_545, 3_000_000])
@pytest.mark.parametrize("format", OWN_FORMATS)
def test_the_overhead_is_that_of_a_file(format: str, length: int) -> None:
    key = generate_identity() if format == "age" else bytes(FORMATS[format].key_bytes)
    file = bytes(encrypt(key, bytes(length), format=format))
    assert len(file) - length == overhead(format, length)


@pytest.mark.parametrize("length", [1, 65535, 65536, 65537, 3_000_000])
def test_the_overhead_of_dare_is_that_of_its_reference(length: int) -> None:
    reference = file_reference("dare")
    assert reference is not None
    assert len(reference.seal(bytes(32), bytes(length), b"")) - length == overhead("dare", length)


def test_the_table_has_known_times(of_cases: OfCases) -> None:
    cases = declared(threads=[1, 2])
    slower = {case: (4.0 if not case.implementation.startswith("aeadlab/") else 2.0 / case.threads) for case in cases}
    samples = of_files(of_cases(slower))
    table = file_table(samples)
    assert [*table.columns] == [*COLUMNS]
    assert set(table["implementation"]) == set(PROGRAMS)
    others = table[~table["implementation"].str.startswith("aeadlab/") & table["format"].ne("dare")]
    assert others["time_over_own"].to_numpy() == pytest.approx(4.0, rel=0.05)
    assert table.loc[table["format"].eq("dare"), "time_over_own"].isna().all()
    own = table[table["implementation"].eq("aeadlab/age") & table["threads"].eq(1)]
    assert own["time_over_own"].to_numpy() == pytest.approx(2.0, rel=0.05)
    assert set(table.loc[table["implementation"].str.endswith(".reused"), "memory"]) == {"reused"}


@pytest.mark.parametrize("op", ["seal", "open"])
@pytest.mark.parametrize("venue", VENUES)
def test_the_figure_is_legible_in_every_venue(
    of_cases: OfCases,
    venue: str,
    op: str,
    check_layout: Callable[[Figure, str], None],
    written: Callable[[Figure], list[str]],
) -> None:
    cases = declared(threads=[1, 2])
    samples = of_cases({case: 0.01 * (1 if case.implementation.startswith("aeadlab/") else 3) for case in cases})
    figure, table = file_speeds(of_files(samples), venue, op)
    check_layout(figure, venue)
    assert set(table["op"]) == {op}
    text = written(figure)
    for name, count in (
        ("pyca", 2),
        ("pyrage", 1),
        ("go-age", 1),
        ("fast-floe", 1),
        ("tink", 1),
        ("minio-sio", 0),
        ("aeadlab, 2 reused", 5),
        ("aeadlab, 1", 5),
    ):
        assert text.count(name) == count
    assert isinstance(figure, VenueFigure)
    listed = figure.caption.partition("In the table only: ")[2].partition(".")[0].split(", ")
    assert sorted(listed) == ["aeadlab/tink-aes256-gcm-hkdf-4kb", "minio-sio/dare", "tink/tink-aes256-gcm-hkdf-4kb"]
    assert "64 MiB relative to aeadlab with 2 threads, same memory: pyca/cobblestone-128" in figure.caption


def test_a_failed_program_is_named_in_the_caption(of_cases: OfCases, noted: Callable[[Figure], str]) -> None:
    cases = declared(threads=[1, 2])
    failed = tuple(case for case in cases if case.implementation == "pyrage/age")
    figure, _ = file_speeds(of_files(of_cases({case: 0.01 for case in cases if case not in failed}, failed=failed)))
    assert "Failed: pyrage/age." in noted(figure)


def test_samples_without_files_are_no_figure(of_cases: OfCases) -> None:
    samples = of_cases({Case("openssl/aes-256-gcm", "seal", 1000): 1.0})
    with pytest.raises(EmptyFigureError, match="measure the study formats"):
        file_speeds(samples)
