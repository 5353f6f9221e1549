from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from aeadlab.bench.isolated import IsolatedDriver
from aeadlab.bench.masks import effect
from aeadlab.bench.masks.effect import Effect, effects, find_effects
from aeadlab.bench.masks.masks import MASKS, lacking
from aeadlab.catalogue import Catalogue, load

Compiled = Callable[..., Path]

needs_aes = pytest.mark.skipif(bool(lacking(MASKS["no-aes"])), reason="this CPU has no AES instructions to hide")


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load()


def found(catalogue: Catalogue, mask: str, *names: str, timed: bool = False) -> list[Effect]:
    return list(effects([catalogue.find(n) for n in names], MASKS[mask], catalogue, timed=timed).values())


@needs_aes
def test_a_changed_kernel_is_an_effect_without_timing(catalogue: Catalogue) -> None:
    (one,) = found(catalogue, "no-aes", "openssl/aes-256-gcm")
    assert one.why_none == "" and one.ratios == ()
    assert one.kernel == catalogue.find("openssl/aes-256-gcm").description.kernel != one.masked_kernel
    assert one.summary.startswith(f"{one.kernel} -> ")
    (one,) = found(catalogue, "no-aes", "openssl/aes-256-gcm", timed=True)
    assert len(one.ratios) == 3 and min(one.ratios) > 2


@needs_aes
def test_without_kernel_names_the_speed_decides(catalogue: Catalogue) -> None:
    (one,) = found(catalogue, "no-aes", "pyca/aes-256-gcm")
    assert one.why_none == "" and len(one.ratios) == 3 and min(one.ratios) > 2


@needs_aes
def test_a_shorter_feature_list_is_no_effect(catalogue: Catalogue) -> None:
    """libgcrypt reports the hidden AES for every algorithm."""
    if not any(i.name == "libgcrypt/sha-256" for i in catalogue):
        pytest.skip("libgcrypt is absent")
    one, other = found(catalogue, "no-aes", "libgcrypt/sha-256", "libgcrypt/aes-256-gcm")
    assert one.kernel != one.masked_kernel
    assert one.why_none.startswith("no-aes has no effect here: time ratios ")
    assert other.why_none == "" and min(other.ratios) > 2


def test_a_mask_without_effect_has_a_reason(catalogue: Catalogue) -> None:
    one, other = found(catalogue, "no-sha", "openssl/aes-256-gcm", "pyca/chacha20-poly1305")
    if lacking(MASKS["no-sha"]):
        assert one.why_none == "no-sha has no effect here: this CPU has no SHA"
        return
    assert one.why_none.startswith(f"no-sha has no effect here: the kernel remains {one.kernel}, time ratios")
    assert other.why_none.startswith("no-sha has no effect here: time ratios")
    assert one.why_none.endswith("in 3 pairs of processes")


def test_a_cpu_without_the_features_has_no_effect(catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(effect, "lacking", lambda mask: "this CPU has no VAES")
    monkeypatch.setattr(effect, "IsolatedDriver", lambda *_: pytest.fail("a process was started"))
    (one,) = found(catalogue, "no-vaes", "openssl/aes-256-gcm")
    assert one.why_none == one.summary == "no-vaes has no effect here: this CPU has no VAES"


def test_the_control_has_an_effect_by_definition(catalogue: Catalogue) -> None:
    (one,) = found(catalogue, "nothing", "openssl/aes-256-gcm")
    assert one.why_none == ""


@pytest.mark.parametrize(
    ("ratios", "works"),
    [
        ((1.2, 1.1, 1.06), True),
        ((0.8, 0.9, 0.94), True),
        ((1.2, 1.1, 1.04), False),
        ((1.2, 0.8, 1.2), False),
        ((0.8, 0.8, 0.97), False),
        ((1.0, 1.0, 1.0), False),
    ],
)
def test_all_pairs_of_processes_must_agree(
    catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch, ratios: tuple[float, ...], works: bool
) -> None:
    given: Iterator[float] = iter(ratios)
    monkeypatch.setattr(effect, "_start", lambda cases, _: [SimpleNamespace(case=case, kernel="") for case in cases])
    monkeypatch.setattr(effect, "_ratio", lambda plain, masked: next(given))
    monkeypatch.setattr(effect, "lacking", lambda mask: "")
    (one,) = found(catalogue, "no-sha", "pyca/aes-256-gcm")
    assert (one.why_none == "") == works
    assert one.ratios == ratios


def test_a_crash_under_a_mask_is_not_a_missing_effect(compiled: Compiled, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(effect, "lacking", lambda mask: "")
    plugin = compiled(
        "toy",
        LIBRARY='"botan"',
        FEATURE_SWITCH='"BOTAN_CLEAR_CPUID"',
        ON_MESSAGE='if (getenv("BOTAN_CLEAR_CPUID") != NULL) raise(SIGSEGV)',
    )
    catalogue = load([plugin])
    one, other = found(catalogue, "no-aes", "botan/xor-tag", "openssl/sha-512")
    assert one.why_none == "the process under mask no-aes ended with SIGSEGV"
    assert "no-aes has no effect here" in other.why_none


def test_each_implementation_runs_once_under_each_mask(catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch) -> None:
    from aeadlab.bench.case import Case

    calls = []

    def effects(chosen: list[object], mask: object, *_: object) -> dict[str, Effect]:
        names = [i.name for i in chosen]  # type: ignore[attr-defined]
        calls.append((names, mask))
        return {name: Effect(name, mask.name) for name in names}  # type: ignore[attr-defined]

    monkeypatch.setattr(effect, "effects", effects)
    gcm, sha = "openssl/aes-256-gcm", "openssl/sha-256"
    cases = [
        *(Case(gcm, op, 64, mask="zen2") for op in ("seal", "open")),  # type: ignore[arg-type]
        *(Case(sha, "digest", 64, mask=mask) for mask in ("zen2", "no-sha")),
    ]
    assert set(find_effects(cases, catalogue)) == {(gcm, "zen2"), (sha, "zen2"), (sha, "no-sha")}
    assert calls == [([gcm, sha], MASKS["zen2"]), ([sha], MASKS["no-sha"])]


def test_all_processes_are_ended(catalogue: Catalogue) -> None:
    made: list[IsolatedDriver] = []

    def _start(*arguments: object, right: Callable[..., list[IsolatedDriver]] = effect._start) -> list[IsolatedDriver]:
        made.extend(drivers := right(*arguments))
        return drivers

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(effect, "_start", _start)
        found(catalogue, "no-sha", "pyca/aes-256-gcm")
    assert made and all(one.group is not None and one.group._process is None for one in made)
