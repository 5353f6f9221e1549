"""Two computers side by side, from samples with known ratios."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

from aeadlab.bench.case import Case
from aeadlab.comparison.computers_figure import two_computers
from aeadlab.comparison.computers_table import two_computers_table
from aeadlab.errors import ArgumentError, UnknownNameError
from aeadlab.figures.style import VENUES
from aeadlab.verdicts import published
from tests.fixtures.drawing import contents

OfCases = Callable[..., pd.DataFrame]
Texts = Callable[[Figure], list[Text]]
GIB = 1 << 30
GCM, CRYPTOPP, MEMCPY = "openssl/aes-256-gcm", "cryptopp/aes-256-gcm", "baseline/memcpy"
# Times relative to OpenSSL in the left record. In the right one all but OpenSSL take 1.5 times these relative times.
RELATIVE = {MEMCPY: 0.8, GCM: 1.0, CRYPTOPP: 4.0, "rustcrypto/aes-256-gcm": 4.5, "aeadlab/aes-256-ctr+blake3": 4.7}
LONG = ("AMD EPYC 7742 64-Core Processor", "AMD Ryzen 9 5900X 12-Core Processor")


def times_of(seconds: float = 0.1, factor: float = 1.0, size: int = GIB) -> dict[Case, float]:
    times = {}
    for name, relative in RELATIVE.items():
        own = seconds * size / GIB * relative * (1.0 if name == GCM else factor)
        for op in ("encrypt",) if name == MEMCPY else ("seal", "open"):
            times[Case(name, op, size)] = own  # type: ignore[arg-type]
            for block in (16 << 10, 256 << 10):
                split = Case(name, op, size, "parsplit", block_size=block, threads=1, schedule="dynamic")  # type: ignore[arg-type]
                times[split] = 1.1 * own
    times[Case("blake3/blake3", "digest", size)] = seconds * size / GIB * 2 * factor
    return times


@pytest.fixture
def sides(of_cases: OfCases) -> tuple[pd.DataFrame, pd.DataFrame]:
    return of_cases(times_of()), of_cases(times_of(0.3, 1.5))


def markers(figure: Figure, marker: str) -> list[float]:
    lines = [line for line in figure.axes[0].lines if line.get_marker() == marker]
    return sorted(float(np.asarray(line.get_xdata())[0]) for line in lines)


@pytest.mark.parametrize("venue", VENUES)
@pytest.mark.parametrize("names", [("left", "right"), LONG])
def test_layout_fits_every_venue(
    sides: tuple[pd.DataFrame, pd.DataFrame],
    check_layout: Callable[[Figure, str], None],
    texts: Texts,
    venue: str,
    names: tuple[str, str],
) -> None:
    figure, _ = two_computers(*sides, names, published.load("ETH"), venue)
    check_layout(figure, venue)
    assert min(text.get_fontsize() for text in texts(figure)) >= 6.5


def test_times_are_relative_to_the_same_runs_openssl(sides: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    figure, table = two_computers(*sides)
    whole = table[(table["engine"] == "whole") & (table["op"] != "digest")].set_index(["implementation", "op"])
    for name, relative in RELATIVE.items():
        op = "encrypt" if name == MEMCPY else "open"
        assert whole.loc[(name, op), "left_relative_time"] == pytest.approx(relative, rel=0.01)
        other = relative * (1.0 if name == GCM else 1.5)
        assert whole.loc[(name, op), "right_relative_time"] == pytest.approx(other, rel=0.01)
    row = whole.loc[(CRYPTOPP, "seal")]
    assert row["left_relative_time_low"] < row["left_relative_time"] < row["left_relative_time_high"]
    assert row["left_share_of_memcpy"] == pytest.approx(0.2, rel=0.01)
    assert row["right_share_of_memcpy"] == pytest.approx(0.2, rel=0.01)
    assert (row["left_seconds"], row["right_seconds"]) == pytest.approx((0.4, 1.8), rel=0.01)
    assert markers(figure, "o") == sorted(table["left_relative_time"])
    assert markers(figure, "D") == sorted(table["right_relative_time"])


def test_intervals_are_drawn(of_cases: OfCases) -> None:
    noisy = of_cases(times_of(), noise=0.1)
    figure, table = two_computers(noisy, of_cases(times_of(0.3), noise=0.1))
    drawn = {tuple(np.asarray(line.get_xdata(), dtype=float)) for line in figure.axes[0].lines}
    for side in ("left", "right"):
        for ends in table[[f"{side}_relative_time_low", f"{side}_relative_time_high"]].itertuples(index=False):
            assert tuple(ends) in drawn


def test_published_times_are_added_to_their_cases(sides: tuple[pd.DataFrame, pd.DataFrame], texts: Texts) -> None:
    figure, table = two_computers(*sides, published=published.load("ETH"))
    assert markers(figure, "s") == sorted(table["published_relative_time"].dropna())
    seal = table[(table["implementation"] == CRYPTOPP) & (table["op"] == "seal") & (table["engine"] == "whole")]
    assert seal["published_relative_time"].tolist() == pytest.approx([437.94 / 310.22])
    notes = " ".join(text.get_text() for text in texts(figure))
    assert "ETH: AMD EPYC 7742, 1 GiB" in notes and "ETH" in {text.get_text() for text in texts(figure)}
    plain, _ = two_computers(*sides)
    assert not markers(plain, "s")


def test_a_case_of_one_computer_is_absent_for_the_other(of_cases: OfCases, texts: Texts) -> None:
    times = times_of()
    failed = tuple(case for case in times if case.implementation == "blake3/blake3")
    kept = {c: t for c, t in times.items() if c.implementation != CRYPTOPP and c not in failed}
    figure, table = two_computers(of_cases(kept, failed=failed), of_cases(times_of(0.3)))
    assert table["left_status"].value_counts().to_dict() == {"ok": 21, "not measured": 6, "failed: it crashed": 1}
    assert (table["right_status"] == "ok").all()
    missing = table[table["left_status"] != "ok"]
    assert missing[["left_relative_time", "left_share_of_memcpy", "left_seconds"]].isna().all(axis=None)
    assert len(markers(figure, "o")) == 21 and len(markers(figure, "D")) == 28
    written = [text.get_text() for text in texts(figure)]
    assert (written.count("absent"), written.count("failed")) == (6, 1)


def test_different_lengths_are_noted(of_cases: OfCases, texts: Texts) -> None:
    figure, table = two_computers(of_cases(times_of()), of_cases(times_of(0.3, 1.5, 1 << 20)))
    assert set(table["left_bytes"]) == {GIB} and set(table["right_bytes"]) == {1 << 20}
    assert table["right_relative_time"].notna().all()
    notes = " ".join(text.get_text() for text in texts(figure))
    assert "left, 1 GiB" in notes and "right, 1 MiB" in notes and "The messages differ in length" in notes


def test_the_largest_common_length_is_used(of_cases: OfCases, texts: Texts) -> None:
    left = of_cases({**times_of(), **times_of(0.1, 1.0, 1 << 20)})
    figure, table = two_computers(left, of_cases(times_of(0.3, 1.5, 1 << 20)))
    assert set(table["left_bytes"]) == set(table["right_bytes"]) == {1 << 20}
    assert not any("differ in length" in text.get_text() for text in texts(figure))


def test_long_names_are_abbreviated_in_headings(sides: tuple[pd.DataFrame, pd.DataFrame], texts: Texts) -> None:
    written = [text.get_text() for text in texts(two_computers(*sides, names=LONG)[0])]
    assert written.count("A") == written.count("B") == 2
    assert any(f"A: {LONG[0]}" in text for text in written)
    short = [text.get_text() for text in texts(two_computers(*sides, names=("here", "there"))[0])]
    assert short.count("here") == short.count("there") == 2


@pytest.mark.parametrize("venue", ["lncs", "ieee"])
def test_common_cases_have_priority_on_a_full_page(
    of_cases: OfCases, check_layout: Callable[[Figure, str], None], texts: Texts, venue: str
) -> None:
    times = times_of()
    more = {
        Case(GCM, "seal", GIB, "parsplit", block_size=65536, threads=n, schedule="dynamic"): 0.1 / n
        for n in range(2, 99)
    }
    common = {**times, **{case: seconds for case, seconds in more.items() if 90 < case.threads < 94}}
    figure, table = two_computers(of_cases({**times, **more}, rounds=8), of_cases(common, rounds=8), venue=venue)
    assert len(table) == len(times) + len(more)
    check_layout(figure, venue)
    assert len(markers(figure, "D")) == len(common) < len(markers(figure, "o")) < len(table)
    assert any(f"of {len(table)} cases; the table has all" in text.get_text() for text in texts(figure))


def test_the_same_records_give_the_same_bytes(sides: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    first, second = (contents(*two_computers(*sides, published=published.load("ETH"))) for _ in range(2))
    assert first == second


def test_rejects_a_record_without_the_reference(of_cases: OfCases) -> None:
    without = {case: t for case, t in times_of().items() if case.implementation != GCM}
    with pytest.raises(ArgumentError, match=r"there has no openssl/aes-256-gcm sealing a whole message .*baselines"):
        two_computers_table(of_cases(times_of()), of_cases(without), ("here", "there"))


def test_rejects_records_without_a_common_case(of_cases: OfCases) -> None:
    only = {Case(GCM, "seal", GIB): 0.1}
    with pytest.raises(ArgumentError, match=r"no case in common except .*measure the same study on both computers"):
        two_computers(of_cases(times_of()), of_cases(only))


def test_draws_cases_with_too_few_samples_for_an_interval(of_cases: OfCases) -> None:
    figure, table = two_computers(*(of_cases(times_of(), rounds=2) for _ in range(2)))
    assert table["left_relative_time_low"].isna().all() and len(markers(figure, "o")) == len(table)


def test_rejects_an_unknown_venue(sides: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    with pytest.raises(UnknownNameError, match="there is no venue 'nature'"):
        two_computers(*sides, venue="nature")
