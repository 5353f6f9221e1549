from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import aeadlab
from aeadlab.bench.lock import machine_lock
from aeadlab.errors import ArgumentError, BusyError, MeasurementError, UnknownNameError
from aeadlab.exploring import Exploration, explore, look_at
from aeadlab.records import load_record
from tests.exploring.conftest import NAMES


def test_a_look_is_verified_interleaved_and_beside_memcpy(seen: Exploration) -> None:
    assert set(seen.table["implementation"]) == {*NAMES, "baseline/memcpy"}
    assert (seen.table["n"] == 6).all() and seen.stopped is None and seen.not_timed == {}
    assert seen.record.provenance["verified"]["openssl/aes-256-gcm"]["ok"]
    assert seen.table["share"].notna().sum() == 2
    first = seen.samples[~seen.samples["warmup"]].sort_values("order")["implementation"].tolist()
    assert first != sorted(first), "rounds are shuffled"
    assert seen.folder == seen.record.path.parent and seen.folder.name == "explorations"


def test_it_shows_itself_and_says_how_to_see_it_again(seen: Exploration) -> None:
    assert seen.call == "aeadlab.look_at(['openssl/aes-256-gcm', 'blake3/blake3'], bytes=4096, samples=6)"
    page = seen._repr_html_()
    assert page.startswith('<img src="data:image/png;base64,') and page.count("<table") == 1
    assert "openssl/aes-256-gcm</th>" in page and "bytes=4096, samples=6)</code>" in page
    assert repr(seen).startswith(f"<Exploration {seen.record.path.name}>\n  4 KiB, whole message, 1 thread, keyed\n")
    assert repr(seen).count("GiB/s") == 3


def test_everything_that_can_be_asked_for_is_measured(results: Path) -> None:
    found = look_at(
        "openssl/aes-256-gcm, ring/aes-256-gcm",
        **{"bytes": [1024, 8192], "block_size": "[1024]", "threads": "[1, 2]", "engine": ["whole", "parsplit"]},
        samples=2,
        venue="ieee",
    )
    table = found.table[found.table["implementation"] == "ring/aes-256-gcm"]
    assert sorted(table[["bytes", "engine", "block_size", "threads"]].itertuples(index=False, name=None)) == [
        *((1024, "parsplit", 1024, 1), (1024, "parsplit", 1024, 2), (1024, "whole", 0, 1)),
        *((8192, "parsplit", 1024, 1), (8192, "parsplit", 1024, 2), (8192, "whole", 0, 1)),
    ]
    assert found.call.endswith("block_size=1024, threads=[1, 2], engine=['whole', 'parsplit'], samples=2)")
    assert found.figure.get_size_inches()[0] == 3.5
    assert found.draw("lncs").get_size_inches()[0] > 4
    again: Exploration = eval(found.call, {"aeadlab": aeadlab})
    assert set(again.table["implementation"]) == set(found.table["implementation"])
    assert again.record.path.parent == results / "explorations"


def test_exports_are_the_figure_its_table_its_origin_and_the_samples(seen: Exploration, tmp_path: Path) -> None:
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
    with pytest.raises(ArgumentError, match="wanted letters"):
        seen.export("../mine", tmp_path)


def test_explorations_are_not_taken_for_the_newest_record_of_a_study(results: Path) -> None:
    look_at(NAMES[0], bytes=1024, samples=1)
    assert list((results / "explorations").glob("explore-*.parquet"))
    assert not (results / "records").exists()


def test_who_asks_is_told_how_far_it_is() -> None:
    heard: list[tuple[str, int, int]] = []
    look_at(NAMES[0], bytes=1024, samples=3, progress=lambda *told: heard.append(told))
    assert {what for what, _, _ in heard} == {"verifying", "measuring"}
    assert ("verifying", 2, 2) in heard and ("measuring", 0, 9) in heard


@pytest.mark.parametrize("when", ["verifying", "measuring"])
def test_a_look_can_be_stopped_from_another_thread_and_lets_the_machine_go(when: str, results: Path) -> None:
    stop = threading.Event()

    def progress(what: str, done: int, planned: int) -> None:
        # While it measures, workers report when there are samples.
        if what == when and (done or when == "verifying"):
            stop.set()

    asked: dict[str, Any] = {"bytes": 64 << 10, "samples": 200_000, "stop": stop, "progress": progress}
    if when == "verifying":
        with pytest.raises(MeasurementError, match="stopped before there was a sample"):
            look_at(NAMES, **asked)
    else:
        found = look_at(NAMES, **asked)
        assert found.stopped is not None and found.stopped.endswith("of 800000 samples")
        assert 1 <= found.table["n"].max() < 200_000
        assert "ended early" in repr(found) and "Ended early" in found.as_html()
        assert found.figure is not None
    with machine_lock():
        pass
    assert not list((results / "explorations").glob("unfinished/*"))


def test_what_cannot_be_looked_at_is_refused_with_its_reason() -> None:
    with pytest.raises(UnknownNameError, match="nearest: openssl"):
        look_at("openssl/aes-256-gmc")
    with pytest.raises(UnknownNameError, match="no venue"):
        look_at(venue="nature")
    with pytest.raises(ArgumentError, match="whole numbers"):
        look_at(threads="many")
    with pytest.raises(BusyError), machine_lock():
        look_at(NAMES[0], bytes=64)


def test_without_widgets_exploring_is_looking_and_says_so(
    seen: Exploration, capsys: pytest.CaptureFixture[str]
) -> None:
    assert explore(seen) is seen
    assert "Nothing here shows widgets" in capsys.readouterr().out
    found = explore()
    assert isinstance(found, Exploration) and len(found.table) == 4
