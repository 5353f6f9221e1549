"""The records of several hosts side by side: never merged, never averaged, and with the caution that this needs."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from aeadlab.bench.case import Case
from aeadlab.errors import ArgumentError
from aeadlab.stats import summary
from aeadlab.stats.selection import CASE_COLUMNS
from aeadlab.terminal import fill
from aeadlab.units import time_unit

CAUTION = (
    "The hosts did not take turns: each was measured by itself, with a load and a drift of its own, and no A/A pair "
    "covers two machines. Differences of ten percent are seen between two processes of one machine."
)

_LONGEST_LABEL = 32


def host_table(samples: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Each host's median of each case, with its own interval, and how it relates to the first host's.

    Parameters
    ----------
    samples : mapping of str to pandas.DataFrame
        Host, and the samples of its record; the first is the one that the others are compared with.

    Returns
    -------
    pandas.DataFrame
        One row per case and host, cases in their order in the records, hosts in theirs: the columns of the case, then
        ``host``, ``n`` (0 where the host has no sample of the case), ``median``, ``low``, ``high`` in seconds, and
        ``ratio``, the median over that of the first host. NaN where there is nothing.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If there is no host.
    """
    if not samples:
        raise ArgumentError("there is no record to compare: at least one host's is wanted")
    by = list(CASE_COLUMNS)
    tables = {host: summary(frame[frame["replica"] == 0], by) for host, frame in samples.items()}
    cases = pd.concat([table[by] for table in tables.values()], ignore_index=True).drop_duplicates(ignore_index=True)
    parts = []
    for place, (host, table) in enumerate(tables.items()):
        part = cases.merge(table[[*by, "n", "median", "low", "high"]], on=by, how="left")
        parts.append(part.assign(host=host, place=place, case=range(len(cases)), n=part["n"].fillna(0).astype("int64")))
    whole = pd.concat(parts, ignore_index=True)
    whole["ratio"] = whole["median"] / whole["case"].map(parts[0].set_index("case")["median"])
    whole = whole.sort_values(["case", "place"], ignore_index=True)
    return whole[[*by, "host", "n", "median", "low", "high", "ratio"]]


def as_text(table: pd.DataFrame) -> str:
    """A table of hosts for a terminal, at most 80 columns."""
    if table.empty:
        return "no case has a sample on any host"
    first = str(table["host"].iloc[0])
    wide = min(max(map(len, table["host"])), _LONGEST_LABEL)
    lines = [
        fill(f"time of one message: median, 95 % interval, samples, and the median over that of {first}"),
    ]
    for _, rows in table.groupby(list(CASE_COLUMNS), sort=False, observed=True):
        found = rows.to_dict("records")
        lines += ["", fill(Case.from_row({str(key): value for key, value in found[0].items()}).label)]
        known = [float(row["median"]) for row in found if row["n"]]
        scale, unit = time_unit(min(known))
        for row in found:
            label = _short(str(row["host"]))
            if not row["n"]:
                lines.append(f"  {label:<{wide}}  no sample")
                continue
            low, high = ("-" if x != x else f"{x / scale:.2f}" for x in (row["low"], row["high"]))
            ratio = "" if row["ratio"] != row["ratio"] else f"{row['ratio']:.3f}"
            middle = f"{row['median'] / scale:7.2f} {unit:<2}"
            interval = f"{low} to {high}"
            lines.append(f"  {label:<{wide}}  {middle}  {interval:<17}  {row['n']:>4}  {ratio:>7}".rstrip())
    return "\n".join([*lines, "", fill(CAUTION)])


def _short(label: str) -> str:
    """Long names begin alike and end alike in a cluster: both ends stay."""
    half = _LONGEST_LABEL // 2 - 1
    return label if len(label) <= _LONGEST_LABEL else f"{label[:half]}..{label[-half:]}"
