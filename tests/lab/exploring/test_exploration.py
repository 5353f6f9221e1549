from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import aeadlab
from aeadlab.bench.lock import machine_lock
from aeadlab.display.markup import escape
from aeadlab.errors import ArgumentError, BusyError, MeasurementError, UnknownNameError
from aeadlab.lab.exploring import Exploration, explore, look_at
from aeadlab.records.reading import load_record
from tests.lab.exploring.conftest import NAMES


def test_measures_verified_interleaved_and_with_memcpy(seen: Exploration) -> None:
    assert set(seen.table["implementation"]) == {*NAMES, "baseline/memcpy"}
    assert (seen.table["n"] == 6).all() and seen.stopped is None and seen.not_timed == {}
    assert seen.record.provenance["verified"]["openssl/aes-256-gcm"]["ok"]
    assert seen.table["share"].notna().sum() == 2
    first = seen.samples[~seen.samples["warmup"]].sort_values("order")["implementation"].tolist()
    assert first != sorted(first), "rounds are shuffled"
    assert seen.folder == seen.record.path.parent and seen.folder.name == "explorations"


def test_shows_itself_and_the_call_that_repeats_it(seen: Exploration) -> None:
    assert seen.call == "aeadlab.look_at(['openssl/aes-256-gcm', 'blake3/blake3'], bytes=4096, samples=6)"
    page = seen._repr_html_()
    (answer,) = seen.answers
    assert "(aead)" in answer and "(hash)" in answer and "at 4 KiB" in answer
    assert page.startswith(f'<p>{escape(answer)}</p><img src="data:image/png;base64,') and page.count("<table") == 1
    assert "openssl/aes-256-gcm</th>" in page and "bytes=4096, samples=6)</code>" in page
    assert repr(seen).startswith(f"<Exploration {seen.record.path.name}>\n  4 KiB, whole message, 1 thread, keyed\n")
    assert repr(seen).count("GiB/s") == 3 and repr(seen).endswith(answer)


def test_measures_all_given_dimensions(results: Path) -> None:
    exploration = look_at(
        "openssl/aes-256-gcm, ring/aes-256-gcm",
        **{"bytes": [1024, 8192], "block_size": "[1024]", "threads": "[1, 2]", "engine": ["whole", "parsplit"]},
        samples=2,
        venue="ieee",
    )
    table = exploration.table[exploration.table["implementation"] == "ring/aes-256-gcm"]
    assert sorted(table[["bytes", "engine", "block_size", "threads"]].itertuples(index=False, name=None)) == [
        *((1024, "parsplit", 1024, 1), (1024, "parsplit", 1024, 2), (1024, "whole", 0, 1)),
        *((8192, "parsplit", 1024, 1), (8192, "parsplit", 1024, 2), (8192, "whole", 0, 1)),
    ]
    assert exploration.call.endswith("block_size=1024, threads=[1, 2], engine=['whole', 'parsplit'], samples=2)")
    assert exploration.figure.get_size_inches()[0] == 3.5
    assert exploration.draw("lncs").get_size_inches()[0] > 4
    again: Exploration = eval(exploration.call, {"aeadlab": aeadlab})
    assert set(again.table["implementation"]) == set(exploration.table["implementation"])
    assert again.record.path.parent == results / "explorations"


def test_exports_figure_table_origin_and_samples(seen: Exploration, tmp_path: Path) -> None:
    files = seen.export("mine", tmp_path, quantity="time")
    endings = ("pdf", "svg", "png", "csv", "json")
    assert [file.name for file in files] == [
        *(f"mine.{ending}" for ending in endings), "mine-samples.csv", "mine-samples.parquet",
    ]  # fmt: skip
    assert all(file.stat().st_size > 100 for file in files)
    assert len(pd.read_csv(tmp_path / "mine.csv")) == len(seen.table)
    assert len(pd.read_csv(tmp_path / "mine-samples.csv")) == len(seen.samples)
    assert load_record(tmp_path / "mine-samples.parquet").provenance == seen.record.provenance
    origin = json.loads((tmp_path / "mine.json").read_text())["provenance"]
    assert origin["call"] == seen.call and origin["record"] == seen.record.path.name and origin["quantity"] == "time"
    assert [file.parent for file in seen.export()] == [seen.folder] * 7
    with pytest.raises(ArgumentError, match="use only letters"):
        seen.export("../mine", tmp_path)


def test_does_not_become_the_newest_record_of_a_study(results: Path) -> None:
    look_at(NAMES[0], bytes=1024, samples=1)
    assert list((results / "explorations").glob("explore-*.parquet"))
    assert not (results / "records").exists()


def test_reports_progress_of_all_stages() -> None:
    reports: list[tuple[str, int, int]] = []
    look_at(NAMES[0], bytes=1024, samples=3, progress=lambda *report: reports.append(report))
    assert {stage for stage, _, _ in reports} == {"verifying", "warming up", "measuring"}
    assert ("verifying", 2, 2) in reports and ("measuring", 0, 12) in reports and ("warming up", 0, 4) in reports


@pytest.mark.parametrize("when", ["verifying", "measuring"])
def test_stops_from_another_thread_and_frees_the_lock(when: str, results: Path) -> None:
    stop = threading.Event()

    def progress(stage: str, done: int, planned: int) -> None:
        # The worker reports only once it has samples.
        if stage == when and (done or when == "verifying"):
            stop.set()

    arguments: dict[str, Any] = {"bytes": 64 << 10, "samples": 200_000, "stop": stop, "progress": progress}
    if when == "verifying":
        with pytest.raises(MeasurementError, match="stopped before"):
            look_at(NAMES, **arguments)
    else:
        exploration = look_at(NAMES, **arguments)
        assert exploration.stopped is not None and exploration.stopped.endswith("of 1200000 samples")
        assert 1 <= exploration.table["n"].max() < 200_000
        assert "ended early" in repr(exploration) and "Ended early" in exploration.as_html()
        assert exploration.figure is not None
    with machine_lock():
        pass
    assert not list((results / "explorations").glob("unfinished/*"))


def test_rejects_wrong_arguments_with_the_reason() -> None:
    with pytest.raises(UnknownNameError, match="nearest: openssl"):
        look_at("openssl/aes-256-gmc")
    with pytest.raises(UnknownNameError, match="no venue"):
        look_at(venue="nature")
    with pytest.raises(ArgumentError, match="whole numbers"):
        look_at(threads="many")
    with pytest.raises(BusyError), machine_lock():
        look_at(NAMES[0], bytes=64)


def test_sizes_may_be_texts() -> None:
    exploration = look_at(NAMES[0], bytes=["1K", 64], samples=1)
    assert set(exploration.table["bytes"]) == {1024, 64} and "bytes=[1024, 64]" in exploration.call
    with pytest.raises(ArgumentError, match="size '1X' given"):
        look_at(NAMES[0], bytes="1X")


def test_nothing_but_memory_is_no_result() -> None:
    with pytest.raises(MeasurementError, match=r"no case could be measured: .*, at most 16777215 expected$") as raised:
        look_at("openssl/aes-256-ccm", bytes=16 << 20, samples=1)
    assert str(raised.value).count("at most") == 1
    some = look_at(["openssl/aes-256-ccm", NAMES[0]], bytes=16 << 20, samples=1)
    assert [name.split()[0] for name in some.not_timed] == ["openssl/aes-256-ccm"]
    assert look_at("baseline/memcpy", bytes=64, samples=1).answers == []


def test_explore_without_widgets_measures_instead(seen: Exploration, capsys: pytest.CaptureFixture[str]) -> None:
    assert explore(seen) is seen
    assert "No front end shows widgets here" in capsys.readouterr().out
    exploration = explore()
    assert isinstance(exploration, Exploration) and len(exploration.table) == 4
