"""The memory limit that tables and figures name: that of the record's copies, or memcpy where it has none."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import pandas as pd
import pytest
from matplotlib.figure import Figure

from aeadlab.bench.case import Case
from aeadlab.figures.style import VenueFigure
from aeadlab.lab.exploring.figure import exploration
from aeadlab.stats.roofline import COPIES, COPY, COPY_STREAM, MEMCPY, XOR
from aeadlab.studies.eth.baselines.figures import aead_bars, hash_bars
from aeadlab.studies.eth.block_sizes.figures import block_size_times
from aeadlab.studies.eth.catalogue.figures import catalogue_speeds
from aeadlab.studies.eth.catalogue.overview import overview
from aeadlab.studies.eth.compositions.figures import composition_heat_map
from aeadlab.studies.eth.speedup.figures import thread_times
from aeadlab.studies.memory.figures import regimes, size_speeds
from aeadlab.studies.rust.figures import message_size_times

Draw = Callable[..., tuple[Figure, pd.DataFrame]]
Drawn = Callable[[Draw, tuple[str, ...]], tuple[Figure, pd.DataFrame]]
OfCases = Callable[..., pd.DataFrame]
Written = Callable[[Figure], list[str]]
Noted = Callable[[Figure], str]
GIB = 1 << 30
OPENSSL, OWN = "openssl/aes-256-gcm", "aeadlab/aes-256-gcm"
COMPOSED = "openssl+blake3/aes-256-ctr+blake3-keyed"
# Seconds of 1 GiB in one thread; with two threads they are 0.9 times as long.
TIMES = {
    MEMCPY: 0.050, COPY: 0.060, COPY_STREAM: 0.040, XOR: 0.061, OPENSSL: 0.070, OWN: 0.064, COMPOSED: 0.30,
    "openssl/aes-256-ctr": 0.06, "blake3/blake3-keyed": 0.15, "openssl/aes-256-gmac": 0.055,
}  # fmt: skip
TWO_THREADS = 0.9
OPS = {"openssl/aes-256-ctr": "encrypt", "blake3/blake3-keyed": "digest", "openssl/aes-256-gmac": "digest"}

DRAWN: Mapping[str, tuple[Draw, str]] = {
    "aeads": (aead_bars, ", {of_openssl} % of {limit}; 64 KiB blocks cost"),
    "hashes": (hash_bars, "a hash only reads, {limit} also writes"),
    "threads": (thread_times, "baseline/{limit} 1.12\N{MULTIPLICATION SIGN}"),
    "catalogue": (catalogue_speeds, "coloured: the fastest of its row; % of {limits}."),
    "overview": (overview, "dashed: {limit}."),
    "compositions": (composition_heat_map, "({of_composed} % of {limit}; openssl/aes-256-gcm 14.3)"),
    "messages": (message_size_times, "; dashed: {limit}."),
    "sizes": (size_speeds, "openssl/aes-256-gcm reaches {of_openssl} % of {limit} at 1 GiB"),
    "regimes": (regimes, "what the cores, and {limit} with as many threads, allow"),
    "exploration": (exploration, "dashed: {limits}"),
}
"""A figure, and the words in which it names the limit: of ordinary stores, or of each stores that cases use."""


def times_of(without: tuple[str, ...] = ()) -> dict[Case, float]:
    """Return the times of whole messages and of ParSplit with one thread and two."""
    times: dict[Case, float] = {}
    for name, seconds in TIMES.items():
        if name not in without:
            op: Any = OPS.get(name, "encrypt" if name.startswith("baseline/") else "seal")
            whole = Case(name, op, GIB)
            split = replace(whole, engine="parsplit", block_size=64 << 10, schedule="dynamic")
            times[whole] = seconds
            if op != "digest":
                times |= {split: 1.01 * seconds, replace(split, threads=2): TWO_THREADS * seconds}
    return times


@pytest.fixture(scope="module")
def drawn(of_cases: OfCases) -> Drawn:
    """``drawn(aead_bars, without)``: a figure and its table, drawn once for all tests."""
    samples = cache(lambda without: of_cases(times_of(without)))
    return cache(lambda draw, without: draw(samples(without).copy()))


@pytest.mark.parametrize("name", DRAWN)
@pytest.mark.parametrize(
    ("without", "limit", "limits"),
    [
        ((), "copy", "copy or copy-stream"),
        ((OWN,), "copy", "copy"),
        ((COPY_STREAM,), "copy", "copy"),
        ((COPY, COPY_STREAM), "memcpy", "memcpy"),
    ],
)
def test_a_figure_names_its_limit(
    name: str, without: tuple[str, ...], limit: str, limits: str, drawn: Drawn, noted: Noted
) -> None:
    draw, words = DRAWN[name]
    figure, _ = drawn(draw, without)
    text = noted(figure)
    of_openssl, of_composed = (f"{100 * TIMES[f'baseline/{limit}'] / TIMES[of]:.0f}" for of in (OPENSSL, COMPOSED))
    expected = words.format(limit=limit, limits=limits, of_openssl=of_openssl, of_composed=of_composed)
    assert expected in text
    if limit != "memcpy":
        assert "memcpy" not in text


@pytest.mark.parametrize(
    "draw", [aead_bars, thread_times, block_size_times, catalogue_speeds, composition_heat_map, size_speeds]
)
@pytest.mark.parametrize("copies", [True, False])
def test_a_table_has_the_share_of_memcpy_and_that_of_the_limit(draw: Draw, copies: bool, drawn: Drawn) -> None:
    _, table = drawn(draw, () if copies else (COPY, COPY_STREAM))
    assert OPENSSL in set(table["implementation"])
    for row in table[table["status"].eq("ok")].to_dict("records"):
        name = row["implementation"]
        if name in (OPENSSL, OWN, XOR):
            limit = MEMCPY if not copies else COPY_STREAM if name == OWN else COPY
            # The copies are at their fastest, with as many threads.
            factor = TWO_THREADS if row.get("threads") == 2 else 1.0
            assert row["limit"] == limit
            assert row["share_of_memcpy"] == pytest.approx(factor * TIMES[MEMCPY] / row["seconds"], rel=0.01)
            assert row["share_of_limit"] == pytest.approx(factor * TIMES[limit] / row["seconds"], rel=0.01)


def test_the_dashed_line_of_figure_2_is_the_copy(drawn: Drawn, written: Written, noted: Noted) -> None:
    figure, table = drawn(aead_bars, ())
    (dashed,) = [line for line in figure.axes[0].lines if line.get_linestyle() == "--"]
    assert dashed.get_xdata()[0] == pytest.approx(1e3 * TIMES[COPY], rel=0.02)
    shares = table.drop_duplicates("implementation").set_index("implementation")["share_of_limit"]
    assert shares[XOR] == pytest.approx(60 / 61, rel=0.01), "not 116 % of a copy with other stores"
    assert shares[COPY] == 1 and shares[[MEMCPY, COPY_STREAM]].isna().all()
    assert {"% of", "copy"} <= set(written(figure))
    assert isinstance(figure, VenueFigure)
    assert "Dashed: copy (ordinary stores), over the whole message." in figure.caption
    assert f"{OWN}: % of copy-stream (streaming stores)." in noted(figure)
    assert "hollow: published" in noted(figure)
    assert [*table["implementation"].drop_duplicates()][:4] == [*COPIES, XOR]


def test_the_second_roof_is_that_of_streaming_stores(drawn: Drawn, written: Written) -> None:
    for without, milliseconds in (((), (60, 40)), ((COPY_STREAM,), (60,))):
        figure, _ = drawn(regimes, without)
        dashed = [line for line in figure.axes[0].lines if line.get_linestyle() == "--"]
        assert len(dashed) == len(milliseconds)
        for line, time in zip(dashed, milliseconds, strict=True):
            # With two threads, a copy moves 60 ms / (0.9 * time) as much as ordinary stores with one.
            percent, ys = line.get_data()
            assert ys[-1] == pytest.approx(60 / (TWO_THREADS * time) / (percent[-1] / 100), rel=0.02)
        names = {"ordinary\nstores", "streaming\nstores"}
        assert names & set(written(figure)) == (names if len(dashed) == 2 else set())


@pytest.mark.parametrize("name", COPIES)
def test_a_copy_that_failed_is_no_limit(name: str, of_cases: OfCases) -> None:
    samples = of_cases(times_of())
    samples.loc[samples["implementation"] == name, "status"] = "SIGILL"
    figure, table = aead_bars(samples)
    limits = (
        table[~table["implementation"].isin(COPIES) & table["status"].eq("ok")]
        .groupby("implementation")["limit"]
        .first()
    )
    streaming = COPY_STREAM if name != COPY_STREAM else COPY
    assert limits.to_dict() == {
        **dict.fromkeys(limits.index, MEMCPY if name == COPY else COPY), OWN: streaming,
    }  # fmt: skip
    assert isinstance(figure, VenueFigure)
    assert (
        f"Dashed: {'memcpy' if name == COPY else 'copy (ordinary stores)'}, over the whole message." in figure.caption
    )
