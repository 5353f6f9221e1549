"""The functions behind the sliders: their numbers, and their time."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from pandas import DataFrame

from aeadlab.display import front_end
from aeadlab.errors import ArgumentError, UnknownNameError
from aeadlab.lab.illustrated import Illustrated
from aeadlab.lab.interactive import block_sizes, message_lengths, roofline, schedules
from aeadlab.lab.interactive.block_parts import block_parts, draw_block_parts
from aeadlab.lab.interactive.message_parts import draw_message_parts
from aeadlab.lab.interactive.panel import DOTS_PER_INCH
from aeadlab.lab.interactive.roof import draw_roofline, roof, roofline_points
from aeadlab.lab.interactive.scheduling import BLOCK_SECONDS, SCHEDULES, draw_schedule, simulated_run
from aeadlab.lab.stored import reference_record
from aeadlab.records.record import Record

REDRAW_SECONDS = 0.3
GCM, MEMCPY = "openssl/aes-256-gcm", "baseline/memcpy"

record = cache(reference_record)


def block_rows(**renewed: float) -> DataFrame:
    """Return times of 1 MiB: 1 ns a byte, 100 ns a block of memcpy, and 300 more of AES-GCM."""
    size = 1 << 20
    rows: list[dict[str, Any]] = []
    for name, cost in ((MEMCPY, 100e-9), (GCM, 400e-9)):
        rows.append(
            {"implementation": name, "engine": "whole", "model": "keyed", "block_size": 0, "seconds": 1e-9 * size}
        )
        for model, more in {"keyed": 0.0, **renewed}.items():
            rows += [
                {
                    "implementation": name,
                    "engine": "parsplit",
                    "model": model,
                    "block_size": block,
                    "seconds": 1e-9 * size + size / block * (cost + more),
                }
                for block in (1024, 4096, 65536)
            ]
    return DataFrame(rows).assign(bytes=size)


def test_blocks_are_split_into_their_parts() -> None:
    parts = block_parts(block_rows(), GCM)
    assert (parts.per_byte, parts.scheduling, parts.message) == pytest.approx((1e-9, 1e-7, 3e-7))
    assert np.isnan(parts.key)
    assert parts.overhead(1000) == pytest.approx(0.4)
    assert block_parts(block_rows(rekeyed=2e-7), GCM).key == pytest.approx(2e-7)
    shown = draw_block_parts(GCM, 12, block_rows())
    assert "A block of 4 KiB" in shown.sentences[0] and "9.77" in shown.sentences[0]
    assert "Measured overhead of this size: 9.77 %." in shown.sentences
    with pytest.raises(ArgumentError, match="ring/x has no whole message in one thread: `aeadlab measure blocks`"):
        block_parts(block_rows(), "ring/x")


def test_messages_are_a_start_and_a_cost_per_byte() -> None:
    lengths = np.array([16, 1000, 10_000, 100_000])
    seconds = 100e-9 + 0.5e-9 * lengths
    table = DataFrame({"implementation": GCM, "bytes": lengths, "seconds": seconds})
    table = table.assign(seconds_low=seconds, seconds_high=seconds)
    shown = draw_message_parts(GCM, 100_000, table)
    assert "100 ns to start, and 0.500 ns for each byte" in shown.sentences[0]
    assert "equal at 200 bytes" in shown.sentences[1]
    with pytest.raises(ArgumentError, match="at least two different lengths"):
        draw_message_parts(GCM, 16, table)


def test_a_roof_is_the_smaller_limit() -> None:
    assert roof(4, 3.0, 40.0) == 12.0 and roof(64, 3.0, 40.0) == 40.0
    points = roofline_points(None)
    assert points["place"].tolist() == ["paper"]
    assert points["one_thread"][0] == pytest.approx(1 / 0.43794) and points["all_threads"][0] == pytest.approx(
        1 / 0.02683
    )
    few = draw_roofline(4, 3.0, 40.0, points).sentences
    assert "3.00 GiB/s in one thread become 12.0 GiB/s" in few[0] and "the number of cores is the limit" in few[0]
    many = draw_roofline(64, 3.0, 40.0, points).sentences
    assert "memory is the limit" in many[0] and "14 cores" in many[1] and "1.00 times as fast" in many[1]


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize(("threads", "blocks"), [(1, 1), (5, 320), (3, 7), (4, 2)])
def test_every_block_of_a_simulated_run_is_processed_once(schedule: str, threads: int, blocks: int) -> None:
    run = simulated_run(threads, blocks, schedule, 1.0)
    covered = sorted(block for leaf in run.leaves for block in range(leaf.first, leaf.first + leaf.length))
    assert covered == list(range(blocks))
    assert {leaf.worker for leaf in run.leaves} <= set(range(threads))
    assert run.seconds >= BLOCK_SECONDS * -(-blocks // threads)
    assert all(leaf.end - leaf.start == pytest.approx(leaf.length * BLOCK_SECONDS) for leaf in run.leaves)


def test_rayon_has_two_modes_with_five_threads_and_other_schedules_one() -> None:
    assert "in the upper mode, 1.2" in draw_schedule(5, 64, "rayon", 1.0).sentences[1]
    for schedule in SCHEDULES[1:]:
        assert draw_schedule(5, 64, schedule, 1.0).sentences[1].startswith("All 8 simulated runs take 1.0")
    assert draw_schedule(5, 64, "rayon", 1.0, 2) is not None
    with pytest.raises(UnknownNameError, match="no schedule 'fair' is simulated"):
        simulated_run(2, 4, "fair", 1.0)


def test_the_ratio_of_the_record_is_beside_the_simulated_one() -> None:
    measured = DataFrame(
        [
            {"threads": 5, "schedule": "rayon", "implementation": "baseline/delay", "blocks": blocks, "kind": kind,
             "upper_share": 0.33, "ratio": 1.24, "ratio_low": 1.23, "ratio_high": 1.25, "over_even": 1.01}
            for blocks, kind in ((320, "two"), (1280, "one"))
        ]
    )  # fmt: skip
    near, far = (draw_schedule(5, blocks, "rayon", 1.0, 1, measured).sentences[-1] for blocks in (64, 256))
    assert near.startswith("Measured with 320 blocks: 33.0") and "1.24 (1.23 to 1.25) times" in near
    assert far == "Measured with 1,280 blocks: one mode, 1.01 times perfect balance."
    assert draw_schedule(4, 64, "rayon", 1.0, 1, measured).sentences[-1] == "The record has no such case."


Panel = Callable[[Record], Any]


@pytest.mark.alone
@pytest.mark.parametrize(
    ("study", "made", "changes"),
    [
        ("speedup", roofline, {"cores": 64, "memory": 100.0}),
        ("memory", roofline, {"one_thread": 2.0}),
        ("blocks", block_sizes, {"exponent": 10}),
        ("message-sizes", message_lengths, {"longest": 10_000_000, "implementation": "rustcrypto/aes-256-gcm"}),
        ("cells", lambda _: schedules(), {"threads": 6, "blocks": 32, "run": 3}),
    ],
)
def test_panels_of_reference_records_redraw_quickly(
    study: str, made: Panel, changes: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(front_end.WIDGETS, "0")
    assert isinstance(made(record(study)), Illustrated)
    monkeypatch.setenv(front_end.WIDGETS, "1")
    box = made(record(study))
    by_name = {name: child for child in box.children for name in child._dom_classes}
    before = bytes(by_name["aeadlab-picture"].value)
    controls = {by_name[f"aeadlab-{name.replace('_', '-')}"]: value for name, value in changes.items()}
    originals = {control: control.value for control in controls}
    seconds = []
    # Some panels have one change only, and another program may slow one drawing.
    for values in (controls, originals, controls):
        for control, value in values.items():
            start = time.process_time()
            control.value = value
            seconds.append(time.process_time() - start)
    assert bytes(by_name["aeadlab-picture"].value) != before
    assert min(seconds) < REDRAW_SECONDS, f"{seconds} s at {DOTS_PER_INCH} dots per inch"


def test_a_record_without_the_cases_names_the_command() -> None:
    with pytest.raises(ArgumentError, match="no blocks in one thread: `aeadlab measure blocks`"):
        block_sizes(record("cells"))
    with pytest.raises(ArgumentError, match="too few lengths: `aeadlab measure message-sizes`"):
        message_lengths(record("speedup"))
