"""Published beside measured numbers: properties shared by the figures of four documents."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from math import isnan, nan
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text

from aeadlab import paths
from aeadlab.bench.case import Case
from aeadlab.errors import EmptyFigureError, UnknownNameError
from aeadlab.figures.export import export
from aeadlab.figures.published_comparison import Pair, published_comparison
from aeadlab.figures.style import VENUES
from aeadlab.studies.ciphers.figures import published_cipher_times
from aeadlab.studies.netbsd.figures import published_generator_speeds
from aeadlab.studies.rust.figures import published_message_times, published_openssl_speed
from aeadlab.studies.rust.study import AS_LINKED
from aeadlab.studies.tor.figures import published_cell_times

OfCases = Callable[..., pd.DataFrame]
Check = Callable[[Figure, str], None]
Texts = Callable[[Figure], list[Text]]
Written = Callable[[Figure], list[str]]
Noted = Callable[[Figure], str]
Draw = Callable[..., tuple[Figure, pd.DataFrame]]
Drawn = dict[str, tuple[Figure, pd.DataFrame]]
Records = dict[str, pd.DataFrame]
Times = dict[Case, float]
Printed = dict[str, str]

CIPHERS = [f"{name}-{bits}" for name in ("aes", "aria", "camellia") for bits in (128, 256)]
VARIANTS = ("plain-o2", "plain-o3", "counter-optimization-o2", "counter-optimization-o3", "full-unroll-o2")


def rust_times() -> Times:
    """Return increasing times that are whole nanoseconds."""
    names = ["ring/aes-256-gcm", "ring/chacha20-poly1305", "rustcrypto/aes-256-gcm", "rustcrypto/chacha20-poly1305"]
    names.append("rustcrypto/xchacha20-poly1305")
    return {
        Case(name, "seal", size, **AS_LINKED): (1 + 0.25 * place) * (1e-5 + size * 1e-9)
        for place, name in enumerate(names)
        for size in (16, 100, 1000, 100_000, 10**6, 10**7, 10**8)
    }


def speed_times() -> Times:
    return {
        Case(f"openssl-system/{name}", "seal", size): 1e-5 + size * rate
        for name, rate in (("aes-256-gcm", 1e-9), ("chacha20-poly1305", 3e-9))
        for size in (16, 64, 256, 1000, 1024, 8192, 16384, 10**6)
    }


def cipher_times() -> Times:
    names = [f"{cipher}-{mode}" for cipher in CIPHERS for mode in ("ecb", "cbc", "ctr")] + ["3des-ecb", "3des-cbc"]
    times: Times = {Case("botan/aes-128-ecb", "encrypt", 10**7): 1.0}
    for place, name in enumerate(names):
        for size in (10**6, 10**7):
            times[Case(f"openssl/{name}", "encrypt", size)] = (1 + place) * size * 1e-9
            times[Case(f"openssl/{name}", "decrypt", size)] = (2 + place) * size * 1e-9
    return times


def cell_times() -> Times:
    names = [f"rijndael/aes-128-ctr.{variant}" for variant in (*VARIANTS, "full-unroll-o3")]
    names += [f"openssl/aes-128-ctr{suffix}" for suffix in ("", ".aes-encrypt-o2", ".aes-encrypt-o3", ".evp-block-o2")]
    names.append("aws-lc/aes-128-ctr")
    cells = {Case(name, "encrypt", size): (1 + 0.1 * p) * 1e-5 for p, name in enumerate(names) for size in (509, 512)}
    runs = {
        Case(name, "encrypt", 509_000, "cells", block_size=509): (1 + 0.1 * p) * 1e-2 for p, name in enumerate(names)
    }
    return {**cells, **runs}


def generator_times() -> Times:
    forms = [f"rc4.{form}" for form in ("locked", "per-thread", "unlocked", "looked-up")]
    forms += ["hc-128.looked-up", "hc-128.inlined", "chacha20.locked"]
    times: Times = {}
    for place, form in enumerate(forms):
        name = f"generators/{form}"
        times[Case(name, "generate", 4000, block_size=0 if "inlined" in form else 4)] = 1e-4 * (1 + place)
        for streams in (1, 2, 4):
            times[Case(name, "generate", streams * 65536, block_size=256, threads=streams)] = 1e-3 * (streams + place)
    return times


FIGURES: dict[str, tuple[Draw, str, Callable[[], Times], Callable[[Printed], bool]]] = {
    "rust": (published_message_times, "Rust", rust_times, lambda row: row["quantity"] == "time"),
    "openssl speed": (
        published_openssl_speed,
        "Rust",
        speed_times,
        lambda row: row["quantity"] == "throughput" and row["variant"] == "openssl speed",
    ),
    "ciphers": (
        published_cipher_times,
        "Ciphers",
        cipher_times,
        lambda row: row["place"] in ("Table 1", "Table 2") and row["bytes"] == "1000000000",
    ),
    "tor": (published_cell_times, "Tor", cell_times, lambda row: row["quantity"] == "time for a million cells"),
    "netbsd": (
        published_generator_speeds,
        "NetBSD",
        generator_times,
        lambda row: row["place"] == "Results" and row["quantity"] != "scaling factor",
    ),
}
ROWS = {"rust": 5 * 6, "openssl speed": 2 * 6, "ciphers": 6 * 3 * 2 + 2 * 2, "tor": 7 + 10 + 9, "netbsd": 5 * 3 + 2}
"""Row counts in the documents, and those of `REPEATED`."""

REPEATED = {"netbsd": [(24.0, "cycles/byte"), (42.12, "s")]}
"""Numbers that have two rows: ARC4 without a lock, with a private state and with atomic numbers."""

BASES: dict[str, tuple[Callable[[Case], bool], int]] = {
    "rust": (lambda case: case.implementation == "ring/aes-256-gcm", 6),
    "openssl speed": (lambda case: case.bytes == 16384, 2),
    "ciphers": (lambda case: (case.implementation, case.op) == ("openssl/aes-128-ecb", "encrypt"), 1),
    "tor": (lambda case: case.implementation.endswith("plain-o2"), 3),
    "netbsd": (lambda case: case.implementation.endswith("rc4.locked"), 3),
}
"""Whether a case is the baseline, and the number of its rows in the document."""

each_figure = pytest.mark.parametrize("name", FIGURES)
PAIR = Pair("group", "row", "openssl/aes-128-ctr", 4.0, "s", 2.0, 0.5, 3.0, 2.5, 3.5)


@pytest.fixture(scope="module")
def records(of_cases: OfCases) -> Records:
    """Return records with too few rounds for intervals, whose computation takes most of the time."""
    return {name: of_cases(times(), rounds=3) for name, (_, _, times, _) in FIGURES.items()}


@pytest.fixture(scope="module")
def lncs(records: Records) -> Drawn:
    return {name: drawn(name, samples) for name, samples in records.items()}


def drawn(name: str, samples: pd.DataFrame, venue: str = "lncs") -> tuple[Figure, pd.DataFrame]:
    draw = FIGURES[name][0]
    return draw(samples, venue)


def points(axes: Axes, filled: bool) -> list[float]:
    marked = [line for line in axes.lines if line.get_marker() not in ("", "None")]
    return [np.asarray(line.get_xdata()).item() for line in marked if (line.get_markerfacecolor() != "none") == filled]


def unmarked(axes: Axes) -> list[list[float]]:
    """Return both ends of each line without markers."""
    return [np.asarray(line.get_xdata()).tolist() for line in axes.lines if line.get_marker() in ("", "None")]


@pytest.fixture
def drawn_again(records: Records, lncs: Drawn, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], Figure]:
    """Draw for another venue with the same pairs, whose computation takes most of the time."""

    def draw_again(name: str, venue: str) -> Figure:
        drawn_pairs = [Pair(**row) for row in lncs[name][1].to_dict("records")]  # type: ignore[misc]
        monkeypatch.setattr(f"{FIGURES[name][0].__module__}.published_pairs", lambda *_, **__: drawn_pairs)
        return drawn(name, records[name], venue)[0]

    return draw_again


@each_figure
@pytest.mark.parametrize("venue", VENUES)
def test_layout_fits_every_venue(
    name: str, venue: str, drawn_again: Callable[[str, str], Figure], check_layout: Check
) -> None:
    check_layout(drawn_again(name, venue), venue)


@each_figure
def test_every_published_number_has_its_row(name: str, lncs: Drawn) -> None:
    _, document, _, belongs = FIGURES[name]
    with (paths.published() / f"{document.lower()}.csv").open(encoding="utf-8", newline="") as file:
        printed = [(float(row["value"]), row["unit"]) for row in csv.DictReader(file) if belongs(row)]
    printed += REPEATED.get(name, [])
    _, table = lncs[name]
    assert list(table.columns) == [
        "group", "label", "implementation", "published_value", "published_unit", "published", "value", "ratio",
        "ratio_low", "ratio_high",
    ]  # fmt: skip
    assert len(table) == ROWS[name]
    assert Counter(zip(table["published_value"], table["published_unit"], strict=True)) == Counter(printed)
    assert not table.duplicated(["group", "label"]).any()


@each_figure
def test_both_ratios_have_the_same_baseline_row(name: str, lncs: Drawn) -> None:
    _, table = lncs[name]
    # The baseline of all block ciphers is one row, whatever their headings.
    for _, group in table.groupby("group" if name != "ciphers" else "published_unit", sort=False):
        base = group[(group["published"] == 1) & (group["ratio"] == 1)]
        assert len(base) == 1
        assert group["ratio"].to_numpy() == pytest.approx(group["value"].to_numpy() / base["value"].item(), rel=0.03)
    assert np.isfinite(table[["published", "value", "ratio"]].to_numpy()).all()


@each_figure
def test_published_points_are_hollow_and_measured_filled(name: str, lncs: Drawn, texts: Texts, noted: Noted) -> None:
    figure, table = lncs[name]
    (axes,) = figure.axes
    assert points(axes, filled=False) == pytest.approx(table["published"].tolist())
    assert points(axes, filled=True) == pytest.approx(table["ratio"].tolist())
    words = [text.get_text() for text in texts(figure)]
    bold = [text.get_text() for text in texts(figure) if text.get_weight() == "bold"]
    assert bold == table["group"].drop_duplicates().tolist()
    assert set(table["label"]) <= set(words) and {"published", "measured"} <= set(words)
    near = (table["ratio"] / table["published"]).between(1 / 1.25, 1.25).sum()
    assert noted(figure).startswith(f"{near} of {len(table)} ratios are within a factor of 1.25 of the published ones;")
    assert "Hollow: published; filled: measured here, with 95 % intervals." in figure.caption  # type: ignore[attr-defined]


@each_figure
def test_unmeasured_rows_have_the_published_number_only(name: str, of_cases: OfCases, written: Written) -> None:
    times, (is_base, count) = FIGURES[name][2](), BASES[name]
    crashed = tuple(case for case in times if not is_base(case))
    figure, table = drawn(name, of_cases({case: times[case] for case in times if is_base(case)}, 3, failed=crashed))
    here = table["ratio"].eq(1)
    assert (len(table), here.sum()) == (ROWS[name], count)
    assert table.loc[~here, ["value", "ratio", "ratio_low", "ratio_high"]].isna().all().all()
    assert table["published"].notna().all()
    assert len(points(figure.axes[0], filled=True)) == count
    assert len(points(figure.axes[0], filled=False)) == len(table)
    assert not {"nan", "\N{EN DASH}"} & set(written(figure)), "an empty cell"


@each_figure
def test_rejects_samples_without_baseline_or_cases(name: str, of_cases: OfCases) -> None:
    times = {Case("openssl/sha-256", "digest", 64): 1e-4, **FIGURES[name][2]()}
    for kept in (lambda case: case.op == "digest", lambda case: not BASES[name][0](case)):
        samples = of_cases({case: time for case, time in times.items() if kept(case)}, rounds=3)
        with pytest.raises(EmptyFigureError, match="^nothing of the document's table was measured$"):
            drawn(name, samples)


@each_figure
def test_replicas_and_other_conditions_are_ignored(name: str, of_cases: OfCases, lncs: Drawn) -> None:
    times, (is_base, _) = FIGURES[name][2](), BASES[name]
    other = {
        replace(case, **change): 7 * time
        for case, time in times.items()
        for change in (
            {"replica": 1},
            {"placement": "in-place"},
            {"aad_bytes": 64 * (case.op == "seal")},
            {"cache": "cold"},
            {"mask": "no-aes"},
        )
        if is_base(case) and any(value != getattr(case, field) for field, value in change.items())
    }
    _, table = drawn(name, of_cases({**times, **other}, rounds=3))
    assert table["ratio"].to_numpy() == pytest.approx(lncs[name][1]["ratio"].to_numpy(), rel=0.05)


@pytest.mark.parametrize("name", ["openssl speed"])
def test_the_same_record_gives_the_same_bytes(name: str, records: Records, tmp_path: Path) -> None:
    files = []
    for attempt in ("first", "second"):
        figure, table = drawn(name, records[name])
        files.append([path.read_bytes() for path in export(figure, table, "comparison", tmp_path / attempt, {})])
    assert files[0] == files[1]


@each_figure
def test_rejects_an_unknown_venue(name: str, drawn_again: Callable[[str, str], Figure]) -> None:
    with pytest.raises(UnknownNameError, match="there is no venue 'natur'"):
        drawn_again(name, "natur")


def test_a_known_interval_is_a_line() -> None:
    for low, high, lines in ((2.5, 3.5, 1), (nan, nan, 0)):
        figure, _ = published_comparison([replace(PAIR, ratio_low=low, ratio_high=high)], "time", "")
        assert [ends for ends in unmarked(figure.axes[0]) if ends != [1, 1]] == [[2.5, 3.5]] * lines


def test_each_group_has_one_heading(texts: Texts) -> None:
    pairs = [PAIR, replace(PAIR, label="other"), replace(PAIR, group="second", published=nan, ratio=nan, value=nan)]
    figure, table = published_comparison(pairs, "time (a unit)", "About it.")
    words = [text.get_text() for text in texts(figure)]
    assert [words.count(word) for word in ("group", "second", "row", "other")] == [1, 1, 2, 1]
    assert [words.count(word) for word in ("2.00", "3.00", "time (a unit)")] == [2, 2, 1]
    assert figure.caption.endswith("About it.")  # type: ignore[attr-defined]
    (axes,) = figure.axes
    assert [1, 1] in unmarked(axes)
    assert axes.get_xlim()[0] < 1 < 3 < axes.get_xlim()[1]
    assert isnan(table["ratio"].iloc[2]) and table["published_value"].tolist() == [4.0] * 3


def test_rejects_pairs_without_measurement() -> None:
    for pairs in ([], [replace(PAIR, ratio=nan)]):
        with pytest.raises(EmptyFigureError, match="^nothing of the document's table was measured$"):
            published_comparison(pairs, "time", "")
