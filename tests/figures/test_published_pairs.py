"""Published rows and their measured counterparts: units, baselines, and ratios paired by round."""

from __future__ import annotations

from collections.abc import Callable
from math import isnan
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from aeadlab.bench.case import Case
from aeadlab.figures.published_comparison import Pair
from aeadlab.figures.published_pairs import published_pairs
from aeadlab.studies.ciphers.figures import published_cipher_times
from aeadlab.studies.netbsd.figures import published_generator_speeds
from aeadlab.studies.rust.figures import published_message_times, published_openssl_speed
from aeadlab.studies.rust.study import AS_LINKED
from aeadlab.studies.tor.figures import published_cell_times
from aeadlab.verdicts import published

OfCases = Callable[..., pd.DataFrame]
Noted = Callable[[Figure], str]
OWN, BASE = "lib/own", "lib/base"
ROUNDS = 12


def case_of(name: str, size: int = 1000, **more: Any) -> Case:
    return Case(name, "seal", size, **more)


def printed(*rows: tuple[str, float, str]) -> pd.DataFrame:
    """Return published rows from implementation, value and unit."""
    result = published.load("Rust").head(len(rows)).copy()
    result["library"], result["algorithm"] = "lib", [name.partition("/")[2] for name, _, _ in rows]
    result["value"], result["unit"] = [value for _, value, _ in rows], [unit for _, _, unit in rows]
    factors = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
    result["seconds"] = [value * factors.get(unit, np.nan) for _, value, unit in rows]
    return result


def paired(samples: pd.DataFrame, document: pd.DataFrame, group: str = "all") -> list[Pair]:
    return published_pairs(
        samples,
        document,
        lambda row: (group, f"{row.library}/{row.algorithm}"),
        lambda row: {"implementation": f"{row.library}/{row.algorithm}", "bytes": 1000},
        lambda _: {"implementation": BASE, "bytes": 1000},
    )


def test_a_ratio_of_times_has_its_interval(of_cases: OfCases) -> None:
    """A slow round affects both cases, so that their ratio does not change."""
    round_factors = 1 + 2 * np.random.default_rng(3).random(ROUNDS)
    samples = of_cases({case_of(OWN): 2.5e-3 * round_factors, case_of(BASE): 1e-3 * round_factors}, ROUNDS, noise=0.01)
    own, base = paired(samples, printed((OWN, 7, "s"), (BASE, 2, "s")))
    assert own.ratio == pytest.approx(2.5, rel=0.02)
    assert own.ratio_low < 2.5 < own.ratio_high and own.ratio_high / own.ratio_low < 1.06
    assert own.value == pytest.approx(2.5e-3 * np.median(round_factors), rel=0.05)
    assert (own.published, own.published_value, own.published_unit) == (3.5, 7, "s")
    assert (base.ratio, base.ratio_low, base.ratio_high, base.published) == (1, 1, 1, 1)


def test_fewer_than_six_common_rounds_have_no_interval(of_cases: OfCases) -> None:
    own, _ = paired(of_cases({case_of(OWN): 2e-3, case_of(BASE): 1e-3}, 5), printed((OWN, 7, "s"), (BASE, 2, "s")))
    assert own.ratio == pytest.approx(2, rel=0.02)
    assert isnan(own.ratio_low) and isnan(own.ratio_high)


@pytest.mark.parametrize(("value", "unit"), [(3.0, "ms"), (3000.0, "us"), (3e6, "ns"), (0.003, "s")])
def test_units_within_one_table_may_differ(value: float, unit: str, of_cases: OfCases) -> None:
    samples = of_cases({case_of(OWN): 2e-3, case_of(BASE): 1e-3}, 3)
    own, _ = paired(samples, printed((OWN, value, unit), (BASE, 500, "us")))
    assert own.published == pytest.approx(6)
    assert (own.published_value, own.published_unit) == (value, unit), "as it is printed"


def test_numbers_other_than_times_are_used_as_printed(of_cases: OfCases) -> None:
    samples = of_cases({case_of(OWN): 2e-3, case_of(BASE): 1e-3}, 3)
    own, _ = paired(samples, printed((OWN, 21, "cycles/byte"), (BASE, 35, "cycles/byte")))
    assert own.published == pytest.approx(21 / 35)


def test_ambiguous_or_failed_cases_are_not_measured(of_cases: OfCases) -> None:
    document = printed((OWN, 7, "s"), (BASE, 2, "s"))
    base = {case_of(BASE): 1e-3}
    several = {**base, case_of(OWN): 2e-3, case_of(OWN, model="oneshot"): 3e-3}
    crashed_later = of_cases({**base, case_of(OWN): 2e-3}, 3, failed=(case_of(OWN),))
    failed = of_cases(base, 3, failed=(case_of(OWN),))
    for samples in (of_cases(base, 3), failed, crashed_later, of_cases(several, 3)):
        own, over = paired(samples, document)
        assert (own.published, over.ratio) == (3.5, 1)
        assert all(isnan(number) for number in (own.value, own.ratio, own.ratio_low, own.ratio_high))
    nothing = paired(of_cases({case_of("lib/other"): 1e-3}, 3), document)
    assert [isnan(pair.ratio) for pair in nothing] == [True, True]


def test_rows_without_position_are_left_out(of_cases: OfCases) -> None:
    samples = of_cases({case_of(OWN): 2e-3, case_of(BASE): 1e-3}, 3)
    document = printed((OWN, 7, "s"), (BASE, 2, "s"), ("lib/left", 1, "s"))

    def place(row: Any) -> tuple[str, str] | None:
        return None if row.algorithm == "left" else ("all", row.algorithm)

    def case(row: Any) -> dict[str, Any] | None:
        return None if row.algorithm == "own" else {"implementation": BASE}

    result = published_pairs(samples, document, place, case, lambda _: {"implementation": BASE})
    assert [(pair.label, pair.implementation, pair.published) for pair in result] == [
        ("own", OWN, 3.5),
        ("base", BASE, 1.0),
    ]
    assert isnan(result[0].ratio) and result[1].ratio == 1


def test_each_group_has_its_own_baseline(of_cases: OfCases) -> None:
    """Compare both lengths as in `published_message_times`."""
    libraries = (("ring", 1), ("rustcrypto", 3))
    times = {
        case_of(f"{library}/aes-256-gcm", size, **AS_LINKED): factor * size * 1e-6
        for library, factor in libraries
        for size in (100, 1000)
    }
    # Plain cases, with other ratios, are not what the document measured.
    times |= {case_of(f"{library}/aes-256-gcm", size): 1e-6 for library, _ in libraries for size in (100, 1000, 10**5)}
    _, table = published_message_times(of_cases(times, 3))
    result = table.set_index(["group", "label"])
    assert result.loc[("100 B", "rustcrypto/aes-256-gcm"), "published"] == pytest.approx(154.27 / 214.48)
    assert result.loc[("1 kB", "rustcrypto/xchacha20-poly1305"), "published"] == pytest.approx(1985.1 / 455.70)
    assert result.loc[("100 kB", "rustcrypto/aes-256-gcm"), "published"] == pytest.approx(84.677 / 26.476)
    assert result.loc[("100 MB", "ring/chacha20-poly1305"), "published"] == pytest.approx(54.879 / 30.450)
    measured = result["ratio"].dropna()
    assert measured.xs("rustcrypto/aes-256-gcm", level="label").tolist() == pytest.approx([3, 3], rel=0.02)
    assert set(measured.index.get_level_values("group")) == {"100 B", "1 kB"}


def test_openssl_speed_throughput_becomes_message_times(of_cases: OfCases) -> None:
    times = {case_of("openssl-system/aes-256-gcm", size): size * 1e-6 for size in (16, 1000, 1024, 16384)}
    _, table = published_openssl_speed(of_cases(times, 3))
    result = table.set_index(["group", "label"]).loc["aes-256-gcm"]
    assert result.loc["16 B", "published"] == pytest.approx(16 / 421820.27 / (16384 / 3733721.81))
    assert result.loc["1 KiB", "ratio"] == pytest.approx(1 / 16, rel=0.02)
    assert table.set_index(["group", "label"]).loc["chacha20-poly1305", "ratio"].isna().all()
    assert "1 kB" not in set(table["label"]), "a length that the command does not have"


def test_runs_of_cells_match_their_optimisation_level(of_cases: OfCases) -> None:
    callers = ("evp-block-o2", "aes-encrypt-o2", "aes-encrypt-o3")
    names = ("rijndael/aes-128-ctr.plain-o2", *(f"openssl/aes-128-ctr.{caller}" for caller in callers))
    whole = {Case(name, "encrypt", 509_000, "cells", block_size=509): 4.0 - place for place, name in enumerate(names)}
    cells = {Case(name, "encrypt", 509): 9.0 for name in (*names, "openssl/aes-128-ctr")}
    _, table = published_cell_times(of_cases({**cells, **whole}, 3))
    totoro = table[table["group"].str.contains("Totoro")].set_index("label")
    assert totoro["ratio"].dropna().to_dict() == pytest.approx(
        {
            "plain -O2": 1,
            "evp -O2, OpenSSL 0.9.7f": 3 / 4,
            "low-level -O2, OpenSSL 0.9.7f": 2 / 4,
            "low-level -O3, OpenSSL 0.9.7f": 1 / 4,
            "low-level -O2, OpenSSL 0.9.8e": 2 / 4,
            "low-level -O3, OpenSSL 0.9.8e": 1 / 4,
        },
        rel=0.02,
    )
    assert totoro.loc["low-level -O3, OpenSSL 0.9.8e", "published"] == pytest.approx(10.0 / 17.5)


def test_block_ciphers_are_compared_at_the_larger_size(of_cases: OfCases) -> None:
    times = {
        Case(f"{library}/{name}", "encrypt", size): factor * size * 1e-9 * wide
        for library, wide in (("openssl", 1), ("botan", 50))
        for name, factor in (("aes-128-ecb", 1), ("3des-cbc", 200))
        for size in (10**6, 10**7)
    }
    times |= {Case("baseline/memcpy", "encrypt", 10**8): 1e-3}
    _, table = published_cipher_times(of_cases(times, 3))
    result = table.set_index(["group", "label"]).loc[("3des", "cbc encrypt")]
    assert result["ratio"] == pytest.approx(200, rel=0.02) and result["value"] == pytest.approx(2, rel=0.02)
    assert result["published"] == pytest.approx(30.095597 / 0.115766)
    assert table["ratio"].notna().sum() == 2


def test_block_ciphers_are_compared_by_cpu_time_under_their_lengths(of_cases: OfCases) -> None:
    seconds = {"aes-128-ecb": 1, "aria-128-ecb": 3}
    samples = of_cases({Case(f"openssl/{name}", "encrypt", 10**9): time for name, time in seconds.items()}, 3)
    samples = samples.assign(cpu_ns=samples["wall_ns"].where(samples["algorithm"].eq("aes-128-ecb"), 10**10))
    figure, table = published_cipher_times(samples)
    assert table.set_index(["group", "label"]).loc[("aria-128", "ecb encrypt"), "ratio"] == pytest.approx(10, rel=0.02)
    assert "an unnamed OpenSSL, measured of 1 GB." in figure.caption  # type: ignore[attr-defined]


def test_arc4_without_a_lock_is_private_and_atomic(of_cases: OfCases) -> None:
    """One stream shares its state with no other, so that both forms stand for the document's."""
    times = {}
    for form, factor in (("locked", 1.0), ("per-thread", 0.5), ("unlocked", 3.0)):
        name = f"generators/rc4.{form}"
        times[Case(name, "generate", 4000, block_size=4)] = factor * 1e-3
        for streams in (1, 4):
            times[Case(name, "generate", streams << 20, block_size=256, threads=streams)] = factor**streams
    figure, table = published_generator_speeds(of_cases(times, 3))
    rows = table[table["label"].str.startswith("arc4-nomtx")]
    assert rows[["label", "implementation"]].to_numpy().tolist() == [
        *[["arc4-nomtx, private", "generators/rc4.per-thread"], ["arc4-nomtx, atomic", "generators/rc4.unlocked"]] * 2,
        ["arc4-nomtx, atomic", "generators/rc4.unlocked"],
    ]
    assert rows["ratio"].tolist() == pytest.approx([0.5, 3, 0.5, 3, 3**4], rel=0.02)
    one = [24 / 35] * 2 + [42.12 / 42.58] * 2
    assert rows["published"].tolist() == pytest.approx([*one, 2338.92 / 398.83])
    assert "4 GB for each stream, here 1 MiB" in figure.caption  # type: ignore[attr-defined]


def test_generator_comparison_has_three_groups(of_cases: OfCases) -> None:
    """The document's own runs have too few samples for an interval and are skipped."""
    times = {}
    for form, factor in (("rc4.locked", 1), ("hc-128.inlined", 0.5)):
        name = f"generators/{form}"
        times[Case(name, "generate", 4000, block_size=0 if "inlined" in form else 4)] = factor * 1e-3
        for streams in (1, 2, 4):
            times[Case(name, "generate", streams << 20, block_size=256, threads=streams)] = factor**streams
            times[Case(name, "generate", streams * 4 * 10**9, block_size=256, threads=streams)] = 1.0
    _, table = published_generator_speeds(of_cases(times, 3))
    result = table.set_index(["group", "label"])
    here = result.xs("hc128-inline", level="label")["ratio"]
    assert here.tolist() == pytest.approx([0.5, 0.5, 0.5**4], rel=0.02)
    assert here.index.tolist() == ["cycles per byte, 32 bits", "one stream, the same output", "four streams"]
    there = result.xs("hc128-inline", level="label")["published"]
    assert there.tolist() == pytest.approx([19 / 35, 22.66 / 42.58, 31.75 / 398.83])
