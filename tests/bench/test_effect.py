from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from aeadlab.bench import effect
from aeadlab.bench.children import ChildDriver
from aeadlab.bench.effect import Effect, effects, find_effects
from aeadlab.bench.masks import MASKS, lacking
from aeadlab.catalogue import Catalogue, load

Compiled = Callable[..., Path]

needs_aes = pytest.mark.skipif(bool(lacking(MASKS["no-aes"])), reason="this CPU has no AES instructions to hide")


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load()


def found(catalogue: Catalogue, mask: str, *names: str, timed: bool = False) -> list[Effect]:
    return list(effects([catalogue.find(n) for n in names], MASKS[mask], catalogue, timed=timed).values())


@needs_aes
def test_a_library_that_names_another_kernel_need_not_be_timed(catalogue: Catalogue) -> None:
    (one,) = found(catalogue, "no-aes", "openssl/aes-256-gcm")
    assert one.why_none == "" and one.ratios == ()
    assert one.kernel == catalogue.find("openssl/aes-256-gcm").description.kernel != one.masked_kernel
    assert one.words.startswith(f"{one.kernel} -> ")
    (one,) = found(catalogue, "no-aes", "openssl/aes-256-gcm", timed=True)
    assert len(one.ratios) == 3 and min(one.ratios) > 2


@needs_aes
def test_where_nothing_tells_the_speed_does(catalogue: Catalogue) -> None:
    (one,) = found(catalogue, "no-aes", "pyca/aes-256-gcm")
    assert one.why_none == "" and len(one.ratios) == 3 and min(one.ratios) > 2


@needs_aes
def test_a_list_of_features_that_is_shorter_is_no_evidence(catalogue: Catalogue) -> None:
    """libgcrypt says that AES is hidden, whatever the algorithm."""
    if not any(i.name == "libgcrypt/sha-256" for i in catalogue):
        pytest.skip("libgcrypt is absent")
    one, other = found(catalogue, "no-aes", "libgcrypt/sha-256", "libgcrypt/aes-256-gcm")
    assert one.kernel != one.masked_kernel
    assert one.why_none.startswith("no-aes changes nothing here: time is x ")
    assert other.why_none == "" and min(other.ratios) > 2


def test_a_mask_that_changes_nothing_says_so(catalogue: Catalogue) -> None:
    one, other = found(catalogue, "no-sha", "openssl/aes-256-gcm", "pyca/chacha20-poly1305")
    if lacking(MASKS["no-sha"]):
        assert one.why_none == "no-sha changes nothing here: this CPU has no SHA"
        return
    assert one.why_none.startswith(
        f"no-sha changes nothing here: the kernel is {one.kernel} with it too, and time is x"
    )
    assert other.why_none.startswith("no-sha changes nothing here: time is x")
    assert one.why_none.endswith("in 3 pairs of processes")


def test_a_cpu_without_the_features_is_the_reason(catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(effect, "lacking", lambda mask: "this CPU has no VAES")
    monkeypatch.setattr(effect, "ChildDriver", lambda *_: pytest.fail("no process is wanted"))
    (one,) = found(catalogue, "no-vaes", "openssl/aes-256-gcm")
    assert one.why_none == one.words == "no-vaes changes nothing here: this CPU has no VAES"


def test_the_control_needs_no_effect(catalogue: Catalogue) -> None:
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
def test_every_pair_of_processes_has_to_say_the_same(
    catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch, ratios: tuple[float, ...], works: bool
) -> None:
    given: Iterator[float] = iter(ratios)
    monkeypatch.setattr(effect, "_ratio", lambda plain, masked: next(given))
    monkeypatch.setattr(effect, "lacking", lambda mask: "")
    (one,) = found(catalogue, "no-sha", "pyca/aes-256-gcm")
    assert (one.why_none == "") == works
    assert one.ratios == ratios


def test_a_library_that_crashes_under_a_mask_is_told_apart_from_one_without_effect(
    compiled: Compiled, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(effect, "lacking", lambda mask: "")
    plugin = compiled("toy", LIBRARY='"botan"', ON_MESSAGE='if (getenv("BOTAN_CLEAR_CPUID") != NULL) raise(SIGSEGV)')
    catalogue = load([plugin])
    one, other = found(catalogue, "no-aes", "botan/xor-tag", "openssl/sha-512")
    assert one.why_none == "the process under mask no-aes ended with SIGSEGV"
    assert "no-aes changes nothing here" in other.why_none


def test_implementations_are_asked_once_each_under_each_mask(
    catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    from aeadlab.bench.case import Case

    asked = []

    def effects(chosen: list[object], mask: object, *_: object) -> dict[str, Effect]:
        names = [i.name for i in chosen]  # type: ignore[attr-defined]
        asked.append((names, mask))
        return {name: Effect(name, mask.name) for name in names}  # type: ignore[attr-defined]

    monkeypatch.setattr(effect, "effects", effects)
    gcm, sha = "openssl/aes-256-gcm", "openssl/sha-256"
    cases = [
        *(Case(gcm, op, 64, mask="zen2") for op in ("seal", "open")),  # type: ignore[arg-type]
        *(Case(sha, "digest", 64, mask=mask) for mask in ("zen2", "no-sha")),
    ]
    assert set(find_effects(cases, catalogue)) == {(gcm, "zen2"), (sha, "zen2"), (sha, "no-sha")}
    assert asked == [([gcm, sha], MASKS["zen2"]), ([sha], MASKS["no-sha"])]


def test_no_process_is_left(catalogue: Catalogue) -> None:
    made: list[ChildDriver] = []

    def _ready(*arguments: object, right: Callable[..., list[ChildDriver]] = effect._ready) -> list[ChildDriver]:
        made.extend(drivers := right(*arguments))
        return drivers

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(effect, "_ready", _ready)
        found(catalogue, "no-sha", "pyca/aes-256-gcm")
    assert made and all(one.child is not None and one.child._process is None for one in made)
