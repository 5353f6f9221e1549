"""What a record is asked: plain cases, ratios of the fastest, noise of cases that are driven alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import exp, isnan, log
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from aeadlab.bench.masks import CONTROL
from aeadlab.judgement.evidence import Evidence, Undecided, logical_cores
from aeadlab.records import load_record

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
def test_only_plain_cases_are_asked(other: dict[str, Any]) -> None:
    asked = evidence(case(STEADY), case(STEADY / 5, **other))
    assert len(asked.cases) == 1
    assert asked.cases[["bytes", "model"]].iloc[0].tolist() == [1 << 30, "keyed"]
    assert asked.spread(asked.find(NAMES[0])[0])(0.95).value == pytest.approx(0.0054, abs=1e-3)


@pytest.mark.parametrize("name", ["every_length", "masked"])
def test_more_cases_can_be_asked_and_the_plain_ones_stay_as_they_were(name: str) -> None:
    other: dict[str, Any] = {"bytes": 1 << 20} if name == "every_length" else {"mask": "no-aes"}
    others = ({"placement": "in-place"}, {"cache": "cold"}, {"replica": 1}, {"model": "oneshot"}, {"status": "failed"})
    asked = evidence(case(STEADY), case(STEADY / 5, **other), *(case(STEADY, **{**other, **more}) for more in others))
    more: Evidence = getattr(asked, name)
    assert len(asked.cases) == 1
    assert len(more.cases) == 2
    assert more is getattr(asked, name)
    (key, value), (plain,) = *other.items(), asked.find(NAMES[0])
    ratio = more.ratio(more.find(NAMES[0], **{key: asked.cases.loc[plain, key]}), more.find(NAMES[0], **other))
    assert ratio(0.95).value == pytest.approx(5)
    assert more.cases[key].isin([value]).sum() == 1
    both = evidence(
        case(STEADY), case(STEADY, bytes=9), case(STEADY, mask="no-aes"), case(STEADY, bytes=9, mask="zen2")
    )
    assert len(both.every_length.masked.cases) == len(both.masked.every_length.cases) == 4


def test_a_case_without_a_keyed_model_is_taken_as_it_is() -> None:
    asked = evidence(case(STEADY), case(STEADY, NAMES[1], model="oneshot"))
    assert len(asked.find(NAMES[1])) == 1


def test_cases_are_selected_by_any_column_and_by_several_values() -> None:
    asked = evidence(*(case(STEADY, threads=t, engine=e) for t in (1, 2, 3) for e in ("whole", "parsplit")))
    assert len(asked.select(threads=[1, 3])) == 4
    assert len(asked.select(NAMES, threads=2, engine="whole")) == 1
    assert asked.select(["no/such"]) == []
    with pytest.raises(Undecided, match=r"no/such \(whole seal\) was not measured as wanted"):
        asked.find("no/such", engine="whole", op="seal")


def test_a_case_is_missing_for_its_own_reasons() -> None:
    asked = evidence(case(STEADY), case(STEADY, bytes=9, mask="no-aes", status="failed: no"))
    wanted = {"engine": "whole", "op": "seal"}
    assert asked.missing(NAMES[0], **wanted, bytes=9, mask="no-aes") == f"{NAMES[0]} failed: no"
    others = {"bytes": 9, "mask": "zen2"}, {"bytes": 100, "mask": "no-aes"}
    assert [asked.missing(NAMES[0], **wanted, **other) for other in others] == [
        f"{NAMES[0]} (whole seal zen2 9 B) was not measured as wanted",
        f"{NAMES[0]} (whole seal no-aes 100 B) was not measured as wanted",
    ]


def test_rivals_protect_something_and_use_one_thread() -> None:
    flags = {"baseline/memcpy": ["baseline"], "hash/xxh3": ["not-cryptographic"], "many/blake3": {"parallel"}}
    asked = evidence(*(case(STEADY, name) for name in (*flags, NAMES[0])), case(STEADY, threads=2), flags=flags)
    assert [asked.cases.loc[c, "implementation"] for c in asked.rivals(kind="aead")] == [NAMES[0]]


def noisy(random: np.random.Generator, rounds: int, seconds: float = 1.0) -> Any:
    return seconds * np.exp(random.normal(0, 0.05, rounds))


def test_what_slows_a_whole_round_cancels() -> None:
    random = np.random.default_rng(1)
    weather = np.exp(random.normal(0, 1, 20))
    asked = evidence(case(STEADY.mean() * weather), case(2 * STEADY.mean() * weather, NAMES[1]))
    found = asked.ratio(asked.find(NAMES[1]), asked.find(NAMES[0]))(0.95)
    assert (found.value, found.low, found.high) == tuple(pytest.approx(2) for _ in range(3))


def test_one_pair_has_the_interval_of_its_ratio_and_both_ends_are_known_from_six_rounds() -> None:
    random = np.random.default_rng(2)
    for rounds, known in ((5, False), (6, True)):
        asked = evidence(case(noisy(random, rounds)), case(noisy(random, rounds, 2), NAMES[1]))
        found = asked.ratio(asked.find(NAMES[1]), asked.find(NAMES[0]))(0.95)
        assert (found.low > 0, np.isfinite(found.high)) == (known, known)


def test_without_a_common_round_there_is_no_ratio() -> None:
    asked = evidence(case(STEADY), case(STEADY, NAMES[1], round=np.arange(12) + 50))
    with pytest.raises(Undecided, match="no common round"):
        asked.ratio([0], [1])(0.95)


@pytest.mark.parametrize(("over", "under"), [(1, 1), (3, 3), (1, 11), (11, 1)])
def test_the_interval_holds_whichever_looks_fastest(over: int, under: int) -> None:
    # All are equally fast, so the choice of the fastest is a matter of luck, which the interval must make up for.
    random, repeats, rounds = np.random.default_rng(3), 400, 20
    block_sizes = np.repeat(np.arange(repeats), rounds)
    columns = {"block_size": block_sizes, "round": np.tile(np.arange(rounds), repeats)}
    names = [f"library{i}/aes-256-gcm" for i in range(over + under)]
    asked = evidence(*(case(noisy(random, rounds * repeats), name, **columns) for name in names))
    cases = [asked.find(name) for name in names]
    missed = 0
    for repeat in range(repeats):
        alike = [of_name[repeat] for of_name in cases]
        found = asked.ratio(alike[:over], alike[over:])(0.95)
        missed += not found.low <= 1 <= found.high
    assert missed / repeats <= 0.08


def pair(name: str, factor: float, **columns: Any) -> list[pd.DataFrame]:
    return [case(STEADY * f, name, replica=replica, **columns) for replica, f in enumerate((1.0, factor))]


def test_noise_is_that_of_cases_which_are_driven_alike() -> None:
    asked = evidence(
        *pair(NAMES[0], 1.01),
        *pair(NAMES[0], 1.03, engine="parsplit", block_size=1, schedule="dynamic"),
        *pair(NAMES[0], 1.2, engine="parsplit", block_size=1, schedule="dynamic", threads=4),
        *pair(NAMES[1], 1.5, engine="python"),
    )
    widths = {"whole": 1.03, "parsplit": 1.2, "python": 1.5}
    for engine, factor in widths.items():
        assert exp(asked.noise(asked.select(engine=engine))) == pytest.approx(factor)
    # The widest of all that take part counts.
    assert exp(asked.noise(asked.select())) == pytest.approx(1.5)
    alone = evidence(*pair(NAMES[0], 1.01), case(STEADY, threads=2))
    assert isnan(alone.noise(alone.select()))
    assert alone.noise(alone.select(threads=1)) == pytest.approx(log(1.01))
    assert isnan(evidence(case(STEADY)).noise([0]))


def test_masked_cases_have_the_noise_of_their_control_as_well() -> None:
    frames = [*pair(NAMES[0], 1.01), case(STEADY, NAMES[1]), case(STEADY, NAMES[1], mask="no-aes")]
    control = case(STEADY * 1.07, NAMES[1], mask=CONTROL)
    asked = evidence(*frames, control).masked
    masked, plain = asked.find(NAMES[1], mask="no-aes"), asked.find(NAMES[1], mask="")
    assert asked.noise(plain) == pytest.approx(log(1.01))
    assert asked.noise([*plain, *masked]) == asked.noise(masked) == pytest.approx(log(1.07))
    assert asked.ratio(masked, plain)(0.95).noise == pytest.approx(log(1.07))
    # An A/A pair in one process is wanted all the same.
    assert isnan(evidence(*frames[2:], control).masked.noise(masked))
    assert isnan(evidence(*frames).masked.noise(masked))


@pytest.mark.parametrize(
    ("facts", "cores"),
    [
        ({"cpu_count": 8, "cpu_affinity_count": 4}, 4),
        ({"cpu_count": 8, "cpu_affinity_count": None}, 8),
        ({"cpu_count": 8, "cgroup_cpu_quota": "none"}, 8),
        ({"cpu_count": 8, "cgroup_cpu_quota": 2.5}, 2),
        ({"cpu_count": 8, "cgroup_cpu_quota": 0.5}, 1),
        ({}, None),
    ],
    ids=str,
)
def test_logical_cores_are_those_that_a_run_could_use(facts: dict[str, Any], cores: int | None) -> None:
    assert logical_cores(facts) == cores


@pytest.mark.parametrize(
    ("fields", "says"),
    [({"profile": "smoke"}, "profile smoke"), ({"size": 1 << 20}, "1048576 bytes"), ({"profile": "paper"}, "")],
    ids=str,
)
def test_some_runs_are_unfit(fields: dict[str, Any], says: str) -> None:
    unfit = replace(evidence(case(STEADY)), **fields).unfit
    assert says in unfit
    assert bool(unfit) == bool(says)


def test_a_record_says_what_it_was_and_only_of_verified_implementations(write_record: Callable[..., Path]) -> None:
    verified = {"openssl/aes-256-gcm": {"ok": True}, "ring/aes-256-gcm": {"ok": False}}
    record = load_record(write_record(verified=verified, refused={"x/y": "wrong answer"}))
    asked = Evidence.of(record)
    assert (asked.study, asked.profile, asked.size, asked.cores) == ("study", "tiny", 1 << 20, 2)
    assert set(asked.samples["implementation"]) == {"openssl/aes-256-gcm"}
    assert asked.flags["baseline/memcpy"] == ["baseline"]
    assert asked.missing("x/y") == "x/y was refused: wrong answer"
