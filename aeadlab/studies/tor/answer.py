"""The answer of the study cells in sentences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from aeadlab.display.units import significant, size_name
from aeadlab.records.record import Record
from aeadlab.stats.processes import CONFIDENCE
from aeadlab.studies.answering import named, over, rows_of, timed
from aeadlab.studies.tor.advice import LOW_LEVEL, recommendations
from aeadlab.studies.tor.figures import cell_table


def answer(record: Record) -> Iterator[str]:
    """Yield the fastest implementation, the document's candidates relative to it, and its rule for these times."""
    table = cell_table(record.samples)
    rows = rows_of(table)
    cells = [*rows[rows["bytes"] == rows["bytes"].min()].itertuples()]
    if not cells:
        return
    first = cells[0]
    yield (
        f"{named(first)} encrypts a cell of {size_name(first.bytes)} in {timed(first)}, the shortest median of "
        f"{len(cells)} implementations."
    )
    openssl = {row.implementation.removeprefix("openssl/aes-128-ctr"): row for row in cells}
    evp, low = openssl.get(""), openssl.get(f".{LOW_LEVEL}-o2")
    if evp is not None and low is not None:
        yield (
            f"OpenSSL takes {timed(evp)} through EVP, and {over(record.samples, low, evp, CONFIDENCE)} times as long "
            "block by block through AES_encrypt, the document's advice for x86."
        )
    advice: Any = recommendations(table)
    if not advice.empty and (last := advice.iloc[-1])["saves"] == last["saves"]:
        yield (
            f"The document's rule selects {last['options']} for these times, which saves "
            f"{significant(last['saves'])} % of the time in AES."
        )
