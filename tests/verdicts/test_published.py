"""Expectations are typed from the documents by hand, not taken from the CSV files."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from aeadlab import paths
from aeadlab.errors import ArgumentError, Error, UnknownNameError
from aeadlab.verdicts import published

GIB = 2**30

_SINGLE = "Section 5, Single-Threaded AEAD Encryption and Hashes"


@pytest.mark.parametrize(
    ("document", "quantity", "unit", "count"),
    [
        # Section 5 names three medians, Section 6 three, then four with the overheads, then two.
        ("ETH", "median time", "ms", 12),
        ("ETH", "overhead", "%", 4),
        ("ETH", "fastest time", "ms", 5),
        ("ETH", "thread count with two modes", "count", 6),
        # Catbus, Totoro, Kushana.
        ("Tor", "time for a million cells", "s", 7 + 10 + 9),
        ("NetBSD", "cycles per byte", "cycles/byte", 5),
        ("NetBSD", "time for 4 GB", "s", 5),
        ("NetBSD", "time for 16 GB", "s", 5),
        ("NetBSD", "scaling factor", "ratio", 5),
        # Both tables have two times a line; the text rounds two of them.
        ("Ciphers", "CPU time", "s", 2 * 36 + 2 * 4 + 2),
        # Five implementations at six sizes, then the summary's five speeds.
        ("Rust", "time", "ns", 8),
        ("Rust", "time", "us", 10),
        ("Rust", "time", "ms", 12),
        ("Rust", "throughput", "MiB/s", 15 + 2),
        ("Rust", "throughput", "GiB/s", 15 + 3),
        # Two runs of openssl speed at six sizes.
        ("Rust", "messages", "count", 12),
        ("Rust", "time taken", "s", 12),
        ("Rust", "throughput", "kB/s", 12),
    ],
)
def test_each_table_is_complete(document: str, quantity: str, unit: str, count: int) -> None:
    assert len(published.lookup(document, quantity=quantity, unit=unit)) == count


@pytest.mark.parametrize(
    ("document", "rows"), [("ETH", 102), ("Tor", 43), ("NetBSD", 44), ("Ciphers", 92), ("Rust", 133)]
)
def test_row_counts_are_complete(document: str, rows: int) -> None:
    assert len(published.load(document)) == rows


@pytest.mark.parametrize(
    ("document", "selection", "value"),
    [
        ("ETH", {"place": _SINGLE, "operation": "seal", "quantity": "median time"}, 310),
        ("ETH", {"implementation": "openssl/aes-256-gcm", "operation": "open", "quantity": "median time"}, 306),
        ("ETH", {"implementation": "openssl/aes-256-gmac", "quantity": "median time"}, 144),
        ("ETH", {"implementation": "cryptopp/aes-256-gcm", "quantity": "median time"}, 437.94),
        ("ETH", {"implementation": "aeadlab/aes-256-ctr+blake3", "quantity": "median time"}, 615.11),
        ("ETH", {"implementation": "openssl/aes-256-gcm", "quantity": "overhead"}, 28.8),
        ("ETH", {"implementation": "cryptopp/aes-256-gcm", "quantity": "overhead"}, 18.9),
        ("ETH", {"implementation": "aeadlab/aes-256-ctr+blake3", "quantity": "overhead"}, 5.1),
        ("ETH", {"implementation": "rustcrypto/aes-256-gcm", "quantity": "overhead"}, -13),
        ("ETH", {"quantity": "fastest time", "operation": "seal"}, 26.83),
        ("ETH", {"quantity": "fastest time", "operation": "digest"}, 13.05),
        ("ETH", {"quantity": "throughput", "operation": "digest"}, 76.92),
        ("ETH", {"quantity": "throughput", "operation": "seal"}, 1.6257),
        ("ETH", {"quantity": "best block size, lowest"}, 8),
        ("ETH", {"quantity": "best block size, highest"}, 32),
        ("ETH", {"quantity": "median time of the upper mode"}, 129.72),
        ("ETH", {"quantity": "median time of the lower mode"}, 104.342),
        ("ETH", {"quantity": "samples in the upper mode"}, 32),
        ("ETH", {"quantity": "samples in the lower mode"}, 67),
        ("ETH", {"quantity": "ratio of the modes", "threads": 5}, 1.243),
        ("ETH", {"quantity": "threads at which memory limits", "library": "baseline"}, 8),
        ("ETH", {"quantity": "implementations under ParSplit"}, 9),
        ("ETH", {"quantity": "tag space overhead"}, 0.1953125),
        ("Tor", {"place": "Results, Catbus", "variant": "plain -O2"}, 7.4),
        ("Tor", {"place": "Results, Catbus", "variant": "low-level -O3"}, 4.4),
        ("Tor", {"place": "Results, Totoro", "variant": "full-unroll -O2"}, 18.6),
        ("Tor", {"place": "Results, Totoro", "variant": "evp -O2"}, 23.0),
        ("Tor", {"variant": "low-level -O3", "software": "OpenSSL 0.9.8e; gcc 4.0", "place": "Results, Totoro"}, 10.0),
        ("Tor", {"variant": "low-level -O2", "software": "OpenSSL 0.9.7b; gcc 4.0"}, 13.3),
        ("Tor", {"quantity": "gain of OpenSSL 0.9.8b or later over own code"}, 37),
        ("Tor", {"quantity": "CPU time saved, highest"}, 12),
        ("NetBSD", {"variant": "arc4-mtx", "quantity": "cycles per byte"}, 35),
        ("NetBSD", {"variant": "arc4-nomtx", "quantity": "time for 16 GB"}, 2338.92),
        ("NetBSD", {"variant": "arc4-percpu", "quantity": "scaling factor"}, 0.808),
        ("NetBSD", {"variant": "hc128-percpu", "quantity": "time for 4 GB"}, 23.75),
        ("NetBSD", {"variant": "hc128-inline", "quantity": "time for 16 GB"}, 31.75),
        ("NetBSD", {"quantity": "machine memory bandwidth"}, 7732),
        ("Ciphers", {"algorithm": "aes-128-ecb", "bytes": 10**8, "operation": "encrypt"}, 0.011645),
        ("Ciphers", {"algorithm": "aes-256-ctr", "bytes": 10**8, "operation": "encrypt"}, 0.010960),
        ("Ciphers", {"algorithm": "aria-256-ctr", "bytes": 10**9, "operation": "decrypt"}, 5.266137),
        ("Ciphers", {"algorithm": "camellia-128-cbc", "bytes": 10**9, "operation": "decrypt"}, 4.397620),
        ("Ciphers", {"algorithm": "3des-cbc", "bytes": 10**9, "operation": "encrypt"}, 30.095597),
        ("Ciphers", {"quantity": "logical CPUs with AES-NI"}, 12),
        ("Rust", {"implementation": "rustcrypto/xchacha20-poly1305", "bytes": 100, "quantity": "time"}, 928.91),
        ("Rust", {"implementation": "rustcrypto/aes-256-gcm", "bytes": 10**3, "quantity": "throughput"}, 1.0231),
        ("Rust", {"implementation": "ring/chacha20-poly1305", "bytes": 10**6, "quantity": "time"}, 563.75),
        ("Rust", {"implementation": "ring/aes-256-gcm", "bytes": 10**8, "quantity": "time"}, 30.450),
        ("Rust", {"implementation": "ring/aes-256-gcm", "bytes": 10**6, "quantity": "throughput"}, 3.5260),
        ("Rust", {"implementation": "openssl/aes-256-gcm", "bytes": 16, "quantity": "messages"}, 78827663),
        ("Rust", {"implementation": "openssl/aes-256-gcm", "bytes": 16384, "quantity": "throughput"}, 3733721.81),
        ("Rust", {"implementation": "openssl/chacha20-poly1305", "bytes": 64, "quantity": "throughput"}, 547913.08),
        ("Rust", {"implementation": "openssl/chacha20-poly1305", "bytes": 256, "quantity": "time taken"}, 2.99),
        ("Rust", {"quantity": "machine clock"}, 2593.906),
    ],
)
def test_values_are_as_printed(document: str, selection: dict[str, object], value: float) -> None:
    assert published.number(document, **selection) == value


@pytest.mark.parametrize(
    ("selection", "values"),
    [
        ({"implementation": "rustcrypto/aes-256-gcm", "quantity": "median time"}, {945.95, 944.95}),
        ({"implementation": "openssl/aes-256-gcm", "quantity": "median time", "operation": "seal"}, {310, 310.22}),
        ({"implementation": "cryptopp/aes-256-gcm", "quantity": "fastest time", "operation": "open"}, {27.47, 27.42}),
    ],
)
def test_contradicting_values_reference_each_other(selection: dict[str, object], values: set[float]) -> None:
    rows = published.lookup("ETH", **selection)
    assert set(rows["value"]) == values
    for row in rows.itertuples():
        others = values - {row.value}
        assert all(f"Also given as {other:g}" in str(row.note) for other in others)
    with pytest.raises(ArgumentError, match="several numbers"):
        published.number("ETH", **selection)


def test_without_duplicates_keeps_the_most_precise_value() -> None:
    rows = published.without_duplicates(published.lookup("ETH", quantity="median time", variant="whole"))
    values_by_case = {(row.implementation, row.operation): row.value for row in rows.itertuples()}
    assert values_by_case == {
        ("openssl/aes-256-gcm", "seal"): 310.22,
        ("openssl/aes-256-gcm", "open"): 306,
        ("openssl/aes-256-gmac", "digest"): 144,
        ("cryptopp/aes-256-gcm", "seal"): 437.94,
        ("aeadlab/aes-256-ctr+blake3", "seal"): 615.11,
        ("rustcrypto/aes-256-gcm", "seal"): 945.95,
    }


@pytest.mark.parametrize("document", published.DOCUMENTS)
def test_every_row_is_well_formed(document: str) -> None:
    rows = published.load(document)
    assert set(rows["document"]) == {document}
    assert rows["value"].notna().all()
    assert (rows[["place", "quantity", "unit"]] != "").all(axis=None)
    assert not rows.duplicated().any()
    assert set(rows["operation"]) <= {"", "seal", "open", "encrypt", "decrypt", "digest", "generate"}
    assert ((rows["library"] == "") == (rows["algorithm"] == "")).all()


def test_times_and_speeds_of_the_rust_table_agree() -> None:
    rows = published.lookup("Rust", place="Results, table")
    times = rows[rows["quantity"] == "time"].set_index(["implementation", "bytes"])["seconds"]
    speeds = rows[rows["quantity"] == "throughput"].set_index(["implementation", "bytes"])["gib_per_s"]
    sizes = times.index.get_level_values("bytes").to_numpy(dtype=float)
    assert len(times) == len(speeds) == 30
    assert (sizes / GIB / times / speeds - 1).abs().max() < 1e-3


def test_openssl_speed_counts_and_speeds_agree() -> None:
    rows = published.lookup("Rust", variant="openssl speed")
    by = {q: g.set_index(["algorithm", "bytes"])["value"] for q, g in rows.groupby("quantity")}
    sizes = by["messages"].index.get_level_values("bytes").to_numpy(dtype=float)
    assert (by["messages"] * sizes / by["time taken"] / 1000 / by["throughput"] - 1).abs().max() < 1e-6


def test_hardware_gives_each_fact_once() -> None:
    facts = published.hardware("ETH").set_index(["hardware", "fact"])["value"]
    assert facts["AMD EPYC 7742", "logical cores"] == 64
    assert facts["AMD EPYC 7742", "clock"] == 3.3
    assert facts["AMD EPYC 7742", "memory"] == 512
    assert facts["AMD Ryzen 9 5900X", "logical cores"] == 24
    assert facts["AMD Ryzen 9 5900X", "clock"] == 4.2
    assert facts["AMD Ryzen 9 5900X", "cores per chiplet"] == 6
    assert facts.index.is_unique


def test_load_returns_a_copy() -> None:
    rows = published.load("Tor")
    rows.loc[:, "value"] = 0.0
    assert published.load("tor")["value"].max() == 1_000_000


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: published.load("Intel"), UnknownNameError, "ETH, Tor, NetBSD, Ciphers, Rust"),
        (lambda: published.lookup("ETH", colour=1), ArgumentError, "no column 'colour'"),
        (lambda: published.number("ETH", quantity="price"), ArgumentError, "no number with quantity='price'"),
    ],
)
def test_unknown_names_are_reported(call: Callable[[], object], error: type[Error], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


def test_missing_and_malformed_files_are_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(paths, "published", lambda: tmp_path)
    published._read.cache_clear()
    with pytest.raises(Error, match=r"rust\.csv is missing"):
        published.load("Rust")
    (tmp_path / "rust.csv").write_text("a,b\n1,2\n")
    with pytest.raises(Error, match=r"rust\.csv has the columns a, b"):
        published.load("Rust")
    published._read.cache_clear()


def test_import_does_not_load_pandas() -> None:
    code = "import sys, aeadlab.verdicts.published, aeadlab.paths; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert {"pandas", "numpy"}.isdisjoint(loaded)


def test_machines_have_software_and_facts() -> None:
    tor = published.machines("Tor")
    assert tor["software"].tolist()[1] == "OpenSSL 0.9.8b; gcc 4.1"
    assert tor["hardware"].nunique() == 3
    assert tor.set_index("hardware")["facts"]["PowerPC G4 (Kushana)"].unique().tolist() == ["clock 1.33 GHz"]
    assert "cores per processor 2, memory 32 GB" in published.machines("NetBSD")["facts"][0]
    # Numbers that only identify a processor precede its clock and caches.
    facts = published.machines("Rust")["facts"][0]
    assert facts.startswith("clock in the name 2.6 GHz, clock 2593.91 MHz") and "stepping" not in facts
    assert published.machines("Ciphers")["hardware"].tolist() == ["laptop, CPU with AES-NI, model not named"]
    for name in published.DOCUMENTS:
        assert not published.machines(name).duplicated(["hardware", "software"]).any()
