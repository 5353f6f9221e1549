"""The answer of the study block-ciphers in sentences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from aeadlab.display.units import size_name
from aeadlab.records.record import Record
from aeadlab.stats import confidence_of_chosen
from aeadlab.stats.processes import joint_level
from aeadlab.studies.answering import listed, over, range_over, rows_of, timed
from aeadlab.studies.ciphers.figures import block_cipher_table

_NAMES = {"aes": "AES", "aria": "ARIA", "camellia": "Camellia", "des": "DES", "3des": "Triple-DES"}


def answer(record: Record) -> Iterator[str]:
    """Yield the times of OpenSSL's ciphers in ECB, the cost of CBC, and the gain of AES instructions."""
    table = rows_of(block_cipher_table(record.samples), library="openssl", op="encrypt")
    table = table[table["bytes"] == table["bytes"].max()].drop_duplicates(["cipher", "bits", "mode", "mask"])
    plain = rows_of(table, mask="")
    ecb = rows_of(plain, mode="ecb").drop_duplicates("cipher")
    if ecb.empty:
        return
    first, *others = ecb.itertuples()
    level = confidence_of_chosen(len(ecb))
    slower = [f"{_name(row)} {over(record.samples, row, first, level)} times" for row in others]
    yield (
        f"In ECB OpenSSL's {_name(first)} is the fastest block cipher: {size_name(first.bytes)} in {timed(first)}"
        f"{f'; {listed(slower)} as long' if slower else ''}."
    )
    cbc = _over(rows_of(plain, mode="cbc"), rows_of(plain, mode="ecb"), ["cipher", "bits"])
    if not cbc.empty:
        row = cbc.sort_values("over").iloc[-1].to_dict()
        factor = over(record.samples, row, _reference(row), joint_level(len(cbc)))
        yield (
            f"CBC encryption of {_NAMES.get(row['cipher'], row['cipher'])}-{row['bits']} takes "
            f"{factor} times as long as ECB, because each block waits for the one before."
        )
    masked = _over(rows_of(table, mask="no-aes", cipher="aes"), rows_of(plain, cipher="aes"), ["bits", "mode"])
    if not masked.empty:
        pairs = [(row, _reference(row)) for row in masked.to_dict("records")]
        yield (
            f"Without the AES instructions of the CPU, AES takes {range_over(record.samples, pairs)} times as long, "
            "depending on mode and key."
        )


def _over(rows: Any, reference: Any, on: list[str]) -> Any:
    both = rows.merge(reference[[*on, "implementation", "seconds"]], on=on, suffixes=("", "_reference"))
    return both.assign(over=both["seconds"] / both["seconds_reference"])


def _reference(row: Any) -> dict[str, Any]:
    """Return the reference case of a row of `_over`."""
    return {
        **row, "implementation": row["implementation_reference"], "seconds": row["seconds_reference"], "mask": "",
    }  # fmt: skip


def _name(row: Any) -> str:
    name = str(_NAMES.get(row.cipher, row.cipher))
    return name if "DES" in name else f"{name}-{row.bits}"
