from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from aeadlab.bench.case import Case
from aeadlab.bench.plan import Plan
from aeadlab.bench.profile import PROFILES
from aeadlab.lab.measurement.summary import is_complete, remarks
from aeadlab.records.record import Record

GCM = Case("openssl/aes-256-gcm", "seal", 4096)
OTHER = Case("ring/aes-256-gcm", "seal", 4096)
CELLS = Case("openssl/aes-128-ctr", "encrypt", 512 * 1000, "cells", block_size=512)


def record(*, notes: tuple[dict[str, Any], ...] = (), failures: tuple[str, ...] = (), **provenance: Any) -> Record:
    """Return a record of these notes, whose failed implementations have one row each."""
    plan = Plan("tiny", PROFILES["paper"], (GCM, OTHER, CELLS), named=(GCM.implementation,))
    rows = [{"implementation": name, "status": "failed: SIGSEGV", "order": -1} for name in failures]
    samples = pd.DataFrame(rows, columns=["implementation", "status", "order"])
    return Record(Path("x"), samples, {"notes": list(notes), "plan": plan.to_json(), "refused": {}, **provenance})


@pytest.mark.parametrize(
    ("note", "remark"),
    [
        ({"cut": "3 of 15 rounds in 20 s"}, "the time budget ended the run: 3 of 15 rounds in 20 s"),
        ({"enough": "12 rounds"}, "every interval was narrow enough after 12 rounds"),
        ({"slow": ["a: 6 samples", "b: 7 samples"]}, "slow cases with fewer samples: a: 6 samples; b: 7 samples"),
    ],
    ids=["budget", "precision", "slow"],
)
def test_remarks_state_the_reason_for_the_end_of_the_run(note: dict[str, Any], remark: str) -> None:
    assert remarks(record(notes=({"start": 1.0}, note)))[0] == remark


def test_remarks_count_the_cases_with_fewer_rounds() -> None:
    assert remarks(record()) == [
        "12 samples of 1 case of implementations that the document does not name",
        "8 samples of 1 case whose samples take seconds each",
    ]


def test_remarks_list_implementations_not_timed_or_masked() -> None:
    stored = record(refused={"a/b": "a/b is absent"}, unmasked=["ring has no switch"], failures=("c/d", "c/d"))
    assert remarks(stored)[-3:] == [
        "not timed: a/b: is absent",
        "not masked: ring has no switch",
        "c/d failed: SIGSEGV",
    ]


def test_remarks_name_results_without_a_second_library() -> None:
    names = [f"a/{letter}" for letter in "bcdefgh"]
    stored = record(lengths={"without_second_library": dict.fromkeys(names, [4096])})
    expected = "not compared at the measured lengths, no second library: a/b, a/c, a/d, a/e, a/f and 2 more"
    assert remarks(stored)[-1] == expected


def test_a_failed_case_or_untimed_requested_name_is_incomplete() -> None:
    absent = record(refused={"a/b": "absent"})
    assert is_complete(absent, ["c/d"])
    assert not is_complete(absent, ["a/b"])
    assert not is_complete(record(failures=("c/d",)))
