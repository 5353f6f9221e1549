"""The answer of the study compositions in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from aeadlab.display.units import significant, size_name
from aeadlab.records.record import Record
from aeadlab.studies.answering import named, number, rows_of, timed
from aeadlab.studies.eth.compositions.table import compositions_table
from aeadlab.verdicts.estimate import CONFIDENCE
from aeadlab.verdicts.evidence import Evidence, Inconclusive

GMAC, BLAKE3 = "openssl/aes-256-gmac", "blake3/blake3-keyed"
GCM, CTR = "openssl/aes-256-gcm", "openssl/aes-256-ctr"


def answer(record: Record) -> Iterator[str]:
    """Yield the fastest composition alone and under ParSplit, the cost of BLAKE3 in place of GMAC, and GCM's parts."""
    table = rows_of(compositions_table(record.samples), role="composition")
    for engine, words in (("whole", "Alone"), ("parsplit", "Under ParSplit")):
        rows = [*rows_of(table, engine=engine).itertuples()]
        if rows:
            first = rows[0]
            threads = f" with {first.threads} threads" if engine == "parsplit" else ""
            yield (
                f"{words}{threads} {named(first)} has the shortest median time of {len(rows)} compositions: "
                f"{timed(first)} for {size_name(first.bytes)}, {number(first, 'gib_per_s')} GiB/s."
            )
    alone = rows_of(table, engine="whole").set_index(["cipher", "mac"])["seconds"]
    both = alone.unstack("mac")
    if {GMAC, BLAKE3} <= {*both.columns}:
        ratio = (both[BLAKE3] / both[GMAC]).dropna()
        yield (
            f"With BLAKE3 in place of OpenSSL's GMAC a message takes {significant(ratio.median())} times as long, in "
            f"the median of {len(ratio)} ciphers: the slower part decides."
        )
    if parts := _parts(record):
        yield parts


def _parts(record: Record) -> str:
    """Return the times of counter mode and of GMAC alone over that of AES-256-GCM, on the longest message of all."""
    evidence = Evidence.from_record(record)
    try:
        sealed, *parts = (
            evidence.find(name, engine="whole", op=op, threads=1)
            for name, op in ((GCM, "seal"), (CTR, "encrypt"), (GMAC, "digest"))
        )
        counter, tag = (evidence.ratio(part, sealed)(CONFIDENCE) for part in parts)
    except Inconclusive:
        return ""
    length = size_name(int(evidence.cases.loc[sealed, "bytes"].iloc[0]))
    cipher, mac = (
        f"{significant(each.value)} ({significant(each.low)} to {significant(each.high)})" for each in (counter, tag)
    )
    return (
        f"Of the time that OpenSSL's AES-256-GCM takes to seal {length}, its AES-256-CTR alone takes {cipher} and its "
        f"GMAC alone {mac}."
    )
