"""The heat map of compositions, from samples with known speeds."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.text import Text

from aeadlab.bench.case import Case
from aeadlab.catalogue import composition_name
from aeadlab.errors import ArgumentError, EmptyFigureError, UnknownNameError
from aeadlab.figures.style import VENUES
from aeadlab.studies.eth.compositions.figures import composition_heat_map
from aeadlab.studies.eth.compositions.study import CIPHERS, MACS
from aeadlab.studies.eth.compositions.table import compositions_table
from tests.fixtures.drawing import contents

OfCases = Callable[..., pd.DataFrame]
Texts = Callable[[Figure], list[Text]]
SIZE = 1 << 27
GIB = SIZE / 2**30
# GiB/s alone. Chosen, not measured.
PARTS = dict(zip((*CIPHERS, *MACS), (12.0, 3.0, 11.0, 4.0, 2.0, 2.5, 16.0, 5.0, 9.0, 2.0, 1.6, 0.9), strict=True))
OTHERS = {"openssl/aes-256-gcm": 10.0, "openssl/chacha20-poly1305": 2.2, "baseline/memcpy": 15.0}
SLOWER = 1.1
SPEED_UP = 1.9
GMAC = "openssl+openssl/aes-256-ctr+aes-256-gmac"
PUBLISHED = "rustcrypto+blake3/aes-256-ctr+blake3-keyed"


def split(case: Case, threads: int = 2, block: int = 64 << 10) -> Case:
    changed = {"engine": "parsplit", "threads": threads, "block_size": block, "schedule": "dynamic"}
    return Case.from_row({**case.row(), **changed})


def times_of(ciphers: tuple[str, ...] = CIPHERS, macs: tuple[str, ...] = MACS) -> dict[Case, float]:
    """Return times: a composition takes a tenth more than its parts together, and ParSplit is 1.9 times as fast."""
    times = {Case(name, "encrypt", SIZE): GIB / PARTS[name] for name in ciphers}
    times |= {Case(name, "digest", SIZE, threads=threads_of(name)): GIB / PARTS[name] for name in macs}
    for cipher, mac in product(ciphers, macs):
        case = Case(composition_name(cipher, mac), "seal", SIZE, threads=threads_of(mac))
        times[case] = SLOWER * GIB * (1 / PARTS[cipher] + 1 / PARTS[mac])
        times[split(case)] = times[case] / SPEED_UP
    for name, speed in OTHERS.items():
        case = Case(name, "encrypt" if "memcpy" in name else "seal", SIZE)
        times[case], times[split(case)] = GIB / speed, GIB / speed / 1.5
    return times


def threads_of(name: str) -> int:
    return 2 if "rayon" in name else 1


def meshes(figure: Figure) -> list[QuadMesh]:
    return [mesh for axes in figure.axes for mesh in axes.collections if isinstance(mesh, QuadMesh)]


def cells(figure: Figure) -> np.ma.MaskedArray:
    """Return the speeds of all cells; the background of a masked one is hatched."""
    assert all(axes.patch.get_hatch() for axes in figure.axes)
    return np.ma.concatenate([np.ma.ravel(mesh.get_array()) for mesh in meshes(figure)])


def text_lines(texts: list[Text]) -> list[str]:
    return [line for text in texts for line in text.get_text().split("\n")]


@pytest.fixture(scope="module")
def samples(of_cases: OfCases) -> pd.DataFrame:
    """The samples of all compositions."""
    return of_cases(times_of())


@pytest.fixture(scope="module")
def drawn(samples: pd.DataFrame) -> tuple[Figure, pd.DataFrame]:
    """The heat map of all compositions and its table, for tests that only read them."""
    return composition_heat_map(samples.copy())


@pytest.fixture(scope="module")
def table(samples: pd.DataFrame) -> pd.DataFrame:
    return compositions_table(samples.copy())


@pytest.mark.parametrize("venue", VENUES)
@pytest.mark.parametrize("count", [1, 6])
def test_layout_fits_every_venue(
    of_cases: OfCases, check_layout: Callable[[Figure, str], None], texts: Texts, venue: str, count: int
) -> None:
    gone = Case(composition_name(CIPHERS[0], MACS[0]), "seal", SIZE)
    times = {case: t for case, t in times_of(CIPHERS[:count], MACS[:count]).items() if count == 1 or case != gone}
    figure, _ = composition_heat_map(of_cases(times, rounds=8), venue)
    check_layout(figure, venue)
    assert min(text.get_fontsize() for text in texts(figure)) >= 6.5


def test_cells_have_speed_and_time_relative_to_parts(drawn: tuple[Figure, pd.DataFrame], texts: Texts) -> None:
    figure, table = drawn
    composed = table[table["role"] == "composition"]
    whole, under = (composed[composed["engine"] == engine] for engine in ("whole", "parsplit"))
    assert len(whole) == len(under) == 36 and (composed["status"] == "ok").all()
    for row in whole.itertuples():
        expected = 1 / SLOWER / (1 / PARTS[str(row.cipher)] + 1 / PARTS[str(row.mac)])
        assert row.gib_per_s == pytest.approx(expected, rel=0.01)
    np.testing.assert_allclose(whole["slower_percent"], 100 * (SLOWER - 1), atol=1)
    assert (whole["slower_percent_low"] < whole["slower_percent"]).all()
    assert (whole["slower_percent"] < whole["slower_percent_high"]).all()
    np.testing.assert_allclose(under["speed_up"], SPEED_UP, rtol=0.01)
    assert under["slower_percent"].isna().all() and whole["speed_up"].isna().all()
    written = text_lines(texts(figure))
    assert written.count("\N{MULTIPLICATION SIGN}1.9") == 36
    assert sum(text in {"+9", "+10", "+11"} for text in written) == 36
    best = whole.loc[whole["best"]].iloc[0]
    assert best["implementation"] == GMAC and f"{best['gib_per_s']:.2f}" in written


def test_relative_times_are_to_the_same_engine(table: pd.DataFrame) -> None:
    table = table.set_index(["implementation", "engine"])
    speed = table["gib_per_s"]
    for engine in ("whole", "parsplit"):
        row = table.loc[(GMAC, engine)]
        assert row["share_of_memcpy"] == pytest.approx(row["gib_per_s"] / speed["baseline/memcpy", engine], rel=0.01)
        own = speed["openssl/aes-256-gcm", engine] / row["gib_per_s"]
        assert row["relative_time"] == pytest.approx(own, rel=0.01)


def test_the_fastest_of_each_panel_is_framed_and_darkest(drawn: tuple[Figure, pd.DataFrame], texts: Texts) -> None:
    figure, table = drawn
    figure.canvas.draw()
    assert table["best"].sum() == len(figure.axes) == 2
    for axes, mesh in zip(figure.axes, meshes(figure), strict=True):
        (frame,) = [patch for patch in axes.patches if isinstance(patch, Rectangle) and not patch.get_fill()]
        lightness = (np.asarray(mesh.get_facecolor())[:, :3] @ (0.299, 0.587, 0.114)).reshape(len(MACS), -1)
        assert lightness[int(frame.get_y()), int(frame.get_x())] == lightness.min()
        assert len(np.unique(lightness.round(3))) > 20, "a scale in grey too"
    bold = [text.get_text() for text in texts(figure) if text.get_weight() == "bold"]
    assert bold == ["alone", "under ParSplit, 2 threads"]


def test_absent_and_failed_cells_are_hatched(of_cases: OfCases, texts: Texts, noted: Callable[[Figure], str]) -> None:
    times = times_of()
    absent = [case for case in times if case.implementation == composition_name(CIPHERS[1], MACS[3])]
    failed = split(Case(composition_name(CIPHERS[2], MACS[4]), "seal", SIZE))
    kept = {case: seconds for case, seconds in times.items() if case not in (*absent, failed)}
    figure, table = composition_heat_map(of_cases(kept, failed=(failed,)))
    bad = table[(table["role"] == "composition") & (table["status"] != "ok")]
    assert sorted(bad["status"]) == ["failed: it crashed", "not measured", "not measured"]
    assert bad["gib_per_s"].isna().all() and len(table[table["role"] == "composition"]) == 72
    assert np.ma.count_masked(cells(figure)) == 3 and len(cells(figure)) == 72
    assert sum(len(axes.texts) for axes in figure.axes) == 69 + 1 + len(CIPHERS) + 1 + len(MACS), "no text if hatched"
    written = [text.get_text() for text in texts(figure)]
    assert "Hatched: not measured, or failed." in noted(figure)
    assert not {"0.00", "nan"} & set(written)


def test_an_absent_cipher_keeps_its_column_and_reason(of_cases: OfCases, texts: Texts) -> None:
    gone = {
        composition_name("cryptopp/aes-256-ctr", mac): "cryptopp/aes-256-ctr is absent: no Crypto++" for mac in MACS
    }
    times = {c: t for c, t in times_of().items() if c.implementation not in (*gone, "cryptopp/aes-256-ctr")}
    figure, table = composition_heat_map(of_cases(times), refused={**gone, "cryptopp/aes-256-ctr": "no Crypto++"})
    assert len(cells(figure)) == 72 and np.ma.count_masked(cells(figure)) == 12
    missing = table[table["cipher"] == "cryptopp/aes-256-ctr"]
    assert set(missing["status"]) == {"not measured: cryptopp/aes-256-ctr is absent: no Crypto++"}
    written = text_lines(texts(figure))
    assert written.count("cryptopp") == 3, "the cipher above each panel, and the GMAC"
    assert written.count("\N{EN DASH}") == 1, "the speed of the absent cipher alone"


def test_unselected_compositions_are_absent_cells(of_cases: OfCases) -> None:
    chosen = {composition_name(CIPHERS[i], MACS[i]) for i in range(3)}
    times = {
        case: t for case, t in times_of().items() if "+" not in case.implementation or case.implementation in chosen
    }
    _, table = composition_heat_map(of_cases(times))
    composed = table[table["role"] == "composition"]
    assert composed.groupby("engine")["status"].value_counts().to_dict() == {
        ("parsplit", "not measured"): 6, ("parsplit", "ok"): 3, ("whole", "not measured"): 6, ("whole", "ok"): 3,
    }  # fmt: skip


def test_the_fastest_ciphers_and_macs_come_first(table: pd.DataFrame) -> None:
    whole = table[(table["role"] == "composition") & (table["engine"] == "whole")]
    assert list(dict.fromkeys(whole["cipher"])) == sorted(CIPHERS, key=lambda name: -PARTS[name])
    assert list(dict.fromkeys(whole["mac"])) == sorted(MACS, key=lambda name: -PARTS[name])


def test_the_caption_has_the_result_and_published_times(
    drawn: tuple[Figure, pd.DataFrame], noted: Callable[[Figure], str]
) -> None:
    figure, table = drawn
    assert noted(figure).startswith("Fastest composition: alone ")
    notes = figure.caption  # type: ignore[attr-defined]
    assert "128 MiB sealed" in notes and "64 KiB blocks, dynamic" in notes
    assert "blake3-rayon alone: with 2 threads of its own; under ParSplit with one a call" in notes
    assert "GiB/s (41 % of memcpy; openssl/aes-256-gcm 10.0); under" in notes.replace("9.99", "10.0")
    row = table.set_index(["implementation", "engine"]).loc[(PUBLISHED, "whole")]
    assert row["published_relative_time"] == pytest.approx(615.11 / 310.22)
    assert "took 1.98 times as long as openssl/aes-256-gcm; here" in notes
    under = table[table["engine"] == "parsplit"]
    assert under["published_relative_time"].isna().all(), "the document has one thread, this run two"


def test_the_setting_with_most_threads_is_drawn(of_cases: OfCases, texts: Texts) -> None:
    times = times_of(CIPHERS[:2], MACS[:2])
    more = {split(case, 4, 4096): seconds / 3 for case, seconds in times.items() if case.engine == "whole"}
    figure, table = composition_heat_map(of_cases({**times, **more}))
    under = table[(table["role"] == "composition") & (table["engine"] == "parsplit")]
    assert set(under["threads"]) == {4} and set(under["block_size"]) == {4096}
    assert "under ParSplit, 4 threads" in {text.get_text() for text in texts(figure)}


@pytest.mark.parametrize("engine", ["whole", "parsplit"])
def test_one_engine_alone_has_one_panel(of_cases: OfCases, engine: str) -> None:
    times = {case: t for case, t in times_of().items() if "+" not in case.implementation or case.engine == engine}
    figure, table = composition_heat_map(of_cases(times))
    assert set(table.loc[table["role"] == "composition", "engine"]) == {engine}
    assert len(cells(figure)) == 36


def test_draws_speeds_without_references_and_parts(of_cases: OfCases) -> None:
    times = {case: seconds for case, seconds in times_of().items() if "+" in case.implementation}
    figure, table = composition_heat_map(of_cases(times))
    assert len(cells(figure)) == 72
    assert table[["share_of_memcpy", "relative_time", "slower_percent"]].isna().all(axis=None)


def test_draws_cases_with_too_few_samples_for_an_interval(of_cases: OfCases) -> None:
    _, table = composition_heat_map(of_cases(times_of(), rounds=2))
    assert table["seconds_low"].isna().all() and table["gib_per_s"].notna().all()


def test_all_failed_cells_are_hatched(of_cases: OfCases) -> None:
    times = times_of(CIPHERS[:2], MACS[:2])
    composed = tuple(case for case in times if "+" in case.implementation)
    figure, _ = composition_heat_map(of_cases({c: t for c, t in times.items() if c not in composed}, failed=composed))
    assert len(cells(figure)) == np.ma.count_masked(cells(figure)) == 8


def test_the_same_record_gives_the_same_bytes(samples: pd.DataFrame) -> None:
    first, second = (contents(*composition_heat_map(samples.copy())) for _ in range(2))
    assert first == second


def test_rejects_samples_without_a_composition(of_cases: OfCases) -> None:
    with pytest.raises(EmptyFigureError, match="the samples hold no composition that seals, .*study compositions"):
        composition_heat_map(of_cases({Case("openssl/aes-256-gcm", "seal", SIZE): 0.1}))


def test_rejects_more_ciphers_than_fit(of_cases: OfCases) -> None:
    names = [composition_name(f"toy{i}/cipher", MACS[0]) for i in range(14)]
    samples = of_cases({Case(name, "seal", SIZE): 0.1 for name in names})
    with pytest.raises(
        ArgumentError, match=r"14 ciphers do not fit .* 3\.50 inches.*room for \d: choose a wider venue"
    ):
        composition_heat_map(samples, venue="ieee")
    composition_heat_map(samples, venue="ieee-double")


def test_rejects_an_unknown_venue(samples: pd.DataFrame) -> None:
    with pytest.raises(UnknownNameError, match="there is no venue 'nature'"):
        composition_heat_map(samples, venue="nature")
