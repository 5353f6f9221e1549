"""The table of compositions: every cipher with every MAC, the parts alone, and other AEADs for comparison."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product
from types import MappingProxyType
from typing import Final

import numpy as np
import pandas as pd
from pandas import DataFrame, Series

from aeadlab.catalogue import composition_name, composition_parts
from aeadlab.errors import EmptyFigureError
from aeadlab.stats.pairing import relative_speed, round_times
from aeadlab.stats.roofline import COPIES, LIMIT_SHARES, MEMCPY_SHARES, limit_shares
from aeadlab.stats.selection import CASE_COLUMNS, TEXT_COLUMNS, default_cases, usable
from aeadlab.stats.summary import summary
from aeadlab.studies.eth.baselines.table import REFERENCE, published_by_case
from aeadlab.studies.tables import ratio_columns, relative_time

PUBLISHED_AS: Final = {"rustcrypto+blake3/aes-256-ctr+blake3-keyed": "aeadlab/aes-256-ctr+blake3"}
"""The composition that a document measured, and its name in `aeadlab.verdicts.published`."""

COLUMNS: Final = (
    "role", "implementation", "cipher", "mac", "engine", "op", "model", "bytes", "block_size", "threads", "schedule",
    "placement", "status", "n", "seconds", "seconds_low", "seconds_high", "gib_per_s", "gib_per_s_low",
    "gib_per_s_high", "best", *MEMCPY_SHARES, *LIMIT_SHARES,
    "relative_time", "relative_time_low", "relative_time_high",
    "slower_percent", "slower_percent_low", "slower_percent_high", "speed_up", "speed_up_low", "speed_up_high",
    "published_document", "published_hardware", "published_bytes", "published_relative_time",
)  # fmt: skip

_KEY: Final = ["implementation", "engine"]
_ENGINES: Final = ("whole", "parsplit")
_OPS: Final = ("seal", "encrypt", "digest")
_OF_A_CASE: Final = [column for column in CASE_COLUMNS if column not in ("library", "algorithm", "kind", "replica")]


def compositions_table(
    samples: DataFrame, published: DataFrame | None = None, refused: Mapping[str, str] = MappingProxyType({})
) -> DataFrame:
    """Tabulate every cipher with every MAC, alone and under ParSplit, of the message that most were measured with.

    ``role`` is ``composition`` (a row for each cipher with each MAC, also where it was not measured), ``cipher`` or
    ``mac`` (a part alone), or ``reference`` (other AEADs and copies). Ciphers and MACs are ordered by the mean speed of
    their compositions, the fastest first. The shares are those of `aeadlab.stats.roofline.limit_shares`;
    ``relative_time`` is to `REFERENCE` under the same engine; ``slower_percent`` is the additional time of a
    composition alone over its cipher plus its MAC alone; ``speed_up`` is that of ParSplit over the same composition
    alone. ``best`` marks the fastest composition of an engine.

    Of several settings of ParSplit the one with most threads is used, and of its block sizes the one that most cases
    have.

    Parameters
    ----------
    published
        Rows of `aeadlab.verdicts.published.load`, or None.
    refused
        Reason for each implementation that was excluded before timing; their status is ``not measured`` with it.
    """
    every = _of_one_size(samples)
    rows = _of_one_setting(every)
    measured = _measured(rows, limit_shares(every, _OF_A_CASE))
    expected = _expected(rows, measured, refused)
    table = measured.reindex(pd.MultiIndex.from_tuples(expected, names=_KEY)).reset_index()
    table["bytes"] = int(rows["bytes"].iloc[0])
    # The row with the reason follows the samples taken before the failure.
    failures = rows[rows["status"] != "ok"].drop_duplicates(_KEY, keep="last").set_index(_KEY)["status"].to_dict()
    reasons = {key: f"not measured: {refused[key[0]]}" for key in expected if key[0] in refused} | failures
    table["status"] = np.where(table["n"].isna(), [reasons.get(key, "not measured") for key in expected], "ok")
    parts = [composition_parts(str(name)) or ("", "") for name in table["implementation"]]
    table["cipher"], table["mac"] = [cipher for cipher, _ in parts], [mac for _, mac in parts]
    table["role"] = _roles(table)
    composed = table["role"] == "composition"
    fastest = table["gib_per_s"].where(composed).groupby(table["engine"]).transform("max")
    table["best"] = composed & table["gib_per_s"].eq(fastest)
    by_case = published_by_case(published)
    # Documents have no compositions under ParSplit with several threads.
    published_columns = [
        by_case.get((PUBLISHED_AS.get(str(name), ""), "whole", "seal"), {}) if engine == "whole" else {}
        for name, engine in expected
    ]
    table = pd.concat([table, DataFrame(published_columns, index=table.index)], axis=1).reindex(columns=list(COLUMNS))
    for column in ("n", "block_size", "threads", "published_bytes"):
        table[column] = table[column].astype("Int64")
    return table


def _of_one_size(samples: DataFrame) -> DataFrame:
    """Return the samples of the message that most compositions were measured with, the largest of several."""
    rows = default_cases(samples, largest=False)
    rows = rows[rows["engine"].isin(_ENGINES) & rows["op"].isin(_OPS)]
    composed = _composed(rows)
    if not composed.any():
        raise EmptyFigureError(
            "the samples hold no composition that seals, such as openssl+blake3/aes-256-ctr+blake3-keyed; measure "
            "study compositions, or pass its whole record"
        )
    numbers = rows[composed].groupby("bytes")["implementation"].nunique()
    kept: DataFrame = rows[rows["bytes"] == numbers[numbers == numbers.max()].index.max()]
    # Categories would add groups without samples.
    return kept.astype(dict.fromkeys((*TEXT_COLUMNS, "status"), str))


def _of_one_setting(rows: DataFrame) -> DataFrame:
    """Keep one case of each implementation alone, with its most threads, and one under ParSplit."""
    whole = rows[rows["engine"] == "whole"]
    whole = whole[whole["threads"] == whole.groupby("implementation")["threads"].transform("max")]
    split = rows[rows["engine"] == "parsplit"]
    if len(split):
        setting = ["threads", "block_size", "schedule"]
        cases = split.drop_duplicates(["implementation", *setting])
        counts = cases.groupby(setting).size().rename("cases").reset_index()
        chosen = counts.sort_values([*setting[:1], "cases", *setting[1:]]).iloc[[-1]]
        split = split.merge(chosen[setting], on=setting)
    both = pd.concat([whole, split], ignore_index=True)
    # One model for each: `keyed` where it was measured, which is how ParSplit is used.
    return both[both["model"] == both.groupby(_KEY)["model"].transform("min")]


def _measured(rows: DataFrame, shares: DataFrame) -> DataFrame:
    """Return medians and ratios of each case, indexed by `_KEY`."""
    measured = summary(rows, _OF_A_CASE)
    measured = measured.rename(columns={"median": "seconds", "low": "seconds_low", "high": "seconds_high"})
    measured = measured.merge(shares, on=_OF_A_CASE, how="left")
    timed = usable(rows, [*_KEY, "process", "round", "seconds"])
    reference = timed[timed["implementation"] == REFERENCE]
    whole = timed[timed["engine"] == "whole"]
    relative = relative_time(timed, reference, ["engine"], "relative_time", _KEY)
    slower = relative_time(whole, _sum_of_parts(whole), _KEY, "slower_percent", _KEY, percent=True)
    speed_up = relative_speed(timed[timed["engine"] == "parsplit"], whole, _KEY, ["implementation"])
    speed_up = speed_up.drop(columns=["pairs", "processes"]).rename(columns=ratio_columns("speed_up"))
    for columns in (relative, slower, speed_up):
        measured = measured.merge(columns, on=_KEY, how="left")
    return measured.set_index(_KEY)


def _sum_of_parts(whole: DataFrame) -> DataFrame:
    """Return the time of cipher plus MAC of each composition by round, as samples of the composition."""
    pairs = [
        (name, *parts) for name in map(str, whole["implementation"].unique()) if (parts := composition_parts(name))
    ]
    both = DataFrame(pairs, columns=["implementation", "cipher", "mac"], dtype=object)
    times = round_times(whole, ["implementation"])
    for half, on in (("cipher", ["cipher"]), ("mac", ["mac", "process", "round"])):
        both = both.merge(times.rename(columns={"implementation": half, "seconds": f"{half}_seconds"}), on=on)
    return both.assign(engine="whole", seconds=both["cipher_seconds"] + both["mac_seconds"])


def _expected(rows: DataFrame, measured: DataFrame, refused: Iterable[str]) -> list[tuple[str, str]]:
    """Return implementation and engine of each row in order: compositions, ciphers, MACs, references."""
    used = set(rows.loc[_composed(rows), "engine"])
    engines = [engine for engine in _ENGINES if engine in used]
    names = [str(name) for name in rows["implementation"].unique()]
    of_engine = measured.index.get_level_values("engine") == engines[0]
    speeds = measured.loc[of_engine, "gib_per_s"].droplevel("engine")
    pairs = {name: parts for name in (*names, *refused) if (parts := composition_parts(name)) is not None}
    ciphers, macs = (_by_speed(pairs, half, speeds) for half in (0, 1))
    composed = [composition_name(cipher, mac) for mac, cipher in product(macs, ciphers)]
    expected = [(name, engine) for engine in engines for name in composed]
    expected += [(part, "whole") for part in (*ciphers, *macs) if part in names]
    others = [name for name in names if name not in (*pairs, *ciphers, *macs)]
    others.sort(key=lambda name: (name in COPIES, name != REFERENCE, name))
    here = set(zip(rows["implementation"], rows["engine"], strict=True))
    return expected + [(name, engine) for name in others for engine in _ENGINES if (name, engine) in here]


def _by_speed(pairs: dict[str, tuple[str, str]], half: int, speeds: pd.Series[float]) -> list[str]:
    """Return ciphers or MACs by the mean speed of their compositions alone, the fastest first."""
    means = speeds.reindex(list(pairs)).groupby([parts[half] for parts in pairs.values()]).mean().fillna(0.0)
    return [str(name) for name in means.sort_values(ascending=False, kind="stable").index]


def _roles(table: DataFrame) -> list[str]:
    ciphers, macs = set(table["cipher"]), set(table["mac"])
    roles = {**dict.fromkeys(macs, "mac"), **dict.fromkeys(ciphers, "cipher")}
    return [
        "composition" if cipher else roles.get(str(name), "reference")
        for name, cipher in zip(table["implementation"], table["cipher"], strict=True)
    ]


def _composed(rows: DataFrame) -> Series[bool]:
    """Return whether each row is of a composition."""
    names = [name for name in rows["implementation"].unique() if composition_parts(str(name)) is not None]
    return rows["implementation"].isin(names)
