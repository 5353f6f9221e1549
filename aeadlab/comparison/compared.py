"""Compares two records, or two implementations of one record, case by case against the noise of the runs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from aeadlab.comparison.checks import check_implementation, noise_of
from aeadlab.comparison.columns import IDENTITY, KEY
from aeadlab.comparison.results import VERDICTS, Compared
from aeadlab.comparison.sides import Side, find_side, find_sides, resolve_revision
from aeadlab.comparison.unmatched import Arm, unmatched
from aeadlab.display.units import count_noun
from aeadlab.errors import ArgumentError
from aeadlab.records import provenance_diff
from aeadlab.records.record import Record
from aeadlab.records.reference import origin, reference_cpu
from aeadlab.stats.rows import paired_rows, with_verdicts
from aeadlab.stats.selection import counted, usable
from aeadlab.stats.unpaired import against_noise, unpaired_rows

_IMPLEMENTATION = re.compile(r"[^/\s]+/[^/\s]+")
_RESULTS = (
    *("seconds_a", "seconds_b", "rounds_a", "rounds_b", "processes_a", "processes_b"),
    *("ratio", "low", "high", "noise_low", "noise_high", "p_value", "p_adjusted", "verdict"),
)


def compare(
    a: str | Path | Record,
    b: str | Path | Record,
    *,
    study: str | None = None,
    record: str | Path | Record | None = None,
) -> Compared:
    """Compare B with A: return which cases are slower, faster, or not distinguishable.

    Parameters
    ----------
    a, b
        Two records (paths, loaded records, ``latest`` and ``previous`` of the user's own), two git revisions (the
        newest record that was measured at each), or two implementations of one record.
    study
        The study of ``latest``, ``previous`` and revisions, whose newest record also holds the implementations. None
        means that of the newest record; for a revision, that of the newest record of those that both sides have.
    record
        The record that holds the implementations. None means the user's newest record, else a reference record.

    Returns
    -------
    Compared
        Its ``table`` has one row for each case of both sides, slower rows first: the columns of the case, ``seconds_a``
        and ``seconds_b`` (medians), ``rounds_a``, ``rounds_b``, ``processes_a``, ``processes_b``, ``ratio`` (time of B
        over time of A) with its 95 % interval ``low`` to ``high``, the noise band ``noise_low`` to ``noise_high``,
        ``p_value``, ``p_adjusted`` (Benjamini-Hochberg across the rows) and ``verdict`` (``slower``, ``faster`` or ``no
        credible difference``). Cases of one side are in ``unmatched``, limits of the conclusions in ``warnings``.

    Raises
    ------
    aeadlab.errors.RecordError
        If a record does not exist, is damaged, or has an unsupported schema version.
    aeadlab.errors.UnknownNameError
        If a word is no record, revision or implementation.
    aeadlab.errors.ArgumentError
        If both sides are the same or have no common case, a record has no A/A pair, or an implementation was not
        verified.

    Notes
    -----
    Two implementations of one record are paired by round. Two records have no common round; see
    `aeadlab.stats.unpaired`. Their noise band is the widest of the A/A pairs of both records and, if these come from
    one machine, of the largest shift of a baseline (such as ``memcpy``), which shows how the speed of the machine
    changed between the runs. Without baselines, the shift is the median of all rows.
    """
    if record is not None or _are_implementations(a, b):
        return _implementations(str(a), str(b), find_side("latest" if record is None else record, study))
    return _records(*find_sides(a, b, study))


def _are_implementations(a: object, b: object) -> bool:
    """Return whether both have the form library/algorithm, and at least one is neither a file nor a revision."""
    words = [word for word in (a, b) if isinstance(word, str) and _IMPLEMENTATION.fullmatch(word)]
    other = [word.endswith(".parquet") or Path(word).is_file() or resolve_revision(word) for word in words]
    return len(words) == 2 and not all(other)


def _implementations(a: str, b: str, side: Side) -> Compared:
    record = side.record
    for name in (a, b):
        check_implementation(record, name)
    if a == b:
        raise ArgumentError(f"{a} is compared with itself: name another implementation")
    noise = noise_of(record)
    samples = _first_arms(record)
    left, right = (Arm(name, record, samples[samples["implementation"] == name]) for name in (a, b))
    on = [column for column in KEY if column not in IDENTITY and column != "kind"]
    table = paired_rows(left.samples, right.samples, on, noise)
    table = table[table["pairs"] > 0].reset_index(drop=True)
    if table.empty:
        reason = _difference(left.samples, right.samples, on)
        raise ArgumentError(f"{a} and {b} have no case in common in {record.name}: {reason}")
    pairs = table.pop("pairs")
    processes = [_processes(arm.samples) for arm in (left, right)]
    table = table.assign(rounds_a=pairs, rounds_b=pairs, processes_a=processes[0], processes_b=processes[1])
    layout = (
        f"the rounds come from {count_noun(processes[0], 'process', 'processes')}: a difference under about 5 % may be "
        "due to memory layout (docs/BIAS.md)"
    )
    single = processes[0] < 2
    return Compared(
        _judge(table, left.samples, right.samples, on),
        a=f"{a}, {side.about}",
        b=f"{b}, the same record",
        how=f"Paired by round. {_describe_noise(noise.width, {'A/A pairs': noise.width})}",
        warnings=(*provenance_diff.critical_conditions(record), *([layout] * single)),
        notes=() if single else (layout,),
        unmatched=unmatched(left, right, table[on], on),
        machines=1,
        reference_record=side.note,
    )


def _records(first: Side, second: Side) -> Compared:
    a, b = first.record, second.record
    widths = {f"A/A pairs of {name}": noise_of(record).width for name, record in (("A", a), ("B", b))}
    left, right = Arm("A", a, _first_arms(a)), Arm("B", b, _first_arms(b))
    old, new = left.verified, right.verified
    on = list(KEY)
    table = unpaired_rows(old, new, on)
    if table.empty:
        reason = _difference(old, new, on)
        raise ArgumentError(f"{a.name} and {b.name} have no verified case in common: {reason}")
    machines = 2 if provenance_diff.machine_differences(a, b) else 1
    warnings = provenance_diff.warnings(a, b)
    if machines == 1:
        shift, reasons = _machine_shift(table, a, b)
        widths |= shift
        warnings += reasons
    origins = {name: origin(reference_cpu(record)) for name, record in (("A", a), ("B", b))}
    single = int((table[["processes_a", "processes_b"]] < 2).any(axis=1).sum())
    if single:
        rows = "all rows have" if single == len(table) else f"{single} of {len(table)} rows have"
        warnings.append(
            f"{rows} a side with one process: differences under 20 % are not reported there, since processes of the "
            "same code differ by as much; profiles quick and paper use several processes"
        )
    if dirty := [name for name, side in (("A", first), ("B", second)) if side.commit.get("dirty")]:
        warnings.append(f"{' and '.join(dirty)} was measured with uncommitted changes")
    # np.max returns NaN for a NaN among the widths: an unknown noise floor must not be replaced by a known one.
    width = float(np.max(list(widths.values())))
    return Compared(
        _judge(against_noise(table, width), old, new, on),
        a=first.about,
        b=second.about,
        how=f"Two runs, not interleaved: medians of processes are compared, unpaired. {_describe_noise(width, widths)}",
        warnings=tuple(warnings),
        notes=tuple(provenance_diff.notes(a, b)),
        unmatched=unmatched(left, right, table[on], on),
        machines=machines,
        reference_record=" ".join(f"{name} is {each}." for name, each in origins.items() if each),
    )


def _machine_shift(table: pd.DataFrame, a: Record, b: Record) -> tuple[dict[str, float], list[str]]:
    """Return the noise width from the shift of the machine between two runs, and a warning if no baseline shows it.

    ParSplit is part of the measured code, so a baseline under ParSplit is used only if both runs had the same code.
    """
    unchanged = table["implementation"].isin(provenance_diff.shared_baselines(a, b))
    if not provenance_diff.same_code(a, b):
        unchanged &= table["engine"] != "parsplit"
    if unchanged.any():
        return {"baselines' shift": float(table.loc[unchanged, "log_ratio"].abs().max())}, []
    warning = (
        "no baseline (memcpy, xor) with engine whole is in both records: the median shift of all rows is attributed to "
        "the machine, and may be due to the code"
    )
    return {"shift of all rows": abs(float(table["log_ratio"].median()))}, [warning]


def _judge(table: pd.DataFrame, old: pd.DataFrame, new: pd.DataFrame, on: list[str]) -> pd.DataFrame:
    """Add verdicts, the medians of both sides and the noise band, and sort the rows by verdict and effect size."""
    table = with_verdicts(table)
    for name, side in (("seconds_a", old), ("seconds_b", new)):
        medians = usable(side, [*on, "seconds"]).groupby(on, observed=True)["seconds"].median()
        table = table.merge(medians.rename(name).reset_index(), on=on, how="left")
    width = table.pop("noise").to_numpy(dtype=np.float64)
    table = table.assign(noise_low=np.exp(-width), noise_high=np.exp(width))
    rank = table["verdict"].map(VERDICTS.index)
    effect = np.abs(np.log(table["ratio"].to_numpy(dtype=np.float64)))
    table = table.assign(_rank=rank, _effect=-effect).sort_values(["_rank", "_effect", *on], ignore_index=True)
    return table[[*on, *_RESULTS]]


def _first_arms(record: Record) -> pd.DataFrame:
    """Return the samples without those of the second arms of A/A pairs."""
    return record.samples[record.samples["replica"] == 0]


def _difference(old: pd.DataFrame, new: pd.DataFrame, on: Sequence[str]) -> str:
    """Return the first column in which two sides have no common value, with both values."""
    for column in on:
        values = [sorted(map(str, side.loc[counted(side), column].unique())) for side in (old, new)]
        if not set(values[0]) & set(values[1]):
            one, other = (", ".join(names) or "nothing" for names in values)
            return f"{column} is {one} on one side and {other} on the other"
    return "each column has common values, but no case has all of them"


def _processes(samples: pd.DataFrame) -> int:
    return int(samples.loc[counted(samples), "process"].nunique())


def _describe_noise(width: float, widths: dict[str, float]) -> str:
    if np.isnan(width):
        unknown = ", ".join(name for name, one in widths.items() if np.isnan(one))
        return f"The noise floor is unknown ({unknown}: fewer than six rounds), so no difference is reported."
    parts = ", ".join(f"{name} {np.expm1(one):.1%}" for name, one in widths.items())
    return f"Noise floor: {np.expm1(width):.1%} ({parts})."
