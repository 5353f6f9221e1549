from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from matplotlib.container import BarContainer
from matplotlib.figure import Figure
from matplotlib.text import Text

from aeadlab.errors import UnknownNameError
from aeadlab.figures.palette import appearance_of
from aeadlab.figures.style import VENUES, settings
from aeadlab.studies.eth.baselines.figures import aead_bars, hash_bars

Draw = Callable[..., tuple[Figure, pd.DataFrame]]


@pytest.fixture(params=["aead", "hash"])
def drawing(request: pytest.FixtureRequest) -> tuple[Draw, pd.DataFrame]:
    draw = {"aead": aead_bars, "hash": hash_bars}[request.param]
    return draw, request.getfixturevalue(f"{request.param}_samples")


@pytest.fixture(scope="module")
def aeads(made_samples: Callable[[str], pd.DataFrame]) -> tuple[Figure, pd.DataFrame]:
    """The figure of `aead_samples` and its table, for tests that only read them."""
    return aead_bars(made_samples("aead").copy())


def bars(figure: Figure) -> list[float]:
    """Return the lengths of all bars in milliseconds from the top."""
    patches = [patch for group in figure.axes[0].containers if isinstance(group, BarContainer) for patch in group]
    return [float(patch.get_width()) for patch in sorted(patches, key=lambda patch: patch.get_y())]


@pytest.mark.parametrize("venue", VENUES)
def test_layout_fits_every_venue(
    drawing: tuple[Draw, pd.DataFrame], venue: str, check_layout: Callable[[Figure, str], None]
) -> None:
    draw, samples = drawing
    figure, _ = draw(samples, venue)
    check_layout(figure, venue)


def test_bars_are_the_medians_in_milliseconds(drawing: tuple[Draw, pd.DataFrame]) -> None:
    draw, samples = drawing
    figure, table = draw(samples)
    assert bars(figure) == [1e3 * seconds for seconds in table["seconds"]]


def test_an_absent_case_has_its_reason_and_no_bar(
    aead_samples: pd.DataFrame, written: Callable[[Figure], list[str]]
) -> None:
    samples = aead_samples[aead_samples["library"] != "cryptopp"].copy()
    crashed = (samples["library"] == "pyca") & (samples["op"] == "open")
    samples.loc[crashed, "status"] = "failed: signal 11"
    figure, table = aead_bars(samples)
    assert len(bars(figure)) == (table["status"] == "ok").sum() == len(table) - 7
    assert min(bars(figure)) > 0
    assert written(figure).count("not measured") == 6
    assert written(figure).count("failed") == 1


def test_numbers_are_readable_in_words(
    aeads: tuple[Figure, pd.DataFrame], written: Callable[[Figure], list[str]]
) -> None:
    figure, table = aeads
    seal = table[(table["implementation"] == "cryptopp/aes-256-gcm") & (table["op"] == "seal")]
    assert f"{1e3 * seal['seconds'].iloc[0]:.1f}" in written(figure)
    assert f"{seal['gib_per_s'].iloc[0]:.2f}" in written(figure)
    assert f"{seal['overhead_percent'].iloc[1]:+.1f}" in written(figure)
    for overhead in ("+28.8", "+18.9", "+5.1", "\N{MINUS SIGN}13.0"):
        assert written(figure).count(overhead) >= 2
    assert "time for 1 GiB (ms)" in written(figure)


@pytest.mark.parametrize(("seconds", "marked"), [(0.0700, True), (0.0720, False)])
def test_memory_limit_is_marked_from_85_percent_of_memcpy(
    samples_of: Callable[..., pd.DataFrame], seconds: float, marked: bool, written: Callable[[Figure], list[str]]
) -> None:
    times = {("baseline/memcpy", "whole", "seal", 0): 0.06, ("openssl/aes-256-gcm", "whole", "seal", 0): seconds}
    figure, table = aead_bars(samples_of(times))
    assert (table["share_of_memcpy"].iloc[1] >= 0.85) == marked
    assert any("memory is the limit" in text for text in written(figure)) == marked
    assert any(text.startswith("\N{DAGGER}8") for text in written(figure)) == marked


def test_the_dashed_line_is_at_the_fastest_memcpy(
    samples_of: Callable[..., pd.DataFrame], written: Callable[[Figure], list[str]]
) -> None:
    times = {
        ("baseline/memcpy", "whole", "seal", 0): 0.06,
        ("baseline/memcpy", "parsplit", "seal", 262144): 0.05,
        ("openssl/aes-256-gcm", "whole", "seal", 0): 0.07,
    }
    figure, table = aead_bars(samples_of(times))
    (dashed,) = [line for line in figure.axes[0].lines if line.get_linestyle() == "--"]
    assert dashed.get_xdata()[0] == pytest.approx(1e3 * table["seconds"].iloc[0]) == pytest.approx(50, rel=0.05)
    assert any("Dashed: memcpy, in blocks of 256 KiB." in text for text in written(figure))


def test_a_hash_faster_than_memcpy_is_not_memory_limited(
    hash_samples: pd.DataFrame, written: Callable[[Figure], list[str]]
) -> None:
    figure, table = hash_bars(hash_samples)
    assert table["share_of_memcpy"].max() > 1.5
    assert not any("\N{DAGGER}" in text for text in written(figure))


def test_published_points_match_the_document(
    aeads: tuple[Figure, pd.DataFrame], written: Callable[[Figure], list[str]]
) -> None:
    figure, table = aeads
    lines = [line for line in figure.axes[1].lines if line.get_marker() not in ("", "None")]
    hollow = sorted(float(line.get_xdata()[0]) for line in lines if line.get_markerfacecolor() == "none")
    filled = sorted(float(line.get_xdata()[0]) for line in lines if line.get_markerfacecolor() != "none")
    assert hollow == sorted(table["published_relative_time"].dropna())
    assert filled == sorted(table["relative_time"].dropna())
    assert max(hollow) == pytest.approx(945.95 / 310.22)
    assert len(hollow) == 1 + 4 * 3
    assert "published, ETH (1 GiB, AMD EPYC 7742)." in figure.caption  # type: ignore[attr-defined]


def test_narrow_columns_hold_both_panels(aead_samples: pd.DataFrame) -> None:
    for venue in ("lncs", "ieee"):
        assert len(aead_bars(aead_samples, venue)[0].axes) == 2


def test_an_implementation_has_one_colour_in_all_figures(
    aeads: tuple[Figure, pd.DataFrame], hash_samples: pd.DataFrame
) -> None:
    for figure, table in (aeads, hash_bars(hash_samples)):
        drawn = [patch for group in figure.axes[0].containers if isinstance(group, BarContainer) for patch in group]
        drawn.sort(key=lambda patch: patch.get_y())
        for patch, row in zip(drawn, table.itertuples(), strict=True):
            if row.op != "open":
                assert to_hex(patch.get_facecolor()).upper() == appearance_of(str(row.implementation)).colour


def test_error_bars_span_the_interval(aeads: tuple[Figure, pd.DataFrame]) -> None:
    figure, table = aeads
    ends = np.array([path.vertices[:, 0] for group in figure.axes[0].collections for path in group.get_paths()])
    expected = 1e3 * table[["seconds_low", "seconds_high"]].to_numpy()
    assert ends.shape == expected.shape
    np.testing.assert_allclose(ends, expected, rtol=1e-9)


def test_draws_cases_with_too_few_samples_for_an_interval(samples_of: Callable[..., pd.DataFrame]) -> None:
    samples = samples_of({("openssl/aes-256-gcm", "whole", "seal", 0): 0.001}, rounds=2, size=2**20)
    figure, table = aead_bars(samples)
    assert np.isnan(table["seconds_low"].iloc[0])
    assert len(bars(figure)) == 1


def test_short_times_are_in_microseconds(
    samples_of: Callable[..., pd.DataFrame], written: Callable[[Figure], list[str]]
) -> None:
    samples = samples_of({("openssl/aes-256-gcm", "whole", "seal", 0): 0.0000650}, size=2**20)
    figure, table = aead_bars(samples)
    assert "time for 1 MiB (\N{MICRO SIGN}s)" in written(figure)
    assert bars(figure) == [1e6 * table["seconds"].iloc[0]]


@pytest.mark.parametrize("venue", VENUES)
def test_labels_of_short_times_are_not_clipped(
    samples_of: Callable[..., pd.DataFrame], venue: str, texts: Callable[[Figure], list[Text]]
) -> None:
    times = {
        ("pycryptodome/aes-256-gcm", "python", "seal", 0): 12.3456,
        ("openssl/aes-256-gcm", "whole", "seal", 0): 0.0006,
    }
    figure, _ = aead_bars(samples_of(times), venue)
    with settings():
        figure.canvas.draw()
        ends = [text.get_window_extent().x1 for text in texts(figure)]
    assert max(ends) <= figure.get_size_inches()[0] * figure.dpi


def test_schedules_are_named_when_there_are_several(
    aead_samples: pd.DataFrame, aeads: tuple[Figure, pd.DataFrame], written: Callable[[Figure], list[str]]
) -> None:
    rayon = aead_samples[aead_samples["engine"] == "parsplit"].assign(schedule="rayon")
    figure, _ = aead_bars(pd.concat([aead_samples, rayon], ignore_index=True), venue="ieee-double")
    labels = [text.strip() for text in written(figure)]
    assert labels.count("ParSplit 64 KiB, rayon") == labels.count("ParSplit 64 KiB, dynamic") == 8
    figure, _ = aead_bars(pd.concat([aead_samples, rayon.assign(model="rekeyed")], ignore_index=True))
    assert [text.strip() for text in written(figure)].count("ParSplit 64 KiB, as published") == 8
    assert [text.strip() for text in written(aeads[0])].count("ParSplit 64 KiB") == 8


def test_rejects_an_unknown_venue(aead_samples: pd.DataFrame) -> None:
    with pytest.raises(UnknownNameError):
        aead_bars(aead_samples, venue="nature")
