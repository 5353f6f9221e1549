"""The table behind the heat map of compositions: cells, what they are made of, and what to compare them with."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Final

import numpy as np
import pandas as pd
from pandas import DataFrame, Series

from aeadlab.catalogue import composed_name, halves
from aeadlab.errors import EmptyFigureError
from aeadlab.figures.plain import MEMCPY, plain, shares_of_memcpy
from aeadlab.figures.single_threaded_table import REFERENCE, published_relations
from aeadlab.stats.pairing import relative_speed, round_times
from aeadlab.stats.selection import CASE_COLUMNS, usable
from aeadlab.stats.summary import summary

PUBLISHED_AS: Final = {"rustcrypto+blake3/aes-256-ctr+blake3-keyed": "aeadlab/aes-256-ctr+blake3"}
"""The composition that a document has measured, and what `aeadlab.published` calls it."""

COLUMNS: Final = (
    "role", "implementation", "cipher", "mac", "engine", "op", "model", "bytes", "block_size", "threads", "schedule",
    "placement", "status", "n", "seconds", "seconds_low", "seconds_high", "gib_per_s", "gib_per_s_low",
    "gib_per_s_high", "best", "share_of_memcpy", "share_of_memcpy_low", "share_of_memcpy_high",
    "relative_time", "relative_time_low", "relative_time_high",
    "slower_percent", "slower_percent_low", "slower_percent_high", "speed_up", "speed_up_low", "speed_up_high",
    "published_document", "published_hardware", "published_bytes", "published_relative_time",
)  # fmt: skip

_KEY: Final = ["implementation", "engine"]
_ENGINES: Final = ("whole", "parsplit")
_OPS: Final = ("seal", "encrypt", "digest")
_OF_A_CASE: Final = [column for column in CASE_COLUMNS if column not in ("library", "algorithm", "kind", "replica")]
_TEXT_COLUMNS: Final = [c for c in CASE_COLUMNS if c not in ("bytes", "block_size", "threads", "replica")]


def compositions_table(samples: DataFrame, published: DataFrame | None = None) -> DataFrame:
    """Tabulate every cipher with every MAC, alone and under ParSplit, of the largest message.

    Parameters
    ----------
    samples
        One row per sample, as a record gives when it is loaded; those that `plain` keeps. Of several settings of
        ParSplit the one with most threads is taken, and of its block sizes the one that most cases have.
    published
        Rows of `aeadlab.published.load`, or None.

    Returns
    -------
    DataFrame
        `COLUMNS`. ``role`` is ``composition`` (a row for each cipher with each MAC, also where it was not measured),
        ``cipher`` or ``mac`` (a part alone), or ``reference`` (other AEADs and memcpy). Ciphers and MACs come in the
        order of what is made of them, the fastest first. ``status`` is ``ok``, ``not measured`` (with the reason where
        ``samples.attrs["refused"]`` has one) or ``failed: why``; the numbers of rows that are not ``ok`` are NaN.
        ``share_of_memcpy`` is as `aeadlab.stats.roofline_share` has it; ``relative_time`` is to `REFERENCE` under the
        same engine; ``slower_percent`` is what a composition alone takes beyond the time of its cipher alone and its
        MAC alone together; ``speed_up`` that of ParSplit over the same alone. All are medians of ratios paired by
        round, with 95 % intervals. ``best`` marks the fastest composition of an engine.

    Raises
    ------
    aeadlab.errors.EmptyFigureError
        If no composition is among the samples.
    aeadlab.errors.ArgumentError
        If a column is missing.
    """
    every = _of_one_size(samples)
    rows = _of_one_setting(every)
    measured = _measured(rows, shares_of_memcpy(every, _OF_A_CASE))
    refused: dict[str, str] = samples.attrs.get("refused", {})
    expected = _expected(rows, measured, refused)
    table = measured.reindex(pd.MultiIndex.from_tuples(expected, names=_KEY)).reset_index()
    table["bytes"] = int(rows["bytes"].iloc[0])
    # The row that says why comes after the samples that a case gave before it failed.
    bad = rows[rows["status"] != "ok"].drop_duplicates(_KEY, keep="last").set_index(_KEY)["status"].to_dict()
    reasons = {key: f"not measured: {refused[key[0]]}" for key in expected if key[0] in refused} | bad
    table["status"] = np.where(table["n"].isna(), [reasons.get(key, "not measured") for key in expected], "ok")
    parts = [halves(str(name)) or ("", "") for name in table["implementation"]]
    table["cipher"], table["mac"] = [cipher for cipher, _ in parts], [mac for _, mac in parts]
    table["role"] = _roles(table)
    composed = table["role"] == "composition"
    fastest = table["gib_per_s"].where(composed).groupby(table["engine"]).transform("max")
    table["best"] = composed & table["gib_per_s"].eq(fastest)
    relations = published_relations(published)
    # Under ParSplit documents tell of one thread only.
    beside = [
        relations.get((PUBLISHED_AS.get(str(name), ""), "whole", "seal"), {}) if engine == "whole" else {}
        for name, engine in expected
    ]
    table = pd.concat([table, DataFrame(beside, index=table.index)], axis=1).reindex(columns=list(COLUMNS))
    for column in ("n", "block_size", "threads", "published_bytes"):
        table[column] = table[column].astype("Int64")
    return table


def _of_one_size(samples: DataFrame) -> DataFrame:
    """The largest message of compositions, and of all beside them."""
    rows = plain(samples, largest=False)
    rows = rows[rows["engine"].isin(_ENGINES) & rows["op"].isin(_OPS)]
    composed = _composed(rows)
    if not composed.any():
        raise EmptyFigureError(
            "the samples hold no composition that seals, such as openssl+blake3/aes-256-ctr+blake3-keyed; measure "
            "study compositions, or pass its whole record"
        )
    kept: DataFrame = rows[rows["bytes"] == rows.loc[composed, "bytes"].max()]
    # Records may hold categories, which keep what is not there and group differently.
    return kept.astype(dict.fromkeys((*_TEXT_COLUMNS, "status"), str))


def _of_one_setting(rows: DataFrame) -> DataFrame:
    """One case of each implementation alone, with the most threads that it has, and one of it under ParSplit."""
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
    # A model for each: `keyed` where there is one, since that is what a user of ParSplit has.
    return both[both["model"] == both.groupby(_KEY)["model"].transform("min")]


def _measured(rows: DataFrame, shares: DataFrame) -> DataFrame:
    """What was measured of each case, indexed by `_KEY`."""
    found = summary(rows, _OF_A_CASE)
    found = found.rename(columns={"median": "seconds", "low": "seconds_low", "high": "seconds_high"})
    found = found.merge(shares, on=_OF_A_CASE, how="left").set_index(_KEY)
    counted = usable(rows, [*_KEY, "round", "seconds"])
    reference = counted[counted["implementation"] == REFERENCE]
    whole = counted[counted["engine"] == "whole"]
    relative = _inverse(_ratios(counted, reference, ["engine"]))
    slower = 100 * (_inverse(_ratios(whole, _one_after_the_other(whole), _KEY)) - 1)
    speed_up = _ratios(counted[counted["engine"] == "parsplit"], whole, ["implementation"])
    named = {"relative_time": relative, "slower_percent": slower, "speed_up": speed_up}
    for name, columns in named.items():
        found = found.join(columns.add_prefix(name))
    return found


def _ratios(cases: DataFrame, reference: DataFrame, on: list[str]) -> DataFrame:
    """Speed relative to the reference's, in columns ``""``, ``_low`` and ``_high``, indexed by `_KEY`."""
    speed = relative_speed(cases, reference, _KEY, on).set_index(_KEY)
    return DataFrame({"": speed["ratio"], "_low": speed["low"], "_high": speed["high"]})


def _inverse(speed: DataFrame) -> DataFrame:
    return DataFrame({"": 1 / speed[""], "_low": 1 / speed["_high"], "_high": 1 / speed["_low"]})


def _one_after_the_other(whole: DataFrame) -> DataFrame:
    """What cipher and MAC of each composition take together in a round, as if it were a case of the composition."""
    pairs = [(name, *parts) for name in map(str, whole["implementation"].unique()) if (parts := halves(name))]
    both = DataFrame(pairs, columns=["implementation", "cipher", "mac"], dtype=object)
    times = round_times(whole, ["implementation"])
    for half, on in (("cipher", ["cipher"]), ("mac", ["mac", "round"])):
        both = both.merge(times.rename(columns={"implementation": half, "seconds": f"{half}_seconds"}), on=on)
    return both.assign(engine="whole", seconds=both["cipher_seconds"] + both["mac_seconds"])


def _expected(rows: DataFrame, measured: DataFrame, refused: Iterable[str]) -> list[tuple[str, str]]:
    """Implementation and engine of each row in order: compositions, ciphers, MACs, references."""
    used = set(rows.loc[_composed(rows), "engine"])
    engines = [engine for engine in _ENGINES if engine in used]
    names = [str(name) for name in rows["implementation"].unique()]
    of_engine = measured.index.get_level_values("engine") == engines[0]
    speeds = measured.loc[of_engine, "gib_per_s"].droplevel("engine")
    pairs = {name: parts for name in (*names, *refused) if (parts := halves(name)) is not None}
    ciphers, macs = (_by_speed(pairs, half, speeds) for half in (0, 1))
    composed = [composed_name(cipher, mac) for mac, cipher in product(macs, ciphers)]
    expected = [(name, engine) for engine in engines for name in composed]
    expected += [(part, "whole") for part in (*ciphers, *macs) if part in names]
    others = [name for name in names if name not in (*pairs, *ciphers, *macs)]
    others.sort(key=lambda name: (name == MEMCPY, name != REFERENCE, name))
    here = set(zip(rows["implementation"], rows["engine"], strict=True))
    return expected + [(name, engine) for name in others for engine in _ENGINES if (name, engine) in here]


def _by_speed(pairs: dict[str, tuple[str, str]], half: int, speeds: pd.Series[float]) -> list[str]:
    """Ciphers or MACs by the mean speed of what is made of them alone, the fastest first."""
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
    """Whether each row is of a composition."""
    names = [name for name in rows["implementation"].unique() if halves(str(name)) is not None]
    return rows["implementation"].isin(names)


def names(table: DataFrame, half: str) -> Iterable[str]:
    """Ciphers or MACs of a table's compositions in its order."""
    return dict.fromkeys(table.loc[table["role"] == "composition", half])
