"""The study of compositions: its cases, and that each composition that it names is possible."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest

from aeadlab.bench.case import Case
from aeadlab.bench.drivers import driver
from aeadlab.bench.profile import PROFILES
from aeadlab.catalogue import Catalogue, composition_name, composition_parts, load
from aeadlab.errors import ArgumentError, UnknownNameError
from aeadlab.studies import Selection
from aeadlab.studies.candidates import BASELINES
from aeadlab.studies.eth.compositions import study as compositions
from aeadlab.studies.eth.compositions.study import AEADS, CIPHERS, MACS, NAMED, STUDY

Cases = Callable[..., list[Case]]
GMAC = "openssl+openssl/aes-256-ctr+aes-256-gmac"
PARALLEL = "openssl+blake3-rayon/aes-256-ctr+blake3-keyed"


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load()


@pytest.fixture
def cases(catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch) -> Cases:
    monkeypatch.setattr(compositions, "process_cores", lambda: 3)

    def make(profile: str = "quick", **chosen: object) -> list[Case]:
        return STUDY.cases(catalogue, PROFILES[profile], Selection.of(**chosen))

    return make


def of(cases: list[Case], name: str) -> list[tuple[str, str, int, int, str]]:
    return [(c.op, c.engine, c.threads, c.block_size, c.schedule) for c in cases if c.implementation == name]


def test_every_cipher_is_composed_with_every_mac(cases: Cases) -> None:
    declared = cases()
    composed = {case.implementation for case in declared if composition_parts(case.implementation)}
    assert composed == {composition_name(*pair) for pair in product(CIPHERS, MACS)} and len(composed) == 36
    short = [case for case in declared if case.bytes == 128 << 20]
    assert of(short, GMAC) == [("seal", "whole", 1, 0, ""), ("seal", "parsplit", 3, 64 << 10, "dynamic")]
    assert {case.bytes for case in declared} == {128 << 20, 1 << 30}
    assert {case.implementation for case in short} == {case.implementation for case in declared}


def test_what_the_paper_names_is_measured_with_its_message(cases: Cases) -> None:
    large = [case for case in cases() if case.bytes == 1 << 30]
    composed = {composition_name(*pair) for pair in product(*NAMED)}
    assert {case.implementation for case in large} == {*composed, *NAMED[0], *NAMED[1], AEADS[0], *BASELINES}
    assert {case.engine for case in large} == {"whole"}
    assert {case.bytes for case in cases("paper")} == {1 << 30}, "all have the large message"
    assert {case.bytes for case in cases("smoke")} == {1 << 20}


def test_parts_baselines_and_aeads_are_included(cases: Cases) -> None:
    declared = [case for case in cases() if case.bytes == 128 << 20]
    assert {(op, engine) for name in CIPHERS for op, engine, *_ in of(declared, name)} == {("encrypt", "whole")}
    assert {(op, engine) for name in MACS for op, engine, *_ in of(declared, name)} == {("digest", "whole")}
    for name in (*AEADS, *BASELINES):
        assert [engine for _, engine, *_ in of(declared, name)] == ["whole", "parsplit"]


def test_parallel_macs_use_all_cores_only_when_alone(cases: Cases) -> None:
    declared = [case for case in cases() if case.bytes == 128 << 20]
    assert of(declared, PARALLEL) == [("seal", "whole", 3, 0, ""), ("seal", "parsplit", 3, 64 << 10, "dynamic")]
    assert of(declared, "blake3-rayon/blake3-keyed") == [("digest", "whole", 3, 0, "")]


def test_all_named_compositions_have_a_driver(cases: Cases, catalogue: Catalogue) -> None:
    """An absent part is accepted; a part that `compose` rejects is an error."""
    here = {implementation.name for implementation in catalogue}
    for cipher, mac in product(CIPHERS, MACS):
        if {cipher, mac} <= here:
            assert catalogue.find(composition_name(cipher, mac)).description.kind == "aead"
    for case in cases("smoke"):
        if {*(composition_parts(case.implementation) or [case.implementation])} <= here:
            driver(case, catalogue, 1)


def test_smoke_has_the_compositions_of_the_paper(cases: Cases) -> None:
    composed = [parts for case in cases("smoke") if (parts := composition_parts(case.implementation))]
    assert {cipher.partition("/")[0] for cipher, _ in composed} == {"openssl", "cryptopp"}
    assert {mac for _, mac in composed} == {*MACS[:3]}
    assert PARALLEL in {case.implementation for case in cases("smoke")}


def test_selected_compositions_include_their_parts(cases: Cases) -> None:
    name = "rustcrypto+blake3/chacha20+blake3-keyed"
    declared = cases(implementations=[name], threads=[1, 2], block_sizes=[4096])
    assert {c.implementation for c in declared} == {name, "rustcrypto/chacha20", "blake3/blake3-keyed", *BASELINES}
    assert [row[2:4] for row in of(declared, name)] == [(1, 0), (1, 4096), (2, 4096)]


def test_unsafe_compositions_are_rejected(cases: Cases) -> None:
    with pytest.raises(ArgumentError, match="rustcrypto/ghash is a bare universal hash"):
        cases(implementations=["openssl+rustcrypto/aes-256-ctr+ghash"])
    with pytest.raises(ArgumentError, match="takes a nonce of 16 bytes, expected 0 or 12"):
        cases(implementations=["openssl+libaegis/aes-256-ctr+aegis-128x2-mac"])


class Nothing(Catalogue):
    """A computer on which no library is present."""

    def find(self, name: str):  # type: ignore[no-untyped-def]
        raise UnknownNameError(name)


def test_absent_parts_have_cases() -> None:
    declared = STUDY.cases(Nothing(), PROFILES["quick"], Selection())
    ops = {case.implementation: case.op for case in declared}
    assert {ops[name] for name in CIPHERS} == {"encrypt"}
    assert {ops[name] for name in MACS} == {"digest"}
    assert ops[GMAC] == ops[AEADS[0]] == "seal"


@pytest.mark.parametrize("size", [0, 1, 100, 1 << 30])
def test_a_given_size_is_used(catalogue: Catalogue, size: int) -> None:
    profile = PROFILES["quick"].with_changes(bytes=size)
    assert {case.bytes for case in STUDY.cases(catalogue, profile, Selection())} == {size}
