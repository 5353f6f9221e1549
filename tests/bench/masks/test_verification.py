"""Masked cases from the option ``--mask`` to a record."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from aeadlab.bench import lock
from aeadlab.bench.case import Case
from aeadlab.bench.masks import effect, verification as masking
from aeadlab.bench.masks.masks import MASKS, lacking
from aeadlab.bench.masks.switches import SWITCHES
from aeadlab.bench.masks.verification import check_memory, survey
from aeadlab.bench.profile import Profile
from aeadlab.catalogue import load
from aeadlab.errors import ArgumentError, BusyError, UnknownNameError
from aeadlab.lab.measurement import measure, run, verify
from aeadlab.studies import Study

Compiled = Callable[..., Path]

pytestmark = pytest.mark.usefixtures("own_results")

TINY = Profile("tiny", 4096, 6, 0.0, 1e-4, None)
OPENSSL = Case("openssl/aes-256-gcm", "seal", 65536)
RUSTCRYPTO = Case("rustcrypto/aes-256-gcm", "seal", 65536)

needs_aes = pytest.mark.skipif(bool(lacking(MASKS["no-aes"])), reason="this CPU has no AES instructions to hide")


def study(*cases: Case) -> Study:
    return Study("tiny", "Does it work?", lambda *_: list(cases))


@needs_aes
def test_masked_and_unmasked_cases_are_interleaved() -> None:
    record = measure(study(OPENSSL, RUSTCRYPTO), TINY, masks=["no-aes"])
    assert {switch.variable for switch in SWITCHES.values()}.isdisjoint(os.environ)
    frame = record.samples[~record.samples["warmup"]]
    assert (frame["status"] == "ok").all()
    assert frame.groupby(["implementation", "mask", "replica"])["round"].agg(sorted).map(tuple).to_dict() == {
        ("openssl/aes-256-gcm", "", 0): tuple(range(6)),
        ("openssl/aes-256-gcm", "", 1): tuple(range(6)),
        ("openssl/aes-256-gcm", "no-aes", 0): tuple(range(6)),
        ("openssl/aes-256-gcm", "nothing", 0): tuple(range(6)),
        ("rustcrypto/aes-256-gcm", "", 0): tuple(range(6)),
        ("rustcrypto/aes-256-gcm", "", 1): tuple(range(6)),
    }
    orders = frame.sort_values("order").groupby("round")["mask"].agg(tuple)
    assert len(set(orders)) > 1, "the order is random"
    seconds = frame.groupby("mask")["seconds"].median()
    assert seconds["no-aes"] > 3 * seconds["nothing"]

    masks = record.provenance["masks"]
    assert set(masks) == {"no-aes", "nothing"}
    assert masks["no-aes"]["hides"] == ["VAES", "AES"]
    one = masks["no-aes"]["implementations"]["openssl/aes-256-gcm"]
    assert one["environment"]["OPENSSL_ia32cap"].startswith("~0x200000000000000:")
    assert one["effect"]["kernel"] != one["effect"]["masked_kernel"]
    assert one["verified"]["ok"] and one["verified"]["checks"]
    assert record.provenance["unmasked"] == [
        "rustcrypto has no feature switch: it detects CPU features itself and reads no setting"
    ]


def test_a_run_without_masks_examines_no_effect(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENSSL_ia32cap", "~0x0:~0x0:~0x0:~0x0:~0x0")
    monkeypatch.setattr(masking, "find_effects", lambda *_: pytest.fail("effects are examined without a mask"))
    record = measure(study(OPENSSL), TINY)
    assert record.provenance["masks"] == {} and record.provenance["unmasked"] == []


def test_a_mask_without_effect_fails_its_case(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(effect, "lacking", lambda mask: "this CPU has no VAES")
    record = measure(study(OPENSSL), TINY, masks=["no-vaes"])
    rows = record.samples[record.samples["mask"] == "no-vaes"]
    assert rows["status"].tolist() == ["failed: no-vaes has no effect here: this CPU has no VAES"]
    assert rows["order"].tolist() == [-1] and rows["wall_ns"].tolist() == [0]
    assert (record.samples.loc[record.samples["mask"] == "", "status"] == "ok").all()


@needs_aes
def test_cases_with_wrong_results_under_a_mask_are_not_timed(compiled: Compiled) -> None:
    """A library that crashes if AES instructions are hidden from it."""
    plugin = compiled(
        "toy",
        LIBRARY='"botan"',
        ALGORITHM='"chacha20-poly1305-toy"',
        FEATURE_SWITCH='"BOTAN_CLEAR_CPUID"',
        ON_MESSAGE='if (getenv("BOTAN_CLEAR_CPUID") != NULL) raise(SIGILL)',
    )
    other = compiled("toy", LIBRARY='"other"', ALGORITHM='"chacha20-poly1305-toy"')
    case = Case("botan/chacha20-poly1305-toy", "seal", 4096)
    record = measure(study(OPENSSL, case), TINY, masks=["no-aes"], plugins=[plugin, other])
    rows = record.samples[
        (record.samples["mask"] == "no-aes") & record.samples["implementation"].str.startswith("botan")
    ]
    assert rows["status"].tolist() == ["failed: under mask no-aes: it crashes while being verified (SIGILL)"]
    report = record.provenance["masks"]["no-aes"]["implementations"][case.implementation]["verified"]
    assert report["ok"] is False
    ok = record.samples[record.samples["status"] == "ok"]
    assert set(zip(ok["implementation"], ok["mask"], strict=True)) == {
        *[("openssl/aes-256-gcm", mask) for mask in ("", "no-aes", "nothing")],
        *[(case.implementation, mask) for mask in ("", "nothing")],
    }


@needs_aes
def test_an_interrupted_run_resumes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    right, paths = run.run, []

    def interrupted(plan: Any, path: Path, *rest: Any) -> Any:
        right(replace(plan), path, *rest)
        lines = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(b"".join(lines[:-8]))
        paths.append(path)
        raise KeyboardInterrupt

    def once_more() -> Any:
        return measure(study(OPENSSL, Case("openssl/sha-512", "digest", 4096)), TINY, masks=["no-aes"])

    monkeypatch.setattr(run, "run", interrupted)
    with pytest.raises(KeyboardInterrupt):
        once_more()
    monkeypatch.setattr(run, "run", right)
    record = once_more()
    assert not paths[0].exists()
    failed = record.samples[record.samples["order"] < 0]
    assert failed["implementation"].tolist() == ["openssl/sha-512"], "the failure is recorded once"
    timed = record.samples[~record.samples["warmup"]]
    assert not timed.duplicated([*Case.__dataclass_fields__, "round"]).any()
    assert (timed.groupby("mask")["round"].nunique() == 6).all()


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"masks": ["no-vase"]}, UnknownNameError, "did you mean no-vaes"),
        (
            {"masks": ["no-vaes"], "cases": (RUSTCRYPTO,)},
            ArgumentError,
            "no case of study tiny can be masked: rustcrypto has no feature switch: it detects CPU features itself",
        ),
        ({"masks": ["no-erms"]}, ArgumentError, "cannot be masked by no-erms: OPENSSL_ia32cap cannot hide ERMS"),
    ],
)
def test_rejects_impossible_masks(
    monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    monkeypatch.setattr(verify, "verified", lambda *_, **__: pytest.fail("verified before the masks are checked"))
    with pytest.raises(error, match=message):
        measure(study(*options.get("cases", (OPENSSL,))), TINY, masks=options["masks"])


def test_rejects_an_environment_that_hides_features(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENSSL_ia32cap", "~0x0")
    with pytest.raises(ArgumentError, match="OPENSSL_ia32cap is set to '~0x0' in the environment.*unset it"):
        measure(study(OPENSSL), TINY, masks=["no-vaes"])


def test_rejects_more_memory_than_available() -> None:
    catalogue, large = load(), replace(OPENSSL, bytes=1 << 30)
    masked = [replace(large, mask=name) for name in ("no-vaes", "no-aes")]
    check_memory([large, *masked], {"mem_available": 6 << 30}, catalogue)
    check_memory([large, *masked], {"mem_available": None}, catalogue)
    check_memory([large], {"mem_available": 1 << 20}, catalogue)
    for facts in ({"mem_available": 5 << 30}, {"mem_available": 64 << 30, "cgroup_memory_available": 5 << 30}):
        with pytest.raises(
            ArgumentError,
            match=r"3 processes, .*, take 6.0 GiB, 5.0 GiB are available",
        ):
            check_memory([large, *masked], facts, catalogue)


@needs_aes
def test_a_survey_returns_effects_and_reasons(tmp_path: Path) -> None:
    catalogue = load()
    chosen = [catalogue.find(name) for name in ("openssl/aes-256-gcm", "ring/aes-256-gcm", "baseline/memcpy")]
    found, without_switch = survey(chosen, catalogue, ["no-aes"])
    assert without_switch == {"ring": "ring has no feature switch: it detects CPU features itself and reads no setting"}
    (one,), (other,) = found["openssl/aes-256-gcm"], found["baseline/memcpy"]
    assert one.why_none == "" and min(one.ratios) > 2
    assert other.why_none == "baseline cannot be masked by no-aes: GLIBC_TUNABLES cannot hide VAES or AES"
    with lock.machine_lock(), pytest.raises(BusyError):
        survey(chosen, catalogue, ["no-aes"])
