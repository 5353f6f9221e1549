from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aeadlab.verify.lengths import answers, long
from aeadlab.verify.lengths.long import verify_long

pytestmark = pytest.mark.usefixtures("own_folders")

Compiled = Callable[..., Path]
FAULTY = "faulty/ascon-aead128"
EDGES = (1 << 17) - 1, 1 << 17, (1 << 17) + 17
"""Short lengths in place of those around 2^32, with the same faults."""


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long, "LENGTHS", EDGES)


def outcome(path: Path, **more: Any) -> dict[str, Any]:
    (report,) = verify_long([FAULTY], [path], EDGES).reports
    return report.as_dict()


def test_the_lengths_are_those_around_a_counter_of_32_bits() -> None:
    offsets = (-17, -16, -1, 0, 1, 16, 17)
    defaults = verify_long.__defaults__
    assert defaults is not None and defaults[2] == tuple(2**32 + offset for offset in offsets)


def test_a_correct_implementation_passes(compiled: Compiled) -> None:
    found = outcome(compiled("faulty"))
    assert found["verdict"] == "ok" and found["failed"] == found["skipped"] == {}
    assert found["passed"] == {f"open {n}": "equal to rustcrypto/ascon-aead128" for n in EDGES}


def test_a_wrong_result_beyond_an_edge_fails(compiled: Compiled) -> None:
    found = outcome(compiled("faulty", WRONG="(bytes>(1<<17))"))
    assert found["verdict"] == "FAILED"
    assert f"open of {EDGES[2]} bytes: its result differs from" in found["failed"]["result"]


def test_a_declared_limit_is_kept(compiled: Compiled) -> None:
    found = outcome(compiled("faulty", WRONG="(bytes>(1<<17))", MAX_BYTES=1 << 17))
    assert found["verdict"] == "ok"
    assert (
        found["passed"][f"{EDGES[2]} bytes"] == found["passed"][f"{(1 << 17) + 1} bytes"] == "rejected before any work"
    )


def test_too_little_memory_is_skipped_and_not_ok(compiled: Compiled, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "LONG", 1 << 17)
    monkeypatch.setattr(answers, "available_memory", lambda: 1 << 29)
    found = outcome(compiled("faulty"))
    assert found["verdict"] == "?" and found["failed"] == {}
    assert found["skipped"][f"open {EDGES[1]}"].startswith(
        "it needs 0.5 GiB of memory, 0.5 GiB are available: end other"
    )


def test_each_length_is_labelled_in_text(compiled: Compiled) -> None:
    text = verify_long([FAULTY], [compiled("faulty", WRONG="(bytes>(1<<17))", MAX_BYTES=1 << 17)], EDGES).as_text()
    assert text.startswith(f"ok      {FAULTY}\n") and text.endswith("\n1 ok, 0 failed, 0 not completed")
    assert json.dumps(text)
