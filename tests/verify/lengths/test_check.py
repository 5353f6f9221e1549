"""Random lengths in `aeadlab verify`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from aeadlab.catalogue import load
from aeadlab.verify.lengths import drawn
from aeadlab.verify.summary import verify_all

pytestmark = pytest.mark.usefixtures("own_folders")

Compiled = Callable[..., Path]
FAULTY = "faulty/ascon-aead128"


@pytest.mark.parametrize("seed", range(2))
def test_a_window_of_70_000_to_1_000_000_bytes_is_found(compiled: Compiled, seed: int) -> None:
    path = compiled("faulty", WRONG="(bytes>=70000&&bytes<=1000000)")
    (report,) = verify_all([FAULTY], [path], seed).reports
    assert not report.ok and report.reason.startswith("lengths: 1 of ") and "its result differs" in report.reason


def test_the_summary_has_a_new_seed_for_each_run(compiled: Compiled) -> None:
    path = compiled("faulty")
    summaries = [verify_all([FAULTY], [path]) for _ in range(2)]
    assert summaries[0].seed != summaries[1].seed
    for summary in summaries:
        (report,) = summary.reports
        check = report.check("lengths")
        assert report.ok and check is not None and check.run == 6
        assert f"random lengths: seed {summary.seed}" in summary.as_text()
        assert summary.as_dict()["seed"] == summary.seed


def test_lengths_depend_on_the_seed_and_keep_blocks_and_limits() -> None:
    d = load().find("openssl/aes-128-cbc").description
    lengths = [q.bytes for q in drawn.questions(d, 1, drawn.SHORT)]
    assert lengths == [q.bytes for q in drawn.questions(d, 1, drawn.SHORT)]
    assert lengths != [q.bytes for q in drawn.questions(d, 2, drawn.SHORT)]
    assert all(length % 16 == 0 for length in lengths) and len(lengths) == 2 * len(drawn.SHORT)
    limited = replace(d, max_bytes=1 << 17)
    assert all(q.bytes <= 1 << 17 for q in drawn.questions(limited, 1, drawn.SHORT))
