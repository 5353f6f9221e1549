"""Two records, or two implementations in one: every case that both have, judged against the noise of the runs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from aeadlab.comparison import circumstances
from aeadlab.comparison.checks import check_implementation, noise_of
from aeadlab.comparison.frames import Compared
from aeadlab.comparison.names import KEY, NAMED
from aeadlab.comparison.sides import Side, find_side, find_sides, resolve_revision
from aeadlab.comparison.unmatched import Arm, unmatched
from aeadlab.errors import ArgumentError
from aeadlab.records import Record
from aeadlab.stats.rows import judged, paired_rows
from aeadlab.stats.selection import counted, usable
from aeadlab.stats.unpaired import against_noise, unpaired_rows

_SLASHED = re.compile(r"[^/\s]+/[^/\s]+")
_WORST_FIRST = {"worse": 0, "improved": 1, "no credible difference": 2}


def compare(
    a: str | Path | Record,
    b: str | Path | Record,
    *,
    study: str | None = None,
    record: str | Path | Record | None = None,
) -> Compared:
    """Compare B with A: what became faster, what slower, and what nobody can tell.

    Parameters
    ----------
    a, b
        Two records (paths, ``latest``, ``previous``, or records that are loaded), two git revisions (the newest record
        that was measured at each), or two implementations of one record.
    study
        Whose records ``latest``, ``previous`` and revisions mean, and whose newest record holds the implementations;
        None means the study of the newest record.
    record
        The record that holds the implementations.

    Returns
    -------
    Compared
        A frame with one row per case that both have, the worse rows first: the case's columns, ``seconds_a`` and
        ``seconds_b`` (medians), ``rounds_a``, ``rounds_b``, ``processes_a``, ``processes_b``, ``ratio`` (time of B
        over time of A) with its 95 % interval ``low`` to ``high``, ``noise_low`` and ``noise_high`` (the band that the
        interval must leave), ``p_value``, ``p_adjusted`` (Benjamini-Hochberg across the rows) and ``verdict``
        (``improved``, ``no credible difference``, ``worse``). What only one side has is in ``unmatched``; what speaks
        against the comparison in ``cautions``.

    Raises
    ------
    aeadlab.errors.RecordError
        If there is no such record, or it is damaged or of another schema version.
    aeadlab.errors.UnknownNameError
        If a word is neither a record nor a revision nor an implementation.
    aeadlab.errors.ArgumentError
        If both sides are the same, have no case in common, or a record has no A/A pair.

    Notes
    -----
    Two implementations of one record are paired by round. Two records have no common round: see
    `aeadlab.stats.unpaired`. Their noise band is the widest of both records' A/A pairs and of the baselines
    (``memcpy`` and its like), which show what the machine itself did between the runs; without baselines, of what
    all rows have in common.
    """
    if record is not None or _are_implementations(a, b):
        return _implementations(str(a), str(b), find_side("latest" if record is None else record, study))
    return _records(*find_sides(a, b, study))


def _are_implementations(a: object, b: object) -> bool:
    """Whether both are written as library/algorithm, and at least one is nothing else."""
    words = [word for word in (a, b) if isinstance(word, str) and _SLASHED.fullmatch(word)]
    other = [word.endswith(".parquet") or Path(word).is_file() or resolve_revision(word) for word in words]
    return len(words) == 2 and not all(other)


def _implementations(a: str, b: str, side: Side) -> Compared:
    record = side.record
    for name in (a, b):
        check_implementation(record, name)
    if a == b:
        raise ArgumentError(f"{a} is compared with itself: name another implementation")
    noise = noise_of(record)
    arms = _arms(record)
    left, right = (Arm(name, record, arms[arms["implementation"] == name]) for name in (a, b))
    old, new = left.samples, right.samples
    on = [column for column in KEY if column not in NAMED and column != "kind"]
    table = paired_rows(old, new, on, noise)
    table = table[table["pairs"] > 0].reset_index(drop=True)
    if table.empty:
        raise ArgumentError(f"{a} and {b} have no case in common in {record.path.name}: {_apart(old, new, on)}")
    pairs = table.pop("pairs")
    table = table.assign(rounds_a=pairs, rounds_b=pairs, processes_a=_processes(old), processes_b=_processes(new))
    processes = _processes(old)
    layout = (
        f"the rounds are of {processes} process{'es' if processes > 1 else ''}: a difference under about 5 % may be "
    )
    layout += "the layout of their memory (docs/BIAS.md)"
    return Compared.of(
        _finished(table, old, new, on),
        a=f"{a}, {side.about}",
        b=f"{b}, the same record",
        how=f"Paired by round. {_noise_words(noise.width, {'A/A pairs': noise.width})}",
        cautions=circumstances.spoilt(record) + [layout] * (processes < 2),
        notes=[layout] * (processes > 1),
        unmatched=unmatched(left, right, table[on], on),
        machines=1,
    )


def _records(first: Side, second: Side) -> Compared:
    a, b = first.record, second.record
    widths = {f"A/A pairs of {name}": noise_of(record).width for name, record in (("A", a), ("B", b))}
    left, right = Arm("A", a, _arms(a)), Arm("B", b, _arms(b))
    old, new = left.verified, right.verified
    on = list(KEY)
    table = unpaired_rows(old, new, on)
    if table.empty:
        raise ArgumentError(f"{a.path.name} and {b.path.name} have no verified case in common: {_apart(old, new, on)}")
    machines = 2 if circumstances.other_machine(a, b) else 1
    cautions = circumstances.cautions(a, b)
    if machines == 1:
        shift, why = _shift(table, a, b)
        widths |= shift
        cautions += why
    single = (table[["processes_a", "processes_b"]] < 2).any(axis=1)
    if single.any():
        cautions.append(
            f"{_rows(int(single.sum()), len(table))} with one process on a side: under 20 % nothing is claimed there, "
            "for that much can come from one process to the next; profiles quick and paper use several"
        )
    dirty = [name for name, side in (("A", first), ("B", second)) if side.commit.get("dirty")]
    if dirty:
        cautions.append(f"{' and '.join(dirty)} was measured with changes that are not in its commit")
    # np.max hands on NaN: an unknown floor must not be replaced by a known one.
    width = float(np.max(list(widths.values())))
    return Compared.of(
        _finished(against_noise(table, width), old, new, on),
        a=first.about,
        b=second.about,
        how=f"Two runs, not interleaved: nothing is paired, medians of processes are compared. "
        f"{_noise_words(width, widths)}",
        cautions=cautions,
        notes=circumstances.notes(a, b),
        unmatched=unmatched(left, right, table[on], on),
        machines=machines,
    )


def _shift(table: pd.DataFrame, a: Record, b: Record) -> tuple[dict[str, float], list[str]]:
    """What the machine did to everything between two runs: a width for the noise band, and a caution if it is a guess.

    ParSplit is the lab's own code: where it may have changed, its baselines are no witness.
    """
    unmoved = table["implementation"].isin(circumstances.controls(a, b))
    if not circumstances.same_code(a, b):
        unmoved &= table["engine"] != "parsplit"
    if unmoved.any():
        return {"baselines' shift": float(table.loc[unmoved, "log_ratio"].abs().max())}, []
    caution = (
        "no baseline (memcpy, xor) of engine whole is in both records: what all rows have in common is taken for the "
        "machine's, and may be the code's"
    )
    return {"shift of all rows": abs(float(table["log_ratio"].median()))}, [caution]


def _finished(table: pd.DataFrame, old: pd.DataFrame, new: pd.DataFrame, on: list[str]) -> pd.DataFrame:
    """Verdicts, the medians of both sides, the noise band as ratios, the columns in order, the worst first."""
    table = judged(table)
    for name, side in (("seconds_a", old), ("seconds_b", new)):
        medians = usable(side, [*on, "seconds"]).groupby(on, observed=True)["seconds"].median()
        table = table.merge(medians.rename(name).reset_index(), on=on, how="left")
    width = table.pop("noise").to_numpy(dtype=np.float64)
    table = table.assign(noise_low=np.exp(-width), noise_high=np.exp(width))
    rank = table["verdict"].map(_WORST_FIRST)
    away = -np.abs(np.log(table["ratio"].to_numpy(dtype=np.float64)))
    table = table.assign(_rank=rank, _away=away).sort_values(["_rank", "_away", *on], ignore_index=True)
    return table[[*on, *RESULTS]]


RESULTS = (
    *("seconds_a", "seconds_b", "rounds_a", "rounds_b", "processes_a", "processes_b"),
    *("ratio", "low", "high", "noise_low", "noise_high", "p_value", "p_adjusted", "verdict"),
)
"""What a comparison says of a case."""


def _arms(record: Record) -> pd.DataFrame:
    """All samples but those of the second arms of A/A pairs."""
    return record.samples[record.samples["replica"] == 0]


def _apart(old: pd.DataFrame, new: pd.DataFrame, on: Sequence[str]) -> str:
    """In which columns two sides share nothing."""
    for column in on:
        ours, theirs = (sorted(map(str, side.loc[counted(side), column].unique())) for side in (old, new))
        if not set(ours) & set(theirs):
            one, other = (", ".join(values) or "nothing" for values in (ours, theirs))
            return f"{column} is {one} on one side and {other} on the other"
    return "each column has common values, but no case has all of them"


def _processes(samples: pd.DataFrame) -> int:
    return int(samples.loc[counted(samples), "process"].nunique())


def _noise_words(width: float, widths: dict[str, float]) -> str:
    if np.isnan(width):
        unknown = ", ".join(name for name, one in widths.items() if np.isnan(one))
        return f"The noise floor is unknown ({unknown}: fewer than six rounds), so nothing is claimed."
    parts = ", ".join(f"{name} {np.expm1(one):.1%}" for name, one in widths.items())
    return f"Noise floor {np.expm1(width):.1%} ({parts})."


def _rows(some: int, all: int) -> str:
    return "all rows are" if some == all else f"{some} of {all} rows are"
