"""Block ciphers: the table, the document's own format, and its two bar charts."""

from __future__ import annotations

import csv
from collections.abc import Callable
from itertools import product

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

from aeadlab import paths
from aeadlab.bench.case import Case
from aeadlab.bench.masks.masks import CONTROL
from aeadlab.display.units import significant
from aeadlab.errors import EmptyFigureError, UnknownNameError
from aeadlab.figures.style import VENUES
from aeadlab.studies.ciphers.figures import COLUMNS, TSV_HEADER, block_cipher_table, block_cipher_times, tsv
from tests.fixtures.drawing import contents

OfCases = Callable[..., pd.DataFrame]
Check = Callable[[Figure, str], None]
Texts = Callable[[Figure], list[Text]]
Written = Callable[[Figure], list[str]]
MODES = ("ecb", "cbc", "ctr")
CIPHERS = ("aes-128", "aes-256", "aria-128", "aria-256", "camellia-128", "camellia-256", "3des", "des")
SIZES = (10**6, 10**7)
OPS = ("encrypt", "decrypt")
DES = ("3des", "des")
# Nanoseconds for a byte of each cipher in ECB. Chosen, not measured.
SPEEDS = dict(zip(CIPHERS, (0.2, 0.28, 5.0, 6.0, 4.0, 5.2, 30.0, 11.0), strict=True))
CPU = 0.9
"""Ratio of CPU time to wall time."""


def seconds(cipher: str, mode: str, op: str, size: int) -> float:
    return SPEEDS[cipher] * size * 1e-9 * (1 + 0.1 * MODES.index(mode)) * (1.05 if op == "decrypt" else 1)


def times_of(library: str = "openssl", masks: tuple[str, ...] = ("", "no-aes")) -> dict[Case, float]:
    """Return times without DES and Triple-DES in CTR, which OpenSSL lacks."""
    return {
        Case(f"{library}/{cipher}-{mode}", op, size, mask=mask): seconds(cipher, mode, op, size) * (6 if mask else 1)
        for cipher, mode, op, size, mask in product(CIPHERS, MODES, OPS, SIZES, masks)  # type: ignore[misc]
        if not (cipher in DES and mode == "ctr" and library == "openssl") and (not mask or cipher.startswith("aes"))
    }


def with_cpu(samples: pd.DataFrame, batch: int = 4) -> pd.DataFrame:
    return samples.assign(cpu_ns=CPU * samples["wall_ns"] * batch, batch=batch)


@pytest.fixture(scope="module")
def samples(of_cases: OfCases) -> pd.DataFrame:
    others = {
        Case("baseline/memcpy", "encrypt", 10**7): 1e-3,
        Case("openssl/aes-192-ecb", "encrypt", 10**7): 2e-3,
        Case("openssl/aes-128-ctr.aes-encrypt-o2", "encrypt", 10**7): 2e-3,
        Case("openssl/aes-128-gcm", "seal", 10**7): 2e-3,
        Case("openssl/aes-128-ecb", "encrypt", 10**7, mask=CONTROL): 2e-3,
        Case("openssl/aes-128-ecb", "encrypt", 10**7, replica=1): 2e-3,
    }
    return with_cpu(of_cases({**times_of(), **others, **times_of("rustcrypto", ("",))}, rounds=3, noise=0.001))


@pytest.fixture(scope="module")
def table(samples: pd.DataFrame) -> pd.DataFrame:
    return block_cipher_table(samples)


def test_a_row_has_cipher_key_mode_and_both_times(table: pd.DataFrame) -> None:
    assert tuple(table.columns) == COLUMNS
    assert len(table) == len(times_of()) + len(times_of("rustcrypto", ("",)))
    keys = ["library", "cipher", "bits", "mode", "op", "mask", "bytes"]
    rows = table.set_index(keys).sort_index()
    result = rows.loc[("openssl", "camellia", 256, "cbc", "decrypt", "", 10**7)]
    assert result["seconds"] == pytest.approx(5.2e-2 * 1.1 * 1.05, rel=0.003)
    assert result["cpu_seconds"] == pytest.approx(CPU * result["seconds"], rel=0.003), (
        "of one execution, not of a batch"
    )
    assert result["gib_per_s"] == pytest.approx(10**7 / 2**30 / result["seconds"], rel=0.003)
    assert (result["n"], result["status"], result["implementation"]) == (3, "ok", "openssl/camellia-256-cbc")
    assert set(table.loc[table["cipher"].eq("3des"), "bits"]) == {192}
    assert set(table.loc[table["cipher"].eq("des"), "bits"]) == {64}
    des = table[table["cipher"].eq("3des")].groupby("library")["mode"].agg(set)
    assert des.to_dict() == {"openssl": {"ecb", "cbc"}, "rustcrypto": {"ecb", "cbc", "ctr"}}


def test_masked_cases_have_their_own_rows(table: pd.DataFrame) -> None:
    assert set(table["mask"]) == {"", "no-aes"}
    masked = table[table["mask"].eq("no-aes")]
    assert set(masked["cipher"]) == {"aes"} and len(masked) == 2 * len(MODES) * len(OPS) * len(SIZES)
    by = ["cipher", "bits", "mode", "op", "bytes"]
    own = table[table["library"].eq("openssl")]
    both = masked.merge(own[own["mask"].eq("")], on=by)
    assert (both["seconds_x"] / both["seconds_y"]).to_numpy() == pytest.approx(6, rel=0.01)


def test_rows_are_in_the_order_of_the_document(table: pd.DataFrame) -> None:
    own = table[table["library"].eq("openssl") & table["mask"].eq("") & table["bytes"].eq(10**6)]
    names = [*product(CIPHERS[:6], MODES), *product(DES, MODES[:2])]
    assert own["implementation"].tolist() == [f"openssl/{cipher}-{mode}" for cipher, mode in names for _ in OPS]
    assert own["op"].tolist() == [*OPS] * len(names)


def test_tsv_has_the_columns_of_the_document(table: pd.DataFrame) -> None:
    lines = tsv(table).splitlines()
    assert tsv(table).endswith("\n") and lines[0].split("\t") == list(TSV_HEADER)
    assert lines[0] == "Cipher\tKey Size (bits)\tMode\tData Size (MB)\tEncryption Time (s)\tDecryption Time (s)"
    rows = [line.split("\t") for line in lines[1:]]
    expected = [(c, m, n) for c, m, n in product(CIPHERS, MODES, SIZES) if c not in DES or m != "ctr"]
    assert len(rows) == len(expected) == (6 * 3 + 2 * 2) * 2
    names = {"aes": "AES", "aria": "ARIA", "camellia": "Camellia", "3des": "TripleDES", "des": "DES"}
    result = {tuple(row[:4]): [float(time) for time in row[4:]] for row in rows}
    for cipher, mode, size in expected:
        name, _, bits = cipher.partition("-")
        key = (names[name], bits or {"3des": "192", "des": "64"}[name], mode.upper(), str(size // 10**6))
        assert result.pop(key) == pytest.approx([CPU * seconds(cipher, mode, op, size) for op in OPS], rel=0.005)
    assert not result
    assert all(len(time.partition(".")[2]) == 6 for row in rows for time in row[4:]), "microseconds, as the document"


def test_the_published_table_is_reproduced_as_printed(of_cases: OfCases) -> None:
    """Samples with the published CPU times give every line of Tables 1 and 2."""
    with (paths.published() / "ciphers.csv").open(encoding="utf-8", newline="") as file:
        printed = [row for row in csv.DictReader(file) if row["place"] in ("Table 1", "Table 2")]
    times = {
        Case(f"openssl/{row['algorithm']}", row["operation"], int(row["bytes"])): float(row["value"])  # type: ignore[arg-type]
        for row in printed
    }
    samples = of_cases(times, rounds=1, noise=0).assign(cpu_ns=lambda rows: rows["wall_ns"])
    lines = set(tsv(block_cipher_table(samples)).splitlines())
    assert len(lines) == 1 + 36 + 4
    for line in (
        "AES\t128\tECB\t100\t0.011645\t0.016149",
        "AES\t256\tCTR\t1000\t0.125039\t0.146826",
        "Camellia\t256\tCBC\t100\t0.447059\t0.440549",
        "TripleDES\t192\tCBC\t1000\t30.095597\t29.524169",
    ):
        assert line in lines


def test_tsv_of_failed_cases_has_empty_fields(of_cases: OfCases, table: pd.DataFrame) -> None:
    assert len(tsv(table, "rustcrypto").splitlines()) == 1 + len(CIPHERS) * len(MODES) * len(SIZES)
    assert tsv(table, "botan") == "\t".join(TSV_HEADER) + "\n"
    crashed = Case("openssl/aes-128-ecb", "decrypt", 10**6)
    both = [Case("openssl/aes-128-cbc", op, 10**6) for op in OPS]  # type: ignore[arg-type]
    samples = with_cpu(of_cases({Case("openssl/aes-128-ecb", "encrypt", 10**6): 1e-3}, 3, failed=(crashed, *both)))
    (row,) = [line.split("\t") for line in tsv(block_cipher_table(samples)).splitlines()[1:]]
    assert row[:4] == ["AES", "128", "ECB", "1"] and float(row[4]) > 0 and row[5] == ""


def drawn(figure: Figure, op: str) -> list[float]:
    """Return the times of an operation from the top: points for encryption, vertical lines for decryption."""
    lines = [line for line in figure.axes[0].lines if (line.get_marker() == "o") == (op == "encrypt")]
    return [float(np.asarray(line.get_xdata())[0]) for line in lines]


@pytest.mark.parametrize(("size", "length", "name"), [(0, 10**6, "1 MB"), (1, 10**7, "10 MB")])
def test_points_are_cpu_times_of_the_documents_library(
    samples: pd.DataFrame, size: int, length: int, name: str, texts: Texts
) -> None:
    figure, whole = block_cipher_times(samples, size=size)
    names = [(c, m) for c, m in product(CIPHERS, MODES) if c not in DES or m != "ctr"]
    unit = figure.axes[0].get_xlabel().removeprefix(f"CPU time for {name} (").removesuffix(")")
    scale = {"s": 1, "ms": 1e3, "\N{MICRO SIGN}s": 1e6}[unit]
    for op in OPS:
        expected = [scale * CPU * seconds(cipher, mode, op, length) for cipher, mode in names]
        assert drawn(figure, op) == pytest.approx(expected, rel=0.005)
    assert set(whole["library"]) == {"openssl", "rustcrypto"} and set(whole["bytes"]) == {*SIZES}
    assert figure.axes[0].get_xscale() == "log"
    bold = [text.get_text() for text in texts(figure) if text.get_weight() == "bold"]
    ciphers = ["AES-128", "AES-256", "ARIA-128", "ARIA-256", "Camellia-128", "Camellia-256", "TripleDES-192", "DES-64"]
    assert bold == ciphers
    words = [text.get_text() for text in texts(figure)]
    assert words.count("ECB") == 8 and words.count("CTR") == 6
    assert words.count("encrypt") == 2 and words.count(unit) == 2 and words.count("GiB/s") == 1
    assert "Points: encryption; vertical lines: decryption." in figure.caption  # type: ignore[attr-defined]


def test_numbers_are_written_beside_the_points(samples: pd.DataFrame, table: pd.DataFrame, written: Written) -> None:
    figure, _ = block_cipher_times(samples)
    own = table[table["library"].eq("openssl") & table["mask"].eq("") & table["bytes"].eq(10**7)]
    words = written(figure)
    scale = 1e3 if "ms" in words else 1.0
    assert {significant(scale * value) for value in own["cpu_seconds"]} <= set(words)
    assert {significant(value) for value in own.loc[own["op"].eq("encrypt"), "gib_per_s"]} <= set(words)


def test_a_single_size_serves_both_figures(samples: pd.DataFrame, check_layout: Check) -> None:
    one = samples[samples["bytes"].eq(10**6)]
    assert (
        block_cipher_times(one, size=0)[0].axes[0].get_xlabel()
        == block_cipher_times(one, size=1)[0].axes[0].get_xlabel()
    )
    figure, _ = block_cipher_times(samples, library="rustcrypto")
    assert len(drawn(figure, "encrypt")) == len(drawn(figure, "decrypt")) == len(CIPHERS) * len(MODES)
    check_layout(figure, "lncs")


def test_figures_are_of_the_two_largest_sizes(of_cases: OfCases) -> None:
    """A record may have the document's sizes beside shorter ones."""
    sizes = (10**5, 10**6, 10**8, 10**9)
    times = {Case("openssl/aes-128-ecb", op, size): size * 1e-10 for op in OPS for size in sizes}  # type: ignore[arg-type]
    samples = with_cpu(of_cases(times, 3))
    labels = [block_cipher_times(samples, size=size)[0].axes[0].get_xlabel() for size in (0, 1)]
    assert labels == ["CPU time for 100 MB (ms)", "CPU time for 1 GB (ms)"]


def test_failed_cases_have_a_table_row_and_no_point(of_cases: OfCases) -> None:
    times = times_of(masks=("",))
    crashed = tuple(case for case in times if "aria" in case.implementation)
    samples = with_cpu(of_cases({case: t for case, t in times.items() if case not in crashed}, 3, failed=crashed))
    figure, result = block_cipher_times(samples)
    assert len(drawn(figure, "encrypt")) == len(drawn(figure, "decrypt")) == 4 * 3 + 2 * 2
    failed = result[result["cipher"].eq("aria")]
    assert len(failed) == len(crashed) and failed["status"].eq("failed: it crashed").all()
    assert failed[["seconds", "cpu_seconds"]].isna().all().all()
    assert len(tsv(result).splitlines()) == 1 + (4 * 3 + 2 * 2) * 2


@pytest.mark.parametrize("venue", VENUES)
def test_layout_fits_every_venue(samples: pd.DataFrame, venue: str, check_layout: Check) -> None:
    check_layout(block_cipher_times(samples, venue)[0], venue)


def test_the_same_record_gives_the_same_bytes(samples: pd.DataFrame) -> None:
    assert contents(*block_cipher_times(samples)) == contents(*block_cipher_times(samples))


def test_rejects_samples_without_matching_cases(samples: pd.DataFrame) -> None:
    with pytest.raises(EmptyFigureError, match="^no block cipher of botan was measured: measure the study block-cip"):
        block_cipher_times(samples, library="botan")
    with pytest.raises(EmptyFigureError, match="^no block cipher of openssl was measured"):
        block_cipher_times(samples.assign(status="failed: it crashed"))
    with pytest.raises(EmptyFigureError, match="^the samples hold no block cipher: measure the study block-ciphers$"):
        block_cipher_table(samples[samples["kind"].eq("aead")])
    with pytest.raises(UnknownNameError, match="there is no venue 'natur'"):
        block_cipher_times(samples, venue="natur")
    assert np.isfinite(block_cipher_table(samples)["cpu_seconds"]).all()
