"""Evidence of a record: its default cases, ratios of the fastest, and noise floors."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from math import exp, log
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from aeadlab.bench.masks.masks import CONTROL
from aeadlab.records.reading import load_record
from aeadlab.stats import median_interval, ratio_interval
from aeadlab.stats.noise_floor import MARGIN
from aeadlab.verdicts.evidence import Evidence, Inconclusive

NAMES = ("openssl/aes-256-gcm", "ring/aes-256-gcm")


def case(seconds: Any, name: str = NAMES[0], **columns: Any) -> pd.DataFrame:
    """Samples of one case, one in each round, with the rounds divided among at most 12 processes."""
    times = np.asarray(seconds, dtype=float)
    library, _, algorithm = name.partition("/")
    values: dict[str, Any] = {
        "implementation": name, "library": library, "algorithm": algorithm, "kind": "aead", "engine": "whole",
        "model": "keyed", "op": "seal", "bytes": 1 << 30, "block_size": 0, "threads": 1, "schedule": "",
        "placement": "separate", "aad_bytes": 0, "tags": "concatenated", "cache": "warm", "mask": "", "replica": 0,
        "round": np.arange(times.size),
        "process": np.arange(times.size) * min(times.size, 12) // times.size, "warmup": False, "status": "ok",
        **columns, "seconds": times,
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
        {"aad_bytes": 32},
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


def test_conditions_extend_the_cases() -> None:
    published = {"placement": "in-place", "aad_bytes": 32}
    run = evidence(case(STEADY), case(STEADY / 5, **published), *(case(STEADY, **{k: published[k]}) for k in published))
    more = run.with_conditions("placement", "aad_bytes")
    assert more is run.with_conditions("aad_bytes", "placement") is more.with_conditions("aad_bytes")
    assert run.with_conditions() is run
    assert [len(view.cases) for view in (run, run.with_conditions("aad_bytes"), more)] == [1, 2, 4]
    (own,) = more.find(NAMES[0], **published)
    (plain,) = more.find(NAMES[0], placement="separate", aad_bytes=0)
    assert more.ratio([plain], [own])(0.95).value == pytest.approx(5)
    with pytest.raises(Inconclusive, match=r"no matching case \(seal in place 13 B of associated data\)"):
        more.find(NAMES[0], op="seal", placement="in-place", aad_bytes=13)


@pytest.mark.parametrize("key", ["bytes", "mask"])
def test_lengths_and_masks_extend_the_cases(key: str) -> None:
    def view(run: Evidence) -> Evidence:
        return run.with_all_lengths if key == "bytes" else run.with_conditions("mask")

    other: dict[str, Any] = {key: {"bytes": 1 << 20, "mask": "no-aes"}[key]}
    others = (
        {"placement": "in-place"},
        {"aad_bytes": 32},
        {"cache": "cold"},
        {"replica": 1},
        {"model": "oneshot"},
        {"status": "failed"},
    )
    control = case(STEADY, mask=CONTROL)
    run = evidence(
        case(STEADY), control, case(STEADY / 5, **other), *(case(STEADY, **{**other, **more}) for more in others)
    )
    more = view(run)
    assert len(run.cases) == 1
    assert len(more.cases) == 2 + (key == "mask")
    assert more is view(run)
    (value,), (plain,) = other.values(), run.find(NAMES[0])
    ratio = more.ratio(more.find(NAMES[0], **{key: run.cases.loc[plain, key]}), more.find(NAMES[0], **other))
    assert ratio(0.95).value == pytest.approx(5)
    assert more.cases[key].isin([value]).sum() == 1
    both = evidence(
        case(STEADY), case(STEADY, bytes=9), case(STEADY, mask="no-aes"), case(STEADY, bytes=9, mask="zen2")
    )
    assert (
        len(both.with_all_lengths.with_conditions("mask").cases)
        == len(both.with_conditions("mask").with_all_lengths.cases)
        == 4
    )


def test_oneshot_is_used_where_keyed_is_missing() -> None:
    run = evidence(case(STEADY), case(STEADY, NAMES[1], model="oneshot"))
    assert len(run.find(NAMES[1])) == 1


def test_select_accepts_any_column_and_several_values() -> None:
    run = evidence(*(case(STEADY, threads=t, engine=e) for t in (1, 2, 3) for e in ("whole", "parsplit")))
    assert len(run.select(threads=[1, 3])) == 4
    assert len(run.select(NAMES, threads=2, engine="whole")) == 1
    assert run.select(["no/such"]) == []
    with pytest.raises(Inconclusive, match=r"no such has no matching case \(whole seal\)"):
        run.find("no/such", engine="whole", op="seal")


def test_missing_reason_matches_the_case() -> None:
    run = evidence(case(STEADY), case(STEADY, bytes=9, mask="no-aes", status="failed: no"))
    operation = {"engine": "whole", "op": "seal"}
    assert run.missing_reason(NAMES[0], **operation, bytes=9, mask="no-aes") == "OpenSSL AES-256-GCM failed: no"
    others = {"bytes": 9, "mask": "zen2"}, {"bytes": 100, "mask": "no-aes"}
    assert [run.missing_reason(NAMES[0], **operation, **other) for other in others] == [
        "OpenSSL AES-256-GCM has no matching case (whole seal zen2 9 B)",
        "OpenSSL AES-256-GCM has no matching case (whole seal no-aes 100 B)",
    ]


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"schedule": "rayon", "model": "rekeyed"}, "schedule rayon, a new context for each block"),
        ({"model": "keyed", "threads": 4}, "kept contexts, 4 threads"),
        ({"model": "oneshot", "block_size": 16 << 10}, "key set-up included, blocks of 16 KiB"),
        ({"threads": [1], "schedule": ["dynamic", "static"]}, "schedule dynamic or static, 1 thread"),
        ({"threads": [1, 2, 3, 4], "block_size": None}, "1 thread to 4 threads"),
        ({"threads": 1, "block_size": 0, "schedule": ""}, "1 thread"),
        ({"threads": []}, ""),
    ],
)
def test_missing_reason_names_the_split(values: dict[str, Any], words: str) -> None:
    run = evidence(case(STEADY))
    reason = run.missing_reason(NAMES[0], engine="parsplit", op="seal", **values).replace("\N{NO-BREAK SPACE}", " ")
    assert reason == f"OpenSSL AES-256-GCM has no matching case ({', '.join(filter(None, ('parsplit seal', words)))})"
    defaults = {"threads": 1, "block_size": 0, "schedule": "", "model": "keyed"}
    assert run.missing_reason(NAMES[0], engine="whole", **defaults).endswith("no matching case (whole)")


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


@pytest.mark.parametrize(
    ("rounds", "processes", "known", "unit"),
    [
        (5, 1, False, "within one process, 5 rounds"),
        (6, 1, True, "within one process, 6 rounds"),
        (5, 2, False, "within 2 processes, 5 rounds"),
        (3, 3, True, "3 processes, 3 rounds"),
        (24, 12, True, "12 processes, 24 rounds"),
    ],
)
def test_interval_of_one_pair_has_the_process_as_its_unit(rounds: int, processes: int, known: bool, unit: str) -> None:
    random = np.random.default_rng(2)
    process = np.arange(rounds) * processes // rounds
    times = noisy(random, rounds), noisy(random, rounds, 2)
    run = evidence(case(times[0], process=process), case(times[1], NAMES[1], process=process))
    quantity = run.ratio(run.find(NAMES[1]), run.find(NAMES[0]))
    # Six rounds of one process have no interval at 99 %.
    for confidence in (0.95, 0.99 if processes > 2 else 0.951):
        estimate = quantity(confidence)
        assert estimate.unit == unit
        if known:
            expected = ratio_interval(times[1], times[0], range(rounds), process, confidence)
            assert (estimate.value, estimate.low, estimate.high) == pytest.approx(tuple(expected))
        else:
            assert (estimate.low, estimate.high) == (0.0, np.inf), confidence


def test_equal_samples_are_stated() -> None:
    run = evidence(case(np.full(12, 2.0)), case(np.full(12, 1.0), NAMES[1]))
    estimate = run.ratio(run.find(NAMES[0]), run.find(NAMES[1]))(0.95)
    assert (estimate.low, estimate.high) == (2, 2)
    assert estimate.detail == "all samples are equal, so that the interval has no width"
    unequal = evidence(case(np.linspace(2.0, 2.1, 12)), case(np.full(12, 1.0), NAMES[1]))
    others = unequal.ratio(unequal.find(NAMES[0]), unequal.find(NAMES[1]))(0.95)
    assert others.low < others.high and others.detail == ""
    assert median_interval(np.ones(12), range(12), range(12)).unit == "12 processes, 12 rounds of equal samples"


def test_spread_has_the_process_as_its_unit() -> None:
    times = noisy(np.random.default_rng(4), 24)
    run = evidence(case(times))
    estimate = run.spread(run.find(NAMES[0])[0])(0.95)
    deviations = np.abs(times / np.median(times) - 1)
    expected = median_interval(deviations, range(24), np.arange(24) // 2)
    assert (estimate.value, estimate.low, estimate.high) == pytest.approx(tuple(expected))
    assert (estimate.unit, estimate.noise) == ("12 processes, 24 rounds", 0.0)


def test_rounds_without_one_of_the_cases_do_not_count() -> None:
    times = noisy(np.random.default_rng(5), 24)
    # The second case lacks the rounds of two processes, and one round of another.
    rounds = np.setdiff1d(np.arange(24), [0, 1, 2, 3, 10])
    other = case(2 * times[rounds], NAMES[1], round=rounds, process=rounds // 2)
    run = evidence(case(times), other)
    estimate = run.ratio(run.find(NAMES[1]), run.find(NAMES[0]))(0.95)
    assert estimate.unit == "10 processes, 19 rounds"
    assert (estimate.value, estimate.low, estimate.high) == pytest.approx((2, 2, 2))


def test_the_same_round_of_another_process_is_another_round() -> None:
    run = evidence(case(STEADY, round=0), case(3 * STEADY, NAMES[1], round=0))
    assert run.ratio([1], [0])(0.95).value == pytest.approx(3)
    apart = evidence(case(STEADY), case(STEADY, NAMES[1], process=np.arange(12) + 50))
    with pytest.raises(Inconclusive, match="no common round"):
        apart.ratio([0], [1])(0.95)


def test_ratio_requires_a_common_round() -> None:
    run = evidence(case(STEADY), case(STEADY, NAMES[1], round=np.arange(12) + 50))
    with pytest.raises(Inconclusive, match="no common round"):
        run.ratio([0], [1])(0.95)


@pytest.mark.parametrize("processes", [20, 5])
@pytest.mark.parametrize(("over", "under"), [(1, 1), (3, 3), (1, 11), (11, 1)])
def test_interval_corrects_for_choosing_the_fastest(over: int, under: int, processes: int) -> None:
    # All are equally fast, so noise decides which is the fastest, and the interval must correct for this selection.
    random, repeats, rounds = np.random.default_rng(3), 400, 20
    block_sizes = np.repeat(np.arange(repeats), rounds)
    columns = {
        "block_size": block_sizes,
        "round": np.tile(np.arange(rounds), repeats),
        "process": np.tile(np.arange(rounds) * processes // rounds, repeats),
    }
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


def test_noise_floor_is_that_of_the_driving_class() -> None:
    run = evidence(
        *pair(NAMES[0], 1.005),
        *pair(NAMES[0], 1.03, engine="parsplit", block_size=1, schedule="dynamic"),
        *pair(NAMES[0], 1.2, engine="parsplit", block_size=1, schedule="dynamic", threads=4),
        *pair(NAMES[1], 1.5, engine="python"),
    )
    assert run.noise_floor(run.select(engine="whole")) == MARGIN
    one, several, python = {"engine": "parsplit", "threads": 1}, {"threads": 4}, {"engine": "python"}
    for values, factor in ((one, 1.03), (several, 1.2), (python, 1.5)):
        assert exp(run.noise_floor(run.select(**values))) == pytest.approx(factor)
    # The noise floor of several classes is the widest of theirs.
    assert exp(run.noise_floor(run.select(engine="parsplit"))) == pytest.approx(1.2)
    assert exp(run.noise_floor(run.select())) == pytest.approx(1.5)
    estimate = run.ratio(run.select(threads=4), run.select(engine="whole"))(0.95)
    assert exp(estimate.noise) == pytest.approx(1.2)


def test_noise_floor_is_that_of_the_length() -> None:
    run = evidence(*pair(NAMES[0], 1.005), *pair(NAMES[0], 1.3, bytes=16)).with_all_lengths
    assert run.noise_floor(run.select(bytes=1 << 30)) == MARGIN
    assert exp(run.noise_floor(run.select(bytes=16))) == pytest.approx(1.3)


def test_without_an_a_a_pair_the_margin_is_the_noise_floor() -> None:
    alone = evidence(case(STEADY), case(STEADY, threads=2))
    assert alone.noise_floor(alone.select()) == MARGIN


def test_a_ratio_without_an_a_a_pair_names_the_driving_class() -> None:
    paired = evidence(*pair(NAMES[0], 1.005), case(STEADY / 2, NAMES[1]))
    assert paired.ratio(paired.find(NAMES[0]), paired.find(NAMES[1]))(0.95).cannot_confirm == ""
    alone = evidence(case(STEADY), case(STEADY / 2, NAMES[1]))
    ratio = alone.ratio(alone.find(NAMES[0]), alone.find(NAMES[1]))(0.95)
    reason = "the record has no A/A pair in 3 processes for whole, one thread, 1073741824 B"
    assert (ratio.value, ratio.cannot_confirm, ratio.cannot_refute) == (pytest.approx(2, rel=0.01), reason, reason)


def test_noise_floor_of_masked_cases_includes_the_control() -> None:
    frames = [*pair(NAMES[0], 1.005), case(STEADY, NAMES[1]), case(STEADY * 3, NAMES[1], mask="no-aes")]
    control = case(STEADY * 1.07, NAMES[1], mask=CONTROL)
    run = evidence(*frames, control).with_conditions("mask")
    masked, plain = run.find(NAMES[1], mask="no-aes"), run.find(NAMES[1], mask="")
    assert run.noise_floor(plain) == MARGIN
    assert run.noise_floor([*plain, *masked]) == run.noise_floor(masked) == pytest.approx(log(1.07))
    assert run.ratio(masked, plain)(0.95).noise == pytest.approx(log(1.07))
    # Neither the second arm of an A/A pair nor other lengths and implementations belong to the control.
    others = case(STEADY * 1.05, NAMES[1], replica=1), case(STEADY * 9, NAMES[1], bytes=64)
    more = evidence(*frames, control, *others).with_conditions("mask")
    assert more.noise_floor(more.find(NAMES[1], mask="no-aes")) == pytest.approx(log(1.07))
    within = evidence(*frames, case(STEADY * 1.005, NAMES[1], mask=CONTROL)).with_conditions("mask")
    assert within.noise_floor(within.find(NAMES[1], mask="no-aes")) == MARGIN
    without = evidence(*frames).with_conditions("mask")
    reason = r"the record has no control \(mask nothing\) in 3 processes for whole, one thread, 1073741824 B"
    with pytest.raises(Inconclusive, match=reason):
        without.noise_floor(without.find(NAMES[1], mask="no-aes"))


def test_masked_cases_are_judged_by_controls_of_their_length_and_class() -> None:
    """The control of a short message, in a process that was idle, judges no long one."""
    short: dict[str, Any] = {"bytes": 1 << 20}
    frames = [
        *pair(NAMES[0], 1.005), *pair(NAMES[0], 1.0, **short), case(STEADY * 1.3, mask=CONTROL, **short),
        case(STEADY * 1.05, mask=CONTROL), case(STEADY * 3, mask="no-aes"), case(STEADY * 3, mask="no-aes", **short),
    ]  # fmt: skip
    run = evidence(*frames).with_all_lengths.with_conditions("mask")
    for size, width in ((1 << 30, 1.05), (1 << 20, 1.3)):
        masked = run.find(NAMES[0], mask="no-aes", bytes=size)
        assert run.noise_floor(masked) == pytest.approx(log(width), rel=1e-3), size
    assert run.noise_floor(run.select(mask="no-aes")) == pytest.approx(log(1.3), rel=1e-3)
    alone = evidence(*(frame for frame in frames if not (frame["mask"].eq(CONTROL) & frame["bytes"].gt(1 << 20)).any()))
    alone = alone.with_all_lengths.with_conditions("mask")
    with pytest.raises(Inconclusive, match="no control .* for whole, one thread, 1073741824 B"):
        alone.noise_floor(alone.find(NAMES[0], mask="no-aes", bytes=1 << 30))
    several = evidence(
        *frames, *pair(NAMES[0], 1.0, threads=2), case(STEADY, mask="no-aes", threads=2)
    ).with_conditions("mask")
    with pytest.raises(Inconclusive, match="no control .* for whole, several threads, 1073741824 B"):
        several.noise_floor(several.find(NAMES[0], mask="no-aes", threads=2))


def test_a_record_of_profile_smoke_is_unsuitable() -> None:
    assert "profile smoke" in evidence(case(STEADY), profile="smoke*").unsuitable
    assert evidence(case(STEADY), profile="paper").unsuitable == ""


def test_short_messages_decide_only_where_their_length_was_chosen() -> None:
    size = {"bytes": 1 << 20}
    short = evidence(*pair(NAMES[0], 1.0, **size), case(STEADY / 2, NAMES[1], **size), profile="paper")
    ratio = short.ratio(short.find(NAMES[0]), short.find(NAMES[1]))(0.95)
    reason = "measured on messages of 1 MiB, at least 64 MiB are required"
    assert (ratio.cannot_confirm, ratio.cannot_refute) == (reason, reason)
    assert short.spread(short.find(NAMES[0])[0])(0.95).cannot_refute == reason
    chosen = short.with_all_lengths
    assert chosen.ratio(chosen.find(NAMES[0]), chosen.find(NAMES[1]))(0.95).cannot_confirm == ""
    for columns in ({"engine": "cells", "block_size": 509}, {"op": "generate"}, {"bytes": 64 << 20}):
        other = evidence(case(STEADY, **{"bytes": 1 << 20, **columns}))
        assert other.limitation(other.find(NAMES[0])) == ""


def test_lengths_are_those_of_the_samples() -> None:
    frames = case(STEADY), case(STEADY, bytes=9), case(STEADY, engine="cells", bytes=50_900, block_size=509)
    assert evidence(*frames).lengths == [9, 509, 1 << 30]


def test_evidence_excludes_unverified_implementations(write_record: Callable[..., Path]) -> None:
    verified = {"openssl/aes-256-gcm": {"ok": True}, "ring/aes-256-gcm": {"ok": False}}
    record = load_record(write_record(verified=verified, refused={"x/y": "wrong answer"}))
    run = Evidence.from_record(record)
    assert (run.study, run.profile, run.cores) == ("study", "tiny", 2)
    assert set(run.samples["implementation"]) == {"openssl/aes-256-gcm"}
    assert run.flags["baseline/memcpy"] == ["baseline"]
    assert run.missing_reason("x/y") == "x y was not timed: wrong answer"


def test_ends_of_a_ratio_of_several_are_those_of_the_fastest_at_corrected_levels() -> None:
    random = np.random.default_rng(6)
    times = [noisy(random, 24, seconds) for seconds in (2.0, 2.02, 2.1, 1.0, 1.03)]
    run = evidence(*(case(each, f"library{i}/aes-256-gcm") for i, each in enumerate(times)))
    cases = [run.find(f"library{i}/aes-256-gcm")[0] for i in range(5)]
    fast = [min(range(*ends), key=lambda i: float(np.median(times[i]))) for ends in ((0, 3), (3, 5))]
    index = range(24), np.arange(24) // 2
    # The error of a lower end is divided by the two cases below, that of an upper end by the three above.
    low = min(ratio_interval(times[i], times[fast[1]], *index, confidence=1 - 0.05 / 2).low for i in range(3))
    high = max(ratio_interval(times[fast[0]], times[i], *index, confidence=1 - 0.05 / 3).high for i in (3, 4))
    estimate = run.ratio(cases[:3], cases[3:])(0.95)
    assert (estimate.low, estimate.high) == pytest.approx((low, high))
    assert estimate.value == pytest.approx(float(np.exp(np.median(np.log(times[fast[0]] / times[fast[1]])))))


def test_thread_counts_are_limited_by_the_cores() -> None:
    frames = [case(STEADY, threads=threads) for threads in (1, 4, 2, 8)]
    assert evidence(*frames, cores=4).thread_counts == [1, 2, 4]
    with pytest.raises(Inconclusive, match="does not contain the number of logical cores"):
        evidence(*frames).thread_counts  # noqa: B018


@pytest.mark.parametrize(
    ("cores", "required", "reason"),
    [
        (4, 4, ""),
        (8, 4, ""),
        (8, 5, "requires a run with 5 or more threads, this one has at most 4"),
        (4, 5, "requires 5 or more logical cores, this machine has 4"),
        (3, 3, "requires a run with 3 or more threads, this one has at most 2"),
        (None, 1, "the record does not contain the number of logical cores"),
    ],
)
def test_claims_about_threads_require_cores(cores: int | None, required: int, reason: str) -> None:
    run = evidence(*(case(STEADY, threads=threads) for threads in (1, 2, 4)), cores=cores)
    if not reason:
        run.require_cores(required)
        return
    with pytest.raises(Inconclusive, match=f"^{reason}$"):
        run.require_cores(required)


def test_times_of_one_case_are_those_without_disturbance() -> None:
    orders = [np.arange(2000) * 2 + i for i in (0, 1)]
    rounds = {"round": np.arange(2000), "process": np.arange(2000) // 500}
    slow = np.where(orders[0] < 40, 2.0, 1.0)
    other = np.where(orders[1] < 40, 2.0, 1.0)
    frames = [
        case(slow, order=orders[0], bytes=64, **rounds),
        case(3 * other, NAMES[1], order=orders[1], bytes=64, **rounds),
        case(np.full(9, 7.0), order=np.arange(4000, 4009), bytes=64, placement="in-place"),
        case(np.full(9, 8.0), order=np.arange(4009, 4018), bytes=128),
        case(np.full(9, 9.0), order=np.arange(4018, 4027), bytes=32),
    ]
    run = evidence(*frames)
    seconds, order, process = run.sample_times(NAMES[0], bytes=64, op="seal")
    assert set(seconds) == {1.0} and order.min() in range(36, 50) and order.max() == 3998
    assert sorted(set(process)) == [0, 1, 2, 3] and (process == order // 2 // 500).all()
    assert run.sample_times(NAMES[1])[0][-1] == 3.0
    with pytest.raises(Inconclusive, match=r"no matching case \(65 B\)"):
        run.sample_times(NAMES[0], bytes=65)


def test_the_time_of_a_record_may_be_unknown(write_record: Callable[..., Path]) -> None:
    record = load_record(write_record())
    for date, taken in (("2026-01-02T03:04:05Z", 2026), ("yesterday", None), (None, None)):
        record.provenance["date"] = date
        found = Evidence.from_record(record).taken
        assert (found and found.year) == taken


def test_a_record_is_as_old_as_its_first_process(write_record: Callable[..., Path]) -> None:
    record = load_record(write_record())
    record.provenance.update(date="2026-01-02T03:04:05Z", notes=[{"spent": 1.0}, {"start": 2e9}, {"start": 1e9}])
    assert Evidence.from_record(record).taken == datetime.fromtimestamp(1e9, UTC)


def test_facts_that_a_record_lacks_are_unknown(write_record: Callable[..., Path]) -> None:
    record = load_record(write_record())
    for key in ("implementations", "refused", "machine"):
        record.provenance[key] = None
    record.provenance["verified"] = {}
    record.provenance["plan"]["profile"] = None
    run = Evidence.from_record(record)
    assert (run.profile, run.cores, run.flags, run.refused) == ("unknown", None, {}, {})
    assert run.samples.empty and Evidence.empty().unsuitable == "" and Evidence.empty().study == ""


def test_a_spread_is_not_negative() -> None:
    few = evidence(case([1.0, 1.1, 1.3, 1.0, 1.2], process=0))
    estimate = few.spread(few.find(NAMES[0])[0])(0.95)
    assert (estimate.low, estimate.high, estimate.unit) == (0.0, np.inf, "within one process, 5 rounds")
    # The t interval of three processes with very different deviations begins below 0.
    unlike = evidence(case([1.0, 1.0, 1.0, 1.0, 0.1, 3.0], process=np.repeat([0, 1, 2], 2)))
    estimate = unlike.spread(unlike.find(NAMES[0])[0])(0.95)
    assert estimate.low == 0.0 < estimate.high < np.inf
