"""The results of several hosts side by side, whose samples are neither merged nor averaged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from aeadlab.bench.case import Case
from aeadlab.display.terminal import fill
from aeadlab.display.units import time_unit
from aeadlab.errors import ArgumentError
from aeadlab.lab.cluster.dispatch import HostResult
from aeadlab.lab.measurement.summary import as_dict as record_dict, is_complete, remarks
from aeadlab.stats import summary as summarize
from aeadlab.stats.selection import CASE_COLUMNS

CAUTION = (
    "The hosts were not interleaved: each was measured separately, with its own load and drift, and no A/A pair "
    "covers two machines. Differences of ten percent occur between two processes of one machine."
)

_MAX_LABEL = 32


def host_table(samples: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return the median of each case on each host with its interval, and relative to the first host.

    Parameters
    ----------
    samples : mapping of str to pandas.DataFrame
        Samples of each host's record, by label; an `ArgumentError` is raised if there is none.

    Returns
    -------
    pandas.DataFrame
        One row for each case and host, in the order of the records and of the hosts: the columns of the case, then
        ``host``, ``n`` (0 if the host has no sample of the case), ``median``, ``low``, ``high`` in seconds, and
        ``ratio``, the median relative to the first host. NaN where a host has no sample.
    """
    if not samples:
        raise ArgumentError("there is no record to compare: give the samples of one host at least")
    by = list(CASE_COLUMNS)
    tables = {host: summarize(frame[frame["replica"] == 0], by) for host, frame in samples.items()}
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
    """Return a table of `host_table` as text of at most 80 columns."""
    if table.empty:
        return "no case has a sample on any host"
    first = str(table["host"].iloc[0])
    width = min(max(map(len, table["host"])), _MAX_LABEL)
    lines = [fill(f"time of one message: median, 95 % interval, samples, and the median relative to {first}")]
    for _, group in table.groupby(list(CASE_COLUMNS), sort=False, observed=True):
        rows = group.to_dict("records")
        lines += ["", fill(Case.from_row({str(key): value for key, value in rows[0].items()}).label)]
        scale, unit = time_unit(min(float(row["median"]) for row in rows if row["n"]))
        for row in rows:
            label = _shorten(str(row["host"]))
            if not row["n"]:
                lines.append(f"  {label:<{width}}  no sample")
                continue
            low, high = ("-" if x != x else f"{x / scale:.2f}" for x in (row["low"], row["high"]))
            ratio = "" if row["ratio"] != row["ratio"] else f"{row['ratio']:.3f}"
            median = f"{row['median'] / scale:7.2f} {unit:<2}"
            interval = f"{low} to {high}"
            lines.append(f"  {label:<{width}}  {median}  {interval:<17}  {row['n']:>4}  {ratio:>7}".rstrip())
    return "\n".join([*lines, "", fill(CAUTION)])


def summary(results: Sequence[HostResult]) -> str:
    """Return the comparison of the hosts, then remarks, paths and failures, each with the host's name."""
    records = {result.host: result.record for result in results if result.record is not None}
    lines = [as_text(host_table({host: record.samples for host, record in records.items()}))] if records else []
    lines += [fill(f"{host}: {line}") for host, record in records.items() for line in remarks(record)]
    lines += [f"record of {host}: {record.path}" for host, record in records.items()]
    lines += [fill(f"no record of {result.host}: {result.failure}") for result in results if result.failure]
    return "\n".join(lines)


def as_dict(results: Sequence[HostResult]) -> dict[str, Any]:
    """Return the content for JSON by host: that of its record, or its failure."""
    return {
        result.host: {"failure": result.failure} if result.record is None else record_dict(result.record)
        for result in results
    }


def all_complete(results: Iterable[HostResult], requested: Iterable[str] = ()) -> bool:
    """Return whether every host has a record that `aeadlab.lab.measurement.is_complete` accepts."""
    requested = list(requested)
    return all(result.record is not None and is_complete(result.record, requested) for result in results)


def _shorten(label: str) -> str:
    # Host names of a cluster differ in the middle or in a number at either end, so both ends are kept.
    half = _MAX_LABEL // 2 - 1
    return label if len(label) <= _MAX_LABEL else f"{label[:half]}..{label[-half:]}"
