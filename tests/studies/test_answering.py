from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aeadlab.bench.case import Case
from aeadlab.records.reading import load_record
from aeadlab.stats import confidence_of_chosen, ratio
from aeadlab.stats.processes import joint_level
from aeadlab.studies import find_study
from aeadlab.studies.answering import over, range_over
from tests.fixtures.drawing import samples_of_cases

RECORDS = Path(__file__).parents[2] / "data/records"
SIZE = 1 << 20
OTHERS: tuple[dict[str, Any], ...] = ({"mask": "no-aes"}, {"replica": 1})
FAST, SLOW = Case("openssl/aes-256-gcm", "seal", SIZE), Case("ring/aes-256-gcm", "seal", SIZE)


def row(case: Case, seconds: float) -> dict[str, object]:
    return {"implementation": case.implementation, "op": case.op, "bytes": case.bytes, "seconds": seconds}


def test_a_ratio_has_the_interval_of_its_level() -> None:
    samples = samples_of_cases({FAST: 1e-3, SLOW: 2e-3}, noise=0.05)
    by_name = dict(tuple(samples.groupby("implementation", observed=True)))
    for level in (0.95, confidence_of_chosen(10), joint_level(4)):
        found = ratio(by_name[FAST.implementation], by_name[SLOW.implementation], level)
        text = over(samples, row(SLOW, 2e-3), row(FAST, 1e-3), level)
        assert text == f"{found.ratio:.2f} ({found.low:.2f} to {found.high:.2f})"
    assert joint_level(1) == joint_level(0) == 0.95 and joint_level(5) == pytest.approx(0.99)


def test_masked_cases_and_second_arms_are_others() -> None:
    masked, replica = (
        Case(SLOW.implementation, "seal", SIZE, **column) for column in ({"mask": "no-aes"}, {"replica": 1})
    )
    samples = samples_of_cases({FAST: 1e-3, SLOW: 2e-3, masked: 9e-3, replica: 5e-3}, noise=0)
    assert over(samples, row(SLOW, 2e-3), row(FAST, 1e-3), 0.95).startswith("2.00")
    assert over(samples, row(SLOW, 9e-3) | {"mask": "no-aes"}, row(FAST, 1e-3), 0.95).startswith("9.00")


def test_without_a_common_round_it_is_the_ratio_of_the_medians() -> None:
    samples = samples_of_cases({FAST: 1e-3, SLOW: 3e-3})
    apart = samples.assign(round=samples["round"] + 100 * np.array(samples["implementation"].eq(SLOW.implementation)))
    assert over(apart, row(SLOW, 3e-3), row(FAST, 1e-3), 0.95) == "3.00"


@pytest.mark.parametrize(
    ("study", "sentences"),
    [
        ("baselines", 1), ("block-ciphers", 3), ("cells", 1), ("generators", 1), ("memory", 1), ("one-tag", 1),
        ("speedup", 1), ("thread-modes", 1),
    ],
)  # fmt: skip
def test_answers_have_an_interval_for_each_factor(study: str, sentences: int) -> None:
    record = load_record(next(RECORDS.glob(f"{study}-2*.parquet")))
    interval = r"[\d.]+ \([\d.,]+ to [\d.,]+\) times"
    found = [text for text in find_study(study).answer(record) if re.search(interval, text)]
    assert len(found) >= sentences
    for text in found:
        assert len(re.findall(r"[\d)] times", text)) == len(re.findall(interval, text)), text
        # Both ends of a range have an interval.
        assert not re.search(r"[\d.]+ to [\d.]+ \(", text), text


def test_the_ends_of_a_range_have_the_level_of_all_pairs() -> None:
    third = Case("botan/aes-256-gcm", "seal", SIZE)
    samples = samples_of_cases({FAST: 1e-3, SLOW: 2e-3, third: 3e-3}, noise=0.05)
    fast, slow, slowest = row(FAST, 1e-3), row(SLOW, 2e-3), row(third, 3e-3)
    pairs = [(slowest, fast), (slow, fast), (slowest, slow)]
    ends = [over(samples, *pair, joint_level(3)) for pair in (pairs[2], pairs[0])]
    assert range_over(samples, pairs) == " to ".join(ends)
    assert range_over(samples, pairs[:1]) == over(samples, *pairs[0], 0.95)


@pytest.mark.parametrize(("study", "figure"), [("block-ciphers", "block-ciphers-large"), ("cells", "cells")])
def test_captions_have_an_interval_for_the_factor(study: str, figure: str) -> None:
    record = load_record(next(RECORDS.glob(f"{study}-2*.parquet")))
    drawn, _ = find_study(study).draw(figure, record, "lncs")
    assert re.search(r"\d \([\d.]+ to [\d.]+\) times as fast as", drawn.caption)  # type: ignore[attr-defined]
