from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from aeadlab.errors import ArgumentError, UnknownNameError
from aeadlab.figures.export import image
from aeadlab.figures.style import VENUES
from aeadlab.lab.exploring.figure import QUANTITIES, exploration

MakeSamples = Callable[..., pd.DataFrame]
Written = Callable[[Figure], list[str]]

# Seconds for 1 GiB: chosen, not measured.
WHOLE = {
    ("openssl/aes-256-gcm", "whole", "seal", 0): 0.0643,
    ("rustcrypto/aes-256-gcm", "whole", "seal", 0): 0.5701,
    ("blake3/blake3", "whole", "digest", 0): 0.1511,
    ("pyca/aes-256-gcm", "python", "seal", 0): 0.1203,
    ("baseline/memcpy", "whole", "encrypt", 0): 0.0601,
}
SPLIT = {
    ("openssl/aes-256-gcm", "parsplit", "seal", 65536): 0.0393,
    ("baseline/memcpy", "parsplit", "encrypt", 65536): 0.0301,
}


@pytest.fixture
def samples(samples_of: MakeSamples) -> pd.DataFrame:
    return samples_of(WHOLE)


@pytest.fixture
def varied(samples_of: MakeSamples) -> pd.DataFrame:
    return pd.concat([samples_of(WHOLE), samples_of(SPLIT, threads=2)], ignore_index=True)


def points(figure: Figure) -> list[np.ndarray]:
    """Return the values of each line with markers, from the top."""
    lines = [line for line in figure.axes[0].lines if line.get_marker() not in ("", "None", None)]
    return [np.asarray(line.get_xdata(), dtype=float) for line in lines]


def sample_notes(samples: pd.DataFrame, written: Written) -> list[str]:
    """Return the notes about the samples, in the widest venue, where they have one line."""
    notes = [text for text in written(exploration(samples, "ieee-double")[0]) if text.startswith("Samples: ")]
    assert notes
    return notes


@pytest.mark.parametrize("venue", VENUES)
@pytest.mark.parametrize("quantity", QUANTITIES)
def test_layout_fits_every_venue(
    varied: pd.DataFrame, check_layout: Callable[[Figure, str], None], venue: str, quantity: str
) -> None:
    figure, _ = exploration(varied, venue, quantity)
    check_layout(figure, venue)


@pytest.mark.parametrize(
    ("quantity", "column", "factor"),
    [
        ("speed", "gib_per_s", 1),
        ("time", "seconds", 1e3),
        ("share of memcpy", "share", 100),
        ("cycles", "cycles_per_byte", 1),
    ],
)
def test_points_are_the_medians_of_the_quantity(
    samples: pd.DataFrame, quantity: str, column: str, factor: float
) -> None:
    figure, table = exploration(samples, quantity=quantity)
    drawn = [float(values[0]) for values in points(figure)]
    expected = factor * table[column].dropna()
    np.testing.assert_allclose(drawn, expected, rtol=1e-12)
    assert len(drawn) == len(table) - (quantity == "share of memcpy"), "memcpy has no share of itself"


def test_the_fastest_is_first_and_memcpy_last(samples: pd.DataFrame) -> None:
    table = exploration(samples)[1]
    assert list(table["implementation"]) == [
        *("openssl/aes-256-gcm", "pyca/aes-256-gcm", "blake3/blake3", "rustcrypto/aes-256-gcm", "baseline/memcpy")
    ]
    assert table["share"].iloc[0] == pytest.approx(0.0601 / 0.0643, rel=0.02)
    assert (table["share_low"] < table["share_high"]).sum() == 4


def test_memcpy_is_a_dashed_line_at_matching_rows(varied: pd.DataFrame) -> None:
    figure, table = exploration(varied)
    lines = [line for line in figure.axes[0].lines if line.get_linestyle() == "--"]
    found = [float(line.get_xdata()[0]) for line in lines]
    memcpy = table[table["implementation"] == "baseline/memcpy"].set_index("threads")["gib_per_s"]
    np.testing.assert_allclose(found, [memcpy[threads] for threads in table["threads"]])


def test_axis_of_samples_ends_at_their_99th_percentile(samples: pd.DataFrame, written: Written) -> None:
    late = (samples["implementation"] == "blake3/blake3") & samples["round"].isin([7, 8, 9]) & ~samples["warmup"]
    samples.loc[late, "seconds"] *= 9
    figure, table = exploration(samples)
    (collection,) = figure.axes[1].collections
    places = np.asarray(collection.get_offsets())
    values = places[:, 0]
    assert len(values) == len(np.unique(places, axis=0)) == table["n"].sum() == 150
    # Positions 0 to 149: the 99th percentile is at 147, the first of the three slow samples.
    low, high = figure.axes[1].get_xlim()
    assert values.min() >= low and high == values.max() > 700
    triangles = np.array([len(path.vertices) < 10 for path in collection.get_paths()])
    assert triangles.sum() == 2 and (values[triangles] == high).all()
    assert any("2 of 150 lie beyond it (triangles), up to" in text for text in sample_notes(samples, written))


def test_few_slow_samples_do_not_hide_the_others(samples_of: MakeSamples, written: Written) -> None:
    samples = samples_of({("openssl/aes-256-gcm", "whole", "seal", 0): 1e-3})
    samples.loc[samples["round"] == 7, "seconds"] *= 9
    figure = exploration(samples)[0]
    assert figure.axes[1].get_xlim()[1] < 20
    assert any("percentile; 1 of 30 lies beyond it" in text for text in sample_notes(samples, written))
    alike = samples_of({("openssl/aes-256-gcm", "whole", "seal", 0): 1e-3}).assign(seconds=1e-3)
    assert not any("beyond" in text for text in sample_notes(alike, written))


def test_labels_are_in_words(samples: pd.DataFrame, written: Written) -> None:
    texts = written(exploration(samples)[0])
    assert {"OpenSSL AES-256-GCM", "RustCrypto AES-256-GCM", "BLAKE3", "memcpy"} <= set(texts)
    assert not any("openssl/" in text or "baseline/" in text for text in texts)


def test_varied_conditions_are_headings(samples: pd.DataFrame, varied: pd.DataFrame, written: Written) -> None:
    plain, several = written(exploration(samples)[0]), written(exploration(varied)[0])
    assert any(text.startswith("1 GiB, 1 thread, oneshot. Points") for text in plain)
    assert not any(text.startswith("ParSplit") for text in plain)
    assert "ParSplit, blocks of 64 KiB, 2 threads" in several
    assert "whole message, 1 thread" in several
    assert any(text.startswith("1 GiB, oneshot. Points") for text in several)


def test_a_wide_range_has_a_logarithmic_axis(samples_of: MakeSamples) -> None:
    small = samples_of({("openssl/aes-256-gcm", "whole", "seal", 0): 1e-6}, size=1024)
    both = pd.concat([small, samples_of(WHOLE)], ignore_index=True)
    assert exploration(both, quantity="time")[0].axes[0].get_xscale() == "log"
    assert exploration(small, quantity="time")[0].axes[0].get_xscale() == "linear"


def test_draws_few_samples_and_empty_messages(samples_of: MakeSamples) -> None:
    samples = samples_of({("openssl/aes-256-gcm", "whole", "seal", 0): 1e-6}, rounds=1)
    samples = samples.assign(bytes=0, gib_per_s=0.0, cycles_per_byte=np.nan)
    for quantity in QUANTITIES:
        figure, table = exploration(samples, "ieee", quantity)
        assert len(points(figure)) == (quantity in ("speed", "time"))
    assert table[["seconds_low", "cycles_per_byte", "share"]].isna().all(axis=None)


def test_the_same_samples_give_the_same_bytes(samples: pd.DataFrame) -> None:
    again = samples.sample(frac=1, random_state=1)
    assert image(exploration(samples)[0], "svg") == image(exploration(again)[0], "svg")


def test_rejects_unknown_quantities_venues_and_empty_samples(samples: pd.DataFrame) -> None:
    with pytest.raises(UnknownNameError, match="'colour'; available quantities: speed, share of memcpy, time, cycles"):
        exploration(samples, quantity="colour")
    with pytest.raises(UnknownNameError, match="no venue"):
        exploration(samples, "nature")
    with pytest.raises(ArgumentError, match="no case has a counted sample"):
        exploration(samples[samples["warmup"]])
