"""Properties shared by all figures of curves and points, and the content of each."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.text import Text

from aeadlab.bench.case import Case
from aeadlab.bench.masks.masks import CONTROL
from aeadlab.errors import EmptyFigureError, UnknownNameError
from aeadlab.figures.style import VENUES
from aeadlab.studies.eth.block_sizes.answer import answer
from aeadlab.studies.eth.block_sizes.figures import block_size_table, block_size_times
from aeadlab.studies.eth.catalogue.figures import catalogue_speeds, catalogue_table
from aeadlab.studies.eth.speedup.figures import thread_speed_ups, thread_times
from aeadlab.studies.eth.speedup.table import thread_table
from aeadlab.studies.memory.figures import regime_table, regimes, size_speeds, size_table
from tests.fixtures.drawing import contents

OfCases = Callable[..., pd.DataFrame]
Chosen = Callable[[Callable[[], dict[Case, float]]], pd.DataFrame]
Check = Callable[[Figure, str], None]
Texts = Callable[[Figure], list[Text]]
GIB = 1 << 30
CORES = 2
CACHES = {"L1": 32 << 10, "L2": 1 << 20, "L3": 64 << 20}
# GiB/s of one thread; memory allows 20 with one and 25 with more.
SPEEDS = {
    "baseline/memcpy": 20.0,
    "baseline/xor": 18.0,
    "openssl/aes-256-gcm": 16.0,
    "rustcrypto/aes-256-gcm": 4.0,
    "cryptopp/aes-256-gcm": 3.5,
}
MEMORY = {1: 20.0, 2: 25.0, 3: 25.0, 4: 25.0}


def op_of(name: str) -> tuple[str, ...]:
    return ("encrypt",) if name.startswith("baseline") else ("seal", "open")


def split(name: str, op: str, threads: int, block: int = 64 << 10, **more: object) -> Case:
    return Case(name, op, GIB, "parsplit", block_size=block, threads=threads, schedule="dynamic", **more)  # type: ignore[arg-type]


def thread_times_of(names: dict[str, float] = SPEEDS) -> dict[Case, float]:
    """Return times whose speed grows with threads up to two cores and the limit of memory."""
    times = {}
    for name, speed in names.items():
        for op in op_of(name):
            times[Case(name, op, GIB)] = 1 / speed  # type: ignore[arg-type]
            for threads in (1, 2, 3, 4):
                times[split(name, op, threads)] = 1 / min(0.95 * speed * min(threads, 2), MEMORY[threads])
    return times


def block_times_of() -> dict[Case, float]:
    times = {}
    for name, speed in SPEEDS.items():
        op = op_of(name)[0]
        times[Case(name, op, GIB)] = 1 / speed  # type: ignore[arg-type]
        for power in range(10, 31):
            blocks = GIB >> power
            times[split(name, op, 1, 1 << power)] = 1 / speed + blocks * 2e-7 + (0.02 if power > 20 else 0.0)
    return times


def size_times_of() -> dict[Case, float]:
    times = {}
    for name, speed in SPEEDS.items():
        op = op_of(name)[0]
        for length in [4096 << 2 * step for step in range(9)] + [GIB]:
            for placement in ("separate", "in-place"):
                for mask in ("", "zen2", CONTROL) if name.startswith("openssl") else ("",):
                    seconds = 1e-7 + length / GIB / speed * (3 if mask == "zen2" else 1)
                    times[Case(name, op, length, placement=placement, mask=mask)] = seconds  # type: ignore[arg-type]
        for threads in (1, 2):
            for mask in ("", "zen2", CONTROL) if name.startswith("openssl") else ("",):
                own = speed / (3 if mask == "zen2" else 1)
                times[split(name, op, threads, mask=mask)] = 1 / min(own * threads, MEMORY[threads])
    return times


def catalogue_times_of() -> dict[Case, float]:
    length = 256 << 10
    times = {Case("baseline/memcpy", "encrypt", length): length / GIB / 20}
    for number in range(90):
        for position, library in enumerate(("openssl", "botan", "nettle", "pyca")[: 1 + number % 4]):
            engine = "python" if library == "pyca" else "whole"
            case = Case(f"{library}/aead-{number}", "seal", length, engine)  # type: ignore[arg-type]
            times[case] = length / GIB / (15 / (1 + number) / (1 + position))
    return times


FIGURES: dict[str, tuple[Callable[..., tuple[Figure, pd.DataFrame]], Callable[[], dict[Case, float]]]] = {
    "times": (thread_times, thread_times_of),
    "speed-ups": (thread_speed_ups, thread_times_of),
    "blocks": (block_size_times, block_times_of),
    "sizes": (size_speeds, size_times_of),
    "regimes": (regimes, size_times_of),
    "catalogue": (catalogue_speeds, catalogue_times_of),
}
each_figure = pytest.mark.parametrize("name", FIGURES)
FACTS: dict[str, dict[str, Any]] = {
    "times": {"cores": CORES},
    "speed-ups": {"cores": CORES},
    "sizes": {"caches": CACHES},
}


@pytest.fixture(scope="module")
def chosen(of_cases: OfCases) -> Chosen:
    """``chosen(block_times_of)``: the samples of these times, the same in each test."""
    return cache(lambda times: of_cases(times()))


def drawn(name: str, chosen: Chosen, venue: str = "lncs") -> tuple[Figure, pd.DataFrame]:
    draw, times = FIGURES[name]
    return draw(chosen(times).copy(), venue, **FACTS.get(name, {}))


@each_figure
@pytest.mark.parametrize("venue", VENUES)
def test_layout_fits_every_venue(name: str, venue: str, chosen: Chosen, check_layout: Check) -> None:
    check_layout(drawn(name, chosen, venue)[0], venue)


@each_figure
def test_the_same_record_gives_the_same_bytes(name: str, chosen: Chosen) -> None:
    assert contents(*drawn(name, chosen)) == contents(*drawn(name, chosen))


@each_figure
def test_rejects_an_unknown_venue(name: str, chosen: Chosen) -> None:
    with pytest.raises(UnknownNameError, match="there is no venue 'natur'"):
        drawn(name, chosen, "natur")


@each_figure
def test_rejects_samples_without_cases_of_the_figure(name: str, of_cases: OfCases) -> None:
    other = of_cases({Case("openssl/sha-256", "digest", 64): 1e-6})
    if name == "sizes":
        other = other.assign(threads=2)
    with pytest.raises(EmptyFigureError, match="the samples hold no"):
        FIGURES[name][0](other, "lncs")


@each_figure
def test_drawn_values_are_finite_and_not_zero(name: str, of_cases: OfCases) -> None:
    draw, times = FIGURES[name]
    chosen = times()
    crashed = [case for case in chosen if case.implementation.startswith(("rustcrypto", "nettle"))]
    samples = of_cases({case: t for case, t in chosen.items() if case not in crashed}, failed=tuple(crashed))
    figure, table = draw(samples, "lncs")
    for axes in figure.axes:
        for line in axes.lines:
            values = np.asarray(line.get_ydata(), dtype=float)
            assert not (values[np.isfinite(values)] == 0).any() or name in ("catalogue",)
    if "status" in table:
        failed = table[table["status"].ne("ok")]
        assert len(failed) and failed[["seconds", "gib_per_s"]].isna().all().all()


def test_an_expected_implementation_is_named_as_absent(of_cases: OfCases, texts: Texts) -> None:
    times = {case: t for case, t in thread_times_of().items() if not case.implementation.startswith("cryptopp")}
    figure, table = thread_times(of_cases(times))
    assert "Absent: cryptopp/aes-256-gcm" in figure.caption  # type: ignore[attr-defined]
    assert "cryptopp" not in {text.get_text() for text in texts(figure)}
    assert "cryptopp/aes-256-gcm" not in set(table["implementation"])


def test_speed_ups_and_shares_have_the_right_reference(chosen: Chosen) -> None:
    table = thread_table(chosen(thread_times_of), CORES).set_index(["implementation", "op", "threads"])
    slow = table.loc[("rustcrypto/aes-256-gcm", "open", 2)]
    assert slow["speed_up"] == pytest.approx(2, rel=0.01)
    assert slow["speed_up_over_whole"] == pytest.approx(1.9, rel=0.01)
    assert slow["share_of_memcpy"] == pytest.approx(2 * 0.95 * 4 / 25, rel=0.01)
    fast = table.loc[("openssl/aes-256-gcm", "seal", 2)]
    assert fast["speed_up"] == pytest.approx(25 / (0.95 * 16), rel=0.01)
    assert fast["speed_up_low"] < fast["speed_up"] < fast["speed_up_high"]
    assert fast["share_of_memcpy"] == pytest.approx(1, rel=0.02)
    assert table.xs(3, level="threads")["beyond_cores"].all() and not table.xs(2, level="threads")["beyond_cores"].any()
    serial = 2 / (25 / (0.95 * 16)) - 1
    assert fast["amdahl_serial"] == pytest.approx(serial, abs=0.02)
    assert np.isnan(fast["amdahl_limit"]) and np.isnan(slow["amdahl_limit"]), "two counts give no limit"


def test_parallel_hashes_are_series(of_cases: OfCases) -> None:
    times = thread_times_of({"openssl/aes-256-gcm": 16.0, "baseline/memcpy": 20.0})
    times |= {Case("blake3-rayon/blake3", "digest", GIB, threads=count): 1 / (7 * count) for count in (1, 2)}
    table = thread_table(of_cases(times))
    assert set(table.loc[table["engine"] == "whole", "implementation"]) == {"blake3-rayon/blake3"}
    assert table.set_index(["implementation", "threads"]).loc[("blake3-rayon/blake3", 2), "speed_up"] == pytest.approx(
        2, rel=0.01
    )


def test_the_best_range_is_not_distinguishable_from_the_best(chosen: Chosen) -> None:
    table = block_size_table(chosen(block_times_of))
    own = table[table["implementation"] == "rustcrypto/aes-256-gcm"].set_index("block_size")
    assert own["best"].sum() == 1
    best = set(own.index[own["among_best"]])
    assert {1 << 18, 1 << 19, 1 << 20} & best and not {1 << 10, 1 << 11, 1 << 25} & best
    assert own.loc[1 << 10, "time_over_best"] == pytest.approx((0.25 + 0.2097) / 0.25, rel=0.02)
    assert own.loc[1 << 10, "overhead_percent"] == pytest.approx(100 * 0.2097 / 0.25, rel=0.03)


def test_the_published_best_range_is_a_band(chosen: Chosen) -> None:
    figure, _ = block_size_times(chosen(block_times_of))
    (band,) = figure.axes[0].patches
    assert isinstance(band, Rectangle)
    assert band.get_x() == pytest.approx((8 << 10) / 2**0.5) and band.get_width() > 24 << 10
    assert "Band: published as best (ETH), 8 KiB to 32 KiB." in figure.caption  # type: ignore[attr-defined]


def as_of_two_counts() -> dict[Case, float]:
    """Return the times of two thread counts, and of what the paper splits as published."""
    times = block_times_of()
    for case, seconds in block_times_of().items():
        if case.engine == "parsplit":
            two = replace(case, threads=2)
            times[two] = seconds / 2
            if case.implementation != "baseline/memcpy":
                model = "keyed" if case.implementation == "baseline/xor" else "rekeyed"
                for count, factor in ((1, 3.0), (2, 1.5)):
                    times[replace(case, threads=count, schedule="rayon", model=model)] = factor * seconds
    return times


def test_the_largest_thread_count_is_drawn_and_as_published_apart(
    chosen: Chosen, written: Callable[[Figure], list[str]], check_layout: Check
) -> None:
    times = as_of_two_counts()
    samples = chosen(as_of_two_counts)
    figure, table = block_size_times(samples)
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert titles == ["aes-256-gcm", "as published"]
    for axes, factor, limits in zip(figure.axes, (0.5, 1.5), (2, 1), strict=True):
        drawn = [np.asarray(line.get_ydata(), dtype=float) for line in axes.lines if line.get_linestyle() != "None"]
        assert len(drawn) == 3 + limits, "a curve for each library, and the limits of the same cases"
        expected = sorted(1e3 * factor / SPEEDS[name] for name in SPEEDS)[-len(drawn) :]
        assert sorted(line.min() for line in drawn) == pytest.approx(expected, rel=0.02)
    first, second = figure.axes
    assert (first.get_xlim(), first.get_ylim()) == (second.get_xlim(), second.get_ylim())
    assert not any(word.endswith("\n2 threads") for word in written(figure)), "the caption states the count"
    caption = figure.caption  # type: ignore[attr-defined]
    assert "1 GiB under ParSplit, 2 threads;" in caption and "As published: Rayon's schedule" in caption
    assert len(table) == sum(case.engine == "parsplit" for case in times), "the table has every case"
    assert set(table.loc[table["overhead_percent"].notna(), "threads"]) == {1}
    for venue in ("ieee", "lncs", "ieee-double"):
        check_layout(block_size_times(samples, venue)[0], venue)


def test_the_answer_has_the_cost_of_blocks_in_one_thread(of_cases: OfCases, chosen: Chosen) -> None:
    def sentences(samples: pd.DataFrame) -> list[str]:
        return list(answer(SimpleNamespace(samples=samples)))  # type: ignore[arg-type]

    best, cost, _ = sentences(chosen(as_of_two_counts))
    assert best.startswith("With 2 threads the best block sizes of OpenSSL AES-256-GCM are ")
    assert re.match(r"In one thread its blocks cost 33\d % in blocks of 1 KiB, 2\d(\.\d+)? % in ", cost)
    two = {case: time for case, time in as_of_two_counts().items() if case.engine == "whole" or case.threads == 2}
    without = sentences(of_cases(two))
    assert len(without) == 2 and not any("cost" in sentence for sentence in without)


def test_a_record_whose_blocks_all_failed_has_no_figure(of_cases: OfCases) -> None:
    times = block_times_of()
    failed = tuple(case for case in times if case.engine == "parsplit")
    samples = of_cases({case: time for case, time in times.items() if case not in failed}, failed=failed)
    with pytest.raises(EmptyFigureError, match="^every case under ParSplit failed: "):
        block_size_times(samples)


def test_size_table_separates_placements_and_masks(chosen: Chosen) -> None:
    table = size_table(chosen(size_times_of))
    assert set(table["mask"]) == {"", "zen2"}
    row = table.set_index(["implementation", "placement", "mask", "bytes"]).loc[
        ("openssl/aes-256-gcm", "separate", "zen2", GIB)
    ]
    assert row["gib_per_s"] == pytest.approx(16 / 3, rel=0.02)
    assert row["share_of_limit"] == pytest.approx(16 / 3 / 20, rel=0.02)


def test_cache_lines_are_where_both_buffers_fill_a_cache(chosen: Chosen, texts: Texts) -> None:
    figure, _ = drawn("sizes", chosen)
    words = [text.get_text() for text in texts(figure)]
    assert all(words.count(cache) == 2 for cache in ("L1", "L2", "L3"))
    unknown, _ = size_speeds(chosen(size_times_of))
    assert not {"L1", "L2", "L3"} & {text.get_text() for text in texts(unknown)}


def test_roof_is_the_limit_of_cores_and_memory(chosen: Chosen) -> None:
    table = regime_table(chosen(size_times_of)).set_index(["implementation", "mask"])
    fast, masked = table.loc[("openssl/aes-256-gcm", "")], table.loc[("openssl/aes-256-gcm", "zen2")]
    assert (fast["bound"], masked["bound"]) == ("memory", "cores")
    assert fast["roof"] == pytest.approx(25 / 16, rel=0.02) and masked["roof"] == 2
    assert fast["share_in_one_thread"] == pytest.approx(0.8, rel=0.02)
    assert masked["speed_up"] == pytest.approx(2, rel=0.02)


def test_one_thread_alone_still_gives_its_share(of_cases: OfCases) -> None:
    times = {case: t for case, t in size_times_of().items() if case.threads == 1}
    figure, table = regimes(of_cases(times))
    assert table["speed_up"].eq(1).all() and figure.axes


def test_omitted_algorithms_are_counted(chosen: Chosen, texts: Texts) -> None:
    figure, table = drawn("catalogue", chosen)
    assert table["algorithm"].nunique() == 90
    assert table[table["rank"] == 1]["library"].eq("openssl").all()
    words = " ".join(text.get_text() for text in texts(figure))
    shown = sum(f"aead-{number}" in words.split() for number in range(90))
    assert shown == 36
    assert f"{90 - shown} more AEADs are in the table only." in figure.caption  # type: ignore[attr-defined]
    assert all(f"aead-{number}" in words.split() for number in range(18)), "the fastest, in any library"
    slow = [number for number in range(60, 90) if f"aead-{number}" in words.split()]
    assert slow and all(number % 4 > 1 for number in slow), "the others are those of most libraries"
    second = table[(table["rank"] == 2)]
    assert second["time_over_fastest"].to_numpy() == pytest.approx(2, rel=0.02)


def test_the_legend_has_only_drawn_libraries(of_cases: OfCases, texts: Texts) -> None:
    length = 256 << 10
    times = catalogue_times_of() | {
        Case("nettle/slow", "seal", length): 9.0,
        Case("wolfssl/slowest", "seal", length): 10.0,
    }
    figure, table = catalogue_speeds(of_cases(times))
    assert "wolfssl" in set(table["library"])
    assert "wolfssl" not in {text.get_text() for text in texts(figure)}


def test_a_narrow_column_keeps_room_for_the_points(of_cases: OfCases, texts: Texts) -> None:
    long = {
        Case(f"{c.implementation}-with-a-long-name", c.op, c.bytes, c.engine): t
        for c, t in catalogue_times_of().items()
    }
    for venue, is_named in (("lncs", True), ("ieee", False)):
        figure, _ = catalogue_speeds(of_cases(long), venue)
        assert ("memcpy" in {text.get_text() for text in texts(figure)}) == is_named
        (axes,) = figure.axes
        assert axes.get_position().width * figure.get_size_inches()[0] > 0.6
        ticks = [tick for tick in axes.get_xticks() if axes.get_xlim()[0] <= tick <= axes.get_xlim()[1]]
        assert 3 <= len(ticks) <= 5


def test_equal_speeds_have_an_axis(of_cases: OfCases) -> None:
    for library in ("openssl", "botan"):
        figure, _ = catalogue_speeds(of_cases({Case(f"{library}/a", "seal", 4096): 1e-5}))
        low, high = figure.axes[0].get_xlim()
        assert [tick for tick in figure.axes[0].get_xticks() if low <= tick <= high]


def test_an_implementation_that_failed_has_no_rank(of_cases: OfCases) -> None:
    case = Case("openssl/a", "seal", 4096)
    table = catalogue_table(of_cases({case: 1e-5}, failed=(Case("botan/a", "seal", 4096),)), "aead").set_index(
        "library"
    )
    assert (table.loc["botan", "rank"], table.loc["openssl", "rank"]) == (0, 1)
    assert table.loc["botan", "status"] == "failed: it crashed" and np.isnan(table.loc["botan", "seconds"])
