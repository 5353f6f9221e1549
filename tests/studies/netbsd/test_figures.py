"""Random generators: the table with its scaling factors, and the bars."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

from aeadlab.bench.case import Case
from aeadlab.display.units import significant
from aeadlab.errors import EmptyFigureError, UnknownNameError
from aeadlab.figures.style import VENUES
from aeadlab.studies.netbsd.figures import COLUMNS, generator_speeds, generator_table
from aeadlab.verdicts import published
from tests.fixtures.drawing import contents

OfCases = Callable[..., pd.DataFrame]
Check = Callable[[Figure, str], None]
Texts = Callable[[Figure], list[Text]]
Written = Callable[[Figure], list[str]]
Noted = Callable[[Figure], str]
ALGORITHMS = ("rc4", "hc-128", "chacha20")
FORMS = ("inlined", "locked", "per-thread", "unlocked")
WORDS, EACH = 100_000, 1 << 20
# TSC cycles for a byte; four in a nanosecond. Chosen, not measured.
CYCLES = {
    (algorithm, form): 10 * (1 + place) + 3 * step
    for place, algorithm in enumerate(ALGORITHMS)
    for step, form in enumerate(FORMS)
}
SCALING = {"inlined": 0.8, "locked": 0.106, "per-thread": 0.9, "unlocked": 0.018}
"""Ratio of the time of one stream to that of four with four times the data."""

ALONE = 2e-3
KERNELS = {
    "arc4-mtx": "rc4.locked",
    "arc4-nomtx": "rc4.unlocked",
    "arc4-percpu": "rc4.looked-up",
    "hc128-percpu": "hc-128.looked-up",
    "hc128-inline": "hc-128.inlined",
}


def words(name: str, count: int = WORDS) -> Case:
    return Case(
        f"generators/{name}",
        "generate",
        4 * count,
        block_size=0 if name.endswith((".inlined", ".called", ".branched")) else 4,
    )


def streams(name: str, count: int, each: int = EACH) -> Case:
    return Case(f"generators/{name}", "generate", each * count, block_size=256, threads=count)


def times_of() -> dict[Case, float]:
    times = {}
    for algorithm, form in product(ALGORITHMS, FORMS):
        name = f"{algorithm}.{form}"
        times[words(name)] = CYCLES[algorithm, form] * 4 * WORDS / 4e9
        for count in (1, 4, 8):
            times[streams(name, count)] = ALONE / (1 if count == 1 else SCALING[form] if count == 4 else 0.5)
    return times


@pytest.fixture(scope="module")
def samples(of_cases: OfCases) -> pd.DataFrame:
    return of_cases(times_of(), rounds=6, noise=0.001)


def test_a_row_has_form_streams_and_request(samples: pd.DataFrame) -> None:
    table = generator_table(samples)
    assert tuple(table.columns) == COLUMNS and len(table) == len(times_of())
    assert table["algorithm"].drop_duplicates().tolist() == [*ALGORITHMS]
    assert table["form"].drop_duplicates().tolist() == [*FORMS]
    rows = table.set_index(["algorithm", "form", "request", "streams"]).sort_index()
    assert set(table["request"]) == {4, 256}, "also the words of the inlined form have 4 bytes"
    for (algorithm, form), cycles in CYCLES.items():
        result = rows.loc[(algorithm, form, 4, 1)]
        assert result["cycles_per_byte"] == pytest.approx(cycles, rel=0.003)
        assert (result["bytes"], result["n"], result["status"]) == (4 * WORDS, 6, "ok")
        assert rows.loc[(algorithm, form, 256, 4), "bytes"] == 4 * EACH
        assert rows.loc[(algorithm, form, 256, 1), "gib_per_s"] == pytest.approx(EACH / 2**30 / ALONE, rel=0.003)


def test_scaling_factor_compares_equal_work_per_stream(samples: pd.DataFrame) -> None:
    table = generator_table(samples)
    for count, expected in ((1, dict.fromkeys(FORMS, 1.0)), (4, SCALING), (8, dict.fromkeys(FORMS, 0.5))):
        rows = table[table["streams"].eq(count) & table["request"].eq(256)]
        assert len(rows) == len(CYCLES)
        assert rows["scaling_factor"].to_numpy() == pytest.approx(rows["form"].map(expected).to_numpy(), rel=0.003)


def document_times() -> dict[Case, float]:
    """Return the published seconds of the five kernels."""
    rows = published.load("NetBSD")
    times = {}
    for kernel, name in KERNELS.items():
        for quantity, count in (("time for 4 GB", 1), ("time for 16 GB", 4)):
            (seconds,) = rows.loc[rows["variant"].eq(kernel) & rows["quantity"].eq(quantity), "value"]
            times[streams(name, count, 4 * 10**9)] = float(seconds)
    return times


def test_published_times_reproduce_published_scaling_factors(of_cases: OfCases) -> None:
    """42.58 s for 4 GB divided by 398.83 s for 16 GB is 0.106."""
    table = generator_table(of_cases(document_times(), rounds=3, noise=0))
    result = table[table["streams"].eq(4)].set_index("implementation")["scaling_factor"]
    printed = published.lookup("NetBSD", quantity="scaling factor").set_index("variant")["value"]
    assert len(printed) == len(KERNELS)
    for kernel, name in KERNELS.items():
        # Some of the published factors are truncated and not rounded.
        assert result[f"generators/{name}"] == pytest.approx(printed[kernel], abs=0.001)
    assert result["generators/rc4.locked"] == pytest.approx(42.58 / 398.83)
    assert 0.106 < result["generators/rc4.locked"] < 0.107


def test_long_runs_have_their_own_scaling_factors(of_cases: OfCases, written: Written) -> None:
    """Profile `paper` has two runs of one stream and two of four."""
    both = of_cases({**times_of(), **document_times()}, rounds=3, noise=0)
    table = generator_table(both)
    four = table[table["streams"].eq(4) & table["implementation"].eq("generators/rc4.locked")].set_index("bytes")
    assert four.loc[16 * 10**9, "scaling_factor"] == pytest.approx(42.58 / 398.83, rel=0.005)
    assert four.loc[4 * EACH, "scaling_factor"] == pytest.approx(0.106, rel=0.005)
    figure, _ = generator_speeds(both)
    shown = written(figure)
    assert significant(4 * 42.58 / 398.83, 2) != significant(4 * 0.106, 3)
    assert significant(4 * four.loc[4 * EACH, "scaling_factor"], 2) in shown, "the figure shows the shorter runs"


def test_scaling_factor_needs_a_single_stream(of_cases: OfCases) -> None:
    table = generator_table(of_cases({streams("rc4.locked", 2): 1e-3, streams("hc-128.locked", 1): 1e-3}, 3))
    factor = table.set_index("implementation")["scaling_factor"]
    assert np.isnan(factor["generators/rc4.locked"]) and factor["generators/hc-128.locked"] == 1


def cells(figure: Figure, panel: int) -> list[str]:
    """Return the texts of the cells of a panel, row by row."""
    return [text.get_text() for text in figure.axes[panel].texts]


def test_cells_are_cycles_per_byte_of_word_requests_and_scaling(samples: pd.DataFrame, written: Written) -> None:
    figure, table = generator_speeds(samples)
    ordered = [
        (algorithm, form) for algorithm in ALGORITHMS for form in ("inlined", "per-thread", "unlocked", "locked")
    ]
    assert [float(cell) for cell in cells(figure, 0)] == pytest.approx([CYCLES[key] for key in ordered], rel=0.05)
    assert len(table) == len(times_of())
    rows = table.set_index(["algorithm", "form", "request", "streams"]).sort_index()
    factors = [significant(4 * rows.loc[(*key, 256, 4), "scaling_factor"], 2) for key in ordered]
    assert cells(figure, 1) == factors
    assert {*ALGORITHMS, "cycles per byte, requests of 32 bits"} <= set(written(figure))
    fastest = min(CYCLES, key=CYCLES.__getitem__)
    assert figure.caption.startswith(f"{fastest[0]}, {fastest[1]}, is fastest:")  # type: ignore[attr-defined]


def test_faster_cells_are_darker(samples: pd.DataFrame) -> None:
    figure, _ = generator_speeds(samples)
    (mesh,) = figure.axes[0].collections
    figure.draw_without_rendering()
    tones = mesh.get_facecolors()[:, :3].sum(axis=1)
    order = np.argsort([float(cell) for cell in cells(figure, 0)], kind="stable")
    assert (np.diff(tones[order]) > -0.05).all() and tones[order[0]] < tones[order[-1]]


def test_unmeasured_requests_have_no_cell(of_cases: OfCases) -> None:
    both, _ = generator_speeds(of_cases({words("rc4.locked"): 1e-3, streams("rc4.locked", 4): 1e-3}, 3))
    assert len(both.axes) == 1, "the scaling of four streams needs one"
    alone, _ = generator_speeds(of_cases({words("rc4.locked"): 1e-3}, 3))
    assert len(alone.axes) == 1 and len(cells(alone, 0)) == 1


def test_failed_cases_have_their_reason_in_the_table(of_cases: OfCases) -> None:
    times = times_of()
    crashed = tuple(case for case in times if case.implementation == "generators/hc-128.locked")
    figure, table = generator_speeds(of_cases({c: t for c, t in times.items() if c not in crashed}, 3, failed=crashed))
    assert len(cells(figure, 0)) == len(CYCLES) - 1
    failed = table[table["implementation"].eq("generators/hc-128.locked")]
    assert len(failed) == len(crashed) and failed["status"].eq("failed: it crashed").all()
    assert failed[["seconds", "scaling_factor"]].isna().all().all()


@pytest.mark.parametrize("venue", VENUES)
def test_all_generators_fit_every_venue(venue: str, of_cases: OfCases, check_layout: Check) -> None:
    from aeadlab.studies.netbsd.study import forms

    times = {words(f"{name}.{form}"): 1e-3 for name, form in forms()}
    times |= {streams(f"{name}.{form}", count): 1e-2 for name, form in forms() for count in (1, 4)}
    check_layout(generator_speeds(of_cases(times, rounds=2), venue)[0], venue)


def test_the_same_record_gives_the_same_bytes(samples: pd.DataFrame) -> None:
    assert contents(*generator_speeds(samples)) == contents(*generator_speeds(samples))


def test_rejects_samples_without_matching_cases(samples: pd.DataFrame) -> None:
    with pytest.raises(EmptyFigureError, match="^the samples hold no generator: measure the study generators$"):
        generator_speeds(samples[samples["op"].eq("seal")])
    for other in (samples[samples["block_size"].eq(256)], samples.assign(status="failed: it crashed")):
        with pytest.raises(
            EmptyFigureError, match="^no generator was measured with requests of 32 bits: measure the study generators$"
        ):
            generator_speeds(other)
    with pytest.raises(UnknownNameError, match="there is no venue 'natur'"):
        generator_speeds(samples, "natur")
