from __future__ import annotations

from collections.abc import Callable

import pytest

from aeadlab.bench.case import Case
from aeadlab.bench.drivers import driver
from aeadlab.bench.profile import PROFILES
from aeadlab.catalogue import Catalogue, load
from aeadlab.studies import Selection
from aeadlab.studies.candidates import PAPER_AEADS
from aeadlab.studies.eth.baselines.study import AEADS, BASELINES, BLOCK_SIZES, HASHES, STUDY

SMOKE = PROFILES["smoke"]
Cases = Callable[..., list[Case]]


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load()


@pytest.fixture(scope="module")
def cases(catalogue: Catalogue) -> Cases:
    return lambda *names: STUDY.cases(catalogue, SMOKE, Selection.of(names))


def of(cases: list[Case], name: str, **fields: object) -> list[Case]:
    rows = [case for case in cases if case.implementation == name]
    return [case for case in rows if all(getattr(case, field) == value for field, value in fields.items())]


def test_all_cases_have_one_large_message_and_one_thread(cases: Cases) -> None:
    declared = cases()
    assert {case.implementation for case in declared} == {*AEADS, *HASHES, *BASELINES}
    assert {(case.bytes, case.threads) for case in declared} == {(SMOKE.bytes, 1)}


@pytest.mark.parametrize("name", [name for name in AEADS if not name.startswith(("pyca", "pycryptodome"))])
def test_linked_aeads_have_both_ops_whole_and_split(cases: Cases, name: str) -> None:
    for op in ("seal", "open"):
        assert [case.model for case in of(cases(), name, op=op, engine="whole", aad_bytes=0)] == ["keyed"]
        split = of(cases(), name, op=op, engine="parsplit", model="keyed")
        assert [case.block_size for case in split] == list(BLOCK_SIZES)
        published = of(cases(), name, op=op, engine="parsplit", model="rekeyed")
        expected = [("rayon", 16 << 10)] if name in PAPER_AEADS else []
        assert [(case.schedule, case.block_size) for case in published] == expected


def test_python_libraries_and_hashes_are_not_split(cases: Cases) -> None:
    for name in ("pyca/aes-256-gcm", "pycryptodome/aes-256-gcm", "blake3-py/blake3", "numba/xor"):
        assert {case.engine for case in of(cases(), name)} == {"python"}
    for name in HASHES:
        assert [case.op for case in of(cases(), name)] == ["digest"]
    # pycryptodome has no object that outlives a message.
    assert {case.model for case in of(cases(), "pycryptodome/aes-256-gcm")} == {"oneshot"}
    assert {case.model for case in of(cases(), "pyca/aes-256-gcm")} == {"keyed"}


def test_memcpy_is_measured_in_the_same_run(cases: Cases) -> None:
    assert of(cases(), "baseline/memcpy", engine="whole", op="encrypt")


def test_every_available_case_has_a_driver(cases: Cases, catalogue: Catalogue) -> None:
    here = {implementation.name for implementation in catalogue}
    for case in cases():
        if case.implementation in here:
            driver(case, catalogue, 1)


def test_absent_implementations_have_cases(cases: Cases) -> None:
    assert {case.op for case in of(cases("gone/aes-256-gcm"), "gone/aes-256-gcm")} == {"seal", "open"}
    empty = STUDY.cases(Nothing(), SMOKE, Selection())
    assert {case.implementation for case in empty} == {*AEADS, *HASHES, *BASELINES}
    assert {case.op for case in empty if case.implementation in HASHES} == {"digest"}
    assert {case.op for case in empty if case.implementation in BASELINES} == {"encrypt"}


class Nothing(Catalogue):
    """A computer on which no library is present."""

    def __iter__(self):  # type: ignore[no-untyped-def]
        return iter(())


def test_a_selection_includes_the_baselines(cases: Cases) -> None:
    assert {case.implementation for case in cases("blake3/blake3", "numba/xor")} == {"blake3/blake3", *BASELINES}
