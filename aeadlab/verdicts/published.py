"""The numbers that the five documents print.

The CSV files and the meaning of their columns are in ``data/published``. Every row is one printed number; where a
document contradicts itself each value has its row.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

from aeadlab import paths
from aeadlab.display.nearest import hint
from aeadlab.errors import ArgumentError, Error, UnknownNameError

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pandas import DataFrame, Series

DOCUMENTS: Final = ("ETH", "Tor", "NetBSD", "Ciphers", "Rust")

COLUMNS: Final = (
    "document", "place", "quantity", "library", "algorithm", "variant", "operation", "bytes", "threads", "block_size",
    "value", "unit", "hardware", "software", "note",
)  # fmt: skip

_IDENTIFIERS: Final = ("id", "bits", "bytes", "bogomips")
"""Units of facts that do not describe the speed of a machine."""

_INTEGERS: Final = ("bytes", "threads", "block_size")

# Implementations that the catalogue has under another name: the BLAKE3 variant of ETH is its authors' own code, and
# OpenSSL offers GHASH only inside GMAC.
_CATALOGUE_NAMES: Final = {
    "rustcrypto/aes-256-ctr+blake3": "aeadlab/aes-256-ctr+blake3",
    "openssl/ghash": "openssl/aes-256-gmac",
}

_CONDITIONS: Final[dict[tuple[str, str], dict[str, str | int]]] = {
    ("Rust", ""): {"placement": "in-place", "aad_bytes": 32},
}
"""Conditions of a document's variant that are not the default: those of the program that the Rust document links."""

_SECONDS: Final = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
_BYTES_PER_SECOND: Final = {"GiB/s": 2.0**30, "MiB/s": 2.0**20, "MB/s": 1e6, "kB/s": 1e3}


def load(document: str) -> DataFrame:
    """Return every number of one of `DOCUMENTS`, named in upper or lower case; the frame may be changed.

    The columns are `COLUMNS` (text is ``""`` and an integer ``<NA>`` where the document states nothing) and three
    derived ones: ``implementation`` (name in the catalogue, or ``""``), ``seconds`` (times only) and ``gib_per_s``
    (throughputs only).

    Raises
    ------
    aeadlab.errors.UnknownNameError
        If there is no such document.
    aeadlab.errors.Error
        If the data is missing or has other columns.
    """
    return _read(_named(document)).copy()


def lookup(document: str, **values: object) -> DataFrame:
    """Return the rows of `load` that have these values, for example ``quantity="overhead", threads=1``.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If a column does not exist.
    """
    rows, columns = load(document), _columns(_named(document))
    chosen = rows["document"].notna().to_numpy()
    for column, value in values.items():
        if column not in columns:
            raise ArgumentError(f"no column {column!r} in the published numbers; the columns are {', '.join(columns)}")
        chosen = chosen & (columns[column] == value)
    return rows[chosen]


def conditions(document: str, variant: str = "") -> dict[str, str | int]:
    """Return the conditions under which a document measured the numbers of a variant, without default values."""
    return dict(_CONDITIONS.get((_named(document), variant), {}))


def number(document: str, **values: object) -> float:
    """Return the single number with these values, in the printed unit.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If no row matches, or matching rows disagree. The message lists them; add ``place=`` or another column.
    """
    rows = lookup(document, **values)
    distinct = set(zip(rows["value"], rows["unit"], strict=True))
    if len(distinct) == 1:
        return float(distinct.pop()[0])
    selection = ", ".join(f"{column}={value!r}" for column, value in values.items())
    if rows.empty:
        raise ArgumentError(
            f"{document} prints no number with {selection}; aeadlab.verdicts.published.load returns all numbers"
        )
    listed = "; ".join(f"{row.value:g} {row.unit} ({row.place}, {row.quantity})" for row in rows.itertuples())
    raise ArgumentError(f"{document} prints several numbers with {selection}: {listed}; select by further columns")


def without_duplicates(rows: DataFrame) -> DataFrame:
    """Return one row per case where a document states a case more than once.

    The value with most decimals is kept, and of several the first in the file: 310.22 ms of ETH rather than 310 ms, and
    945.95 ms (with the overheads) rather than 944.95 ms (later).
    """
    case = ["implementation", *(column for column in COLUMNS if column not in ("document", "place", "value", "note"))]
    ordered = rows.assign(decimals=rows["value"].map(_decimals)).sort_values("decimals", ascending=False, kind="stable")
    kept = ordered.drop_duplicates(case).index
    return rows[rows.index.isin(kept)]


def hardware(document: str) -> DataFrame:
    """Return the facts that a document states about its machines, without duplicates.

    The columns are ``hardware``, ``fact`` (``clock``, ``logical cores``, ``cache``, ``memory``, ...), ``value``,
    ``unit``, ``software`` and ``note``.
    """
    rows = load(document)
    rows = rows[rows["quantity"].str.startswith("machine ")]
    facts = rows.assign(fact=rows["quantity"].str.removeprefix("machine "))
    facts = facts[["hardware", "fact", "value", "unit", "software", "note"]]
    return facts.drop_duplicates(["hardware", "fact", "value", "unit"], ignore_index=True)


def machines(document: str) -> DataFrame:
    """Return the machines and software that a document's numbers were measured with, in the order of the document.

    The columns are ``hardware``, ``software`` (versions and compilers) and ``facts`` (those of `hardware` as text).
    """
    rows = load(document)
    named = rows["hardware"].ne("") & rows["software"].ne("") & rows["implementation"].ne("")
    measured = named & (rows["seconds"].notna() | rows["gib_per_s"].notna())
    facts: dict[str, list[str]] = {}
    for fact in hardware(document).to_dict("records"):
        if fact["unit"] in _IDENTIFIERS:
            continue
        text = f"{fact['fact']} {fact['value']:g} {fact['unit']}".removesuffix(" count")
        facts.setdefault(str(fact["hardware"]), []).append(text)
    pairs = rows.loc[measured, ["hardware", "software"]].drop_duplicates(ignore_index=True)
    return pairs.assign(facts=[", ".join(facts.get(str(name), ())) for name in pairs["hardware"]])


def _named(document: str) -> str:
    for name in DOCUMENTS:
        if name.lower() == document.lower():
            return name
    listed = f"the documents are {', '.join(DOCUMENTS)}"
    raise UnknownNameError(f"no document {document!r}; {hint(document, DOCUMENTS, listed)}")


@cache
def _read(document: str) -> DataFrame:
    import pandas as pd

    file = paths.published() / f"{document.lower()}.csv"
    if not file.is_file():
        raise Error(f"{file} is missing; restore it from the repository")
    text = pd.read_csv(file, dtype=str, keep_default_na=False)
    if tuple(text.columns) != COLUMNS:
        raise Error(f"{file} has the columns {', '.join(text.columns)}; expected {', '.join(COLUMNS)}")
    frame = text.assign(value=pd.to_numeric(text["value"]).astype("float64"))
    for column in _INTEGERS:
        frame[column] = pd.to_numeric(text[column].replace("", None)).astype("Int64")
    name = (text["library"] + "/" + text["algorithm"]).where(text["library"] != "", "")
    frame["implementation"] = name.replace(_CATALOGUE_NAMES)
    frame["seconds"] = frame["value"] * _factor(frame["unit"], _SECONDS)
    frame["gib_per_s"] = frame["value"] * _factor(frame["unit"], _BYTES_PER_SECOND) / 2.0**30
    return frame


@cache
def _columns(document: str) -> dict[str, NDArray[Any]]:
    # Claims look hundreds of numbers up, and a comparison of Python objects takes a tenth of the time of Arrow's.
    rows = _read(document).astype(object)
    return {str(name): column.mask(column.isna(), "").to_numpy() for name, column in rows.items()}


def _factor(unit: Series[str], table: dict[str, float]) -> Series[float]:
    return unit.map(table).astype("float64")


def _decimals(value: float) -> int:
    return len(repr(float(value)).rstrip("0").partition(".")[2])
