"""Evidence of a record: its default cases, ratios of the fastest, and noise floors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import exp, isnan, log
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from aeadlab.bench.masks.masks import CONTROL
from aeadlab.records.reading import load_record
from aeadlab.verdicts.evidence import Evidence, Inconclusive

NAMES = ("openssl/aes-256-gcm", "ring/aes-256-gcm")


def case(seconds: Any, name: str = NAMES[0], **columns: Any) -> pd.DataFrame:
    """Samples of one case, one in each round."""
    times = np.asarray(seconds, dtype=float)
    library, _, algorithm = name.partition("/")
    values: dict[str, Any] = {
        "implementation": name, "library": library, "algorithm": algorithm, "kind": "aead", "engine": "whole",
        "model": "keyed", "op": "seal", "bytes": 1 << 30, "block_size": 0, "threads": 1, "schedule": "",
        "placement": "separate", "cache": "warm", "mask": "", "replica": 0, "round": np.arange(times.size),
        "process": 0, "warmup": False, "status": "ok", **columns, "seconds": times,
    }  # fmt: skip
    return pd.DataFrame(values)


def evidence(*frames: pd.DataFrame, **fields: Any) -> Evidence:
    return Evidence(pd.concat(frames, ignore_index=True), "study", **fields)


STEADY = np.linspace(1.0, 1.02, 12)


@pytest.mark.parametrize(
    "other",
    [
        {"bytes": 1 << 20},
        {"placement": "in-place"},
        {"cache": "cold"},
        {"mask": "zen2"},
        {"replica": 1},
        {"model": "oneshot"},
        {"warmup": True, "threads": 9},
        {"status": "failed: no", "threads": 9},
    ],
    ids=str,
)
def test_cases_are_the_default_ones(other: dict[str, Any]) -> None:
    run = evidence(case(STEADY), case(STEADY / 5, **other))
    assert len(run.cases) == 1
    assert run.cases[["bytes", "model"]].iloc[0].tolist() == [1 << 30, "keyed"]
    assert run.spread(run.find(NAMES[0])[0])(0.95).value == pytest.approx(0.0054, abs=1e-3)


@pytest.mark.parametrize("name", ["with_all_lengths", "with_masked"])
def test_lengths_and_masks_extend_the_cases(name: str) -> None:
    other: dict[str, Any] = {"bytes": 1 << 20} if name == "with_all_lengths" else {"mask": "no-aes"}
    others = ({"placement": "in-place"}, {"cache": "cold"}, {"replica": 1}, {"model": "oneshot"}, {"status": "failed"})
    run = evidence(case(STEADY), case(STEADY / 5, **other), *(case(STEADY, **{**other, **more}) for more in others))
    more: Evidence = getattr(run, name)
    assert len(run.cases) == 1
    assert len(more.cases) == 2
    assert more is getattr(run, name)
    (key, value), (plain,) = *other.items(), run.find(NAMES[0])
    ratio = more.ratio(more.find(NAMES[0], **{key: run.cases.loc[plain, key]}), more.find(NAMES[0], **other))
    assert ratio(0.95).value == pytest.approx(5)
    assert more.cases[key].isin([value]).sum() == 1
    both = evidence(
        case(STEADY), case(STEADY, bytes=9), case(STEADY, mask="no-aes"), case(STEADY, bytes=9, mask="zen2")
    )
    assert len(both.with_all_lengths.with_masked.cases) == len(both.with_masked.with_all_lengths.cases) == 4


def test_oneshot_is_used_where_keyed_is_missing() -> None:
    run = evidence(case(STEADY), case(STEADY, NAMES[1], model="oneshot"))
    assert len(run.find(NAMES[1])) == 1


def test_select_accepts_any_column_and_several_values() -> None:
    run = evidence(*(case(STEADY, threads=t, engine=e) for t in (1, 2, 3) for e in ("whole", "parsplit")))
    assert len(run.select(threads=[1, 3])) == 4
    assert len(run.select(NAMES, threads=2, engine="whole")) == 1
    assert run.select(["no/such"]) == []
    with pytest.raises(Inconclusive, match=r"no/such has no matching case \(whole seal\)"):
        run.find("no/such", engine="whole", op="seal")


def test_missing_reason_matches_the_case() -> None:
    run = evidence(case(STEADY), case(STEADY, bytes=9, mask="no-aes", status="failed: no"))
    operation = {"engine": "whole", "op": "seal"}
    assert run.missing_reason(NAMES[0], **operation, bytes=9, mask="no-aes") == f"{NAMES[0]} failed: no"
    others = {"bytes": 9, "mask": "zen2"}, {"bytes": 100, "mask": "no-aes"}
    assert [run.missing_reason(NAMES[0], **operation, **other) for other in others] == [
        f"{NAMES[0]} has no matching case (whole seal zen2 9 B)",
        f"{NAMES[0]} has no matching case (whole seal no-aes 100 B)",
    ]


def test_competitors_protect_data_with_one_thread() -> None:
    flags = {"baseline/memcpy": ["baseline"], "hash/xxh3": ["not-cryptographic"], "many/blake3": {"parallel"}}
    run = evidence(*(case(STEADY, name) for name in (*flags, NAMES[0])), case(STEADY, threads=2), flags=flags)
    assert [run.cases.loc[c, "implementation"] for c in run.competitors(kind="aead")] == [NAMES[0]]


def noisy(random: np.random.Generator, rounds: int, seconds: float = 1.0) -> Any:
    return seconds * np.exp(random.normal(0, 0.05, rounds))


def test_slowdown_of_a_whole_round_cancels() -> None:
    random = np.random.default_rng(1)
    round_factors = np.exp(random.normal(0, 1, 20))
    run = evidence(case(STEADY.mean() * round_factors), case(2 * STEADY.mean() * round_factors, NAMES[1]))
    estimate = run.ratio(run.find(NAMES[1]), run.find(NAMES[0]))(0.95)
    assert (estimate.value, estimate.low, estimate.high) == tuple(pytest.approx(2) for _ in range(3))


def test_interval_of_one_pair_requires_six_rounds() -> None:
    random = np.random.default_rng(2)
    for rounds, known in ((5, False), (6, True)):
        run = evidence(case(noisy(random, rounds)), case(noisy(random, rounds, 2), NAMES[1]))
        estimate = run.ratio(run.find(NAMES[1]), run.find(NAMES[0]))(0.95)
        assert (estimate.low > 0, np.isfinite(estimate.high)) == (known, known)


def test_ratio_requires_a_common_round() -> None:
    run = evidence(case(STEADY), case(STEADY, NAMES[1], round=np.arange(12) + 50))
    with pytest.raises(Inconclusive, match="no common round"):
        run.ratio([0], [1])(0.95)


@pytest.mark.parametrize(("over", "under"), [(1, 1), (3, 3), (1, 11), (11, 1)])
def test_interval_corrects_for_choosing_the_fastest(over: int, under: int) -> None:
    # All are equally fast, so noise decides which is the fastest, and the interval must correct for this selection.
    random, repeats, rounds = np.random.default_rng(3), 400, 20
    block_sizes = np.repeat(np.arange(repeats), rounds)
    columns = {"block_size": block_sizes, "round": np.tile(np.arange(rounds), repeats)}
    names = [f"library{i}/aes-256-gcm" for i in range(over + under)]
    run = evidence(*(case(noisy(random, rounds * repeats), name, **columns) for name in names))
    cases = [run.find(name) for name in names]
    missed = 0
    for repeat in range(repeats):
        alike = [of_name[repeat] for of_name in cases]
        estimate = run.ratio(alike[:over], alike[over:])(0.95)
        missed += not estimate.low <= 1 <= estimate.high
    assert missed / repeats <= 0.08


def pair(name: str, factor: float, **columns: Any) -> list[pd.DataFrame]:
    return [case(STEADY * f, name, replica=replica, **columns) for replica, f in enumerate((1.0, factor))]


def test_noise_floor_is_that_of_the_case_group() -> None:
    run = evidence(
        *pair(NAMES[0], 1.01),
        *pair(NAMES[0], 1.03, engine="parsplit", block_size=1, schedule="dynamic"),
        *pair(NAMES[0], 1.2, engine="parsplit", block_size=1, schedule="dynamic", threads=4),
        *pair(NAMES[1], 1.5, engine="python"),
    )
    widths = {"whole": 1.03, "parsplit": 1.2, "python": 1.5}
    for engine, factor in widths.items():
        assert exp(run.noise_floor(run.select(engine=engine))) == pytest.approx(factor)
    # The noise floor of several groups is the widest of theirs.
    assert exp(run.noise_floor(run.select())) == pytest.approx(1.5)
    alone = evidence(*pair(NAMES[0], 1.01), case(STEADY, threads=2))
    assert isnan(alone.noise_floor(alone.select()))
    assert alone.noise_floor(alone.select(threads=1)) == pytest.approx(log(1.01))
    assert isnan(evidence(case(STEADY)).noise_floor([0]))


def test_noise_floor_of_masked_cases_includes_the_control() -> None:
    frames = [*pair(NAMES[0], 1.01), case(STEADY, NAMES[1]), case(STEADY, NAMES[1], mask="no-aes")]
    control = case(STEADY * 1.07, NAMES[1], mask=CONTROL)
    run = evidence(*frames, control).with_masked
    masked, plain = run.find(NAMES[1], mask="no-aes"), run.find(NAMES[1], mask="")
    assert run.noise_floor(plain) == pytest.approx(log(1.01))
    assert run.noise_floor([*plain, *masked]) == run.noise_floor(masked) == pytest.approx(log(1.07))
    assert run.ratio(masked, plain)(0.95).noise == pytest.approx(log(1.07))
    # An A/A pair in one process is required as well.
    assert isnan(evidence(*frames[2:], control).with_masked.noise_floor(masked))
    assert isnan(evidence(*frames).with_masked.noise_floor(masked))


@pytest.mark.parametrize(
    ("fields", "reason"),
    [({"profile": "smoke"}, "profile smoke"), ({"size": 1 << 20}, "1048576 bytes"), ({"profile": "paper"}, "")],
    ids=str,
)
def test_smoke_and_short_messages_are_unsuitable(fields: dict[str, Any], reason: str) -> None:
    unsuitable = replace(evidence(case(STEADY)), **fields).unsuitable
    assert reason in unsuitable
    assert bool(unsuitable) == bool(reason)


def test_evidence_excludes_unverified_implementations(write_record: Callable[..., Path]) -> None:
    verified = {"openssl/aes-256-gcm": {"ok": True}, "ring/aes-256-gcm": {"ok": False}}
    record = load_record(write_record(verified=verified, refused={"x/y": "wrong answer"}))
    run = Evidence.from_record(record)
    assert (run.study, run.profile, run.size, run.cores) == ("study", "tiny", 1 << 20, 2)
    assert set(run.samples["implementation"]) == {"openssl/aes-256-gcm"}
    assert run.flags["baseline/memcpy"] == ["baseline"]
    assert run.missing_reason("x/y") == "x/y was not timed: wrong answer"
