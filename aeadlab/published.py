"""The numbers of the five documents, as the documents print them, and look-ups in them.

The CSV files and the meaning of their columns are in ``data/published``. Every row is one printed number; where a
document contradicts itself each value has its row.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from aeadlab import paths
from aeadlab.errors import ArgumentError, Error, UnknownNameError

if TYPE_CHECKING:
    from pandas import DataFrame, Series

DOCUMENTS: Final = ("ETH", "Tor", "NetBSD", "Ciphers", "Rust")

COLUMNS: Final = (
    "document", "place", "quantity", "library", "algorithm", "variant", "operation", "bytes", "threads", "block_size",
    "value", "unit", "hardware", "software", "note",
)  # fmt: skip

_NO_FACTS: Final = ("id", "bits", "bytes", "bogomips")
"""Units of what tells nobody how fast a machine is."""

_INTEGERS: Final = ("bytes", "threads", "block_size")

# What a document calls by another name than this lab does: ETH's BLAKE3 variant is its authors' own, and OpenSSL
# hands out GHASH only inside GMAC.
_OUR_NAME: Final = {
    "rustcrypto/aes-256-ctr+blake3": "aeadlab/aes-256-ctr+blake3",
    "openssl/ghash": "openssl/aes-256-gmac",
}

_SECONDS: Final = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
_BYTES_PER_SECOND: Final = {"GiB/s": 2.0**30, "MiB/s": 2.0**20, "MB/s": 1e6, "kB/s": 1e3}


def load(document: str) -> DataFrame:
    """Return every number of one document.

    Parameters
    ----------
    document
        One of `DOCUMENTS`; upper and lower case are the same.

    Returns
    -------
    DataFrame
        One row per printed number: `COLUMNS` (text columns are ``""`` and integer columns ``<NA>`` where the
        document says nothing) and three derived ones: ``implementation`` (this lab's name, or ``""``), ``seconds``
        (times only) and ``gib_per_s`` (throughputs only). The frame is the caller's own copy.

    Raises
    ------
    aeadlab.errors.UnknownNameError
        If there is no such document.
    aeadlab.errors.Error
        If the data cannot be found or is not of this layout.
    """
    return _read(_named(document)).copy()


def lookup(document: str, **wanted: object) -> DataFrame:
    """Return the rows of a document whose columns equal the values given.

    Parameters
    ----------
    document
        One of `DOCUMENTS`.
    **wanted
        Column names of `load` with the value wanted, for example ``quantity="overhead", threads=1``.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If a column does not exist.
    """
    rows = load(document)
    for column, value in wanted.items():
        if column not in rows.columns:
            raise ArgumentError(
                f"there is no column {column!r} in the published numbers; wanted: {', '.join(map(str, rows.columns))}"
            )
        rows = rows[(rows[column] == value).fillna(False).astype(bool)]
    return rows


def number(document: str, **wanted: object) -> float:
    """Return the one number that `lookup` finds, in the unit that the document prints.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If no row fits, or if rows that fit disagree. The message lists them; add ``place=`` or another column.
    """
    rows = lookup(document, **wanted)
    found = rows[["value", "unit"]].drop_duplicates()
    if len(found) == 1:
        return float(found["value"].iloc[0])
    asked = ", ".join(f"{column}={value!r}" for column, value in wanted.items())
    if found.empty:
        raise ArgumentError(f"{document} prints no number with {asked}; aeadlab.published.load shows what there is")
    listed = "; ".join(f"{row.value:g} {row.unit} ({row.place}, {row.quantity})" for row in rows.itertuples())
    raise ArgumentError(f"{document} prints several numbers with {asked}: {listed}; say more of the columns")


def settled(rows: DataFrame) -> DataFrame:
    """Keep one row per case where a document states a case more than once.

    The value with most decimals is kept, and the first of them in the order of the file: ETH's 310.22 ms rather than
    310 ms, and 945.95 ms (with the overheads) rather than 944.95 ms (later).

    Parameters
    ----------
    rows
        Rows of `load` or `lookup`.

    Returns
    -------
    DataFrame
        At most as many rows, in their order.
    """
    case = ["implementation", *(column for column in COLUMNS if column not in ("document", "place", "value", "note"))]
    ordered = rows.assign(decimals=rows["value"].map(_decimals)).sort_values("decimals", ascending=False, kind="stable")
    kept = ordered.drop_duplicates(case).index
    return rows[rows.index.isin(kept)]


def hardware(document: str) -> DataFrame:
    """Return what a document says about its machines.

    Returns
    -------
    DataFrame
        Columns ``hardware``, ``fact`` (``clock``, ``logical cores``, ``cache``, ``memory``, ...), ``value``, ``unit``,
        ``software`` and ``note``, without repetitions.
    """
    rows = load(document)
    rows = rows[rows["quantity"].str.startswith("machine ")]
    facts = rows.assign(fact=rows["quantity"].str.removeprefix("machine "))
    facts = facts[["hardware", "fact", "value", "unit", "software", "note"]]
    return facts.drop_duplicates(["hardware", "fact", "value", "unit"], ignore_index=True)


def machines(document: str) -> DataFrame:
    """Return on what a document's numbers were measured, as far as it says: one row for each machine and software.

    Returns
    -------
    DataFrame
        ``hardware``, ``software`` (versions and compilers, which tell its age) and ``facts`` (those of `hardware`, as
        text), in the order of the document.
    """
    rows = load(document)
    named = rows["hardware"].ne("") & rows["software"].ne("") & rows["implementation"].ne("")
    measured = named & (rows["seconds"].notna() | rows["gib_per_s"].notna())
    facts: dict[str, list[str]] = {}
    for fact in hardware(document).to_dict("records"):
        if fact["unit"] in _NO_FACTS:
            continue
        told = f"{fact['fact']} {fact['value']:g} {fact['unit']}".removesuffix(" count")
        facts.setdefault(str(fact["hardware"]), []).append(told)
    found = rows.loc[measured, ["hardware", "software"]].drop_duplicates(ignore_index=True)
    return found.assign(facts=[", ".join(facts.get(str(name), ())) for name in found["hardware"]])


def _named(document: str) -> str:
    for name in DOCUMENTS:
        if name.lower() == document.lower():
            return name
    raise UnknownNameError(f"there is no document {document!r}; wanted one of: {', '.join(DOCUMENTS)}")


@cache
def _read(document: str) -> DataFrame:
    import pandas as pd

    file = paths.published() / f"{document.lower()}.csv"
    if not file.is_file():
        raise Error(f"the published numbers {file} are missing; get them back from the repository")
    text = pd.read_csv(file, dtype=str, keep_default_na=False)
    if tuple(text.columns) != COLUMNS:
        raise Error(f"{file} has the columns {', '.join(text.columns)}; wanted: {', '.join(COLUMNS)}")
    frame = text.assign(value=pd.to_numeric(text["value"]).astype("float64"))
    for column in _INTEGERS:
        frame[column] = pd.to_numeric(text[column].replace("", None)).astype("Int64")
    name = (text["library"] + "/" + text["algorithm"]).where(text["library"] != "", "")
    frame["implementation"] = name.replace(_OUR_NAME)
    frame["seconds"] = frame["value"] * _factor(frame["unit"], _SECONDS)
    frame["gib_per_s"] = frame["value"] * _factor(frame["unit"], _BYTES_PER_SECOND) / 2.0**30
    return frame


def _factor(unit: Series[str], table: dict[str, float]) -> Series[float]:
    return unit.map(table).astype("float64")


def _decimals(value: float) -> int:
    return len(repr(float(value)).rstrip("0").partition(".")[2])
