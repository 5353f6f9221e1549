"""Block ciphers in their modes: the two bar charts of the document *Ciphers*, and its table beside ours."""

from __future__ import annotations

from math import nan
from typing import Any, Final

from matplotlib.figure import Figure
from pandas import DataFrame

from aeadlab.bench.masks import CONTROL
from aeadlab.errors import EmptyFigureError
from aeadlab.figures import style
from aeadlab.figures.beside import beside
from aeadlab.figures.listed import Bar, bars
from aeadlab.figures.plain import case_medians, each, is_baseline, plain
from aeadlab.figures.published_pairs import pairs, rows_of
from aeadlab.stats.selection import CASE_COLUMNS, usable
from aeadlab.units import significant, size_name
from aeadlab.workloads import CIPHERS, MODES

COLUMNS: Final = (
    "library", "cipher", "bits", "mode", "op", "mask", "bytes", "status", "n", "seconds", "seconds_low", "seconds_high",
    "cpu_seconds", "gib_per_s", "implementation",
)  # fmt: skip
TSV_HEADER: Final = (
    "Cipher", "Key Size (bits)", "Mode", "Data Size (MB)", "Encryption Time (s)", "Decryption Time (s)",
)  # fmt: skip
"""The document's own columns; its times are CPU times."""

PAPERS: Final = "openssl"
_NAMES: Final = {"aes": "AES", "aria": "ARIA", "camellia": "Camellia", "3des": "TripleDES"}
_BASE: Final = "aes-128-ecb"


def block_cipher_bars(
    samples: DataFrame, size: int = 1, venue: str = "lncs", library: str = PAPERS
) -> tuple[Figure, DataFrame]:
    """Draw CPU times of encryption and, pale, of decryption, for every cipher, key length and mode of one library.

    Parameters
    ----------
    samples
        One row per sample; see `block_cipher_table` for what is taken from it.
    size
        0 for the smaller of the two sizes, 1 for the larger.
    venue
        One of `aeadlab.figures.style.VENUES`.
    library
        Whose ciphers.

    Returns
    -------
    figure
        As wide as the venue's column; times on a logarithmic axis, since they go over three powers of ten.
    table
        What `block_cipher_table` gives, all libraries and sizes included.

    Raises
    ------
    aeadlab.errors.EmptyFigureError
        If the library has none of these ciphers in the samples.
    aeadlab.errors.UnknownNameError
        If there is no such venue.
    """
    space = style.venue(venue)
    table = block_cipher_table(samples)
    own = table[table["library"].eq(library) & table["mask"].eq("") & table["status"].eq("ok")]
    if own.empty:
        raise EmptyFigureError(f"no block cipher of {library} was measured: measure the study block-ciphers")
    lengths = sorted(set(own["bytes"]))
    length = int(lengths[min(size, len(lengths) - 1)])
    entries: list[Bar | str] = []
    for (cipher, bits), of in own[own["bytes"].eq(length)].groupby(["cipher", "bits"], sort=False, observed=True):
        entries.append(f"{_NAMES[str(cipher)]} {bits}")
        entries += [_bar(row) for row in each(of)]
    note = f"{library}, one thread: median CPU time, as the document takes it; pale: decryption."
    axis = f"CPU time for {size_name(length)} (s)"
    return bars(entries, [("CPU s",), ("GiB/s",)], axis, note, space, log=True), table


def _bar(row: Any) -> Bar:
    numbers = (significant(row.cpu_seconds), significant(row.gib_per_s))
    name = f"{row.library}/{row.cipher}"
    return Bar(f"{row.mode} {row.op}", name, row.cpu_seconds, nan, nan, numbers, pale=row.op == "decrypt")


def block_cipher_table(samples: DataFrame) -> DataFrame:
    """Tabulate AES, ARIA, Camellia and Triple-DES in ECB, CBC and CTR, of all libraries and under all masks.

    Returns
    -------
    DataFrame
        One row per case: `COLUMNS`. ``seconds`` is wall time and ``cpu_seconds`` the median of user and system time
        (getrusage) of an execution.

    Raises
    ------
    aeadlab.errors.EmptyFigureError
        If there is none.
    """
    unmasked = samples.assign(mask="")
    every = samples[samples.index.isin(plain(unmasked, largest=False).index)]
    names = every["algorithm"].astype(str).str.rsplit("-", n=1)
    ciphers = every[names.str[0].isin(CIPHERS) & names.str[1].isin(MODES)]
    ciphers = ciphers[ciphers["engine"].isin(["whole", "python"]) & ciphers["mask"].ne(CONTROL)]
    if ciphers.empty:
        raise EmptyFigureError("the samples hold no block cipher: measure the study block-ciphers")
    by = list(CASE_COLUMNS)
    table = case_medians(ciphers)
    counted = usable(ciphers, [*by, "cpu_ns", "batch"])
    counted = counted.assign(cpu_seconds=counted["cpu_ns"] / counted["batch"] * 1e-9)
    cpu = counted.groupby(by, observed=True)["cpu_seconds"].median().reset_index()
    table = table.merge(cpu, on=by, how="left")
    parts = table["implementation"].astype(str).str.partition("/")
    split = parts[2].str.rsplit("-", n=1)
    table = table.assign(
        library=parts[0], mode=split.str[1], cipher=split.str[0].map(_cipher), bits=split.str[0].map(_bits)
    )
    places = {name: place for place, name in enumerate(_NAMES)}
    table = table.assign(
        place=table["cipher"].map(places), order=table["mode"].map(MODES.index), way=table["op"].ne("encrypt")
    )
    keys = ["library", "mask", "bytes", "place", "bits", "order", "way"]
    return table.sort_values(keys, kind="stable", ignore_index=True)[list(COLUMNS)]


def tsv(table: DataFrame, library: str = PAPERS) -> str:
    """A library's CPU times in the document's own format: tab-separated, a row for encryption and decryption together.

    Parameters
    ----------
    table
        What `block_cipher_table` gives.
    """
    own = table[table["library"].eq(library) & table["mask"].eq("") & table["status"].eq("ok")]
    lines = ["\t".join(TSV_HEADER)]
    for key, of in own.groupby(["cipher", "bits", "mode", "bytes"], sort=False, observed=True):
        cipher, bits, mode, length = map(str, key)
        times = dict(zip(of["op"].astype(str), of["cpu_seconds"], strict=True))
        pair = (f"{times[op]:.6f}" if op in times else "" for op in ("encrypt", "decrypt"))
        lines.append("\t".join((_NAMES[cipher], bits, mode.upper(), f"{int(length) / 1e6:g}", *pair)))
    return "\n".join(lines) + "\n"


def beside_ciphers(samples: DataFrame, published: DataFrame, venue: str = "lncs") -> tuple[Figure, DataFrame]:
    """Draw the document's larger size beside ours: times over the encryption by AES-128 in ECB of the same size.

    Parameters, returns and errors are those of `aeadlab.figures.beside.beside`.
    """
    table = rows_of(published, ["CPU time"])
    # The text repeats two of them, rounded.
    table = table[table["bytes"].eq(table["bytes"].max()) & table["place"].str.startswith("Table")]
    length = _largest(samples)
    note = (
        "The document measured 1000 MB on a laptop with AES-NI and an OpenSSL of about 2025; ours is the same library, "
        f"with {size_name(length)}."
    )
    found = pairs(
        samples, table, _place, lambda row: _case(str(row.algorithm), str(row.operation), length),
        lambda _: _case(_BASE, "encrypt", length),
    )  # fmt: skip
    return beside(found, "time (\N{MULTIPLICATION SIGN} AES-128-ECB encryption)", note, venue)


def _cipher(name: str) -> str:
    return name.partition("-")[0]


def _bits(name: str) -> int:
    return int(name.partition("-")[2] or 192)


def _place(row: Any) -> tuple[str, str]:
    cipher, mode = str(row.algorithm).rsplit("-", 1)
    # All in one group: the base is one row of the whole table.
    return "1000 MB", f"{cipher} {mode} {row.operation}"


def _largest(samples: DataFrame) -> int:
    encrypting = samples[samples["op"].eq("encrypt") & ~samples["implementation"].map(is_baseline).astype(bool)]
    return int(encrypting["bytes"].max()) if len(encrypting) else 0


def _case(algorithm: str, op: str, length: int) -> dict[str, Any]:
    return {"implementation": f"{PAPERS}/{algorithm}", "op": op, "bytes": length, "mask": ""}
